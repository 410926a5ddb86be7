//go:build unix

package serve

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// A flood is an attack whose success for honest clients is counted.
type flood struct {
	name             string
	addresses, conns int
	pause            time.Duration
	attack           attack
	isBehindProxy    bool
}

// TestHonestClients floods servers with GOMAXPROCS of 2, 16 and 64, and requires that they stay below
// 256 MiB and answer nine tenths of the small requests of other clients, each on a new connection, and
// half of their webhooks of 3 MB, which are sent again as the platform does. It asserts no times.
//
//	HAILMARK_TESTS=all go test -v -run TestHonestClients ./cmd/internal/serve
func TestHonestClients(t *testing.T) {
	testenv.Slow(t)
	const again = time.Millisecond
	message := `,{"from":"1","text":{"body":"` + strings.Repeat("x", 190) + `"}}`
	valid := request(`{"contacts":[{"wa_id":"1","profile":{"name":"` + strings.Repeat("a", 150) + `"}}],"messages":[{"from":"1"}` + strings.Repeat(message, 16_000) + `]}`)
	closing := strings.Replace(valid, "Host: x\r\n", "Host: x\r\nConnection: close\r\n", 1)
	upload := func(announced, sent int) func(int) string {
		return always(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", normalizePath, announced, strings.Repeat(" ", sent)))
	}
	fields := manyFields("POST "+normalizePath, 55_000)
	finished := func(n int) string {
		return fields + fmt.Sprintf("X-Forwarded-For: 198.51.100.%d\r\nContent-Length: 100\r\n\r\n", n%16)
	}
	fast := flood{name: "fast30", addresses: 30, conns: 90, pause: again, attack: conn(always(closing), "", -1)}
	unread := flood{name: "unread30", addresses: 30, conns: 90, pause: again, attack: conn(always(valid), "", 0)}
	for _, tt := range []struct {
		processors int
		flood
	}{
		{2, fast},
		{16, fast},
		{64, fast},
		{2, unread},
		{16, unread},
		{64, unread},
		{2, flood{name: "drip30", addresses: 30, conns: 180, pause: again, attack: conn(upload(4<<20, 0), strings.Repeat(" ", 15_000), 0)}},
		{2, flood{name: "stall60", addresses: 60, conns: 240, pause: again, attack: conn(upload(4<<20, 3<<20), "", -1)}},
		{2, flood{name: "idle100", addresses: 100, conns: 6_000, pause: headerTimeout, attack: conn(always("GET /jane HTTP/1.1\r\nHost: x\r\n\r\n"), "", -1)}},
		{2, flood{name: "small100", addresses: 100, conns: 4_000, pause: headerTimeout, attack: conn(upload(16_300, 16_000), "", -1)}},
		{2, flood{name: "head16", addresses: 16, conns: 1_024, pause: headerTimeout, attack: conn(finished, "", -1)}},
		{2, flood{name: "head16 by proxy", addresses: 1, conns: 1_024, pause: headerTimeout, attack: conn(finished, "", -1), isBehindProxy: true}},
	} {
		t.Run(fmt.Sprint(tt.name, "/", tt.processors), func(t *testing.T) {
			args := []string{"--json-limit", "off"}
			if tt.isBehindProxy {
				args = append(args, "--trusted-proxies", "127.0.0.1")
			}
			v := &victim{process: startLimited(t, []string{fmt.Sprint("GOMAXPROCS=", tt.processors), "GOGC=400"}, args...), kind: "server"}
			stop := v.keepUp(t, tt.flood)
			got := v.beHonest(t, tt.isBehindProxy)
			stop()
			peak := v.peakMemory(t)
			t.Logf("%s at %d: peak %d MiB, small %v, 3 MB %v", tt.name, tt.processors, peak, &got.small, &got.large)
			if !testenv.RaceEnabled {
				require.Less(t, peak, 256, "MiB")
			}
			require.GreaterOrEqual(t, 10*got.small.answered.Load(), 9*got.small.sent.Load(), "small requests")
			require.GreaterOrEqual(t, 2*got.large.answered.Load(), got.large.sent.Load(), "webhooks of 3 MB")
		})
	}
}

// keepUp keeps up the connections of a flood until the returned function is called. It returns when
// most have begun, or after some seconds, because a flood may not get all of them.
func (v *victim) keepUp(t *testing.T, f flood) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var attackers sync.WaitGroup
	for n := range f.conns {
		attackers.Go(func() {
			address := n % f.addresses
			for ctx.Err() == nil {
				f.attack(ctx, v, address, n)
				select {
				case <-ctx.Done():
				case <-time.After(f.pause):
				}
			}
		})
	}
	deadline := time.Now().Add(3 * time.Second)
	for v.engaged.Load() < int64(f.conns) && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	return func() {
		cancel()
		attackers.Wait()
	}
}

// A tally counts requests and those that were answered as they should be.
type tally struct{ sent, answered, attempts atomic.Int64 }

func (c *tally) String() string {
	return fmt.Sprintf("%d of %d (%d attempts)", c.answered.Load(), c.sent.Load(), c.attempts.Load())
}

type honesty struct{ small, large tally }

// beHonest makes at least 20 small requests while two clients post two webhooks of 3 MB each.
func (v *victim) beHonest(t *testing.T, isBehindProxy bool) *honesty {
	got := new(honesty)
	const first = 50_000 // of the honest clients' addresses
	do := func(client int, method, path, body string) (status int, retry string, err error) {
		address := first + client
		if isBehindProxy {
			address = 0
		}
		c := v.client(address)
		defer c.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), method, v.url(path), strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", client))
		res, err := c.Do(r)
		if err != nil {
			return 0, "", err
		}
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
		return res.StatusCode, res.Header.Get("Retry-After"), err
	}
	done := make(chan struct{})
	var small, large sync.WaitGroup
	small.Go(func() {
		for isDone := false; !isDone || got.small.sent.Load() < 20; {
			select {
			case <-done:
				isDone = true
			case <-time.After(10 * time.Millisecond):
			}
			got.small.sent.Add(1)
			got.small.attempts.Add(1)
			if status, _, err := do(0, http.MethodGet, "/api/v1/validate/key?key=aB3d", ""); err == nil && status == http.StatusOK {
				got.small.answered.Add(1)
			}
		}
	})
	body := honest(3_000_000)
	for client := range 2 {
		large.Go(func() {
			for range 2 {
				got.large.sent.Add(1)
				for range 3 {
					got.large.attempts.Add(1)
					status, _, err := do(1+client, http.MethodPost, normalizePath, body)
					if err == nil && status == http.StatusOK {
						got.large.answered.Add(1)
						break
					}
					time.Sleep(time.Second)
				}
			}
		})
	}
	large.Wait()
	close(done)
	small.Wait()
	return got
}

// Four clients that use all the turns they get, on new connections, hold up nobody: 20 webhooks of
// 3 MB are answered, one after the other.
func TestGreedyClients(t *testing.T) {
	testenv.Slow(t)
	v := startVictim(t, "server")
	closing := strings.Replace(worst()[0], "Host: x\r\n", "Host: x\r\nConnection: close\r\n", 1)
	stop := v.keepUp(t, flood{addresses: 4, conns: 24, pause: time.Millisecond, attack: conn(always(closing), "", -1)})
	defer stop()
	c := v.client(50_000)
	for range 20 {
		_, err := v.post(c, honest(3_000_000), 3)
		require.NoError(t, err)
	}
	t.Logf("%d attempts more than 20", v.repeated.Load())
}

// A paced is a body that its client sends at so many bytes per second.
type paced struct {
	*strings.Reader
	rate  int
	began time.Time
}

func (p *paced) Read(text []byte) (int, error) {
	if p.began.IsZero() {
		p.began = time.Now()
	}
	sent := int(p.Size()) - p.Len()
	n := min(len(text), p.rate/20)
	time.Sleep(time.Until(p.began.Add(time.Duration(sent+n) * time.Second / time.Duration(p.rate))))
	return p.Reader.Read(text[:n])
}

// Without any attack, 24 phones that upload 3 MB at the same time, at 500 kB/s each, are answered,
// after at most one retry.
func TestSlowPhones(t *testing.T) {
	testenv.Slow(t)
	v := startVictim(t, "server")
	const phones = 24
	var all sync.WaitGroup
	attempts := make([]int, phones)
	for n := range phones {
		all.Go(func() {
			c := v.client(50_000 + n)
			defer c.CloseIdleConnections()
			body := honest(3_000_000)
			for attempts[n] = 1; ; attempts[n]++ {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.url(normalizePath), &paced{Reader: strings.NewReader(body), rate: 500_000})
				if err != nil {
					t.Error(err)
					return
				}
				r.ContentLength = int64(len(body))
				res, err := c.Do(r)
				if err == nil {
					_, err = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
					if err == nil && res.StatusCode == http.StatusOK {
						return
					}
				}
				if attempts[n] == 2 {
					t.Error("not answered after a retry: ", err)
					return
				}
				time.Sleep(5 * time.Second) // as Retry-After demands
			}
		})
	}
	all.Wait()
	retries := 0
	for _, n := range attempts {
		retries += n - 1
	}
	t.Logf("%d phones, %d retries, peak %d MiB", phones, retries, v.peakMemory(t))
}
