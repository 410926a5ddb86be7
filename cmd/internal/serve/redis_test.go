//go:build unix

package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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

// Redis is killed, started again, paused and continued in the middle of load. No
// request fails, none waits longer than it may, and then the replicas count together
// again.
func TestRedisOutages(t *testing.T) {
	redis := startRedis(t)
	c := newCrowd(t, 2, "-redis-url", redis.url())
	var done atomic.Bool
	var requests, failed, slowest atomic.Int64
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for n := 0; !done.Load(); n++ {
				began := time.Now()
				status, err := c.send(worker+n, netip.AddrFrom4([4]byte{198, 51, 100, byte(n)}))
				if took := int64(time.Since(began)); took > slowest.Load() {
					slowest.Store(took)
				}
				requests.Add(1)
				if err != nil || status != http.StatusOK && status != http.StatusTooManyRequests {
					failed.Add(1)
				}
				time.Sleep(time.Millisecond) // leave processor time to the servers
			}
		})
	}
	said := func(text string) (times []int) {
		for _, replica := range c.replicas {
			times = append(times, strings.Count(replica.logged(), text))
		}
		return times
	}
	more := func(text string, before []int) func() bool {
		return func() bool {
			for i, times := range said(text) {
				if times <= before[i] {
					return false
				}
			}
			return true
		}
	}
	// together reports whether one client can make exactly the shared limit of requests.
	clients := byte(0)
	together := func() bool {
		passed := 0
		clients++
		for n := range 80 {
			if status, err := c.send(n, netip.AddrFrom4([4]byte{203, 0, 113, clients})); err == nil && status == http.StatusOK {
				passed++
			}
		}
		return passed == 60
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
		before := said("out of reach")
		outage.begin()
		require.Eventually(t, more("out of reach", before), time.Minute, time.Millisecond, outage.name)
		time.Sleep(1200 * time.Millisecond)
		outage.end()
		back := time.Now()
		for !together() {
			require.Less(t, time.Since(back), time.Minute, "the limit of all replicas together, after %s", outage.name)
			time.Sleep(10 * time.Millisecond)
		}
		took := time.Since(back)
		t.Logf("%s: counted together again after %v", outage.name, took.Round(time.Millisecond))
		if os.Getenv("HAILMARK_FAULTS") != "" {
			require.Less(t, took, 2*time.Second)
		}
	}
	done.Store(true)
	wg.Wait()
	require.Zero(t, failed.Load())
	t.Logf("%d requests, none failed, the slowest took %v", requests.Load(), time.Duration(slowest.Load()).Round(time.Millisecond))
	if os.Getenv("HAILMARK_FAULTS") != "" { // a busy machine delays requests as well
		require.Less(t, time.Duration(slowest.Load()), 150*time.Millisecond)
	}
}
