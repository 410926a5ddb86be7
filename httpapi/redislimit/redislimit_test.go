//go:build unix

package redislimit_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

func TestMain(m *testing.M) {
	logging.Disable() // its failures are ours to report
	os.Exit(m.Run())
}

// A server is a real redis-server that can be killed and started again.
type server struct {
	port int
	args []string
	cmd  *exec.Cmd
}

func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	testenv.Slow(t)
	testenv.Needs(t, "redis-server", "Debian package redis-server")
	s := &server{port: testenv.FreePort(), args: append([]string{"--dir", t.TempDir()}, args...)}
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

func (s *server) start(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command("redis-server", append([]string{"--port", fmt.Sprint(s.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"}, s.args...)...)
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
	client := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", s.port)})
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

// newLimiter returns a limiter and its log. Without a timeout in the URL, it waits for as long as a
// busy machine needs.
func newLimiter(t testing.TB, url string, json, qr int) (*redislimit.Limiter, *logbook) {
	t.Helper()
	log := &logbook{}
	if !strings.Contains(url, "read_timeout") && !strings.HasPrefix(url, "unix:") {
		separator := "?"
		if strings.Contains(url, "?") {
			separator = "&"
		}
		url += separator + "read_timeout=1m"
	}
	l, err := redislimit.New(url, httpapi.Limits{JSON: json, QR: qr}, slog.New(slog.NewTextHandler(log, nil)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l, log
}

var jane = netip.MustParseAddr("192.0.2.1")

func take(t testing.TB, l *redislimit.Limiter) httpapi.Decision {
	t.Helper()
	return l.Take(t.Context(), jane, "/api/v1/phone-link")
}

// isAlone reports whether a request is counted in memory.
func isAlone(t testing.TB, l *redislimit.Limiter) bool {
	t.Helper()
	before := l.Fallbacks()
	take(t, l)
	return l.Fallbacks() > before
}

func TestWindow(t *testing.T) {
	s := startServer(t)
	client := s.client(t)
	const key = "hailmark:limit:json:192.0.2.1"
	for range 3 {
		l, _ := newLimiter(t, s.url(), 3, 0) // a replica that doesn't know who has used up a limit
		first := take(t, l)
		require.Equal(t, httpapi.Decision{Allowed: true, Limit: 3, Remaining: 2, ResetIn: time.Minute}, first)
		ends := client.PExpireTime(t.Context(), key).Val()
		require.Equal(t, 1, take(t, l).Remaining)
		require.Equal(t, 0, take(t, l).Remaining)
		for range 3 {
			other, _ := newLimiter(t, s.url(), 3, 0)
			d := take(t, other)
			require.False(t, d.Allowed)
			require.Zero(t, other.Fallbacks())
			require.Zero(t, d.Remaining)
			require.Equal(t, ends, client.PExpireTime(t.Context(), key).Val(), "a rejected request doesn't lengthen the window")
		}
		require.NoError(t, client.PExpire(t.Context(), key, time.Millisecond).Err())
		require.Eventually(t, func() bool { return client.Exists(t.Context(), key).Val() == 0 }, time.Minute, time.Millisecond)
	}
}

// When the clock of the server is set back, a window ends at most 60 seconds later. Its count
// stays.
func TestClockSetBack(t *testing.T) {
	s := startServer(t)
	client := s.client(t)
	const key = "hailmark:limit:json:192.0.2.1"
	takeAnew := func() httpapi.Decision {
		l, _ := newLimiter(t, s.url(), 2, 0)
		d := take(t, l)
		require.Equal(t, time.Minute, d.ResetIn)
		require.LessOrEqual(t, client.PTTL(t.Context(), key).Val(), time.Minute)
		return d
	}
	for _, back := range []time.Duration{time.Minute, 24 * time.Hour} {
		require.NoError(t, client.Set(t.Context(), key, 1, time.Minute+back).Err())
		require.True(t, takeAnew().Allowed)
		require.NoError(t, client.PExpire(t.Context(), key, time.Minute+back).Err())
		require.False(t, takeAnew().Allowed)
	}
	require.NoError(t, client.Persist(t.Context(), key).Err())
	require.True(t, takeAnew().Allowed, "a window without an end isn't one of ours")
}

// The limiter decides every request as the limiter in memory does.
func TestSameAsInMemory(t *testing.T) {
	s := startServer(t)
	l, _ := newLimiter(t, s.url(), 30, 7)
	memory, err := httpapi.NewMemoryLimiter(httpapi.Limits{JSON: 30, QR: 7})
	require.NoError(t, err)
	for range 2000 {
		client := netip.AddrFrom4([4]byte{192, 0, 2, byte(rand.N(20))})
		if rand.N(2) == 0 {
			client = netip.AddrFrom16([16]byte{0x20, 0x01, 0xd, 0xb8, 7: byte(rand.N(20))})
		}
		route := []string{"/api/v1/qr", "/api/v1/validate/key"}[rand.N(2)]
		want, got := memory.Take(t.Context(), client, route), l.Take(t.Context(), client, route)
		require.InDelta(t, want.ResetIn, got.ResetIn, float64(time.Minute))
		want.ResetIn, got.ResetIn = 0, 0
		require.Equal(t, want, got)
	}
	unlimited, _ := newLimiter(t, s.url(), -1, 0)
	require.Equal(t, httpapi.Decision{Allowed: true}, take(t, unlimited))
}

// Three replicas let exactly the limit pass, however they reach the server.
func TestReplicasCountTogether(t *testing.T) {
	for name, start := range map[string]func(t *testing.T) (url string){
		"URL": func(t *testing.T) string { return startServer(t).url() },
		"password": func(t *testing.T) string {
			return fmt.Sprintf("redis://:s3cret@127.0.0.1:%d", startServer(t, "--requirepass", "s3cret").port)
		},
		"cluster": func(t *testing.T) string {
			// The cluster's bus would otherwise listen 10,000 ports higher, on one that a connection may use.
			s := startServer(t, "--cluster-enabled", "yes", "--cluster-port", fmt.Sprint(testenv.FreePort()))
			require.NoError(t, s.client(t).ClusterAddSlotsRange(t.Context(), 0, 16383).Err())
			require.Eventually(t, func() bool {
				return strings.Contains(s.client(t).ClusterInfo(t.Context()).Val(), "cluster_state:ok")
			}, time.Minute, 50*time.Millisecond)
			return fmt.Sprintf("redis://127.0.0.1:%d?addr=127.0.0.1:%[1]d", s.port)
		},
		"sentinel": func(t *testing.T) string {
			s, port := startServer(t), testenv.FreePort()
			file := filepath.Join(t.TempDir(), "sentinel.conf")
			require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "sentinel monitor counters 127.0.0.1 %d 1\n", s.port), 0o600))
			sentinel := exec.Command("redis-server", file, "--sentinel", "--port", fmt.Sprint(port), "--bind", "127.0.0.1")
			require.NoError(t, sentinel.Start())
			t.Cleanup(func() {
				_ = sentinel.Process.Kill()
				_ = sentinel.Wait()
			})
			client := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "counters", SentinelAddrs: []string{fmt.Sprintf("127.0.0.1:%d", port)}})
			t.Cleanup(func() { _ = client.Close() })
			require.Eventually(t, func() bool { return client.Ping(t.Context()).Err() == nil }, time.Minute, 20*time.Millisecond)
			return fmt.Sprintf("redis://127.0.0.1:%d?master_name=counters", port)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testenv.Slow(t)
			url := start(t)
			const limit, clients = 60, 10
			var passed [clients]atomic.Int64
			var wg sync.WaitGroup
			for range 3 {
				l, log := newLimiter(t, url, 0, limit)
				for range 4 {
					wg.Go(func() {
						for n := range clients * limit {
							if l.Take(t.Context(), netip.AddrFrom4([4]byte{192, 0, 2, byte(n % clients)}), "/api/v1/qr").Allowed {
								passed[n%clients].Add(1)
							}
						}
					})
				}
				t.Cleanup(func() { require.Empty(t, log.String()) })
			}
			wg.Wait()
			for n := range passed {
				require.EqualValues(t, limit, passed[n].Load())
			}
		})
	}
}

// An outage is logged once, and ends by itself. No request waits while it lasts.
func TestOutage(t *testing.T) {
	const silent, answers = "Redis is out of reach", "Redis answers but can't count"
	for name, outage := range map[string]outage{
		"killed": {silent, func(_ *testing.T, s *server) { s.kill() }, func(t *testing.T, s *server) { s.start(t) }},
		"paused": {
			silent,
			func(t *testing.T, s *server) {
				require.NoError(t, s.cmd.Process.Signal(syscall.SIGSTOP))
				_, err := syscall.Wait4(s.cmd.Process.Pid, nil, syscall.WUNTRACED, nil) // returns when it has stopped
				require.NoError(t, err)
			},
			func(t *testing.T, s *server) { require.NoError(t, s.cmd.Process.Signal(syscall.SIGCONT)) },
		},
		"full":      configOutage(answers, "maxmemory", "1", "0"),
		"read-only": configOutage(answers, "min-replicas-to-write", "1", "0"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			l, log := newLimiter(t, s.url()+"?read_timeout=100ms", 1<<20, 0)
			says := func(sentence string, times int) func() bool {
				return func() bool {
					take(t, l)
					return strings.Count(log.String(), sentence) == times
				}
			}
			for n := range 2 {
				outage.begin(t, s)
				require.Eventually(t, says(outage.sentence, n+1), time.Minute, 5*time.Millisecond)
				for range 240 { // 1.2 s, in which two requests try Redis again
					require.True(t, isAlone(t, l))
					time.Sleep(5 * time.Millisecond)
				}
				require.True(t, says(outage.sentence, n+1)(), log)
				outage.end(t, s)
				require.Eventually(t, says("Redis counts again", n+1), time.Minute, time.Millisecond)
			}
			require.Eventually(t, func() bool { return !isAlone(t, l) }, time.Minute, time.Millisecond)
		})
	}
}

type outage struct {
	sentence   string // of the log
	begin, end func(t *testing.T, s *server)
}

func configOutage(sentence, name, broken, whole string) outage {
	set := func(value string) func(t *testing.T, s *server) {
		return func(t *testing.T, s *server) {
			require.NoError(t, s.client(t).ConfigSet(t.Context(), name, value).Err())
		}
	}
	return outage{sentence, set(broken), set(whole)}
}

// New logs once why Redis can't count, without a part of the URL.
func TestCause(t *testing.T) {
	s := startServer(t, "--requirepass", "s3cret")
	for url, cause := range map[string]string{
		fmt.Sprintf("redis://:wr0ng@127.0.0.1:%d", s.port): "WRONGPASS",
		s.url():                      "NOAUTH",
		"redis://wr0ng..:6379":       "no such host", // without asking a name server
		"redis://:wr0ng@127.0.0.1:1": "connection refused",
		"unix:///wr0ng":              "no such file",
		"rediss://:wr0ng@127.0.0.1:" + fmt.Sprint(s.port): "out of reach",
	} {
		timeout := "?read_timeout=1m"
		if strings.HasPrefix(url, "rediss:") {
			timeout = "?read_timeout=100ms" // Redis waits for the rest of the handshake
		}
		l, log := newLimiter(t, url+timeout, 0, 0)
		require.Contains(t, log.String(), cause)
		require.Equal(t, 1, strings.Count(log.String(), "so this replica counts requests alone"), log)
		require.NotContains(t, log.String(), "wr0ng")
		require.True(t, isAlone(t, l))
	}
}

// A client that has used up its limit is rejected without a round trip until its window ends.
func TestSpentClientIsRejectedLocally(t *testing.T) {
	s := startServer(t)
	l, _ := newLimiter(t, s.url(), 1, 1)
	require.True(t, take(t, l).Allowed)
	rejected := take(t, l)
	require.False(t, rejected.Allowed)
	require.NoError(t, s.client(t).FlushAll(t.Context()).Err()) // a round trip would let the request pass
	d := take(t, l)
	require.False(t, d.Allowed)
	require.LessOrEqual(t, d.ResetIn, rejected.ResetIn+time.Millisecond, "Redis counts whole milliseconds")
	require.True(t, l.Take(t.Context(), jane, "/api/v1/qr").Allowed)
	require.True(t, l.Take(t.Context(), netip.MustParseAddr("192.0.2.2"), "/api/v1/phone-link").Allowed)
}

// A request of a client that has left is counted. A closed limiter counts in memory.
func TestCanceledRequest(t *testing.T) {
	s := startServer(t)
	l, err := redislimit.New(s.url()+"?read_timeout=1m", httpapi.Limits{}, nil)
	require.NoError(t, err)
	left, cancel := context.WithCancel(t.Context())
	cancel()
	l.Take(left, jane, "/api/v1/qr")
	require.Zero(t, l.Fallbacks())
	require.Equal(t, "1", s.client(t).Get(t.Context(), "hailmark:limit:qr:192.0.2.1").Val())
	require.NoError(t, l.Close())
	require.True(t, isAlone(t, l))
}

func TestNewRejectsArguments(t *testing.T) {
	_, err := redislimit.New("", httpapi.Limits{}, nil)
	require.Error(t, err)
	_, err = redislimit.New("redis://localhost:6379", httpapi.Limits{QR: 1 << 24}, nil)
	require.Error(t, err)
}

// No part of a URL is in an error, because it may be a part of a password that wasn't escaped.
func FuzzURL(f *testing.F) {
	for _, url := range []string{
		"redis://:S3cr#t@host", "redis://:S3cr/t@host", "redis://:S3cr?t@host", "redis://:S3cr%zzt@host", "redis://:S3cr t@host", "redis://:x@host:S3cr",
		"redis://host/S3cr", "redis://host?S3cr=1", "redis://host:1?addr=x&read_timeout=S3cr", "S3cr://host", "S3cr", "redis://S3cr#t@host", "redis:S3cr", "unix:S3cr?db=S3cr",
		"redis://host?addr=S3cr:x:y", "rediss://:S3cr[t@host",
	} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		_, _, err := redislimit.CheckURL(url)
		if err == nil || url == "" {
			return
		}
		require.EqualError(t, err, redislimit.ErrURL.Error())
	})
}

// fakeServer loads a script, answers it with a reply, and other commands with an error that repeats
// them, as Redis 5 does.
func fakeServer(t *testing.T, reply string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for commands := bufio.NewReader(conn); ; {
					count, err := commands.ReadString('\n')
					if err != nil {
						return
					}
					n, _ := strconv.Atoi(strings.TrimSpace(count[1:]))
					var words []string
					for range n {
						length, _ := commands.ReadString('\n')
						size, _ := strconv.Atoi(strings.Trim(length, "$\r\n"))
						word := make([]byte, size+len("\r\n"))
						_, _ = io.ReadFull(commands, word)
						words = append(words, string(word[:size]))
					}
					answer := "-ERR unknown command, with args beginning with: " + strings.Join(words, " ") + "\r\n"
					switch strings.ToLower(words[0]) {
					case "evalsha":
						answer = reply
					case "script":
						answer = "+loaded\r\n"
					}
					_, _ = io.WriteString(conn, answer)
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// Values that no script returns count as an outage. As a decision, they could lock a client
// out for years.
func TestImpossibleReplies(t *testing.T) {
	for _, reply := range []string{
		"*3\r\n:0\r\n:60\r\n:9223372036854775807\r\n", "*3\r\n:0\r\n:60\r\n:86400000\r\n", "*3\r\n:1\r\n:-5\r\n:60000\r\n",
		"*3\r\n:1\r\n:1\r\n:-1\r\n", "*3\r\n:1\r\n:99999999999\r\n:60000\r\n", "*2\r\n:1\r\n:1\r\n", ":1\r\n", "$-1\r\n",
		"*3\r\n:2\r\n:2\r\n:60000\r\n", "*3\r\n:1\r\n:0\r\n:60000\r\n", "*3\r\n:-1\r\n:1\r\n:60000\r\n", "*3\r\n$1\r\nx\r\n:1\r\n:1\r\n",
		"*-1\r\n", "*3\r\n*0\r\n*0\r\n*0\r\n", "+OK\r\n", "-WRONGTYPE x\r\n", "-\r\n", "%1\r\n+a\r\n:1\r\n", "garbage\r\n", "\x00\xff\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n",
	} {
		limiter, _ := newLimiter(t, "redis://"+fakeServer(t, reply)+"?protocol=2&read_timeout=200ms", 0, 0)
		require.True(t, isAlone(t, limiter), "%q", reply)
	}
}

// The log tells whether Redis is out of reach or can't count, and again when that changes.
func TestCauseChanges(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.kill()
	l, log := newLimiter(t, s.url()+"?read_timeout=100ms", 1<<20, 0)
	require.Contains(t, log.String(), "connection refused")
	s.args = append(s.args, "--maxmemory", "1", "--maxmemory-policy", "noeviction")
	s.start(t)
	require.Eventually(t, func() bool {
		require.True(t, isAlone(t, l))
		return strings.Contains(log.String(), "Redis answers but can't count, so this replica counts requests alone")
	}, time.Minute, 5*time.Millisecond)
	require.Contains(t, log.String(), "OOM")
	for range 240 {
		require.True(t, isAlone(t, l))
		time.Sleep(5 * time.Millisecond)
	}
	require.Equal(t, 2, strings.Count(log.String(), "level=WARN"), log)
}

func TestPasswordIsNotLogged(t *testing.T) {
	limiter, log := newLimiter(t, "redis://:pa55word@"+fakeServer(t, "-ERR\r\n"), 0, 0)
	take(t, limiter)
	require.Contains(t, log.String(), "so this replica counts requests alone")
	require.NotContains(t, log.String(), "pa55word")
}
