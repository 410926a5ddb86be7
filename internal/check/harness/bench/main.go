// Command bench compares package qrcode with other QR libraries in one run and prints
// tables of ratios:
//
//	go run ./internal/check/harness/bench
//	GOTOOLCHAIN=go1.27.4 go run ./internal/check/harness/bench
//
// Package [paired] describes how processor times are measured. A run lasts
// about a minute and requires Unix. The command fails if package qrcode is slower or its
// images are larger than claimed here.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/hailmark/hailmark/internal/check/harness/bench/paired"
	"github.com/hailmark/hailmark/qrcode"
)

// texts are chat links, from a bare one to one with a long message.
var texts = []string{
	"https://wa.me/1650555123",
	"https://wa.me/16505551234",
	"https://wa.me/hailmark?text=Hi%20there",
	"https://wa.me/16505551234?text=Ol%C3%A1%2C%20tudo%20bem%3F%20Quero%20saber%20mais",
	message(200), message(300), message(450), message(600),
}

func message(n int) string {
	const words = "Hello%2C%20I%20saw%20your%20offer%20and%20would%20like%20to%20know%20more%20about%20the%20price%2C%20delivery%20and%20payment.%20"
	return ("https://wa.me/16505551234?text=" + strings.Repeat(words, 6))[:n]
}

// A limit contains the lowest accepted ratios between a peer's time and package qrcode's,
// for texts up to the given number of bytes and for longer texts.
type limit struct {
	bytes       int
	short, long float64
}

var (
	pngClaims = map[string]limit{
		"rsc.io/qr": {100, 12, 7},
		"skip2":     {100, 100, 100},
	}
	matrixClaims = map[string]limit{
		"rsc.io/qr": {100, 2.5, 2.5},
	}
	svgClaims = map[string]limit{
		"hailmark PNG": {250, 0.9, 0.7},
		"piglig":       {100, 12, 16},
	}
)

const (
	maxPNGAllocs = 3
	maxSVGAllocs = 6
)

func main() {
	each := flag.Duration("time", 200*time.Millisecond, "processor time for each peer and text")
	flag.Parse()
	peers := goPeers
	fmt.Printf("%s %s/%s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)

	fmt.Printf("Text to a PNG of %d pixels: µs, and the ratios of the others\n\n", size)
	misses := compare(ours, peers, pngClaims, *each, func(l library) func(string) error { return drop(l.png) })

	fmt.Print("\nText to the matrix of modules: µs, and the ratios of the others\n\n")
	misses = append(misses, compare(ours, peers, matrixClaims, *each, func(l library) func(string) error { return l.matrix })...)

	fmt.Print("\nText to an SVG: µs, and the ratios of the others\n\n")
	ourPNG := library{name: "hailmark PNG", svg: ours.png}
	misses = append(misses, compare(ours, append([]library{ourPNG}, peers...), svgClaims, *each, func(l library) func(string) error { return drop(l.svg) })...)

	fmt.Print("\nBytes of the PNG, and allocations\n\n")
	misses = append(misses, comparePNGBytes(peers)...)

	fmt.Print("\nBytes of the SVG, and allocations\n\n")
	misses = append(misses, compareSVGBytes(peers)...)

	for _, m := range misses {
		fmt.Println("MISSED:", m)
	}
	if len(misses) > 0 {
		os.Exit(1)
	}
}

// drop returns a function that calls render and discards the image. It returns nil for nil.
func drop(render func(string) ([]byte, error)) func(string) error {
	if render == nil {
		return nil
	}
	return func(text string) error { _, err := render(text); return err }
}

// compare prints a table with times and returns missed claims. It skips libraries that
// don't support the step.
func compare(base library, peers []library, claims map[string]limit, each time.Duration, step func(library) func(string) error) (misses []string) {
	peers = slices.DeleteFunc(slices.Clone(peers), func(l library) bool { return step(l) == nil })
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "bytes\t"+base.name+"\t"+names(peers))
	for _, text := range texts {
		var calls []func()
		for _, l := range append([]library{base}, peers...) {
			run := step(l)
			calls = append(calls, func() {
				if err := run(text); err != nil {
					fail(fmt.Errorf("%s: %w", l.name, err))
				}
			})
		}
		results := paired.Measure(calls, each)
		fmt.Fprintf(table, "%d\t%.1f\t", len(text), results[0].Time.Seconds()*1e6)
		for i, p := range peers {
			ratio, claim := results[i+1].Ratio, claims[p.name]
			fmt.Fprintf(table, "×%.2f\t", ratio)
			least := claim.long
			if len(text) <= claim.bytes {
				least = claim.short
			}
			if ratio < least {
				misses = append(misses, fmt.Sprintf("%s takes %.2f times as long at %d bytes, not %v", p.name, ratio, len(text), least))
			}
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		fail(err)
	}
	return misses
}

// comparePNGBytes prints a table with PNG sizes and returns missed claims.
func comparePNGBytes(peers []library) (misses []string) {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "bytes\tallocations\t"+ours.name+"\t"+names(peers))
	for _, text := range texts {
		img, err := ours.png(text)
		if err != nil {
			fail(err)
		}
		allocs := testing.AllocsPerRun(20, func() { _, _ = qrcode.RenderQR(text, qrcode.Options{Size: size}) })
		if allocs > maxPNGAllocs {
			misses = append(misses, fmt.Sprintf("%v allocations at %d bytes", allocs, len(text)))
		}
		fmt.Fprintf(table, "%d\t%v\t%d\t", len(text), allocs, len(img))
		for _, p := range peers {
			other, err := p.png(text)
			if err != nil {
				fail(fmt.Errorf("%s: %w", p.name, err))
			}
			fmt.Fprintf(table, "%d\t", len(other))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		fail(err)
	}
	return misses
}

// compareSVGBytes prints a table with SVG sizes and returns missed claims.
func compareSVGBytes(peers []library) (misses []string) {
	peers = slices.DeleteFunc(slices.Clone(peers), func(l library) bool { return l.svg == nil })
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "bytes\tallocations\t"+ours.name+"\t"+names(peers))
	for _, text := range texts {
		img, err := ours.svg(text)
		if err != nil {
			fail(err)
		}
		allocs := testing.AllocsPerRun(20, func() { _, _ = ours.svg(text) })
		if allocs > maxSVGAllocs {
			misses = append(misses, fmt.Sprintf("%v allocations of an SVG at %d bytes", allocs, len(text)))
		}
		fmt.Fprintf(table, "%d\t%v\t%d\t", len(text), allocs, len(img))
		for _, p := range peers {
			other, err := p.svg(text)
			if err != nil {
				fail(fmt.Errorf("%s: %w", p.name, err))
			}
			fmt.Fprintf(table, "%d\t", len(other))
			if len(img) >= len(other) {
				misses = append(misses, fmt.Sprintf("%d bytes of SVG at %d bytes, %s has %d", len(img), len(text), p.name, len(other)))
			}
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		fail(err)
	}
	return misses
}

// names returns the peers' column heads.
func names(peers []library) string {
	var b strings.Builder
	for _, p := range peers {
		b.WriteString(p.name + "\t")
	}
	return b.String()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
