//go:build unix

package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

const normalizePath = "/api/v1/business/webhook/normalize"

// embed serves the API as an embedder would, by a server without timeouts or limits of
// connections.
func embed(wrap string) {
	limiter, _ := httpapi.NewMemoryLimiter(httpapi.Limits{JSON: -1})
	var api http.Handler
	api, err := httpapi.New(httpapi.Config{BaseURL: "http://localhost", Limiter: limiter})
	if wrap == "TimeoutHandler" {
		api = http.TimeoutHandler(api, 20*time.Second, "")
	}
	l, listenErr := net.Listen("tcp", "127.0.0.1:0")
	if err != nil || listenErr != nil {
		log.Fatal(err, listenErr)
	}
	fmt.Fprintln(os.Stderr, "listening addr="+l.Addr().String())
	log.Fatal((&http.Server{Handler: api}).Serve(l)) //nolint:gosec // it's what is tested
}

// A victim is a server under attack.
type victim struct {
	*process
	kind     string       // server, TLS, plain or TimeoutHandler
	engaged  atomic.Int64 // connections that have sent their head so far
	repeated atomic.Int64 // attempts of honest clients that failed so far
}

func startVictim(t *testing.T, kind string) *victim {
	switch kind {
	case "server":
		return &victim{process: startLimited(t, nil, "--json-limit", "off"), kind: kind}
	case "TLS":
		folder := sharedFolder(t)
		certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
		writeCertificate(t, certFile, keyFile, 1)
		require.NoError(t, os.Chmod(certFile, 0o644))
		require.NoError(t, os.Chmod(keyFile, 0o644))
		return &victim{process: startLimited(t, nil, "--json-limit", "off", "--tls-cert", certFile, "--tls-key", keyFile), kind: kind}
	default:
		return &victim{process: startLimited(t, []string{"SERVER_TEST_EMBED=" + kind}), kind: kind}
	}
}

// sharedFolder returns a folder that ordinary users can read, unlike that of t.TempDir.
func sharedFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "attacks")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	require.NoError(t, os.Chmod(folder, 0o755))
	return folder
}

// startLimited starts a server as an ordinary user and with a limit of memory.
func startLimited(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	program := os.Args[0]
	if os.Getuid() == 0 { // ordinary users can't reach the go command's folder
		text, err := os.ReadFile(program)
		require.NoError(t, err)
		program = filepath.Join(sharedFolder(t), "serve.test")
		require.NoError(t, os.WriteFile(program, text, 0o755)) //nolint:gosec // it's a program
	}
	cmd := exec.Command(program, append([]string{"--addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(env, "SERVER_TEST_RUN_MAIN=1", "GOMEMLIMIT=200MiB")
	asOrdinaryUser(cmd)
	return startCommand(t, cmd)
}

func (v *victim) dial(ctx context.Context, address int) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, byte(1+address/250), byte(1+address%250))}, Timeout: 10 * time.Second}
	return d.DialContext(ctx, "tcp", v.addr)
}

// client returns the HTTP client of an address.
func (v *victim) client(address int) *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return v.dial(ctx, address) },
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
}

func (v *victim) url(path string) string {
	if v.kind == "TLS" {
		return "https://" + v.addr + path
	}
	return "http://" + v.addr + path
}

// post posts a webhook until it's answered, and returns how long that took. As the platform does, it
// tries again if the server is overloaded or the connection fails, but not more often than attempts.
func (v *victim) post(c *http.Client, body string, attempts int) (time.Duration, error) {
	began := time.Now()
	for ; ; attempts-- {
		pause, err := v.postOnce(c, body)
		if pause == 0 || attempts == 1 {
			return time.Since(began), err
		}
		v.repeated.Add(1)
		time.Sleep(pause)
	}
}

// postOnce posts a webhook, and returns the pause before the next attempt, or 0 if there shouldn't be
// one.
func (v *victim) postOnce(c *http.Client, body string) (pause time.Duration, err error) {
	res, err := c.Post(v.url(normalizePath), "application/json", strings.NewReader(body))
	if err != nil {
		return time.Second, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return time.Second, err
	case res.StatusCode == http.StatusServiceUnavailable:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return time.Duration(seconds) * time.Second, fmt.Errorf("%s: %.200s", res.Status, text)
	case res.StatusCode != http.StatusOK || len(text) < len(body):
		return 0, fmt.Errorf("%s: %.200s", res.Status, text)
	}
	return 0, nil
}

// An attack occupies one connection from an address until that connection or ctx ends.
type attack func(ctx context.Context, v *victim, address, n int)

// conn returns an attack that sends head at once, then drip every 100 ms, and concurrently reads
// the response at so many bytes in 100 ms.
func conn(head func(n int) string, drip string, read int) attack {
	return func(ctx context.Context, v *victim, address, n int) {
		c, err := v.dial(ctx, address)
		if err != nil {
			return
		}
		defer c.Close()
		defer context.AfterFunc(ctx, func() { _ = c.Close() })()
		if v.kind == "TLS" {
			c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
		}
		if _, err = io.WriteString(c, head(n)); err != nil {
			return
		}
		v.engaged.Add(1)
		for err == nil {
			switch {
			case read < 0: // until the server closes the connection
				_, _ = io.Copy(io.Discard, c)
				return
			case read > 0:
				_, err = io.CopyN(io.Discard, c, int64(read))
			default:
				_, err = io.WriteString(c, drip+"x") // shows when the server closes it
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

func request(body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", normalizePath, len(body), body)
}

// Webhooks with the longest responses, or much work, that are allowed, and some that aren't.
var worst = sync.OnceValue(func() []string {
	longName := func(name, messages int) string {
		return `{"contacts":[{"wa_id":"1","profile":{"name":"` + strings.Repeat("a", name) + `"}}],"messages":[{"from":"1"}` +
			strings.Repeat(`,{"from":"1"}`, messages-1) + `]}`
	}
	messages := func(n int) string { return `{"messages":[{}` + strings.Repeat(`,{}`, n-1) + `]}` }
	return []string{
		request(longName(500, 14_000)), request(longName(500_000, 10_000)), request(messages(16_384)), request(messages(1_390_000)), request(honest(4 << 20)),
	}
})

func worstRequest(n int) string { return worst()[n%len(worst())] }

// honest returns a webhook of so many bytes.
func honest(size int) string {
	const empty = `{"messages":[{"text":""}]}`
	return strings.Replace(empty, `""`, `"`+strings.Repeat("x", size-len(empty))+`"`, 1)
}

func always(s string) func(int) string { return func(int) string { return s } }

// floodResets sends a request and resets the connection, again and again.
func floodResets(ctx context.Context, v *victim, address, _ int) {
	for ctx.Err() == nil {
		if c, err := v.dial(ctx, address); err == nil {
			_ = c.(*net.TCPConn).SetLinger(0)
			_, _ = io.WriteString(c, "GET /jane HTTP/1.1\r\nHost: x\r\n\r\n")
			_ = c.Close()
		}
	}
}

// TestAttacks attacks servers in processes of an ordinary user under GOMEMLIMIT=200MiB, and requires that webhooks of 3 MB and
// small requests from other addresses succeed. It prints a table of their times and of the
// peak memory. By default it runs one attack of each kind; HAILMARK_ATTACKS=all runs all:
//
//	HAILMARK_TESTS=all HAILMARK_ATTACKS=all go test -v -timeout 30m -run TestAttacks ./cmd/internal/serve
func TestAttacks(t *testing.T) {
	testenv.Slow(t)
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "server\tattack\taddresses\tconns\t3 MB, longest\t100 kB, longest\tsmall, median\ttried again\tpeak memory")
	all := os.Getenv("HAILMARK_ATTACKS") == "all"
	run := func(kind, name string, addresses, conns int, pause time.Duration, isUsual bool, a attack) {
		if isUsual || all {
			t.Run(fmt.Sprint(kind, "/", name, "/", addresses), func(t *testing.T) {
				r := runAttack(t, kind, addresses, conns, pause, a)
				fmt.Fprintf(columns, "%s\t%s\t%d\t%d\t%v\t%v\t%v\t%d\t%d MiB\n", kind, name, addresses, conns,
					r.large.Round(time.Millisecond), r.medium.Round(time.Millisecond), r.small.Round(10*time.Microsecond), r.repeated, r.peak)
			})
		}
	}
	const again = time.Millisecond
	upload := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", normalizePath, 4<<20)
	for _, kind := range []string{"server", "plain", "TimeoutHandler"} {
		for _, n := range []int{4, 8, 30} {
			run(kind, "reads fast", n, 6*n, again, kind == "plain" && n == 30, conn(worstRequest, "", 64<<20))
			run(kind, "reads slowly", n, 6*n, again, false, conn(worstRequest, "", 9000))
			run(kind, "doesn't read", n, 6*n, again, kind != "TimeoutHandler" && n == 30, conn(worstRequest, "", 0))
			run(kind, "drips", n, 6*n, again, kind == "server" && n == 4, conn(always(upload), strings.Repeat(" ", 9000), 0))
			run(kind, "stops", n, 6*n, again, false, conn(always(upload+strings.Repeat(" ", 20<<10)), "", -1))
		}
		run(kind, "stops", 40, 640, again, kind == "server", conn(always(upload+strings.Repeat(" ", 20<<10)), "", -1))
		run(kind, "stops later", 40, 640, again, kind == "plain", conn(always(upload+strings.Repeat(" ", 150<<10)), "", -1))
	}
	request := "GET /jane HTTP/1.1\r\nHost: x\r\n\r\n"
	header := "GET /jane HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("a", 60_000)
	finished := always(manyFields("POST "+normalizePath, 55_000) + "Content-Length: 100\r\n\r\n")
	pipelined := always(manyFields("POST "+normalizePath, 100) + "Content-Length: 2\r\n\r\n{}" + manyFields("POST "+normalizePath, 3_800) + "Content-Length: 100\r\n\r\n")
	for _, kind := range []string{"server", "TLS"} {
		run(kind, "idle", 100, 20_000, headerTimeout, kind == "server", conn(always(request), "", -1))
		run(kind, "unfinished headers", 100, 3_000, headerTimeout, kind == "server", conn(always(header), "", -1))
		run(kind, "unfinished headers with many fields", 16, 4_096, time.Second, false, conn(always(manyFields("GET /jane", 60_000)), "", -1))
		run(kind, "finished headers", 4, 1_024, time.Second, kind == "server", conn(finished, "", -1))
		run(kind, "finished headers", 16, 4_096, time.Second, false, conn(finished, "", -1))
		run(kind, "finished headers", 8, 8*256, time.Second, kind == "TLS", conn(finished, "", -1))
		run(kind, "pipelined headers", 16, 4_096, time.Second, false, conn(pipelined, "", -1))
		run(kind, "unread small responses", 8, 8*256, time.Second, kind == "server", conn(always(strings.Repeat(request, 100)), "", 0))
		run(kind, "resets", 4, 4, again, false, floodResets)
	}
	_ = columns.Flush()
	t.Logf("\n%s", table.String())
}

// manyFields returns the beginning of a header of so many bytes with short fields, which take the
// most memory for their size.
func manyFields(start string, size int) string {
	var b strings.Builder
	b.WriteString(start + " HTTP/1.1\r\nHost: x\r\n")
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, "%03s:\r\n", strconv.FormatInt(int64(n), 36))
	}
	return b.String()
}

// A result is what an attack cost honest clients and the server.
type result struct {
	large, medium time.Duration // the longest of webhooks of 3 MB, and of 100 kB
	small         time.Duration // the median
	repeated      int64         // attempts that failed
	peak          int           // memory in MiB
}

// runAttack keeps up so many connections of an attack. A connection that ends is replaced after
// a pause.
func runAttack(t *testing.T, kind string, addresses, conns int, pause time.Duration, a attack) (r result) {
	v := startVictim(t, kind)
	ctx, cancel := context.WithCancel(t.Context())
	var attackers, started sync.WaitGroup
	for n := range conns {
		started.Add(1)
		attackers.Go(func() {
			started.Done()
			for ctx.Err() == nil {
				a(ctx, v, n%addresses, n/addresses)
				select {
				case <-ctx.Done():
				case <-time.After(pause):
				}
			}
		})
	}
	started.Wait()
	deadline := time.Now().Add(5 * time.Second) // a flood may not get all its connections
	for v.engaged.Load() < int64(conns) && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	// Honest clients make small requests all the time, and two at once post large webhooks.
	var times []time.Duration
	var honestClients sync.WaitGroup
	done := make(chan struct{})
	const first = 50_000 // of the honest clients' addresses
	fast := v.client(first)
	honestClients.Go(func() {
		for isLast := false; !isLast; {
			select {
			case <-done:
				isLast = true
			case <-time.After(10 * time.Millisecond):
			}
			took, err := v.post(fast, honest(1000), 10)
			assert.NoError(t, err, "a small webhook")
			times = append(times, took)
		}
	})
	var longest [3]time.Duration
	var posts sync.WaitGroup
	for n := range longest {
		posts.Go(func() {
			slow := v.client(first + 1 + n)
			defer slow.CloseIdleConnections()
			for range 3 {
				took, err := v.post(slow, honest([]int{3_000_000, 3_000_000, 100_000}[n]), 10)
				assert.NoError(t, err, "a webhook of 3 MB or 100 kB")
				longest[n] = max(longest[n], took)
			}
		})
	}
	posts.Wait()
	close(done)
	honestClients.Wait()
	cancel()
	fast.CloseIdleConnections()
	attackers.Wait()
	slices.Sort(times)
	r = result{max(longest[0], longest[1]), longest[2], times[len(times)/2], v.repeated.Load(), v.peakMemory(t)}
	limit := 256
	if kind == "plain" { // nothing bounds its connections, and the collector gets fewer turns on a busy machine
		limit = 320
	}
	if kind != "TimeoutHandler" && !testenv.RaceEnabled {
		require.Less(t, r.peak, limit, "MiB")
	}
	return r
}
