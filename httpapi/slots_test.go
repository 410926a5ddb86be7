package httpapi

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A taker is a request that wants a slot.
type taker struct {
	mu    sync.Mutex
	slot  *slot
	ended bool // the wait
}

// takeLater takes a slot in a goroutine. When it returns, the request has a slot or waits.
func takeLater(t *testing.T, s *slots, client uint32) *taker {
	k := &taker{}
	go func() {
		slot := s.take(t.Context(), address(client))
		k.mu.Lock()
		defer k.mu.Unlock()
		k.slot, k.ended = slot, true
	}()
	synctest.Wait()
	return k
}

func (k *taker) has() bool {
	synctest.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.slot != nil
}

func (k *taker) hasEnded() bool {
	synctest.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended
}

func requireUnused(t *testing.T, s *slots) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Empty(t, s.held)
	require.Empty(t, s.line)
}

func releaseAll(takers []*taker) {
	for _, k := range takers {
		k.slot.release()
	}
}

func TestSlotsPerClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slots
		var all []*taker
		for n := range 2 * slotCount {
			all = append(all, takeLater(t, &s, uint32(n%2)))
			require.Equal(t, n < slotCount, all[n].has())
		}
		third := takeLater(t, &s, 3)
		all[0].slot.release()
		require.True(t, third.has(), "it has none, and comes before those that hold three")
		all[1].slot.release()
		require.True(t, all[slotCount].has(), "both clients hold three, and this request came first")
		require.False(t, all[slotCount+1].has())
		time.Sleep(waitLimit)
		synctest.Wait()
		releaseAll(append(all[2:], third))
		requireUnused(t, &s)
	})
}

// However many requests wait, clients take turns, and a new client soon has its own.
func TestSlotsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slots
		var mu sync.Mutex
		var order []uint32
		var wg sync.WaitGroup
		request := func(client uint32) {
			wg.Go(func() {
				if k := s.take(t.Context(), address(client)); k != nil {
					mu.Lock()
					order = append(order, client)
					mu.Unlock()
					time.Sleep(time.Millisecond)
					k.release()
				}
			})
			synctest.Wait()
		}
		for range 6 {
			for client := range uint32(30) {
				request(client)
			}
		}
		request(99)
		wg.Wait()
		require.Len(t, order, 6*30+1)
		require.Less(t, slices.Index(order, 99), 30+2*slotCount)
		requireUnused(t, &s)
	})
}

func TestSlotsWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slots
		var held []*taker
		for client := range uint32(slotCount) {
			held = append(held, takeLater(t, &s, client))
		}
		late := takeLater(t, &s, 99)
		time.Sleep(waitLimit - 1)
		synctest.Wait()
		require.False(t, late.hasEnded())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.True(t, late.hasEnded())
		require.Nil(t, late.slot)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		require.Nil(t, s.take(ctx, address(99)))
		require.Equal(t, time.Second, time.Since(began))

		for n := range lineLength {
			require.False(t, takeLater(t, &s, uint32(n/linePerClient)).hasEnded())
			if n == linePerClient {
				require.True(t, takeLater(t, &s, 0).hasEnded(), "the rest of the line is for others")
			}
		}
		require.True(t, takeLater(t, &s, 99).hasEnded(), "the line is full")
		time.Sleep(waitLimit)
		synctest.Wait()
		releaseAll(held)
		requireUnused(t, &s)
	})
}

// A request that has waited for a second gets the slot of the slowest transfer of the client
// with the most slots. Those that aren't slow have two seconds.
func TestSlowestTransferLosesItsSlot(t *testing.T) {
	for _, tt := range []struct {
		name    string
		clients []uint32        // that hold slots
		paces   []time.Duration // of their transfers, 0: none
		waiting uint32
		loser   int // or -1
	}{
		{"the slowest", []uint32{1, 1, 2, 2, 3, 3, 4, 4}, []time.Duration{3, 4, 5, 9, 8, 7, 6, 5}, 9, 3},
		{"of the client with the most slots", []uint32{1, 1, 1, 2, 2, 3, 3, 4}, []time.Duration{3, 5, 4, 9, 9, 9, 9, 9}, 9, 1},
		{"those that encode stay", []uint32{1, 1, 1, 2, 2, 3, 3, 4}, []time.Duration{0, 0, 0, 1, 2, 3, 4, 9}, 9, 6},
		{"a client with one slot, for one with none", []uint32{1, 2, 3, 4, 5, 6, 7, 8}, []time.Duration{1, 2, 3, 4, 9, 6, 7, 8}, 9, 4},
		{"not its own, nor one of a client with as many", []uint32{1, 1, 2, 2, 3, 3, 4, 4}, []time.Duration{9, 9, 9, 9, 9, 9, 9, 9}, 1, -1},
		{"none is under way", []uint32{1, 1, 2, 2, 3, 3, 4, 4}, make([]time.Duration, 8), 9, -1},
	} {
		for _, hidden := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var s slots
				var held []*taker
				var ended []int
				for n, client := range tt.clients {
					held = append(held, takeLater(t, &s, client))
					if tt.paces[n] == 0 {
						continue
					}
					held[n].slot.begin(func(at time.Time) error {
						if at.Equal(past) {
							ended = append(ended, n)
							if hidden {
								return http.ErrNotSupported
							}
							go held[n].slot.release()
						}
						return nil
					})
					s.mu.Lock()
					held[n].slot.took = tt.paces[n] * time.Second
					s.mu.Unlock()
				}
				waiting := takeLater(t, &s, tt.waiting)
				time.Sleep(patience - 1)
				require.False(t, waiting.has())
				requireEnded := func(want ...int) {
					s.mu.Lock()
					defer s.mu.Unlock()
					require.Equal(t, want, ended)
				}
				requireEnded()
				time.Sleep(checkEvery + 1)
				require.Equal(t, tt.loser >= 0, waiting.has(), tt.name)
				if tt.loser >= 0 {
					requireEnded(tt.loser)
					require.False(t, held[tt.loser].slot.next(pieceBytes))
					require.False(t, held[tt.loser].slot.end())
				}
				time.Sleep(waitLimit)
				synctest.Wait()
				releaseAll(append(held, waiting))
				requireUnused(t, &s)
			})
		}
	}
}

// A transfer that isn't slow keeps its slot for two seconds.
func TestFastTransfersHaveLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slots
		var transfers sync.WaitGroup
		var held []*taker
		ctx, cancel := context.WithCancel(t.Context())
		for client := range uint32(slotCount) {
			k := takeLater(t, &s, client)
			held = append(held, k)
			k.slot.begin(func(time.Time) error { return nil })
			transfers.Go(func() {
				for ctx.Err() == nil && k.slot.next(pieceBytes) {
					time.Sleep(100 * time.Millisecond)
				}
				k.slot.release()
			})
		}
		waiting := takeLater(t, &s, 99)
		time.Sleep(longGrace - 1)
		require.False(t, waiting.has())
		time.Sleep(checkEvery + 100*time.Millisecond + 1)
		require.True(t, waiting.has())
		cancel()
		transfers.Wait()
		releaseAll(append(held, waiting))
		requireUnused(t, &s)
	})
}

// Whatever requests do, no slot is lost, and no client holds more than its share.
func TestSlotsBalance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slots
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				for range 20 {
					ctx, cancel := context.WithTimeout(t.Context(), rand.N(10*time.Second))
					k := s.take(ctx, address(rand.Uint32N(5)))
					cancel()
					if k == nil {
						continue
					}
					s.mu.Lock()
					held, own := len(s.held), count(s.held, k.client)
					s.mu.Unlock()
					if held > slotCount || own > slotsPerClient {
						t.Errorf("%d slots are held, %d by one client", held, own)
					}
					k.begin(func(time.Time) error { return nil })
					for range rand.N(5) {
						time.Sleep(rand.N(time.Second))
						k.next(pieceBytes)
					}
					k.end()
					time.Sleep(rand.N(time.Second))
					k.release()
				}
			})
		}
		wg.Wait()
		requireUnused(t, &s)
	})
}
