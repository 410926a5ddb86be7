package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// takeLater takes a processor in a goroutine, and appends the client to order once it has
// it.
func takeLater(p *processors, client uint32, order *[]uint32) {
	go func() {
		_ = p.take(context.Background(), address(client))
		*order = append(*order, client)
	}()
	synctest.Wait()
}

// The client that holds the least memory comes first, and a running request gives way to
// it alone.
func TestProcessorsAreFairToClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := newMemoryPool(100)
		mustReserve(t, memory, 1, 60)
		mustReserve(t, memory, 2, 20)
		p := newProcessors(1, memory)
		var order []uint32
		_ = p.yield(t.Context(), address(1)) // no other request waits
		for _, client := range []uint32{1, 1, 2, 3, 2} {
			takeLater(p, client, &order)
		}
		require.Equal(t, []uint32{1}, order, "one processor")
		for range 4 {
			p.release()
			synctest.Wait()
		}
		require.Equal(t, []uint32{1, 3, 2, 2, 1}, order)

		order = nil
		takeLater(p, 1, &order)
		_ = p.yield(t.Context(), address(1))
		require.Empty(t, order, "the same client keeps the processor")
		takeLater(p, 2, &order)
		yielded := false
		go func() {
			_ = p.yield(t.Context(), address(1))
			yielded = true
		}()
		synctest.Wait()
		require.Equal(t, []uint32{2}, order)
		require.False(t, yielded)
		p.release()
		p.release()
		synctest.Wait()
		require.True(t, yielded)
		require.Equal(t, []uint32{2, 1}, order)
		p.release()
		require.Equal(t, 1, p.free)
		require.Empty(t, p.waiting)
	})
}

// slowWriter takes some time for each write.
type slowWriter struct {
	http.ResponseWriter
	takes  time.Duration
	during func()
}

func (w slowWriter) Write(part []byte) (int, error) {
	time.Sleep(w.takes)
	w.during()
	return len(part), nil
}

// A request keeps its processor during a quick write, and leaves it to others during a
// slow one.
func TestProcessorDuringWrite(t *testing.T) {
	for takes, free := range map[time.Duration]int{quickWrite / 2: 0, 2 * quickWrite: 1} {
		synctest.Test(t, func(t *testing.T) {
			a := newTestAPI(t)
			a.processors = newProcessors(1, a.memory.bodies)
			pieces := 0
			w := slowWriter{httptest.NewRecorder(), takes, func() {
				synctest.Wait()
				pieces++
				require.Equal(t, free, a.processors.free)
			}}
			out := a.newResponder(w, httptest.NewRequest(http.MethodGet, "/", nil))
			require.NoError(t, out.takeProcessor())
			n, err := out.Write(make([]byte, 3*networkPiece))
			require.NoError(t, err)
			require.Equal(t, 3*networkPiece, n)
			require.Equal(t, 3, pieces)
			require.Zero(t, a.processors.free)
			out.releaseProcessor()
			out.releaseProcessor()
			require.Equal(t, 1, a.processors.free)
		})
	}
}

// A client that holds less than all that wait keeps its memory, even if it stalls.
func TestMemoryPoolSparesSmallHolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		aborted := map[uint32]bool{}
		for client, bytes := range map[uint32]int64{1: 60, 2: 30, 3: 10} {
			r := mustReserve(t, p, client, bytes)
			r.startTransfer(func() error {
				aborted[client] = true
				return nil
			})
			r.startWait()
		}
		time.Sleep(2 * p.stallLimit)
		waiting := reserveLater(t, p, 2, 90)
		time.Sleep(p.waitLimit)
		_, err := waiting()
		require.ErrorIs(t, err, errNoMemory)
		require.Equal(t, map[uint32]bool{1: true, 2: true}, aborted)
	})
}

// A request that holds memory and stands in line gives way to a client that holds less,
// and not to another request of its own client.
func TestLineGivesWayToSmallHolders(t *testing.T) {
	for client, aborted := range map[uint32]bool{1: false, 2: true} {
		synctest.Test(t, func(t *testing.T) {
			a := newTestAPI(t)
			a.processors = newProcessors(0, a.memory.bodies)
			out := a.newResponder(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil))
			out.client = address(1)
			out.memory = mustReserve(t, a.memory.bodies, 1, a.memory.bodies.size)
			var err error
			go func() {
				if err = out.takeProcessor(); err != nil {
					out.memory.release()
				}
			}()
			waiting := reserveLater(t, a.memory.bodies, client, 1)
			time.Sleep(a.memory.bodies.stallLimit + 2*a.memory.bodies.checkEvery)
			_, waitErr := waiting()
			require.Equal(t, aborted, waitErr == nil)
			if aborted {
				require.ErrorIs(t, err, errOverloaded)
				require.Empty(t, a.processors.waiting)
				return
			}
			a.processors.release()
			synctest.Wait()
			require.NoError(t, err)
			require.True(t, out.hasProcessor)
			out.memory.release()
		})
	}
}

// A response that has begun keeps its memory while it stands in line for a processor, even
// if a client that holds less needs the memory.
func TestBegunResponseKeepsMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newTestAPI(t)
		a.processors = newProcessors(1, a.memory.bodies)
		pool := a.memory.bodies
		w := slowWriter{httptest.NewRecorder(), 2 * quickWrite, func() {}}
		out := a.newResponder(w, httptest.NewRequest(http.MethodPost, "/", nil))
		out.client = address(1)
		out.memory = mustReserve(t, pool, 1, pool.size)
		require.NoError(t, out.takeProcessor())

		var order []uint32
		takeLater(a.processors, 2, &order)
		streamed := false
		go func() {
			out.stream(func(w io.Writer) { _, _ = w.Write(make([]byte, 3*networkPiece)) })
			streamed = true
		}()
		time.Sleep(3 * quickWrite)
		synctest.Wait()
		require.Equal(t, []uint32{2}, order, "the slow write leaves the processor to the other client")
		_, err := reserveLater(t, pool, 2, 1)()
		require.EqualError(t, err, "still waiting")
		time.Sleep(pool.waitLimit)
		synctest.Wait()
		require.Empty(t, pool.waiting, "it has given up")
		require.False(t, streamed)

		a.processors.release()
		time.Sleep(time.Second)
		synctest.Wait()
		require.True(t, streamed)
		require.Equal(t, 3*networkPiece, out.bytes)
		out.releaseProcessor()
		out.releaseMemory()
		requireUnused(t, pool)
	})
}

// A request that loses its memory at the moment when it gets a processor is refused before
// its response begins.
func TestLineEndsWithBoth(t *testing.T) {
	a := newTestAPI(t)
	out := a.newResponder(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil))
	var err error
	out.memory, err = a.memory.bodies.reserve(t.Context(), address(1), 1)
	require.NoError(t, err)
	require.ErrorIs(t, out.waitInLine(func(ctx context.Context) error {
		out.memory.aborted = true
		return nil
	}), errOverloaded)
	out.releaseMemory()
}
