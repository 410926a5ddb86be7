package redislimit

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// However calls come and however long batches take, each call is sent once, in batches that have a
// bound, and at most gatherTime after it came, or when a batch returns if that's earlier.
func TestBatcher(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			roundTrip := time.Duration(random.Int64N(int64(5 * time.Millisecond)))
			calls := make([]*call, 1+random.IntN(1000))
			sent := make(chan []*call, len(calls))
			b := &batcher{send: func(batch []*call) {
				for _, c := range batch {
					require.LessOrEqual(t, time.Since(c.began), min(gatherTime, roundTrip), "seed %d", seed)
				}
				sent <- batch
				time.Sleep(roundTrip)
			}}
			for i := range calls {
				calls[i] = &call{limit: i, began: time.Now()}
				b.add(calls[i])
				if random.IntN(3) == 0 {
					time.Sleep(time.Duration(random.Int64N(int64(100 * time.Microsecond))))
				}
			}
			time.Sleep(time.Second)
			synctest.Wait()
			close(sent)
			var all []int
			for batch := range sent {
				require.LessOrEqual(t, len(batch), mostCalls)
				for _, c := range batch {
					all = append(all, c.limit)
				}
			}
			slices.Sort(all)
			for i := range calls {
				require.Equal(t, i, all[i], "seed %d", seed)
			}
			require.Len(t, all, len(calls))
			require.Zero(t, b.senders)
		})
	}
}
