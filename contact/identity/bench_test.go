package identity

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func seen(t testing.TB, at int64, bsuid, phone string) Fact {
	f, err := Seen(at, Scope{}, IDs{BSUID: bsuid, Phone: phone}, Labels{Username: "jane.doe", Name: "Jane"})
	require.NoError(t, err)
	return f
}

const start = 1_786_000_000

func observeAll(t testing.TB, e *Engine, facts ...Fact) {
	_, err := e.Observe(context.Background(), facts...)
	require.NoError(t, err)
}

// sharing returns an engine with a number that n BSUIDs share.
func sharing(t testing.TB, n int) *Engine {
	e, _ := newTestEngine()
	for i := range n {
		observeAll(t, e, seen(t, start+int64(i), fmt.Sprintf("US.%d", i), "16505550001"))
	}
	return e
}

// rotationStep is how many seconds apart the rotations of a person are.
const rotationStep = 100_000

// rotationTo returns the rotation number i of a person, and firstMessage a message after it.
func rotationTo(t testing.TB, i int) Fact {
	f, err := Changed(start+int64(i)*rotationStep, Scope{}, IDs{BSUID: fmt.Sprintf("US.%d", i-1)}, IDs{BSUID: fmt.Sprintf("US.%d", i)})
	require.NoError(t, err)
	return f
}

func firstMessage(t testing.TB, i int) Fact {
	return seen(t, start+int64(i)*rotationStep+1, fmt.Sprintf("US.%d", i), "16505550001")
}

// rotated returns an engine with a person of n rotations.
func rotated(t testing.TB, n int) *Engine {
	e, _ := newTestEngine()
	observeAll(t, e, seen(t, start, "US.0", "16505550001"))
	for i := range n {
		observeAll(t, e, rotationTo(t, i+1), firstMessage(t, i+1))
	}
	return e
}

func benchmarkObserve(b *testing.B, e *Engine, fact func(i int) Fact) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_, err := e.Observe(context.Background(), fact(i))
		if err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkObserve measures a fact about a person who is known.
func BenchmarkObserve(b *testing.B) {
	known := seen(b, start, "US.0", "16505550001")
	b.Run("known", func(b *testing.B) {
		benchmarkObserve(b, sharing(b, 1), func(int) Fact { return known })
	})
	for _, n := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("next message/shared by %d", n), func(b *testing.B) {
			e := sharing(b, n)
			bsuids := make([]string, n)
			for i := range n {
				bsuids[i] = fmt.Sprintf("US.%d", i)
			}
			f := known
			benchmarkObserve(b, e, func(i int) Fact {
				f.a.bsuid.value, f.at = bsuids[i%n], start+10_000+int64(i)
				return f
			})
		})
	}
	for _, n := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("next message/rotated %d times", n), func(b *testing.B) {
			e := rotated(b, n)
			f := seen(b, start, fmt.Sprintf("US.%d", n), "16505550001")
			benchmarkObserve(b, e, func(i int) Fact {
				f.at = start + int64(n+1)*rotationStep + int64(i)
				return f
			})
		})
	}
	for _, n := range []int{2, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("new BSUID/shared by %d", n), func(b *testing.B) {
			e := sharing(b, n)
			f := known
			benchmarkObserve(b, e, func(i int) Fact {
				f.a.bsuid.value = fmt.Sprintf("XX.%d", i)
				f.at = start + 10_000 + int64(i)
				return f
			})
		})
	}
	for _, n := range []int{2, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("late new BSUID/shared by %d", n), func(b *testing.B) {
			e := sharing(b, n)
			f := known
			benchmarkObserve(b, e, func(i int) Fact {
				f.a.bsuid.value, f.at = fmt.Sprintf("XX.%d", i), start
				return f
			})
		})
	}
	b.Run("new person", func(b *testing.B) {
		e := sharing(b, 1)
		f := known
		benchmarkObserve(b, e, func(i int) Fact {
			f.a.bsuid.value, f.a.phone.value = fmt.Sprintf("XX.%d", i), fmt.Sprintf("1%d", 1_000_000+i)
			f.a.received = f.a.phone.value
			return f
		})
	})
	for _, n := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("new rotation/of %d", n), func(b *testing.B) {
			e := rotated(b, n)
			benchmarkObserve(b, e, func(i int) Fact { return rotationTo(b, n+i+1) })
		})
		b.Run(fmt.Sprintf("new rotation and message/of %d", n), func(b *testing.B) {
			e := rotated(b, n)
			b.ReportAllocs()
			i := n
			for b.Loop() {
				i++
				observeAll(b, e, rotationTo(b, i))
				observeAll(b, e, firstMessage(b, i))
			}
		})
	}
}
