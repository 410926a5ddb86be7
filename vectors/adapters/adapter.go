// Adapter connects an implementation in Go to the runners; ../README.md describes the lines.
//
// Copy this file, and call your own code in functions.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"regexp"
)

// A rejected input is invalid for the reasons that these codes name, in order.
type rejected []string

func (codes rejected) Error() string { return "the input is invalid" }

// functions has the functions that you implement. Each decodes its input itself, because inputs differ.
var functions = map[string]func(input json.RawMessage) (any, error){
	"chatlink.ParseKey": func(input json.RawMessage) (any, error) {
		var s string
		if err := json.Unmarshal(input, &s); err != nil {
			return nil, err
		}
		return parseKey(s)
	},
}

var key = regexp.MustCompile(`^[A-Za-z0-9]{4,8}$`)

func parseKey(s string) (string, error) {
	if !key.MatchString(s) {
		return "", rejected{"key_invalid_format"}
	}
	return s, nil
}

func main() {
	lines, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var question struct {
			Function string          `json:"function"`
			Input    json.RawMessage `json:"input"`
		}
		if err := lines.Decode(&question); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		result, err := answer(question.Function, question.Input)
		if err != nil {
			log.Fatal(err)
		}
		if err := results.Encode(result); err != nil {
			log.Fatal(err)
		}
	}
}

func answer(name string, input json.RawMessage) (map[string]any, error) {
	function, ok := functions[name]
	if !ok {
		return map[string]any{"unsupported": true}, nil
	}
	output, err := function(input)
	var codes rejected
	if errors.As(err, &codes) {
		return map[string]any{"codes": codes}, nil
	}
	return map[string]any{"output": output}, err
}
