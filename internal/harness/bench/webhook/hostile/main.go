// Command hostile measures webhooknorm on payloads that are made to be expensive:
//
//	go run ./internal/harness/bench/webhook/hostile
//
// Each payload has one hostile feature and is compared with a plain counterpart: a payload
// of the same size, with the same number of elements of the same kind, but without the
// feature. The two are read in turns, in processor time, and the median of the ratios is
// printed. The command fails if a ratio is above the limit of the payload. For information
// it also prints the ratio to an ordinary payload of the same size, and how many bytes a
// call allocates for each byte of the payload, which is at least its peak.
package main

import (
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
	fmt.Fprintln(w, "payload\tfunction\tbytes\tplain bytes\ttime / plain\tlimit\ttime / ordinary\tallocated / bytes\tplain\t")
	fail := false
	for _, h := range payloads() {
		if !strings.Contains(h.name, *only) {
			continue
		}
		ordinary := ordinary(len(h.text))
		for _, f := range functions {
			results := paired.Measure([]func(){f.on(h.plain), f.on(h.text), f.on(ordinary)}, *each)
			verdict := fmt.Sprintf("≤ %.1f", h.limit)
			if results[1].Ratio > h.limit {
				fail = true
				verdict += " MISSED"
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.2f\t%s\t%.2f\t%.1f\t%.1f\t\n", h.name, f.name, len(h.text), len(h.plain),
				results[1].Ratio, verdict, results[1].Ratio/results[2].Ratio, f.memory(h.text), f.memory(h.plain))
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

// on returns a call of f. A payload that is refused would be measured only up to its fault.
func (f function) on(payload []byte) func() {
	return func() {
		if err := f.read(payload); err != nil {
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
