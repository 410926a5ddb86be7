package serve

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/drain"
)

func TestAdmin(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-admin-addr", "127.0.0.1:0", "-qr-limit", "1", "-redis-url", "redis://:secret@127.0.0.1:1/0")
	admin := p.admin(t)
	get(t, p.base+"/api/v1/qr?username=jane")
	get(t, p.base+"/api/v1/qr?username=jane")
	get(t, p.base+"/api/v1/username-link")
	get(t, p.base+"/nothing/here")
	get(t, p.base+"/jane")

	for _, path := range []string{"/healthz", "/readyz"} {
		res, body := get(t, admin+path)
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.Equal(t, "ok\n", body)
		res, _ = get(t, p.base+path)
		require.Equal(t, http.StatusNotFound, res.StatusCode, "not public")
	}
	_, metrics := get(t, admin+"/metrics")
	for _, line := range []string{
		`hailmark_requests_total{code="",route="/api/v1/qr",status="200"} 1`,
		`hailmark_requests_total{code="rate_limited",route="/api/v1/qr",status="429"} 1`,
		`hailmark_requests_total{code="missing_username",route="/api/v1/username-link",status="400"} 1`,
		`hailmark_requests_total{code="",route="/{username}",status="302"} 1`,
		`hailmark_requests_total{code="not_found",route="",status="404"} 1`,
		`hailmark_request_duration_seconds_count{route="/api/v1/qr"} 2`,
		`hailmark_limiter_fallbacks_total 4`,
		`hailmark_build_info{goversion="go`,
		`go_goroutines `, `process_resident_memory_bytes `, `go_gc_gogc_percent 200`, fmt.Sprintf("go_gc_gomemlimit_bytes %v", float64(160<<20)),
	} {
		require.Contains(t, metrics, line)
	}
	res, body := get(t, admin+"/debug/pprof/goroutine?debug=1")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Contains(t, body, "goroutine profile")
	_, body = get(t, admin+"/debug/pprof/symbol")
	require.Contains(t, body, "num_symbols")
	_, body = get(t, admin+"/debug/pprof/cmdline")
	require.NotContains(t, body, "secret")
	require.NotContains(t, p.logged(), "secret")

	out, err := command(t, []string{"HAILMARK_ADMIN_ADDR=" + strings.TrimPrefix(admin, "http://")}, "healthcheck").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = command(t, nil, "healthcheck", "-admin-addr", "127.0.0.1:1").CombinedOutput()
	require.Error(t, err)
	require.NotEmpty(t, out)
	out, err = command(t, nil, "healthcheck").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "-admin-addr")
}

// The variables of the Go runtime take precedence over the settings of the server.
func TestVariablesOfTheRuntime(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"GOGC=150", "GOMEMLIMIT=100MiB"}, "-admin-addr", "127.0.0.1:0")
	_, metrics := get(t, p.admin(t)+"/metrics")
	require.Contains(t, metrics, "go_gc_gogc_percent 150\n")
	require.Contains(t, metrics, fmt.Sprintf("go_gc_gomemlimit_bytes %v\n", float64(100<<20)))
}

// The admin listener closes slow and idle connections.
func TestAdminConnections(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-admin-addr", "127.0.0.1:0")
	conns := map[string]net.Conn{}
	for _, request := range []string{"", "GET /healthz HTTP/1.1\r\nHost: x\r\nX-", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.admin(t), "http://"))
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, request)
		require.NoError(t, err)
		conns[request] = conn
	}
	deadline := time.Now().Add(2 * headerTimeout)
	for request, conn := range conns {
		require.NoError(t, conn.SetReadDeadline(deadline))
		response, err := io.ReadAll(conn)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server closes a connection after %q", request)
		require.Equal(t, strings.HasSuffix(request, "\r\n\r\n"), strings.Contains(string(response), "200 OK"))
	}
}

// A pipeListener accepts one connection.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	if conn, open := <-l; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l pipeListener) Close() error   { return nil }
func (l pipeListener) Addr() net.Addr { return nil }

// A client that does not read its response loses the connection.
func TestAdminUnreadResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, _ := newMetrics(&logBuffer{})
		admin := newAdmin(&drain.Server{}, registry)
		client, server := net.Pipe()
		listener := make(pipeListener, 1)
		listener <- server
		close(listener)
		require.ErrorIs(t, admin.Serve(listener), net.ErrClosed)
		_, err := io.WriteString(client, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		time.Sleep(admin.WriteTimeout + time.Second)
		response, err := io.ReadAll(client)
		require.NoError(t, err)
		require.Empty(t, response)
	})
}

// A profile may take longer than the timeout of a response.
func TestAdminLongProfile(t *testing.T) {
	registry, _ := newMetrics(&logBuffer{})
	server := httptest.NewUnstartedServer(nil)
	server.Config = newAdmin(&drain.Server{}, registry)
	server.Config.WriteTimeout = 200 * time.Millisecond
	server.Start()
	defer server.Close()
	res, body := get(t, server.URL+"/debug/pprof/trace?seconds=0.4")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.NotEmpty(t, body)
}

// After SIGTERM the server reports that it is not ready, and keeps serving.
func TestReadinessGoesFirst(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-admin-addr", "127.0.0.1:0", "-drain-delay", "3s")
	admin := p.admin(t)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool {
		res, _ := get(t, admin+"/readyz")
		return res.StatusCode == http.StatusServiceUnavailable
	}, time.Minute, time.Millisecond)
	res, _ := get(t, p.base+"/jane") // first, because the listener closes after the delay
	require.Equal(t, http.StatusFound, res.StatusCode, "a new connection is served")
	require.True(t, res.Close, "and then closed")
	res, _ = get(t, admin+"/healthz")
	require.Equal(t, http.StatusOK, res.StatusCode, "it lives")
	require.Error(t, command(t, nil, "healthcheck", "-admin-addr", strings.TrimPrefix(admin, "http://")).Run())
	require.Zero(t, p.stop(t))
}

// Requests on connections of all ages are answered while the server drains: on those
// that have not sent anything before SIGTERM, those that are in use, and those that are
// opened until the listener closes.
func TestSIGTERMUnderLoad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, listen, dial string }{
		{"IPv4", "127.0.0.1:0", "127.0.0.1"},
		{"IPv6", "[::1]:0", "[::1]"},
		{"IPv4 to a listener of IPv6", "[::]:0", "127.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answered := 0
			for range sizes(1, 12) {
				answered += stopUnderLoad(t, tt.listen, tt.dial)
			}
			t.Logf("%d requests were answered and none was lost", answered)
			require.Greater(t, answered, sizes(1, 100_000))
		})
	}
}

// stopUnderLoad stops a server under load and returns the number of its responses.
func stopUnderLoad(t *testing.T, listen, host string) int {
	p := start(t, nil, "-json-limit", noLimit, "-addr", listen)
	address := host + p.base[strings.LastIndexByte(p.base, ':'):]
	const silent, busy = 20, 8
	var answered atomic.Int64
	lost := make(chan error, 1000)
	var wg sync.WaitGroup
	for range busy {
		wg.Go(func() {
			for {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					return // the listener is closed
				}
				if err := requestUntilClose(conn, &answered); err != nil {
					lost <- err
				}
			}
		})
	}
	if sizes(0, 1) == 0 {
		time.Sleep(200 * time.Millisecond)
	} else {
		require.Eventually(t, func() bool { return answered.Load() > 8500 }, time.Minute, time.Millisecond)
	}
	var unused []net.Conn
	for range silent {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		unused = append(unused, conn)
	}
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	wg.Wait()
	time.Sleep(time.Second) // the server waits for the unused connections
	for _, conn := range unused {
		_, err := io.WriteString(conn, "GET /jane HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err, "a connection without a request")
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusFound, res.StatusCode)
	}
	require.Zero(t, p.stop(t))
	close(lost)
	for err := range lost {
		t.Error("a request was lost:", err)
	}
	return int(answered.Load())
}

// requestUntilClose makes requests until a response closes the connection.
func requestUntilClose(conn net.Conn, answered *atomic.Int64) error {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		if _, err := io.WriteString(conn, "GET /api/v1/validate/key?key=aB3d HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			return err
		}
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK {
			return errors.New(res.Status)
		}
		answered.Add(1)
		if res.Close {
			return nil
		}
	}
}

// writeCertificate makes a key and a certificate for localhost with the given serial
// number.
func writeCertificate(t *testing.T, certFile, keyFile string, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	if keyFile != "" {
		require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	}
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return cert
}

func TestTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	first := writeCertificate(t, certFile, keyFile, 1)
	p := start(t, nil, "-tls-cert", certFile, "-tls-key", keyFile)
	address := strings.TrimPrefix(p.base, "http://")
	serial := func() int64 {
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}

	roots := x509.NewCertPool()
	roots.AddCert(first)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/api/v1/username-link?username=jane", nil)
	require.NoError(t, err)
	res, err := transport.RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, "HTTP/2.0", res.Proto)
	require.Contains(t, string(body), `"shortLink":"https://localhost:`)
	require.EqualValues(t, 1, serial())

	// A certificate without its key: the old pair stays, which is logged once.
	writeCertificate(t, certFile, "", 2)
	require.Eventually(t, func() bool {
		require.EqualValues(t, 1, serial())
		return strings.Contains(p.logged(), "cannot be loaded")
	}, time.Minute, 50*time.Millisecond)
	writeCertificate(t, certFile, keyFile, 3)
	require.Eventually(t, func() bool { return serial() == 3 }, time.Minute, 50*time.Millisecond)
	require.NoError(t, os.Remove(keyFile))
	time.Sleep(certificateAge + 100*time.Millisecond)
	require.EqualValues(t, 3, serial(), "a file that is gone changes nothing")

	// A handshake that fails leaves no address in the log.
	conn := dial(t, p)
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\n\r\n")
	require.NoError(t, err)
	_, _ = io.ReadAll(conn)
	require.NoError(t, conn.Close())

	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, p.stop(t))
	require.NotContains(t, p.logged(), "handshake")
	require.LessOrEqual(t, strings.Count(p.logged(), "cannot be loaded"), 3)
}

// The files of a certificate are read again once it has its age, however long that was ago.
func TestCertificateAge(t *testing.T) {
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	synctest.Test(t, func(t *testing.T) {
		writeCertificate(t, certFile, keyFile, 1)
		config, err := newTLSConfig(certFile, keyFile, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		requireSerial := func(want int64) {
			t.Helper()
			pair, err := config.GetCertificate(nil)
			require.NoError(t, err)
			require.Equal(t, want, pair.Leaf.SerialNumber.Int64())
		}
		serial := int64(1)
		for _, pause := range []time.Duration{certificateAge, certificateAge, time.Hour} {
			writeCertificate(t, certFile, keyFile, serial+1)
			requireSerial(serial)
			time.Sleep(pause)
			serial++
			requireSerial(serial)
		}
	})
}

// A slow handshake, and a slow request after a handshake, end at the header timeout.
func TestSlowTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writeCertificate(t, certFile, keyFile, 1)
	p := start(t, nil, "-tls-cert", certFile, "-tls-key", keyFile)
	silent := dial(t, p)
	began := time.Now()
	secure, err := tls.Dial("tcp", strings.TrimPrefix(p.base, "http://"), &tls.Config{InsecureSkipVerify: true})
	require.NoError(t, err)
	_, err = io.WriteString(secure, "GET /jane HTTP/1.1\r\nHost: x\r\nX-")
	require.NoError(t, err)
	for _, conn := range []net.Conn{silent, secure} {
		require.NoError(t, conn.SetReadDeadline(began.Add(2*headerTimeout)))
		_, err := io.ReadAll(conn)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server closes it")
		require.GreaterOrEqual(t, time.Since(began), headerTimeout-time.Second)
		require.NoError(t, conn.Close())
	}
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, p.stop(t))
}

// A request over HTTP/2 that is under way when SIGTERM comes is answered.
func TestSIGTERMDrainsHTTP2(t *testing.T) {
	t.Parallel()
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writeCertificate(t, certFile, keyFile, 1)
	p := start(t, nil, "-tls-cert", certFile, "-tls-key", keyFile)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()

	body, write := io.Pipe()
	type result struct {
		res *http.Response
		err error
	}
	results := make(chan result, 1)
	go func() {
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, "https://"+strings.TrimPrefix(p.base, "http://")+"/api/v1/business/bsuid/parse", body)
		if err == nil {
			var res *http.Response
			res, err = transport.RoundTrip(req)
			results <- result{res, err}
			return
		}
		results <- result{nil, err}
	}()
	_, err := io.WriteString(write, `{"bsuid":`)
	require.NoError(t, err)
	time.Sleep(100 * time.Millisecond)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	time.Sleep(time.Second)
	_, err = io.WriteString(write, `"US.1"}`)
	require.NoError(t, err)
	require.NoError(t, write.Close())
	r := <-results
	require.NoError(t, r.err)
	require.Equal(t, http.StatusOK, r.res.StatusCode)
	require.NoError(t, r.res.Body.Close())
	require.Zero(t, p.stop(t), fmt.Sprint(p.logged()))
}
