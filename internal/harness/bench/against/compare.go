//go:build ignore

// Command compare is built and run by command against, which puts the earlier commit into
// the folder old. Its argument is the processor time for each function and payload.
// It prints rows as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	old "github.com/hailmark/hailmark/internal/harness/bench/against/old/webhooknorm"
	"github.com/hailmark/hailmark/internal/harness/bench/paired"
	"github.com/hailmark/hailmark/internal/harness/bench/webhook/payloads"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A function is one that both versions have. It returns the number of events.
type function struct {
	name     string
	old, new func(payload []byte) int
}

var functions = []function{{
	"Normalize",
	func(payload []byte) int { return len(must(old.Normalize(payload))) },
	func(payload []byte) int { return len(must(webhooknorm.Normalize(payload))) },
}}

func main() {
	each := must(time.ParseDuration(os.Args[1]))
	var rows []any
	for _, f := range functions {
		for _, p := range payloads.All {
			if a, b := f.old(p.Text), f.new(p.Text); a != p.Messages || b != p.Messages {
				panic(fmt.Sprintf("%s, %s: %d and %d events", f.name, p.Name, a, b))
			}
			results := paired.Measure([]func(){func() { f.old(p.Text) }, func() { f.new(p.Text) }}, each)
			rows = append(rows, map[string]any{"Function": f.name, "Payload": p.Name, "Results": results})
		}
	}
	os.Stdout.Write(must(json.Marshal(rows)))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
