// Command bench compares package qrcode with other QR libraries in one run and prints
// tables of ratios:
//
//	go run .               # the Go libraries
//	go run -tags clibs .   # libqrencode and libpng too (Debian libqrencode-dev, libpng-dev)
//
// Every figure is the median of several rounds on one thread; in a round each library
// has its turn, so that a busy machine slows all of them. The command fails if package
// qrcode falls behind what its documentation claims.
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

// short texts are those up to here; the claims for them are higher.
const short = 100

// A claim is how many times faster than a peer package qrcode is, at the least.
type claim struct {
	short, long float64
}

var (
	pngClaims    = map[string]claim{"rsc.io/qr": {12, 7}, "skip2": {100, 100}}
	matrixClaims = map[string]claim{"rsc.io/qr": {2.5, 2.5}, "libqrencode": {6, 6}}
)

const (
	maxAllocs     = 2
	maxBytesRatio = 1.35 // to libpng at level 9 on the same pixels
)

func main() {
	rounds := flag.Int("rounds", 11, "rounds of which the median is taken")
	turn := flag.Duration("turn", 10*time.Millisecond, "length of a library's turn in a round")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	peers := append(slices.Clone(goPeers), cPeers...)
	var misses []string

	fmt.Printf("Text to a PNG of %d pixels: µs, and how many times longer the others take\n\n", size)
	misses = append(misses, compare(peers, pngClaims, *rounds, *turn, func(l library) func(string) error {
		return func(text string) error { _, err := l.png(text); return err }
	})...)

	fmt.Print("\nText to the matrix of modules: µs, and how many times longer the others take\n\n")
	misses = append(misses, compare(peers, matrixClaims, *rounds, *turn, func(l library) func(string) error { return l.matrix })...)

	fmt.Print("\nBytes of the PNG, and allocations\n\n")
	misses = append(misses, weigh(peers)...)

	for _, m := range misses {
		fmt.Println("MISSED:", m)
	}
	if len(misses) > 0 {
		os.Exit(1)
	}
}

// compare prints a table of times and returns the claims that were missed.
func compare(peers []library, claims map[string]claim, rounds int, turn time.Duration, step func(library) func(string) error) (misses []string) {
	peers = slices.DeleteFunc(slices.Clone(peers), func(l library) bool { return step(l) == nil })
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "bytes\t"+ours.name+"\t"+names(peers))
	for _, text := range texts {
		times := measure(append([]library{ours}, peers...), text, rounds, turn, step)
		fmt.Fprintf(table, "%d\t%.1f\t", len(text), times[0].Seconds()*1e6)
		for i, p := range peers {
			ratio := times[i+1].Seconds() / times[0].Seconds()
			fmt.Fprintf(table, "×%.1f\t", ratio)
			least := claims[p.name].long
			if len(text) <= short {
				least = claims[p.name].short
			}
			if ratio < least {
				misses = append(misses, fmt.Sprintf("%.1f times %s at %d bytes, not %v", ratio, p.name, len(text), least))
			}
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		fail(err)
	}
	return misses
}

// measure returns the median time of one call of each library.
func measure(libraries []library, text string, rounds int, turn time.Duration, step func(library) func(string) error) []time.Duration {
	all := make([][]time.Duration, len(libraries))
	for range rounds {
		for i, l := range libraries {
			draw := step(l)
			calls, start := 0, time.Now()
			for calls == 0 || time.Since(start) < turn {
				if err := draw(text); err != nil {
					fail(fmt.Errorf("%s: %w", l.name, err))
				}
				calls++
			}
			all[i] = append(all[i], time.Since(start)/time.Duration(calls))
		}
	}
	medians := make([]time.Duration, len(libraries))
	for i := range all {
		slices.Sort(all[i])
		medians[i] = all[i][rounds/2]
	}
	return medians
}

// weigh prints a table of sizes and returns the claims that were missed.
func weigh(peers []library) (misses []string) {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "bytes\tallocations\t" + ours.name + "\t"
	if libpng != nil {
		head += "to libpng -9\t"
	}
	fmt.Fprintln(table, head+names(peers))
	for _, text := range texts {
		img, err := ours.png(text)
		if err != nil {
			fail(err)
		}
		allocs := testing.AllocsPerRun(20, func() { _, _ = qrcode.RenderQR(text, qrcode.Options{Size: size}) })
		if allocs > maxAllocs {
			misses = append(misses, fmt.Sprintf("%v allocations at %d bytes", allocs, len(text)))
		}
		fmt.Fprintf(table, "%d\t%v\t%d\t", len(text), allocs, len(img))
		if libpng != nil {
			other, err := libpng(img)
			if err != nil {
				fail(err)
			}
			ratio := float64(len(img)) / float64(len(other))
			fmt.Fprintf(table, "×%.2f\t", ratio)
			if ratio > maxBytesRatio {
				misses = append(misses, fmt.Sprintf("%.2f times the bytes of libpng at %d bytes", ratio, len(text)))
			}
		}
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

// names returns the heads of the peers' columns.
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
