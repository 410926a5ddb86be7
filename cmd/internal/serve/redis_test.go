//go:build unix

package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi/redislimit"
	"github.com/hailmark/hailmark/internal/testenv"
)

// A redisServer is a process of redis-server. It keeps its port over restarts.
type redisServer struct {
	port int
	cmd  *exec.Cmd
}

func startRedis(t *testing.T) *redisServer {
	t.Helper()
	testenv.Needs(t, "redis-server", "Debian package redis-server")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &redisServer{port: l.Addr().(*net.TCPAddr).Port}
	require.NoError(t, l.Close())
	r.start(t)
	t.Cleanup(r.kill)
	return r
}

func (r *redisServer) start(t *testing.T) {
	t.Helper()
	r.cmd = exec.Command("redis-server", "--port", fmt.Sprint(r.port), "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	require.NoError(t, r.cmd.Start())
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", r.port))
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, time.Minute, 5*time.Millisecond)
}

func (r *redisServer) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

func (r *redisServer) url() string { return fmt.Sprintf("redis://127.0.0.1:%d", r.port) }

// A crowd sends requests to replicas under the addresses of many clients.
type crowd struct {
	transport *http.Transport
	replicas  []*process
}

func newCrowd(t *testing.T, replicas int, args ...string) *crowd {
	t.Helper()
	c := &crowd{transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	t.Cleanup(c.transport.CloseIdleConnections)
	for range replicas {
		c.replicas = append(c.replicas, start(t, nil, append([]string{"-trusted-proxies", "127.0.0.1/32"}, args...)...))
	}
	return c
}

// send makes the n-th request, to one replica after the other, and returns the status.
func (c *crowd) send(n int, client netip.Addr) (int, error) {
	req, err := http.NewRequest(http.MethodGet, c.replicas[n%len(c.replicas)].base+"/api/v1/validate/key?key=aB3d", nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Forwarded-For", client.String())
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}

// Replicas with different key prefixes use one Redis and do not share counters.
func TestRedisKeyPrefix(t *testing.T) {
	redis := startRedis(t)
	for _, prefix := range []string{"a:", "b:"} {
		c := newCrowd(t, 1, "-json-limit", "1", "-redis-url", redis.url(), "-redis-timeout", "30s", "-redis-key-prefix", prefix)
		for _, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
			status, err := c.send(0, netip.MustParseAddr("198.51.100.1"))
			require.NoError(t, err)
			require.Equal(t, want, status, prefix)
		}
		require.NotContains(t, c.replicas[0].logged(), "unavailable")
	}
}

func TestReplicasShareOneLimit(t *testing.T) {
	for _, replicas := range []int{2, 3} {
		t.Run(fmt.Sprint(replicas), func(t *testing.T) {
			redis := startRedis(t)
			// On a machine that is too busy, replicas count alone and log it. Such a run
			// is repeated.
			for range 5 {
				if shareOneLimit(t, replicas, redis) {
					return
				}
				require.NoError(t, redis.cmd.Process.Signal(syscall.SIGTERM))
				_ = redis.cmd.Wait()
				redis.start(t)
			}
			t.Fatal("the machine is too slow for this test")
		})
	}
}

// shareOneLimit reports false if a replica counted alone.
func shareOneLimit(t *testing.T, replicas int, redis *redisServer) bool {
	t.Helper()
	const limit, clients, workers = 60, 4, 8
	c := newCrowd(t, replicas, "-redis-url", redis.url())
	var passed [clients]atomic.Int64
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for n := range clients * limit {
				client := n % clients
				status, err := c.send(worker+n/clients, netip.AddrFrom4([4]byte{198, 51, 100, byte(client)}))
				if err == nil && status == http.StatusOK {
					passed[client].Add(1)
				}
			}
		})
	}
	wg.Wait()
	for _, replica := range c.replicas {
		if strings.Contains(replica.logged(), "out of reach") {
			return false
		}
	}
	for client := range passed {
		require.EqualValues(t, limit, passed[client].Load(), "client %d", client)
	}
	return true
}

// Redis is killed, started again, paused and continued under load. No request fails or
// waits much longer than the timeout, and afterwards the replicas count together again
// with one of the next attempts to connect. How long that takes on a busy machine is
// measured with a replica that does not use Redis, and with a replica that starts when
// Redis is back.
func TestRedisOutages(t *testing.T) {
	const retryEvery = 500 * time.Millisecond // as redislimit documents it
	redis := startRedis(t)
	c, control := newCrowd(t, 2, "-redis-url", redis.url()), newCrowd(t, 1)
	var done atomic.Bool
	var requests, failed atomic.Int64
	var slowest, slowestControl [4]time.Duration // of each worker
	var wg sync.WaitGroup
	for worker := range slowest {
		wg.Go(func() {
			timed := func(c *crowd, n int, slowest *time.Duration) {
				began := time.Now()
				status, err := c.send(worker+n, netip.AddrFrom4([4]byte{198, 51, 100, byte(n)}))
				*slowest = max(*slowest, time.Since(began))
				if err != nil || status != http.StatusOK && status != http.StatusTooManyRequests {
					failed.Add(1)
				}
			}
			for n := 0; !done.Load(); n++ {
				timed(c, n, &slowest[worker])
				timed(control, n, &slowestControl[worker])
				requests.Add(1)
				time.Sleep(time.Millisecond) // leave processor time to the servers
			}
		})
	}
	logged := func(text string) (times []int) {
		for _, replica := range c.replicas {
			times = append(times, strings.Count(replica.logged(), text))
		}
		return times
	}
	more := func(text string, before []int) func() bool {
		return func() bool {
			for i, times := range logged(text) {
				if times <= before[i] {
					return false
				}
			}
			return true
		}
	}
	clients := uint16(0)
	// untilTogether waits until one client can make exactly the shared limit of requests.
	untilTogether := func(c *crowd, since time.Time) time.Duration {
		for passed := 0; passed != 60; {
			require.Less(t, time.Since(since), time.Minute)
			passed = 0
			clients++
			for n := range 80 {
				if status, err := c.send(n, netip.AddrFrom4([4]byte{203, 0, byte(clients >> 8), byte(clients)})); err == nil && status == http.StatusOK {
					passed++
				}
			}
		}
		return time.Since(since).Round(time.Millisecond)
	}
	outages := []struct {
		name       string
		begin, end func()
	}{
		{"killed", redis.kill, func() { redis.start(t) }},
		{"paused", func() { _ = redis.cmd.Process.Signal(syscall.SIGSTOP) }, func() { _ = redis.cmd.Process.Signal(syscall.SIGCONT) }},
		{"killed again", redis.kill, func() { redis.start(t) }},
	}
	for _, outage := range outages {
		time.Sleep(200 * time.Millisecond)
		before := logged("out of reach")
		outage.begin()
		require.Eventually(t, more("out of reach", before), time.Minute, time.Millisecond, outage.name)
		time.Sleep(1200 * time.Millisecond)
		outage.end()
		took := untilTogether(c, time.Now())
		began := time.Now()
		fresh := untilTogether(newCrowd(t, 1, "-redis-url", redis.url()), began)
		t.Logf("%s: counted together again after %v; a new replica starts and counts within %v", outage.name, took, fresh)
		require.Less(t, took, 3*(retryEvery+fresh))
	}
	done.Store(true)
	wg.Wait()
	require.Zero(t, failed.Load())
	slow, floor := slices.Max(slowest[:]), slices.Max(slowestControl[:])
	t.Logf("%d requests, none failed, the slowest took %v; without Redis %v", requests.Load(), slow.Round(time.Millisecond), floor.Round(time.Millisecond))
	require.Less(t, slow, 3*(redislimit.DefaultTimeout+floor))
}
