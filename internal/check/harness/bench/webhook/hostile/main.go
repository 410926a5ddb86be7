// Command hostile measures webhooknorm with deliberately expensive payloads:
//
//	go run ./internal/check/harness/bench/webhook/hostile
//
// Each 4 MiB payload alternates with an ordinary payload. The command fails if it needs more
// than 3 times the processor time, or allocates more than 10 times its size.
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

	"github.com/hailmark/hailmark/internal/check/harness/bench/paired"
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

// A function reads a payload.
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

// memory returns the bytes allocated per payload byte.
func (f function) memory(payload []byte) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f.on(payload)()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(len(payload))
}
