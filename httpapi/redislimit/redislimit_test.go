package redislimit_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
	"github.com/hailmark/hailmark/internal/testenv"
)

func TestMain(m *testing.M) {
	logging.Disable() // its failures are ours to report
	dir, err := os.MkdirTemp("", "redislimit")
	if err == nil {
		err = writeCertificate(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// A server is a real redis-server that can be killed and started again.
type server struct {
	port int
	dir  string // keeps the configuration of a cluster over restarts
	args []string
	cmd  *exec.Cmd
}

func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	testenv.Needs(t, "redis-server", "Debian package redis-server")
	s := &server{port: freePort(t), dir: t.TempDir(), args: args}
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

func (s *server) start(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command("redis-server", append([]string{"--port", fmt.Sprint(s.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", s.dir}, s.args...)...)
	require.NoError(t, s.cmd.Start())
	client := s.client(t)
	require.Eventually(t, func() bool {
		err := client.Ping(context.Background()).Err()
		return err == nil || redis.HasErrorPrefix(err, "NOAUTH")
	}, time.Minute, 10*time.Millisecond)
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *server) url() string { return fmt.Sprintf("redis://127.0.0.1:%d/0", s.port) }

func (s *server) client(t testing.TB) *redis.Client {
	t.Helper()
	opts, err := redis.ParseURL(s.url())
	require.NoError(t, err)
	client := redis.NewClient(opts)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// A logbook is a log that may be read while it is written.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logbook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// newLimiter returns a limiter of one of the kinds, New or NewPatient, and its log.
func newLimiter(t *testing.T, s *server, kind func(redislimit.Config) (*redislimit.Limiter, error)) (*redislimit.Limiter, *logbook) {
	t.Helper()
	log := &logbook{}
	l, err := kind(redislimit.Config{URL: s.url(), Logger: log.logger()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l, log
}

// takeOne counts a request of a client within its limit.
func takeOne(t *testing.T, l *redislimit.Limiter, client byte) httpapi.Decision {
	t.Helper()
	return l.Take(t.Context(), netip.AddrFrom4([4]byte{192, 0, 2, client}), httpapi.ClassDefault, httpapi.MaxLimit, time.Now())
}

var jane = netip.MustParseAddr("192.0.2.1")

func TestWindow(t *testing.T) {
	s := startServer(t)
	l, _ := newLimiter(t, s, redislimit.NewPatient)
	take := func() httpapi.Decision {
		return l.Take(t.Context(), jane, httpapi.ClassDefault, 3, time.Unix(0, 0)) // this clock is not used
	}
	client := s.client(t)
	const key = "hailmark:limit:json:192.0.2.1"

	for range 3 {
		l, _ = newLimiter(t, s, redislimit.NewPatient) // another replica, which has not seen the end of the limit
		first := take()
		require.True(t, first.Allowed)
		require.Equal(t, 3, first.Limit)
		require.Equal(t, 2, first.Remaining)
		require.Equal(t, httpapi.LimitWindow, first.ResetIn)
		require.WithinDuration(t, time.Now().Add(httpapi.LimitWindow), first.ResetAt, 30*time.Second)
		require.Equal(t, 1, take().Remaining)
		require.Equal(t, 0, take().Remaining)
		for range 3 {
			d := take()
			require.False(t, d.Allowed)
			require.Zero(t, d.Remaining)
			require.True(t, d.ResetAt.Equal(first.ResetAt), "a refused request does not lengthen the window")
			require.LessOrEqual(t, d.ResetIn, first.ResetIn)
		}
		require.LessOrEqual(t, client.PTTL(t.Context(), key).Val(), httpapi.LimitWindow)

		require.NoError(t, client.PExpire(t.Context(), key, time.Millisecond).Err())
		time.Sleep(5 * time.Millisecond)
	}
}

// A server that does not know PEXPIRETIME counts as well.
func TestServerBeforeRedis7(t *testing.T) {
	s := startServer(t, "--rename-command", "PEXPIRETIME", "")
	l, log := newLimiter(t, s, redislimit.NewPatient)
	require.ErrorContains(t, s.client(t).PExpireTime(t.Context(), "x").Err(), "unknown command")
	var first httpapi.Decision
	for i := range 6 {
		d := l.Take(t.Context(), jane, httpapi.ClassDefault, 3, time.Unix(0, 0))
		require.Equal(t, i < 3, d.Allowed)
		require.Equal(t, max(0, 2-i), d.Remaining)
		require.False(t, d.UsedFallback)
		if i == 0 {
			first = d
		}
		require.WithinDuration(t, first.ResetAt, d.ResetAt, 2*time.Millisecond)
	}
	require.Empty(t, log.String())
}

// When the server's clock is set back, a window ends at most 60 seconds later. Its count
// stays.
func TestServerClockSetBack(t *testing.T) {
	s := startServer(t)
	client := s.client(t)
	const key = "hailmark:limit:qr:192.0.2.1"
	take := func() httpapi.Decision {
		l, _ := newLimiter(t, s, redislimit.NewPatient) // one that does not know that the limit is spent
		return l.Take(t.Context(), jane, httpapi.ClassQR, 2, time.Now())
	}
	requireEnds := func(d httpapi.Decision) {
		t.Helper()
		require.Equal(t, httpapi.LimitWindow, d.ResetIn)
		require.LessOrEqual(t, client.PTTL(t.Context(), key).Val(), httpapi.LimitWindow)
	}
	require.True(t, take().Allowed)
	for _, back := range []time.Duration{time.Second, time.Minute, 24 * time.Hour} {
		require.NoError(t, client.Set(t.Context(), key, 1, httpapi.LimitWindow+back).Err())
		d := take()
		require.True(t, d.Allowed)
		require.Zero(t, d.Remaining)
		requireEnds(d)

		require.NoError(t, client.PExpire(t.Context(), key, httpapi.LimitWindow+back).Err())
		d = take()
		require.False(t, d.Allowed, "the count stays")
		requireEnds(d)
	}
	require.NoError(t, client.Persist(t.Context(), key).Err())
	d := take()
	require.True(t, d.Allowed, "a window without an end is not one of ours")
	requireEnds(d)
}

// The limiter decides every request as the limiter in memory does.
func TestSameAsInMemory(t *testing.T) {
	s := startServer(t)
	l, _ := newLimiter(t, s, redislimit.NewPatient)
	memory, err := httpapi.NewMemoryLimiter(0)
	require.NoError(t, err)
	now := time.Now()
	for range 2000 {
		client := netip.AddrFrom4([4]byte{192, 0, 2, byte(rand.N(20))})
		if rand.N(2) == 0 {
			client = netip.AddrFrom16([16]byte{0x20, 0x01, 0xd, 0xb8, 7: byte(rand.N(20))})
		}
		class, limit := httpapi.Class(rand.N(2)), 1+rand.N(60)
		if rand.N(10) == 0 {
			limit += httpapi.MaxLimit
		}
		want := memory.Take(t.Context(), client, class, limit, now)
		got := l.Take(t.Context(), client, class, limit, now)
		if want.Remaining == 0 && !want.Allowed && !got.Allowed {
			got.Remaining = 0 // both refuse
		}
		want.ResetAt, want.ResetIn, got.ResetAt, got.ResetIn = now, 0, now, 0
		require.Equal(t, want, got)
	}
}

func TestReplicasCountTogether(t *testing.T) {
	s := startServer(t)
	requireCountTogether(t, func() redislimit.Config { return redislimit.Config{URL: s.url()} })
}

// requireCountTogether requires that three replicas let exactly the limit pass.
func requireCountTogether(t *testing.T, config func() redislimit.Config) {
	t.Helper()
	// On a machine that is too busy for the timeout, replicas count alone, as they should.
	// Such a run shows nothing, so there is another.
	for run := range byte(5) {
		if countTogether(t, config, run) {
			return
		}
	}
	t.Fatal("the replicas counted alone")
}

// countTogether reports false if a replica counted alone.
func countTogether(t *testing.T, config func() redislimit.Config, run byte) bool {
	t.Helper()
	const limit = 60
	var passed [10]atomic.Int64
	var fallback atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		l, err := redislimit.NewPatient(config())
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		for range 4 {
			wg.Go(func() {
				for n := range len(passed) * 2 * limit / 3 {
					d := l.Take(t.Context(), netip.AddrFrom4([4]byte{192, 0, run, byte(n % len(passed))}), httpapi.ClassDefault, limit, time.Now())
					if d.UsedFallback {
						fallback.Store(true)
					} else if d.Allowed {
						passed[n%len(passed)].Add(1)
					}
				}
			})
		}
	}
	wg.Wait()
	if fallback.Load() {
		return false
	}
	for client := range passed {
		require.EqualValues(t, limit, passed[client].Load(), "client %d", client)
	}
	return true
}

func TestServerOutOfReach(t *testing.T) {
	for name, outage := range map[string]struct{ begin, end func(*testing.T, *server) }{
		"killed": {func(_ *testing.T, s *server) { s.kill() }, func(t *testing.T, s *server) { s.start(t) }},
		"paused": {func(t *testing.T, s *server) { s.pause(t) }, func(t *testing.T, s *server) { s.resume(t) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			l, log := newLimiter(t, s, redislimit.New)
			take := func() httpapi.Decision { return l.Take(t.Context(), jane, httpapi.ClassDefault, 5, time.Now()) }
			inReach := func() bool { return !take().UsedFallback }
			require.Eventually(t, inReach, time.Minute, 10*time.Millisecond)

			for outages := 1; outages <= 2; outages++ {
				outage.begin(t, s)
				began, requests := time.Now(), 0
				for ; time.Since(began) < 1500*time.Millisecond; requests++ {
					d := take()
					require.True(t, d.UsedFallback)
					require.Equal(t, 5, d.Limit)
				}
				require.Greater(t, requests, 1000, "few requests wait")
				require.False(t, take().Allowed, "counted in memory")
				said := strings.Count(log.String(), "out of reach")
				require.GreaterOrEqual(t, said, outages)
				require.Less(t, said, outages+10, "not for each request: %s", log) // a busy machine may add a few

				outage.end(t, s)
				require.Eventually(t, inReach, time.Minute, 10*time.Millisecond)
				require.GreaterOrEqual(t, strings.Count(log.String(), "in reach again"), outages, "%s", log)
			}
		})
	}
}

func TestServerAwayAtTheStart(t *testing.T) {
	s := startServer(t)
	s.kill()
	l, log := newLimiter(t, s, redislimit.NewPatient)
	require.True(t, l.Take(t.Context(), jane, httpapi.ClassDefault, 5, time.Now()).UsedFallback)
	require.Contains(t, log.String(), "out of reach")
	require.NotContains(t, log.String(), "192.0.2.1")
	for _, allowed := range []bool{true, false} { // the fallback knows 200 clients
		for client := range byte(200) {
			d := l.Take(t.Context(), netip.AddrFrom4([4]byte{198, 51, 100, client}), httpapi.ClassDefault, 1, time.Now())
			require.Equal(t, allowed, d.Allowed)
		}
	}
	s.start(t)
	require.Eventually(t, func() bool { return !l.Take(t.Context(), jane, httpapi.ClassDefault, 5, time.Now()).UsedFallback }, time.Minute, 10*time.Millisecond)

	require.NoError(t, l.Close())
	require.True(t, l.Take(t.Context(), jane, httpapi.ClassDefault, 5, time.Now()).UsedFallback, "a limiter that is closed counts in memory")
}

// A client that has gone away does not count as a failure of the server.
func TestCanceledRequest(t *testing.T) {
	s := startServer(t)
	l, log := newLimiter(t, s, redislimit.NewPatient)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, l.Take(ctx, jane, httpapi.ClassDefault, 5, time.Now()).UsedFallback)
	require.Empty(t, log.String())
}

func TestConfigProblems(t *testing.T) {
	for _, url := range []string{"localhost:6379", "http://localhost", "redis://:secret@localhost:port", "redis://:secret@local host", "redis://localhost/x", "redis://:secret@localhost:1?addr=x&read_timeout=y"} {
		_, err := redislimit.New(redislimit.Config{URL: url})
		require.ErrorContains(t, err, "redis://localhost:6379/0", url)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := redislimit.New(redislimit.Config{})
	require.ErrorContains(t, err, "exactly one of URL and Client")
	_, err = redislimit.New(redislimit.Config{URL: "redis://localhost:6379", Client: redis.NewClient(&redis.Options{})})
	require.ErrorContains(t, err, "exactly one of URL and Client")
	_, err = redislimit.New(redislimit.Config{URL: "redis://localhost:6379", Timeout: -1})
	require.ErrorContains(t, err, "Timeout")
}

// A client that has spent its limit is refused without a round trip until its window ends.
func TestSpentClientIsRefusedLocally(t *testing.T) {
	s := startServer(t)
	l, _ := newLimiter(t, s, redislimit.NewPatient)
	take := func(client netip.Addr, limit int) httpapi.Decision {
		return l.Take(t.Context(), client, httpapi.ClassDefault, limit, time.Now())
	}
	require.True(t, take(jane, 1).Allowed)
	refused := take(jane, 1)
	require.False(t, refused.Allowed)
	s.pause(t) // a request to the server would have no reply
	for range 100 {
		d := take(jane, 1)
		require.False(t, d.Allowed)
		require.False(t, d.UsedFallback)
		require.True(t, refused.ResetAt.Equal(d.ResetAt))
		require.LessOrEqual(t, d.ResetIn, refused.ResetIn)
	}
	s.resume(t)
	require.True(t, take(jane, 2).Allowed, "a higher limit is not spent")
	require.True(t, l.Take(t.Context(), jane, httpapi.ClassQR, 1, time.Now()).Allowed)
	require.True(t, take(netip.MustParseAddr("192.0.2.2"), 1).Allowed)

	// The end of a window that the server shortens to half a second.
	short := netip.MustParseAddr("192.0.2.3")
	require.True(t, take(short, 1).Allowed)
	require.NoError(t, s.client(t).PExpire(t.Context(), "hailmark:limit:json:192.0.2.3", 500*time.Millisecond).Err())
	require.False(t, take(short, 1).Allowed)
	require.Eventually(t, func() bool { return take(short, 1).Allowed }, time.Minute, 5*time.Millisecond)
}

func TestKeyPrefixAndClient(t *testing.T) {
	s := startServer(t)
	client := s.client(t)
	l, err := redislimit.New(redislimit.Config{Client: client, KeyPrefix: "shop:", Timeout: time.Minute})
	require.NoError(t, err)
	require.False(t, l.Take(t.Context(), jane, httpapi.ClassQR, 5, time.Now()).UsedFallback)
	require.Equal(t, "1", client.Get(t.Context(), "shop:qr:192.0.2.1").Val())
	require.NoError(t, l.Close())
	require.NoError(t, client.Ping(t.Context()).Err(), "the client stays open")
	require.True(t, l.Take(t.Context(), jane, httpapi.ClassQR, 5, time.Now()).UsedFallback, "a closed limiter counts in memory")
}

// The script touches one key, so a cluster can run it.
func TestCluster(t *testing.T) {
	s := startServer(t, "--cluster-enabled", "yes")
	require.NoError(t, s.client(t).ClusterAddSlotsRange(t.Context(), 0, 16383).Err())
	require.Eventually(t, func() bool {
		return strings.Contains(s.client(t).ClusterInfo(t.Context()).Val(), "cluster_state:ok")
	}, time.Minute, 50*time.Millisecond)
	address := fmt.Sprintf("127.0.0.1:%d", s.port)
	log := &logbook{}
	l, err := redislimit.NewPatient(redislimit.Config{URL: "redis://" + address + "?addr=" + address, Logger: log.logger()})
	require.NoError(t, err)
	defer l.Close()
	for i := range 40 {
		client := netip.AddrFrom4([4]byte{192, 0, 2, byte(i / 2)})
		d := l.Take(t.Context(), client, httpapi.ClassDefault, 5, time.Now())
		require.False(t, d.UsedFallback, "%s", log)
		require.Equal(t, 4-i%2, d.Remaining)
	}
}

// New logs once why the counters do not work.
func TestCauseIsLoggedAtTheStart(t *testing.T) {
	s := startServer(t, "--requirepass", "secret")
	for url, cause := range map[string]string{
		fmt.Sprintf("redis://:wrong@127.0.0.1:%d", s.port): "WRONGPASS",
		fmt.Sprintf("redis://127.0.0.1:%d", s.port):        "NOAUTH",
		"redis://nowhere.invalid:6379":                     "nowhere.invalid",
	} {
		log := &logbook{}
		l, err := redislimit.New(redislimit.Config{URL: url, Logger: log.logger()})
		require.NoError(t, err)
		require.Contains(t, log.String(), cause)
		require.Contains(t, log.String(), "out of reach")
		require.NotContains(t, log.String(), "wrong@")
		require.True(t, l.Take(t.Context(), jane, httpapi.ClassDefault, 5, time.Now()).UsedFallback)
		time.Sleep(1200 * time.Millisecond) // at least one more attempt
		require.Equal(t, 1, strings.Count(log.String(), "\n"), "%s", log)
		require.NoError(t, l.Close())
	}
	l, err := redislimit.NewPatient(redislimit.Config{URL: fmt.Sprintf("redis://:secret@127.0.0.1:%d", s.port)})
	require.NoError(t, err)
	defer l.Close()
	require.False(t, l.Take(t.Context(), jane, httpapi.ClassDefault, 5, time.Now()).UsedFallback)
}

// A server that cannot write is logged once, though it can still refuse clients.
func TestServerThatCannotWrite(t *testing.T) {
	for name, breakage := range map[string][3]string{
		"full":      {"maxmemory", "1", "0"},
		"read-only": {"min-replicas-to-write", "1", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			l, log := newLimiter(t, s, redislimit.NewPatient)
			take := func() httpapi.Decision { return l.Take(t.Context(), jane, httpapi.ClassDefault, 2, time.Now()) }
			require.False(t, take().UsedFallback)
			require.NoError(t, s.client(t).ConfigSet(t.Context(), breakage[0], breakage[1]).Err())
			require.True(t, take().UsedFallback)
			for began := time.Now(); time.Since(began) < 1200*time.Millisecond; time.Sleep(10 * time.Millisecond) {
				require.True(t, take().UsedFallback)
			}
			require.Equal(t, 1, strings.Count(log.String(), "\n"), "%s", log)
			require.NoError(t, s.client(t).ConfigSet(t.Context(), breakage[0], breakage[2]).Err())
			require.Eventually(t, func() bool { return !take().UsedFallback }, time.Minute, 10*time.Millisecond)
			require.Contains(t, log.String(), "in reach again")
		})
	}
}

// startDistance returns an address at which a server seems to be far away.
func startDistance(t *testing.T, s *server, oneWay time.Duration) string {
	t.Helper()
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = proxy.Close() })
	relay := func(to, from net.Conn) {
		defer to.Close()
		for {
			buf := make([]byte, 64<<10)
			n, err := from.Read(buf)
			if err != nil {
				return
			}
			time.AfterFunc(oneWay, func() { _, _ = to.Write(buf[:n]) })
		}
	}
	go func() {
		for {
			near, err := proxy.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.port))
			if err != nil {
				return
			}
			go relay(near, far)
			go relay(far, near)
		}
	}()
	return proxy.Addr().String()
}

// A server is not used in turns with the memory when each reply would be late, whether or
// not the client obeys its context.
func TestSlowServerIsNotUsed(t *testing.T) {
	for _, name := range []string{"URL", "Client"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := startDistance(t, startServer(t), 30*time.Millisecond)
			log := &logbook{}
			config := redislimit.Config{Timeout: 40 * time.Millisecond, Logger: log.logger()}
			if name == "URL" {
				config.URL = "redis://" + addr
			} else {
				client := redis.NewClient(&redis.Options{Addr: addr})
				defer func() { _ = client.Close() }()
				config.Client = client
			}
			l, err := redislimit.New(config)
			require.NoError(t, err)
			defer l.Close()
			for began := time.Now(); time.Since(began) < 1500*time.Millisecond; time.Sleep(5 * time.Millisecond) {
				require.True(t, takeOne(t, l, 1).UsedFallback)
			}
			require.Equal(t, 1, strings.Count(log.String(), "\n"), "%s", log)
			require.Contains(t, log.String(), "no reply came within 40ms")
		})
	}
}

// A server that is far away is used, although connecting takes several round trips.
func TestDistantServer(t *testing.T) {
	s := startServer(t, "--requirepass", "secret")
	addr := startDistance(t, s, 30*time.Millisecond)
	l, err := redislimit.New(redislimit.Config{URL: "redis://:secret@" + addr, Timeout: time.Second})
	require.NoError(t, err)
	defer l.Close()
	var wg sync.WaitGroup
	var fallbacks, allowed atomic.Int64
	for range 20 {
		wg.Go(func() {
			for range 5 {
				d := l.Take(t.Context(), jane, httpapi.ClassDefault, 60, time.Now())
				if d.UsedFallback {
					fallbacks.Add(1)
				} else if d.Allowed {
					allowed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, fallbacks.Load())
	require.EqualValues(t, 60, allowed.Load())
}

// Replies that are not from Redis make the limiter count in memory.
func TestHostileReplies(t *testing.T) {
	for name, reply := range map[string]string{
		"long string":    "$99999999999\r\n",
		"long array":     "*99999999999\r\n",
		"long map":       "%99999999999\r\n",
		"string of 2^63": "$9223372036854775807\r\n",
		"negative":       "*-7\r\n",
		"nested arrays":  strings.Repeat("*65536\r\n", 100_000),
		"garbage":        "HTTP/1.1 400 Bad Request\r\n\r\n",
		"binary":         "\x00\xff\x16\x03\x01",
		"no line end":    "+" + strings.Repeat("a", 2<<20),
		"nothing":        "",
		"wrong type":     "+OK\r\n+OK\r\n+OK\r\n+OK\r\n+OK\r\n",
		"short array":    strings.Repeat("*1\r\n:1\r\n", 20),
		"no number":      "$x\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer func() { _ = fake.Close() }()
			go func() {
				for {
					conn, err := fake.Accept()
					if err != nil {
						return
					}
					go func() {
						_, _ = conn.Read(make([]byte, 4096))
						_, _ = conn.Write([]byte(reply))
						_ = conn.Close()
					}()
				}
			}()
			l, err := redislimit.New(redislimit.Config{URL: "redis://" + fake.Addr().String()})
			require.NoError(t, err)
			defer l.Close()
			for range 10 {
				require.True(t, l.Take(t.Context(), jane, httpapi.ClassDefault, 60, time.Now()).UsedFallback)
			}
		})
	}
}

func BenchmarkTake(b *testing.B) {
	s := startServer(b)
	l, err := redislimit.New(redislimit.Config{URL: s.url(), Timeout: time.Minute})
	require.NoError(b, err)
	defer l.Close()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for n := uint32(rand.N(1 << 16)); pb.Next(); n++ {
			l.Take(b.Context(), netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), httpapi.ClassDefault, httpapi.MaxLimit, time.Now())
		}
	})
}
