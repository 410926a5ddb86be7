//go:build unix

package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// These tests run the real program: this binary again, as main.
func TestMain(m *testing.M) {
	if wrap := os.Getenv("SERVER_TEST_EMBED"); wrap != "" {
		embed(wrap)
	}
	if os.Getenv("SERVER_TEST_RUN_MAIN") != "" {
		os.Exit(Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// A process is a running server.
type process struct {
	cmd  *exec.Cmd
	addr string
	mu   sync.Mutex
	log  bytes.Buffer
	eof  chan struct{}
}

var (
	listening      = regexp.MustCompile(`listening addr=(\S+)`)
	adminListening = regexp.MustCompile(`admin_addr=(127\.0\.0\.1:\d+)`)
)

// start runs the server on a free port and waits until it listens.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"--addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(env, "SERVER_TEST_RUN_MAIN=1")
	return startCommand(t, cmd)
}

func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, eof: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	addresses := make(chan string, 1)
	go func() {
		defer close(p.eof)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			p.mu.Lock()
			p.log.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				addresses <- m[1]
			}
		}
	}()
	select {
	case p.addr = <-addresses:
	case <-p.eof:
		t.Fatalf("the server did not start: %s", p.logged())
	}
	return p
}

func (p *process) admin() string { return adminListening.FindStringSubmatch(p.logged())[1] }

func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

func (p *process) waitForLog(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(p.logged(), text) }, time.Minute, time.Millisecond)
}

// stop sends SIGTERM and waits for the end of the process.
func (p *process) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	<-p.eof
	require.NoError(t, p.cmd.Wait(), p.logged())
}

func get(t *testing.T, address string) (status int, body string) {
	t.Helper()
	res, err := http.Get("http://" + address) //nolint:noctx // the server is local
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

func TestProcess(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"HAILMARK_PORT=1", "GOGC=150"}, "--admin-addr", "127.0.0.1:0", "--pprof-addr", "127.0.0.1:0")
	_, body := get(t, p.addr+"/api/v1/username-link?username=jane")
	require.Contains(t, body, `"shortLink":"http://localhost:`+p.addr[strings.LastIndexByte(p.addr, ':')+1:]+`/jane"`)
	status, _ := get(t, p.addr+"/api/v1/phone-link?phone=16505551234&text="+strings.Repeat("%F0%9F%98%80", 4096))
	require.Equal(t, http.StatusOK, status, "the longest text fits the limit of a header")
	_, metrics := get(t, p.admin()+"/metrics")
	require.Contains(t, metrics, "go_gc_gogc_percent 150\n")
	require.Eventually(t, func() bool { // a busy machine may exceed its timeout
		return Main([]string{"healthcheck", "--admin-addr", p.admin()}) == 0
	}, time.Minute, time.Millisecond)
	require.Equal(t, 1, Main([]string{"healthcheck"}))
	require.Contains(t, p.logged(), "HAILMARK_PORT")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP)) // is ignored
	p.stop(t)
	require.Contains(t, p.logged(), "stopped")
}

// After SIGTERM the server isn't ready and serves for the delay, which a second signal cuts short.
func TestDrainDelay(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	p := start(t, nil, "--admin-addr", "127.0.0.1:0", "--drain-delay", "1h")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.waitForLog(t, "draining")
	status, _ := get(t, p.admin()+"/readyz")
	require.Equal(t, http.StatusServiceUnavailable, status)
	status, _ = get(t, p.addr+"/docs")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 1, Main([]string{"healthcheck", "--admin-addr", p.admin()}))
	require.Eventually(t, func() bool {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.eof:
			return true
		default:
			return false
		}
	}, time.Minute, time.Millisecond)
}

// A load balancer that sees that the server isn't ready loses no request, if the drain delay is
// longer than it needs for that: neither on connections in use nor on unused ones.
func TestSIGTERMUnderLoad(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	p := start(t, nil, "--json-limit", "off", "--admin-addr", "127.0.0.1:0", "--drain-delay", "5s")
	var answered atomic.Int64
	var isUnready atomic.Bool
	lost := make(chan error, 1000)
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for !isUnready.Load() {
				conn, err := net.Dial("tcp", p.addr)
				if err == nil {
					err = requestUntilClose(conn, time.Now(), &answered)
				}
				if err != nil {
					lost <- err
				}
			}
		})
	}
	require.Eventually(t, func() bool { return answered.Load() > 4000 || len(lost) > 0 }, time.Minute, time.Millisecond)
	var unused []net.Conn
	began := time.Now()
	for range 20 {
		conn, err := net.Dial("tcp", p.addr)
		require.NoError(t, err)
		defer conn.Close()
		unused = append(unused, conn)
	}
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { status, _ := get(t, p.admin()+"/readyz"); return status == http.StatusServiceUnavailable }, time.Minute, time.Millisecond)
	isUnready.Store(true)
	clients.Wait()
	for _, conn := range unused {
		if err := requestUntilClose(conn, began, &answered); err != nil {
			lost <- fmt.Errorf("the first on its connection: %w", err)
		}
	}
	<-p.eof
	require.NoError(t, p.cmd.Wait())
	close(lost)
	for err := range lost {
		t.Error("a request was lost:", err)
	}
	t.Logf("%d requests were answered and none was lost", answered.Load())
}

// requestUntilClose makes requests until a response closes the connection, which the client began
// to open at began. It returns an error if a request is lost. The server may close a connection
// whose first request doesn't arrive within the header timeout. A client that the machine has paused
// for so long loses nothing.
func requestUntilClose(conn net.Conn, began time.Time, answered *atomic.Int64) error {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for wait := headerTimeout; ; wait = time.Second {
		sent := time.Now()
		res, err := requestKey(conn, r)
		switch {
		case err != nil && time.Since(began) < wait:
			return err
		case err != nil:
			return nil
		case res.StatusCode != http.StatusOK:
			return errors.New(res.Status)
		}
		if answered.Add(1); res.Close {
			return nil
		}
		began = sent
	}
}

func requestKey(conn net.Conn, r *bufio.Reader) (*http.Response, error) {
	if _, err := io.WriteString(conn, "GET /api/v1/validate/key?key=aB3d HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(r, nil)
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
	}
	return res, err
}

// A gatedBody is a request body that waits until its gate is closed.
type gatedBody struct {
	*strings.Reader
	gate <-chan struct{}
}

func (b gatedBody) Read(p []byte) (int, error) {
	<-b.gate
	return b.Reader.Read(p)
}

// 200 uploads whose bodies the server awaits when SIGTERM comes are answered.
func TestSIGTERMWithRequestsInFlight(t *testing.T) {
	testenv.Slow(t)
	const requests, body = 200, `{"bsuid":"US.1"}`
	p, client := startTLS(t, "--json-limit", "off")
	transport := client.Transport.(*http.Transport)
	transport.ExpectContinueTimeout, client.Timeout = time.Hour, time.Minute
	gate, awaited := make(chan struct{}), make(chan struct{}, requests)
	responses := make(chan error, requests)
	for range requests {
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { awaited <- struct{}{} }})
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+p.addr+"/api/v1/business/bsuid/parse", gatedBody{strings.NewReader(body), gate})
		require.NoError(t, err)
		req.ContentLength = int64(len(body))
		req.Header.Set("Expect", "100-continue")
		go func() {
			res, err := client.Do(req)
			if err == nil {
				_ = res.Body.Close()
				if res.StatusCode != http.StatusOK {
					err = errors.New(res.Status)
				}
			}
			responses <- err
		}()
	}
	for range requests {
		select {
		case <-awaited:
		case err := <-responses:
			t.Fatal("a request ended early:", err)
		}
	}
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.waitForLog(t, "draining")
	close(gate)
	for range requests {
		require.NoError(t, <-responses)
	}
	transport.CloseIdleConnections()
	<-p.eof
	require.NoError(t, p.cmd.Wait(), p.logged())
}

// A client that offers HTTP/2 gets HTTP/1, and one that insists on HTTP/2 gets no connection.
func TestHTTP2IsRejected(t *testing.T) {
	t.Parallel()
	p, client := startTLS(t)
	res, err := client.Get("https://" + p.addr + "/jane") //nolint:noctx // the server is local
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, "HTTP/1.1", res.Proto)
	_, err = tls.Dial("tcp", p.addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	require.ErrorContains(t, err, "no application protocol")
	conn, err := net.Dial("tcp", start(t, nil).addr)
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
	require.NoError(t, err)
	response, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(response), "HTTP/1.1 404")
}

// insecureClient returns a client that accepts every certificate.
func insecureClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, ExpectContinueTimeout: time.Minute}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func startTLS(t *testing.T, args ...string) (*process, *http.Client) {
	t.Helper()
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writeCertificate(t, certFile, keyFile, 1)
	p := start(t, nil, append(args, "--tls-cert", certFile, "--tls-key", keyFile)...)
	return p, insecureClient(t)
}

// peakMemory returns the largest resident memory of the process so far, in MiB.
func (p *process) peakMemory(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Skip("skipped: there is no /proc")
	}
	kB, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)[1]))
	require.NoError(t, err)
	return kB / 1024
}

// Headers that arrive by the byte end at the header timeout, also over TLS, and so do
// handshakes.
func TestSlowHeaders(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	plain := start(t, nil, "--admin-addr", "127.0.0.1:0")
	secure, _ := startTLS(t)
	for _, address := range []string{plain.addr, plain.admin(), secure.addr} {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		for range 1000 {
			if _, err = io.WriteString(conn, "G"); err != nil {
				break
			}
			require.NoError(t, conn.SetReadDeadline(time.Now().Add(headerTimeout/20)))
			if _, err = conn.Read(make([]byte, 1000)); !errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
		}
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server closes it")
	}
}

// A listener that can't accept connections logs this, and accepts them later.
func TestTooManyOpenFiles(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	p := start(t, nil)
	var before unix.Rlimit
	require.NoError(t, unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, nil, &before))
	require.NoError(t, unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1, Max: before.Max}, nil))
	conn, err := net.Dial("tcp", p.addr)
	require.NoError(t, err)
	defer conn.Close()
	p.waitForLog(t, "too many open files")
	require.NoError(t, unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, &before, nil))
	_, err = io.WriteString(conn, "GET /jane HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	response, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(response), "302 Found")
}

// A redisServer is a redis-server that can be killed and started again.
type redisServer struct {
	addr string
	cmd  *exec.Cmd
}

func startRedis(t *testing.T) *redisServer {
	t.Helper()
	testenv.Needs(t, "redis-server", "Debian package redis-server")
	r := &redisServer{addr: fmt.Sprintf("127.0.0.1:%d", testenv.FreePort())}
	r.start(t)
	t.Cleanup(r.kill)
	return r
}

func (r *redisServer) start(t *testing.T) {
	t.Helper()
	_, port, err := net.SplitHostPort(r.addr)
	require.NoError(t, err)
	r.cmd = exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	require.NoError(t, r.cmd.Start())
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", r.addr)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, time.Minute, 5*time.Millisecond)
}

func (r *redisServer) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// Replicas count together, alone while Redis is killed, and together again. No request fails.
func TestReplicasAndRedis(t *testing.T) {
	testenv.Slow(t)
	redis := startRedis(t)
	var replicas []*process
	for range 3 {
		replicas = append(replicas, start(t, nil, "--trusted-proxies", "127.0.0.1", "--redis-url", "redis://"+redis.addr+"?read_timeout=10s"))
	}
	clients := uint16(0)
	passed := func() (count int) { // of 80 requests of a new client
		clients++
		for n := range 80 {
			req, err := http.NewRequest(http.MethodGet, "http://"+replicas[n%3].addr+"/api/v1/validate/key?key=aB3d", http.NoBody)
			require.NoError(t, err)
			req.Header.Set("X-Forwarded-For", netip.AddrFrom4([4]byte{203, 0, byte(clients >> 8), byte(clients)}).String())
			res, err := http.DefaultTransport.RoundTrip(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Contains(t, []int{http.StatusOK, http.StatusTooManyRequests}, res.StatusCode)
			if res.StatusCode == http.StatusOK {
				count++
			}
		}
		return count
	}
	require.Equal(t, 60, passed())
	redis.kill()
	require.Eventually(t, func() bool { return passed() == 80 }, time.Minute, time.Millisecond)
	for _, replica := range replicas {
		replica.waitForLog(t, "Redis is out of reach")
	}
	redis.start(t)
	require.Eventually(t, func() bool { return passed() == 60 }, time.Minute, time.Millisecond)
}

// Under load, Redis is killed and started again three times. Every request succeeds, and the log
// reports each outage.
func TestRedisDiesUnderLoad(t *testing.T) {
	testenv.Slow(t)
	redis := startRedis(t)
	p := start(t, nil, "--json-limit", "16777215", "--redis-url", "redis://"+redis.addr)
	var answered atomic.Int64
	var load sync.WaitGroup
	ended := make(chan struct{})
	failures := make(chan error, 16)
	for range cap(failures) {
		load.Go(func() {
			conn, err := net.Dial("tcp", p.addr)
			if err == nil {
				defer context.AfterFunc(t.Context(), func() { _ = conn.Close() })()
				go func() { <-ended; _ = conn.(*net.TCPConn).CloseWrite() }()
				err = requestUntilClose(conn, time.Now(), &answered)
			}
			select {
			case <-ended:
			default:
				failures <- err
			}
		})
	}
	more := func() {
		t.Helper()
		target := answered.Load() + 2000
		require.Eventually(t, func() bool { return answered.Load() > target || len(failures) > 0 }, time.Minute, time.Millisecond)
		require.Empty(t, failures)
	}
	waitForOutages := func(text string, n int) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Count(p.logged(), text) >= n }, time.Minute, time.Millisecond)
	}
	more()
	before := strings.Count(p.logged(), "Redis counts again") // a busy machine may have made it slow
	for n := range 3 {
		redis.kill()
		waitForOutages("Redis is out of reach", before+n+1)
		more()
		redis.start(t)
		waitForOutages("Redis counts again", before+n+1)
		more()
	}
	close(ended)
	load.Wait()
	p.stop(t)
}
