// Command webhook compares webhooknorm with general JSON libraries that decode the same
// events from the same payloads. It prints a table with ratios:
//
//	go run ./internal/check/harness/bench/webhook
//	GOTOOLCHAIN=go1.27.4 go run ./internal/check/harness/bench/webhook
//
// Package [paired] describes how processor times, including garbage collection, are
// measured on one thread. The command fails if webhooknorm is slower than claimed here. The
// claims depend on the Go version, because Go 1.27 contains another encoding/json. It
// requires Unix.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hailmark/hailmark/internal/check/harness/bench/paired"
	"github.com/hailmark/hailmark/internal/check/harness/bench/webhook/payloads"
)

// claims contains the lowest accepted ratio between a peer's time and webhooknorm's for
// each payload, or 0 without a claim.
type claims [3]float64

func main() {
	each := flag.Duration("time", time.Second, "processor time for each peer and payload")
	flag.Parse()

	fmt.Printf("%s %s/%s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	versions := moduleVersions()
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	missed := false
	for i, p := range payloads.All {
		checkPeers(p)
		reads := make([]func(), len(peers))
		for j, peer := range peers {
			reads[j] = func() { peer.read(p.Text) }
		}
		results := paired.Measure(reads, *each)
		fmt.Fprintf(table, "%s, %d bytes\tversion\ttime\tMB/s\tallocations\tratio\tclaim\t\n", p.Name, len(p.Text))
		for j, peer := range peers {
			result, verdict := results[j], ""
			if claim := peer.claims[i]; claim > 0 {
				verdict = fmt.Sprintf("≥ %.2f", claim)
				if result.Ratio < claim {
					verdict += " MISSED"
					missed = true
				}
			}
			fmt.Fprintf(table, "%s\t%s\t%v\t%.0f\t%.0f\t%.2f\t%s\t\n", peer.name, versions[peer.module],
				result.Time, float64(len(p.Text))/result.Time.Seconds()/1e6, result.Allocs, result.Ratio, verdict)
		}
		fmt.Fprintln(table, strings.Repeat("\t", 7))
	}
	_ = table.Flush()
	if missed {
		os.Exit(1)
	}
}

// moduleVersions returns this program's module versions by path. The standard library's
// path is "".
func moduleVersions() map[string]string {
	versions := map[string]string{"": strings.TrimPrefix(runtime.Version(), "go")}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			versions[dep.Path] = strings.TrimPrefix(dep.Version, "v")
			if parts := strings.Split(dep.Version, "-"); len(parts) == 3 { // a pseudo-version: v0.0.0-time-commit
				versions[dep.Path] = parts[1][:len("20060102")]
			}
		}
	}
	return versions
}

// checkPeers panics unless all peers that return events return the same events.
func checkPeers(p payloads.Payload) {
	want := peers[0].read(p.Text)
	if len(want) != p.Messages {
		panic("events are missing")
	}
	for _, peer := range peers {
		if got := peer.read(p.Text); got != nil && !slices.EqualFunc(got, want, sameEvent) {
			panic(peer.name + " returns other events")
		}
	}
}
