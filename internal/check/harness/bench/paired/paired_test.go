package paired

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A machine is a simulated clock. Its speed changes: for long periods it is slower by a
// factor, and now and then something else takes a slice of the time.
type machine struct {
	now time.Duration
}

func (m *machine) work(d time.Duration) {
	for d > 0 {
		step := min(d, 50*time.Microsecond)
		d -= step
		if m.now/time.Second%2 == 1 {
			step *= 3
		}
		before := m.now
		m.now += step
		const slice = 150 * time.Millisecond
		if before/slice != m.now/slice {
			m.now += 3 * time.Millisecond
		}
	}
}

func TestRatiosOfADisturbedMachine(t *testing.T) {
	var m machine
	results := measure([]func(){
		func() { m.work(2 * time.Microsecond) },
		func() { m.work(20 * time.Microsecond) },
		func() { m.work(30 * time.Millisecond) },
		func() { m.work(time.Microsecond) },
	}, 2*time.Second, func() time.Duration { return m.now })

	require.Len(t, results, 4)
	for i, want := range []float64{1, 10, 15_000, 0.5} {
		require.InEpsilon(t, want, results[i].Ratio, 0.05, i)
	}
}

var sink []byte

func TestResultIncludesAllocations(t *testing.T) {
	results := Measure([]func(){
		func() { sink = make([]byte, 100) },
		func() { sink = make([]byte, 200); sink = make([]byte, 300) },
	}, time.Millisecond)
	require.Equal(t, 1.0, results[0].Allocs)
	require.Equal(t, 2.0, results[1].Allocs)
	require.Positive(t, results[0].Time)
	require.Positive(t, results[1].Ratio)
}
