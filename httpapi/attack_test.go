package httpapi

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/testenv"
)

// Many addresses post the worst bodies over real connections, to a server without timeouts,
// and read the responses at full speed, slowly or not at all. Large and small webhooks of
// another address are answered.
func TestAttackMatrix(t *testing.T) {
	testenv.Slow(t)
	worst := []string{
		longName(570, 14_000),     // the longest response
		longName(500_000, 10_000), // a response that would have 5 GB
		emptyMessages(16_384),
		emptyMessages(1_390_000), // too many
		webhookOf(webhookBody),
	}
	for _, attackers := range []int{4, 8, 30} {
		for name, reads := range map[string]int{"fast": 64 << 20, "slowly": 9000, "not at all": 0} {
			t.Run(fmt.Sprint(attackers, " read ", name), func(t *testing.T) {
				server := &http.Server{Handler: newTestHandler(t)} //nolint:gosec // it needs no timeouts
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				var running sync.WaitGroup
				running.Go(func() { _ = server.Serve(listener) })
				dial := func(client int) (net.Conn, error) {
					d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(client))}}
					return d.DialContext(t.Context(), "tcp", listener.Addr().String())
				}
				ctx, cancel := context.WithCancel(t.Context())
				for n := range attackers {
					for i := range 6 {
						body := worst[(n+i)%len(worst)]
						v := way{body: body, sent: len(body), reads: reads}
						running.Go(func() { v.attack(ctx, func() (net.Conn, error) { return dial(1 + n) }) })
					}
				}
				var small []time.Duration
				var longest time.Duration
				for range 5 {
					for range 20 {
						time.Sleep(10 * time.Millisecond)
						conn, err := dial(201)
						require.NoError(t, err)
						began := time.Now()
						status, err := webhook(conn, 1000)
						require.NoError(t, err)
						require.Equal(t, http.StatusOK, status)
						small = append(small, time.Since(began))
					}
					conn, err := dial(200)
					require.NoError(t, err)
					began := time.Now()
					status, err := webhook(conn, 3_000_000)
					require.NoError(t, err)
					require.Equal(t, http.StatusOK, status)
					longest = max(longest, time.Since(began))
				}
				slices.Sort(small)
				t.Logf("webhooks of 3 MB within %v, small ones in %v", longest, small[len(small)/2])
				cancel()
				require.NoError(t, server.Close())
				running.Wait()
			})
		}
	}
}
