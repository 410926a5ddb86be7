package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi/redislimit"
)

// The tests run the real program: this binary again, as main.
func TestMain(m *testing.M) {
	if os.Getenv("SERVER_TEST_RUN_MAIN") != "" {
		os.Exit(Main("server", os.Args[1:]))
	}
	os.Exit(m.Run())
}

func command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(env, "SERVER_TEST_RUN_MAIN=1")
	return cmd
}

// A process is a running server.
type process struct {
	cmd  *exec.Cmd
	base string
	mu   sync.Mutex
	log  bytes.Buffer
	eof  chan struct{}
}

// The lines that the server logs about its listeners, as text and as JSON.
var (
	listening      = regexp.MustCompile(`listening"?[ ,]"?addr[=:"]+(127\.0\.0\.1|\[::1\]|\[::\]):(\d+)`)
	adminListening = regexp.MustCompile(`admin_addr[=:"]+(127\.0\.0\.1:\d+)`)
)

// start runs the server on a free port and waits until it listens.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{cmd: command(t, env, append([]string{"-addr", "127.0.0.1:0"}, args...)...), eof: make(chan struct{})}
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })

	addresses := make(chan string, 1)
	go func() {
		defer close(p.eof)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			p.mu.Lock()
			p.log.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				addresses <- m[1] + ":" + m[2]
			}
		}
	}()
	select {
	case address := <-addresses:
		p.base = "http://" + address
	case <-p.eof:
		t.Fatalf("the server did not start: %s", p.logged())
	}
	return p
}

// admin returns the address of the admin listener.
func (p *process) admin(t *testing.T) string {
	t.Helper()
	m := adminListening.FindStringSubmatch(p.logged())
	require.NotNil(t, m)
	return "http://" + m[1]
}

func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// stop waits for the end of the process and returns its exit status.
func (p *process) stop(t *testing.T) int {
	t.Helper()
	<-p.eof
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

func dial(t *testing.T, p *process) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// requireListenerClosed waits until the server refuses connections.
func (p *process) requireListenerClosed(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, time.Minute, time.Millisecond)
}

func get(t *testing.T, address string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(body)
}

func TestServesAPIAndShortLinks(t *testing.T) {
	p := start(t, nil)

	res, body := get(t, p.base+"/api/v1/username-link?username=jane")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Contains(t, body, `"link":"https://wa.me/jane"`)
	port := p.base[strings.LastIndexByte(p.base, ':')+1:]
	require.Contains(t, body, `"shortLink":"http://localhost:`+port+`/jane"`)
	require.Contains(t, body, `"notice":"As of 2026-11-21`)
	require.Equal(t, "60", res.Header.Get("X-RateLimit-Limit"))

	res, _ = get(t, p.base+"/jane")
	require.Equal(t, http.StatusFound, res.StatusCode)
	require.Equal(t, "https://wa.me/jane", res.Header.Get("Location"))

	for _, path := range []string{"/Jane", "/jane/", "//jane", "/api/v1/", "/api//v1/qr", "/api/v1/../v1/qr"} {
		res, body := get(t, p.base+path)
		require.Equal(t, http.StatusNotFound, res.StatusCode, path)
		require.Contains(t, body, `"code":"not_found"`)
	}

	res, _ = get(t, p.base+"/api/v1/phone-link?phone=16505551234&text="+url.QueryEscape(strings.Repeat("😀", 4096)))
	require.Equal(t, http.StatusOK, res.StatusCode, "the longest text fits the header limit")
}

func TestEveryFlagAndItsTwin(t *testing.T) {
	for name, tt := range map[string]struct{ env, args []string }{
		"flags": {nil, []string{
			"-base-url", "https://hi.example.com/", "-chat-host", "chat.example.com", "-notice", "As of 2030-01-01, fine.", "-json-limit", "7",
			"-qr-limit", "3", "-trusted-proxies", "127.0.0.0/8, ::1/128",
		}},
		"environment": {[]string{
			"HAILMARK_BASE_URL=https://hi.example.com/", "HAILMARK_CHAT_HOST=chat.example.com", "HAILMARK_NOTICE=As of 2030-01-01, fine.", "HAILMARK_JSON_LIMIT=7",
			"HAILMARK_QR_LIMIT=3", "HAILMARK_TRUSTED_PROXIES=127.0.0.0/8, ::1/128",
		}, nil},
		"flags win": {
			[]string{"HAILMARK_JSON_LIMIT=9", "HAILMARK_QR_LIMIT=9", "HAILMARK_NOTICE=", "HAILMARK_BASE_URL=nonsense"},
			[]string{
				"-base-url", "https://hi.example.com", "-chat-host", "chat.example.com", "-notice", "As of 2030-01-01, fine.", "-json-limit", "7",
				"-qr-limit", "3", "-trusted-proxies", "127.0.0.1/32",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, tt.env, tt.args...)
			res, body := get(t, p.base+"/api/v1/username-link?username=jane")
			require.JSONEq(t, `{"username":"jane","link":"https://chat.example.com/jane","shortLink":"https://hi.example.com/jane","notice":"As of 2030-01-01, fine."}`, body)
			require.Equal(t, "7", res.Header.Get("X-RateLimit-Limit"))
			res, _ = get(t, p.base+"/api/v1/qr?username=jane")
			require.Equal(t, "3", res.Header.Get("X-RateLimit-Limit"))
			res, _ = get(t, p.base+"/jane")
			require.Equal(t, "https://chat.example.com/jane", res.Header.Get("Location"))

			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.base+"/api/v1/openapi.json", nil)
			require.NoError(t, err)
			req.Header.Set("X-Forwarded-For", "198.51.100.1")
			res, err = http.DefaultTransport.RoundTrip(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Equal(t, "6", res.Header.Get("X-RateLimit-Remaining"), "a client of its own")
		})
	}
}

// "off" switches a limit off: its responses have no rate limit headers.
func TestLimitsOff(t *testing.T) {
	p := start(t, []string{"HAILMARK_QR_LIMIT=off"}, "-json-limit", "off")
	for _, path := range []string{"/api/v1/validate/key?key=aB3d", "/api/v1/qr?username=jane"} {
		res, _ := get(t, p.base+path)
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.NotContains(t, res.Header, "X-Ratelimit-Limit")
	}
}

func TestRedisSettings(t *testing.T) {
	opts, err := parseOptions("server", []string{"-redis-url", "redis://a"}, []string{"HAILMARK_REDIS_KEY_PREFIX=b:", "HAILMARK_REDIS_TIMEOUT=2s"})
	require.NoError(t, err)
	require.Equal(t, redislimit.Config{URL: "redis://a", KeyPrefix: "b:", Timeout: 2 * time.Second}, opts.redis)
	opts, err = parseOptions("server", nil, nil)
	require.NoError(t, err)
	require.Equal(t, redislimit.Config{KeyPrefix: redislimit.DefaultKeyPrefix, Timeout: redislimit.DefaultTimeout}, opts.redis)
}

func TestStartUpErrorsNameTheFlag(t *testing.T) {
	for _, tt := range []struct {
		env, args []string
		want      string
	}{
		{nil, []string{"-base-url", "example.com"}, "-base-url"},
		{nil, []string{"-chat-host", "https://wa.me"}, "-chat-host"},
		{nil, []string{"-notice", "soon"}, "-notice"},
		{nil, []string{"-json-limit", "0"}, "-json-limit"},
		{nil, []string{"-json-limit", "99999999999"}, "-json-limit"},
		{nil, []string{"-qr-limit", "many"}, "-qr-limit"},
		{nil, []string{"-qr-limit", "OFF "}, "or off"},
		{nil, []string{"-redis-timeout", "0"}, "-redis-timeout"},
		{nil, []string{"-addr", "127.0.0.1:0", "-tls-key", "key.pem"}, "-tls-cert"},
		{nil, []string{"-trusted-proxies", "10.0.0"}, "-trusted-proxies"},
		{nil, []string{"-trusted-proxies", "0.0.0.0/0"}, "-trusted-proxies"},
		{nil, []string{"-addr", "nonsense"}, "-addr"},
		{nil, []string{"-nonsense"}, "-nonsense"},
		{nil, []string{"nonsense"}, "nonsense"},
		{nil, []string{"-addr", "127.0.0.1:0", "-admin-addr", "nonsense"}, "-admin-addr"},
		{nil, []string{"-addr", "127.0.0.1:0", "-redis-url", "nonsense"}, "-redis-url"},
		{nil, []string{"-addr", "127.0.0.1:0", "-tls-cert", "cert.pem"}, "-tls-key"},
		{nil, []string{"-addr", "127.0.0.1:0", "-tls-cert", "nothing.pem", "-tls-key", "nothing.pem"}, "-tls-cert"},
		{nil, []string{"-log-format", "xml"}, "-log-format"},
		{nil, []string{"-drain-delay", "-1s"}, "-drain-delay"},
		{nil, []string{"-drain-timeout", "soon"}, "-drain-timeout"},
		{[]string{"HAILMARK_ACCESS_LOG=maybe"}, nil, "HAILMARK_ACCESS_LOG"},
		{[]string{"HAILMARK_NOTICE=soon"}, nil, "HAILMARK_NOTICE"},
		{[]string{"HAILMARK_QR_LIMIT=-1"}, nil, "HAILMARK_QR_LIMIT"},
	} {
		out, err := command(t, tt.env, tt.args...).CombinedOutput()
		require.Error(t, err, tt.want)
		require.Contains(t, string(out), tt.want)
		require.Equal(t, 1, strings.Count(string(out), "\n"), "one line: %s", out)
	}
}

func TestVersionAndHelp(t *testing.T) {
	out, err := command(t, []string{"HAILMARK_VERSION=nonsense"}, "-version").Output()
	require.NoError(t, err)
	require.Regexp(t, `^hailmark \S+.* go1\.\d+`, string(out))
	require.NotContains(t, string(out), "unknown")

	out, err = command(t, nil, "-help").Output()
	require.NoError(t, err, "the help goes to standard output")
	for _, name := range []string{
		"-addr", "-base-url", "-chat-host", "-notice", "-json-limit", "-qr-limit", "-trusted-proxies", "-version", "-admin-addr", "-tls-cert", "-tls-key",
		"-redis-url", "-redis-key-prefix", "-redis-timeout", "-log-format", "-access-log", "-drain-delay", "-drain-timeout", "HAILMARK_BASE_URL",
	} {
		require.Contains(t, string(out), name)
	}
}

// The command hailmark serve takes flags only.
func TestCommandsOfPrograms(t *testing.T) {
	require.Equal(t, 2, Main("hailmark serve", []string{"licenses"}))
}

// A request that has begun before SIGTERM is answered, and new connections are refused.
func TestSIGTERMDrains(t *testing.T) {
	t.Parallel()
	p := start(t, nil)
	conn := dial(t, p)
	const body = `{"bsuid":"US.1"}`
	_, err := fmt.Fprintf(conn, "POST /api/v1/business/bsuid/parse HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
	require.NoError(t, err)
	answer := bufio.NewReader(conn)
	line, err := answer.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue\r\n", line, "the request is under way")
	_, err = answer.ReadString('\n')
	require.NoError(t, err)

	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { return strings.Contains(p.logged(), "draining") }, time.Minute, time.Millisecond)
	p.requireListenerClosed(t)

	_, err = conn.Write([]byte(body))
	require.NoError(t, err)
	res, err := http.ReadResponse(answer, nil)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Zero(t, p.stop(t))
	require.Contains(t, p.logged(), "stopped")
	require.NotContains(t, p.logged(), "may get a reset")
}

// The log and the metrics contain nothing that a client sends, and not its address.
func TestPrivacyOfTheLog(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) { testPrivacyOfTheLog(t, format) })
	}
}

func testPrivacyOfTheLog(t *testing.T, format string) {
	p := start(t, nil, "-access-log", "-log-format", format, "-admin-addr", "127.0.0.1:0", "-trusted-proxies", "127.0.0.1/32")
	const canary = "canary4711"
	get(t, p.base+"/api/v1/username-link?username="+canary+"&text="+canary)
	get(t, p.base+"/api/v1/qr?username="+canary+";"+canary)
	get(t, p.base+"/"+canary)
	conn := dial(t, p)
	_, err := fmt.Fprintf(conn, "%s /%s?%s HTTP/9.9\r\n%s\r\n\r\n", canary, canary, canary, canary)
	require.NoError(t, err)
	_, err = io.ReadAll(conn)
	require.NoError(t, err)

	req, err := http.NewRequestWithContext(t.Context(), canary, p.base+"/api/v1/qr?"+canary+"=1", strings.NewReader(canary))
	require.NoError(t, err)
	for _, name := range []string{"X-Request-Id", "User-Agent", "Referer", "Cookie", "Authorization", "Traceparent", "X-" + canary} {
		req.Header.Set(name, canary)
	}
	req.Header.Set("X-Forwarded-For", "198.51.100.77")
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Regexp(t, `^[0-9a-f]{16}$`, res.Header.Get("X-Request-Id"), "never the client's")
	_, metrics := get(t, p.admin(t)+"/metrics")

	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, p.stop(t))
	require.Equal(t, 4, strings.Count(p.logged(), "request_id"), "%s", p.logged())
	require.Contains(t, p.logged(), res.Header.Get("X-Request-Id"))
	for _, text := range []string{p.logged(), metrics} {
		require.NotContains(t, strings.ToLower(text), canary)
		require.NotContains(t, text, "198.51.100")
		require.NotContains(t, strings.ReplaceAll(strings.ReplaceAll(text, p.base[len("http://"):], ""), p.admin(t)[len("http://"):], ""), "127.0.0.1")
	}
}

func TestSwitches(t *testing.T) {
	for word, want := range map[string]bool{
		"yes": true, "on": true, "true": true, "1": true, "Yes": true, "no": false, "off": false, "false": false, "0": false, "OFF": false,
	} {
		opts, err := parseOptions("server", []string{"-access-log=" + word}, nil)
		require.NoError(t, err, word)
		require.Equal(t, want, opts.accessLog, word)
	}
	opts, err := parseOptions("server", []string{"-access-log"}, nil)
	require.NoError(t, err)
	require.True(t, opts.accessLog)
	_, err = parseOptions("server", []string{"-access-log=perhaps"}, nil)
	require.ErrorContains(t, err, "-access-log: must be yes or no")
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		args, env, want []string
	}{
		{nil, []string{"HAILMARK_base_url=x"}, []string{"variables without a flag have no effect: HAILMARK_base_url"}},
		{nil, []string{"HAILMARK_ADDR=:80", "HAILMARK_EMPTY=", "OTHER=1", "HAILMARK"}, nil},
		{nil, []string{"HAILMARK_BASEURL=x", "HAILMARK_VERSION=1"}, []string{"variables without a flag have no effect: HAILMARK_BASEURL, HAILMARK_VERSION"}},
	} {
		opts, err := parseOptions("server", tt.args, tt.env)
		require.NoError(t, err)
		require.Equal(t, tt.want, opts.warnings)
	}
	p := start(t, []string{"HAILMARK_PORT=tcp://10.0.0.1"})
	require.Contains(t, p.logged(), "HAILMARK_PORT")
}

func TestSIGHUPIsIgnored(t *testing.T) {
	t.Parallel()
	p := start(t, nil)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	time.Sleep(50 * time.Millisecond)
	res, _ := get(t, p.base+"/jane")
	require.Equal(t, http.StatusFound, res.StatusCode)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, p.stop(t))
}
