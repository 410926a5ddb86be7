// Command hostile measures webhooknorm on payloads that are made to be expensive:
//
//	go run ./internal/harness/bench/webhook/hostile
//
// Each payload of 4 MiB is compared with one like those that arrive, of the same size, in
// turns and in processor time. The command fails if a payload takes more than 3 times as
// long, or if more than 10 times its size is allocated, which is at least its peak.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hailmark/hailmark/internal/harness/bench/paired"
	"github.com/hailmark/hailmark/webhooknorm"
)

func main() {
	each := flag.Duration("time", time.Second, "processor time for each comparison")
	only := flag.String("only", "", "measure only payloads with this text in the name")
	flag.Parse()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "payload\tfunction\tbytes\ttime / ordinary\tallocated / bytes\t\t")
	fail := false
	for _, h := range payloads() {
		if !strings.Contains(h.name, *only) {
			continue
		}
		for _, f := range functions {
			ratio := paired.Measure([]func(){f.on(ordinary(len(h.text))), f.on(h.text)}, *each)[1].Ratio
			memory := f.memory(h.text)
			verdict := ""
			if ratio > 3 || memory > 10 {
				fail = true
				verdict = "MISSED"
			}
			fmt.Fprintf(w, "%q\t%s\t%d\t%.2f\t%.1f\t%s\t\n", h.name, f.name, len(h.text), ratio, memory, verdict)
		}
	}
	_ = w.Flush()
	if fail {
		os.Exit(1)
	}
}

// A function is one of the ways to read a payload.
type function struct {
	name string
	read func(payload []byte) error
}

var functions = []function{
	{"Normalize", func(payload []byte) error {
		_, err := webhooknorm.Normalize(payload)
		return err
	}},
	{"Read", func(payload []byte) error {
		_, err := webhooknorm.Read(payload)
		return err
	}},
}

// on returns a call of f. Any other error would end the reading early.
func (f function) on(payload []byte) func() {
	return func() {
		if err := f.read(payload); err != nil && !errors.Is(err, webhooknorm.CodeTooManyEvents) {
			panic(err)
		}
	}
}

// memory returns how many bytes a call allocates for each byte of the payload.
func (f function) memory(payload []byte) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f.on(payload)()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(len(payload))
}
