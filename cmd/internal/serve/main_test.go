package serve

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
)

func TestFlagsAndVariables(t *testing.T) {
	args := []string{
		"--base-url", "https://hi.example.com/", "--chat-host=chat.example.com", "--json-limit", "7", "--qr-limit", "off", "--trusted-proxies", "127.0.0.0/8, ::1",
		"--redis-url", "redis://a", "--access-log", "--page=false", "--offline=false", "--drain-delay", "5s",
	}
	environ := []string{
		"HAILMARK_BASE_URL=https://hi.example.com/", "HAILMARK_CHAT_HOST=chat.example.com", "HAILMARK_JSON_LIMIT=7", "HAILMARK_QR_LIMIT=off", "HAILMARK_TRUSTED_PROXIES=127.0.0.0/8, ::1",
		"HAILMARK_REDIS_URL=redis://a", "HAILMARK_ACCESS_LOG=true", "HAILMARK_PAGE=false", "HAILMARK_OFFLINE=false", "HAILMARK_DRAIN_DELAY=5s",
	}
	given, err := parseOptions(args, nil)
	require.NoError(t, err)
	require.Equal(t, httpapi.Limits{JSON: 7, QR: -1}, given.limits)
	require.Equal(t, "https://hi.example.com/", given.baseURL)
	require.True(t, given.accessLog)
	require.False(t, given.page)
	require.False(t, given.offline)
	require.Equal(t, 5*time.Second, given.drainDelay)
	set, err := parseOptions(nil, environ)
	require.NoError(t, err)
	require.Equal(t, given, set)
	both, err := parseOptions(args, []string{"HAILMARK_JSON_LIMIT=x", "HAILMARK_NOTICE=", "HAILMARK_PORT=1", "HAILMARK_CHECK=1", "OTHER=1"})
	require.NoError(t, err, "flags take precedence")
	require.Equal(t, []string{"HAILMARK_PORT", "HAILMARK_CHECK"}, both.unknown)
}

func TestErrorsNameTheFlag(t *testing.T) {
	for want, args := range map[string][]string{
		"--base-url":                          {"--base-url", "example.com"},
		"--chat-host":                         {"--chat-host", "https://wa.me"},
		"--notice":                            {"--notice", "soon"},
		`"--json-limit" flag: must be from 1`: {"--json-limit", "0"},
		"--qr-limit":                          {"--qr-limit", "99999999999"},
		"--trusted-proxies":                   {"--trusted-proxies", "10.0.0"},
		"--log-format":                        {"--log-format", "xml"},
		"--drain-timeout is negative":         {"--drain-delay", "-1s"},
		`invalid argument "5" for "--drain-timeout" flag: time: missing unit`: {"--drain-timeout", "5"},
		`invalid argument "perhaps" for "--access-log" flag`:                  {"--access-log=perhaps"},
		"unknown flag: --nonsense":                                            {"--nonsense"},
		"--admin-addr":                                                        {"--admin-addr", ":99999"},
		"needs an argument: --addr":                                           {"--addr"},
		"server --help lists the flags":                                       {"nonsense"},
	} {
		_, err := parseOptions(args, nil)
		require.ErrorContains(t, err, want)
	}
	_, err := parseOptions(nil, []string{"HAILMARK_DRAIN_DELAY=5", "HAILMARK_NOTICE=soon"})
	require.ErrorContains(t, err, `invalid value "5" for HAILMARK_DRAIN_DELAY: time: missing unit`)
	require.ErrorContains(t, err, "HAILMARK_NOTICE")
}

func TestHelp(t *testing.T) {
	help := new(options).flags().FlagUsages()
	require.NotRegexp(t, `(^|\s)-\w`, help)
	new(options).flags().VisitAll(func(f *pflag.Flag) { require.Contains(t, help, "  --"+f.Name) })
}

// A check binds no port, and needs the files of a certificate and a Redis URL that can be parsed.
func TestCheck(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = busy.Close() }()
	addr := busy.Addr().String()
	require.Zero(t, Main([]string{"--check", "--addr", addr, "--admin-addr", "127.0.0.2:1", "--pprof-addr", "127.0.0.3:1"}))
	require.Equal(t, 1, Main([]string{"--addr", addr}), "the port is in use")
	for _, args := range [][]string{{"--tls-cert", "none.pem"}, {"--redis-url", "redis://:S3cr#t@host"}, {"--drain-delay", "5"}, {"--addr", "foo"}, {"--admin-addr", ":99999"}, {"--admin-addr", ":8080"}, {"--pprof-addr", "[::1]:8080"}, {"--admin-addr", "localhost:1", "--pprof-addr", "127.0.0.1:1"}} {
		require.Equal(t, 1, Main(append([]string{"--check"}, args...)), args)
	}
}

// No part of the URL of Redis is ever printed.
func TestRedisPassword(t *testing.T) {
	for _, url := range []string{"redis://:S3cr#t@host", "redis://:S3cr/t@host", "redis://:S3cr?t@host", "redis://host:S3cr", "redis://:%S3cr@host"} {
		opts, err := parseOptions([]string{"--redis-url", url}, nil)
		require.NoError(t, err)
		_, err = newHandler(opts, slog.New(slog.DiscardHandler), newMetrics(&logQueue{}))
		require.ErrorContains(t, err, "--redis-url")
		require.NotContains(t, err.Error(), "S3cr")
		require.NotContains(t, err.Error(), "host:S")
	}
}

// A chunked request, which may have had a Content-Length too, closes its connection.
func TestChunkedRequestsClose(t *testing.T) {
	site := newWebsite(t)
	for _, path := range []string{"/jane", "/docs", "/api/v1/business/bsuid/parse"} {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"bsuid":"US.1"}`))
		r.TransferEncoding = []string{"chunked"}
		res := httptest.NewRecorder()
		site.ServeHTTP(res, r)
		require.Equal(t, "close", res.Header().Get("Connection"), path)
		require.Empty(t, ask(site, http.MethodGet, path).Header().Get("Connection"), path)
	}
}

// A website is a server without a process.
type website struct {
	http.Handler
	log     *bytes.Buffer
	metrics func() string
}

func newWebsite(t *testing.T, args ...string) website {
	t.Helper()
	opts, err := parseOptions(append([]string{"--page", "--admin-addr", ":0", "--access-log", "--base-url", "https://hi.example.com/wa"}, args...), nil)
	require.NoError(t, err)
	w := website{log: &bytes.Buffer{}}
	logger := newLogger(w.log, opts.logFormat)
	metrics := newMetrics(&logQueue{})
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writeCertificate(t, certFile, keyFile, 1)
	files := &certificate{certFile: certFile, keyFile: keyFile, logger: logger}
	require.NoError(t, files.load())
	metrics.watch(files)
	w.Handler, err = newHandler(opts, logger, metrics)
	require.NoError(t, err)
	admin := newAdmin(func() bool { return false }, metrics)
	w.metrics = func() string { return ask(admin, "GET", "/metrics").Body.String() }
	return w
}

func ask(h http.Handler, method, target string) *httptest.ResponseRecorder {
	res := httptest.NewRecorder()
	h.ServeHTTP(res, httptest.NewRequest(method, target, http.NoBody))
	return res
}

func TestSite(t *testing.T) {
	site := newWebsite(t, "--json-limit", "3")
	require.Contains(t, ask(site, "GET", "/api/v1/username-link?username=jane").Body.String(), `"shortLink":"https://hi.example.com/wa/jane"`)
	docs := ask(site, "GET", "/docs").Body.String()
	require.Contains(t, docs, "A client may send 3 requests per minute to this server")
	assets := regexp.MustCompile(`(?:href|src)="/?(-/[0-9a-f]+/[\w.]+)"`).FindAllStringSubmatch(docs+ask(site, "GET", "/").Body.String(), -1)
	require.Greater(t, len(assets), 3)
	for _, asset := range assets {
		res := ask(site, "GET", "/"+asset[1])
		require.Equal(t, http.StatusOK, res.Code, asset[1])
		require.Contains(t, res.Header().Get("Cache-Control"), "immutable", asset[1])
	}
	for _, path := range []string{"/", "/docs", "/docs.md", "/llms.txt", "/" + assets[0][1]} {
		require.Equal(t, http.StatusOK, ask(site, "HEAD", path).Code, path)
		for method, status := range map[string]int{"POST": http.StatusMethodNotAllowed, "DELETE": http.StatusMethodNotAllowed, "secret": http.StatusMethodNotAllowed, "OPTIONS": http.StatusNoContent} {
			res := ask(site, method, path)
			require.Equal(t, status, res.Code, path)
			require.Equal(t, "GET, HEAD, OPTIONS", res.Header().Get("Allow"))
			require.Equal(t, "*", res.Header().Get("Access-Control-Allow-Origin"))
			require.Regexp(t, "^[0-9a-f]{16}$", res.Header().Get("X-Request-Id"))
			require.Equal(t, status != http.StatusNoContent, strings.Contains(res.Body.String(), `"code":"method_not_allowed"`))
		}
	}
	for path, location := range map[string]string{"/jane.doe?text=secret": "https://wa.me/jane.doe?text=secret", "/@docs": "https://wa.me/docs", "/docsy": "https://wa.me/docsy"} {
		require.Equal(t, location, ask(site, "GET", path).Header().Get("Location"))
	}
	for _, path := range []string{"/-/", "/docs/", "/docs.css", "/-/0123456789abcdef/docs.css", "/-/" + strings.Repeat("s", 9)} {
		require.Contains(t, []int{http.StatusNotFound, http.StatusTooManyRequests}, ask(site, "GET", path).Code, path)
	}
	require.Equal(t, http.StatusNotFound, ask(newWebsite(t, "--page=false"), "GET", "/").Code)

	metrics := site.metrics()
	for _, line := range []string{
		`hailmark_requests_total{code="",route="/docs",status="200"} 2`, `hailmark_requests_total{code="method_not_allowed",route="/",status="405"} 3`,
		`hailmark_requests_total{code="",route="/{username}",status="302"} 3`, `hailmark_requests_total{code="rate_limited",route="",status="429"}`,
		`hailmark_request_duration_seconds_count{route="/-/{asset}"}`, "hailmark_limiter_fallbacks_total 0", "go_build_info{", "go_goroutines ", "process_resident_memory_bytes ",
	} {
		require.Contains(t, metrics, line)
	}
	require.Regexp(t, `method=HEAD route=/llms.txt status=200 bytes=0 .*request_id=[0-9a-f]{16}\n`, site.log.String())
	require.Regexp(t, `route=/{username} status=302 .*request_id=[0-9a-f]{16}\n`, site.log.String())
	for _, text := range []string{metrics, site.log.String()} {
		require.NotContains(t, text, "secret")
		require.NotContains(t, text, "192.0.2.1", "the address of a client")
	}
}

// The client of a request is in the header of a trusted proxy.
func TestClientsBehindProxies(t *testing.T) {
	site := newWebsite(t, "--json-limit", "1", "--trusted-proxies", "192.0.2.1")
	for _, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/validate/key?key=aB3d", http.NoBody)
		if want == http.StatusOK {
			r.Header.Set("X-Forwarded-For", "198.51.100.1, 192.0.2.1")
			if site.log.Len() > 0 {
				r.Header.Set("X-Forwarded-For", "198.51.100.2")
			}
		} else {
			r.Header.Set("X-Forwarded-For", "198.51.100.9, 198.51.100.2")
		}
		res := httptest.NewRecorder()
		site.ServeHTTP(res, r)
		require.Equal(t, want, res.Code)
	}
}

func TestAdmin(t *testing.T) {
	draining := false
	metrics := newMetrics(&logQueue{})
	admin := newAdmin(func() bool { return draining }, metrics)
	metrics.fallbacks = func() uint64 { return 7 }
	require.Contains(t, ask(admin, "GET", "/metrics").Body.String(), "hailmark_limiter_fallbacks_total 7\n")
	require.Equal(t, http.StatusOK, ask(admin, "GET", "/readyz").Code)
	draining = true
	require.Equal(t, http.StatusServiceUnavailable, ask(admin, "GET", "/readyz").Code)
	require.Equal(t, http.StatusOK, ask(admin, "GET", "/healthz").Code)
	require.Equal(t, http.StatusNotFound, ask(admin, "GET", "/debug/pprof/").Code)
	for host, status := range map[string]int{
		"localhost:6060": 200, "127.0.0.1:6060": 200, "[::1]:6060": 200, "10.0.0.7": 200, "evil.example": 403, "evil.example:6060": 403, "localhost.evil.example": 403, "": 403,
	} {
		r := httptest.NewRequest(http.MethodGet, "/debug/pprof/goroutine?debug=1", http.NoBody)
		r.Host = host
		res := httptest.NewRecorder()
		newProfiles().ServeHTTP(res, r)
		require.Equal(t, status, res.Code, host)
	}
	require.Equal(t, http.StatusNotFound, ask(newProfiles(), "GET", "http://localhost/debug/pprof/cmdline").Code)
}

// The reader of the log stops reading. Writing goes on, and lost lines are counted.
func TestStuckLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := net.Pipe()
		q := newLogQueue(writer)
		for range 20_000 {
			n, err := q.Write([]byte("line\n"))
			require.NoError(t, err)
			require.Equal(t, 5, n)
			synctest.Wait()
		}
		require.EqualValues(t, 20_000-cap(q.lines)-1, q.dropped.Load(), "the writer holds one")
		began := time.Now()
		q.close()
		require.Equal(t, time.Second, time.Since(began))
		require.NoError(t, reader.Close())
		q.lines <- nil // the writer ends
		<-q.ended
		require.EqualValues(t, 20_000, q.dropped.Load()-1, "lines that can't be written are counted, and the end that didn't fit")
	})
}

// A reader that continues to read gets the lines that waited, in order.
func TestSlowLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := net.Pipe()
		q := newLogQueue(writer)
		for i := range 3 {
			for range 1000 {
				_, _ = fmt.Fprintln(q, i)
			}
			time.Sleep(time.Minute)
		}
		for _, want := range []string{"0\n", "1\n", "2\n"} {
			lines := make([]byte, 2000)
			_, err := io.ReadFull(reader, lines)
			require.NoError(t, err)
			require.Equal(t, strings.Repeat(want, 1000), string(lines))
		}
		require.NoError(t, reader.Close())
		q.close()
		require.Zero(t, q.dropped.Load())
	})
}

func TestLogIsComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // so that the timeout of close can't end first
		var log bytes.Buffer
		q := newLogQueue(&log)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 1000 {
					_, _ = q.Write([]byte("line\n"))
				}
			})
		}
		wg.Wait()
		q.close()
		require.Equal(t, 4000, strings.Count(log.String(), "line\n")+int(q.dropped.Load()))
		_, err := q.Write([]byte("late\n"))
		require.NoError(t, err)
	})
}

// The log of net/http contains addresses and text of clients.
func TestServerLog(t *testing.T) {
	var log bytes.Buffer
	l := serverLog(newLogger(&log, "json"))
	l.Print("http: TLS handshake error from 192.0.2.1:1: EOF")
	l.Print("http: URL query contains secret")
	require.Empty(t, log.String())
	l.Print("http: panic serving 192.0.2.1:1: secret")
	l.Print("http: Accept error: accept4: too many open files; retrying in 5ms")
	require.Equal(t, 2, strings.Count(log.String(), "\n"))
	require.NotContains(t, log.String(), "192.0.2.1")
	require.Contains(t, log.String(), "too many open files")
}

// writeCertificate makes a certificate for localhost and its key.
func writeCertificate(t *testing.T, certFile, keyFile string, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, NotBefore: time.Unix(0, 0), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	if keyFile != "" {
		require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	}
}

// The files of a certificate are read again. A pair that doesn't match leaves the last one in
// use, which is logged.
func TestCertificate(t *testing.T) {
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		writeCertificate(t, certFile, keyFile, 1)
		files := &certificate{certFile: certFile, keyFile: keyFile, logger: newLogger(&log, "text")}
		require.NoError(t, files.load())
		require.WithinRange(t, files.expiry(), time.Now(), time.Now().Add(time.Hour))
		requireSerial := func(want int64) {
			t.Helper()
			time.Sleep(certificateAge)
			pair, err := files.get(&tls.ClientHelloInfo{})
			require.NoError(t, err)
			require.Equal(t, want, pair.Leaf.SerialNumber.Int64())
		}
		writeCertificate(t, certFile, "", 2)
		requireSerial(1)
		require.Equal(t, 1, strings.Count(log.String(), "can't be loaded"))
		writeCertificate(t, certFile, keyFile, 3)
		requireSerial(3)
		require.NoError(t, os.Remove(keyFile))
		requireSerial(3)
		require.Equal(t, 2, strings.Count(log.String(), "can't be loaded"))
	})
}
