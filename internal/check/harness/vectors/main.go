// Command vectors runs this library's functions for the runners in the vectors folder. It
// reads one JSON object per line with a function and an input, and writes one with the output
// or the problem codes. vectors/README.md describes the format.
//
//	node vectors/run.mjs go run ./internal/check/harness/vectors
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hailmark/hailmark/problem"
)

// A question is one line of input.
type question struct {
	Function string          `json:"function"`
	ID       string          `json:"id"`
	Input    json.RawMessage `json:"input"`
}

// A result is one line of output. Exactly one field is set.
type result struct {
	Output      any            `json:"output,omitempty"`
	Codes       []problem.Code `json:"codes,omitempty"`
	Unsupported bool           `json:"unsupported,omitempty"`
}

var errUnsupported = errors.New("unsupported")

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	questions, results := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q question
		if err := questions.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		r, err := answer(q)
		if err != nil {
			return fmt.Errorf("%s#%s: %w", q.Function, q.ID, err)
		}
		if err := results.Encode(r); err != nil {
			return err
		}
	}
}

func answer(q question) (result, error) {
	f, ok := functions[q.Function]
	if !ok {
		return result{Unsupported: true}, nil
	}
	output, err := f(q.Input)
	if errors.Is(err, errUnsupported) {
		return result{Unsupported: true}, nil
	}
	if codes := problem.All(err).Codes(); len(codes) > 0 {
		return result{Codes: codes}, nil
	}
	return result{Output: output}, err
}
