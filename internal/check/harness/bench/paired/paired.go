// Package paired compares the speed of functions on a machine that is busy with other
// work. It requires Unix, because it measures processor time.
//
// Each function alternates with the first one in batches of about a millisecond, in the
// order first, other, other, first. A round contains enough turns to include garbage
// collections and yields one ratio. Long disturbances slow both functions, and the median
// over all rounds ignores short disturbances.
package paired

import (
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

const (
	batch     = time.Millisecond      // duration of a batch, unless one call takes longer
	round     = 40 * time.Millisecond // duration of a round, unless one turn of each takes longer
	minRounds = 5                     // even if they take longer than the caller wants
)

// A Result describes one function's speed.
type Result struct {
	Time   time.Duration // processor time of one call: the median, including garbage collection
	Ratio  float64       // the median ratio of Time to the time of the first function
	Allocs float64       // allocations per call
}

// Measure compares two or more functions with the first, each for the given duration. It
// sets GOMAXPROCS to 1 while it runs.
func Measure(functions []func(), each time.Duration) []Result {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return measure(functions, each, processorTime)
}

func measure(functions []func(), each time.Duration, clock func() time.Duration) []Result {
	contestants := make([]contestant, len(functions))
	for i, f := range functions {
		contestants[i] = newContestant(f, clock)
	}
	base, others := contestants[0], contestants[1:]
	results := []Result{{Ratio: 1, Allocs: base.allocs}}
	var baseTimes []float64
	for _, other := range others {
		var times, ratios []float64
		runtime.GC()
		duration := max(batch, base.call, other.call)
		for start := clock(); clock()-start < each || len(ratios) < minRounds; {
			var a, b, turns float64
			for roundStart := clock(); clock()-roundStart < round; {
				a += base.run(duration)
				b += other.run(duration) + other.run(duration)
				a += base.run(duration)
				turns += 2
			}
			baseTimes, times, ratios = append(baseTimes, a/turns), append(times, b/turns), append(ratios, b/a)
		}
		results = append(results, Result{time.Duration(Median(times)), Median(ratios), other.allocs})
	}
	results[0].Time = time.Duration(Median(baseTimes))
	return results
}

// A contestant is a function and the measurements for one call.
type contestant struct {
	function func()
	clock    func() time.Duration
	call     time.Duration // an estimate, for the length of batches
	allocs   float64
}

func newContestant(f func(), clock func() time.Duration) contestant {
	c := contestant{function: f, clock: clock, allocs: testing.AllocsPerRun(10, f)}
	for calls := 1; ; calls *= 2 {
		start := clock()
		for range calls {
			f()
		}
		if elapsed := clock() - start; elapsed >= batch {
			c.call = elapsed / time.Duration(calls)
			break
		}
	}
	return c
}

// run returns the time per call in nanoseconds, measured over a batch.
func (c contestant) run(duration time.Duration) float64 {
	calls := max(1, int(duration/c.call))
	start := c.clock()
	for range calls {
		c.function()
	}
	return float64(c.clock()-start) / float64(calls)
}

// Median returns the median. It panics without values.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// processorTime returns the process's processor time so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
