package main

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
)

// A redisServer is a real one, on a port that stays its own.
type redisServer struct {
	port int
	cmd  *exec.Cmd
}

func startRedis(t *testing.T) *redisServer {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("HAILMARK_REQUIRE_TOOLS") != "" {
			t.Fatal("redis-server is not installed")
		}
		t.Skip("redis-server is not installed")
	}
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
	}, 10*time.Second, 5*time.Millisecond)
}

func (r *redisServer) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

func (r *redisServer) url() string { return fmt.Sprintf("redis://127.0.0.1:%d", r.port) }

// A crowd sends requests to replicas as clients of its own choice.
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

func TestReplicasShareOneLimit(t *testing.T) {
	t.Parallel()
	const limit, clients, workers = 60, 4, 8
	for _, replicas := range []int{2, 3} {
		t.Run(fmt.Sprint(replicas), func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, replicas, "-redis-url", startRedis(t).url())
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
			for client := range passed {
				require.EqualValues(t, limit, passed[client].Load(), "client %d", client)
			}
			for _, replica := range c.replicas {
				require.NotContains(t, replica.logged(), "out of reach")
			}
		})
	}
}

// Redis is killed, started again, paused and continued in the middle of load. No
// request fails, none waits longer than it may, and within 5 seconds the limits are
// those of all replicas again.
func TestRedisOutages(t *testing.T) {
	t.Parallel()
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
				time.Sleep(time.Millisecond) // leave the processor some air, for we measure what is waited for
			}
		})
	}
	logged := func(text string, times int) func() bool {
		return func() bool {
			for _, replica := range c.replicas {
				if strings.Count(replica.logged(), text) != times {
					return false
				}
			}
			return true
		}
	}
	outages := []struct {
		name       string
		begin, end func()
	}{
		{"killed", redis.kill, func() { redis.start(t) }},
		{"paused", func() { _ = redis.cmd.Process.Signal(syscall.SIGSTOP) }, func() { _ = redis.cmd.Process.Signal(syscall.SIGCONT) }},
		{"killed again", redis.kill, func() { redis.start(t) }},
	}
	for i, outage := range outages {
		time.Sleep(200 * time.Millisecond)
		outage.begin()
		require.Eventually(t, logged("out of reach", i+1), 5*time.Second, time.Millisecond, outage.name)
		time.Sleep(1200 * time.Millisecond)
		outage.end()
		back := time.Now()
		require.Eventually(t, logged("in reach again", i+1), 5*time.Second, time.Millisecond, outage.name)
		t.Logf("%s: counted together again after %v", outage.name, time.Since(back).Round(time.Millisecond))

		passed := 0
		client := netip.AddrFrom4([4]byte{203, 0, 113, byte(i)})
		for n := range 80 {
			if status, err := c.send(n, client); err == nil && status == http.StatusOK {
				passed++
			}
		}
		require.Equal(t, 60, passed, "the limit of all replicas together, after %s", outage.name)
	}
	done.Store(true)
	wg.Wait()
	require.Zero(t, failed.Load())
	t.Logf("%d requests, none failed, the slowest took %v", requests.Load(), time.Duration(slowest.Load()).Round(time.Millisecond))
	if os.Getenv("HAILMARK_FAULTS") != "" { // a machine that has other things to do makes requests wait, too
		require.Less(t, time.Duration(slowest.Load()), 150*time.Millisecond)
	}
}
