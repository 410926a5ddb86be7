//go:build unix

package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/testenv"
)

const normalizePath = "/api/v1/business/webhook/normalize"

// embed serves the API as an embedder would, by a server without timeouts or limits of
// connections.
func embed(wrap string) {
	limiter, _ := httpapi.NewMemoryLimiter(-1, 0)
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
	kind string // server, TLS, plain or TimeoutHandler
}

func startVictim(t *testing.T, kind string) *victim {
	switch kind {
	case "server":
		return &victim{start(t, nil, "--json-limit", "off"), kind}
	case "TLS":
		p, _ := startTLS(t, "--json-limit", "off")
		return &victim{p, kind}
	default:
		return &victim{start(t, []string{"SERVER_TEST_EMBED=" + kind}), kind}
	}
}

func (v *victim) dial(ctx context.Context, address int) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, byte(1+address/250), byte(1+address%250))}, Timeout: 10 * time.Second}
	return d.DialContext(ctx, "tcp", v.addr)
}

// client returns the HTTP client of an address.
func (v *victim) client(address int) *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return v.dial(ctx, address) },
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true,
	}}
}

func (v *victim) url(path string) string {
	if v.kind == "TLS" {
		return "https://" + v.addr + path
	}
	return "http://" + v.addr + path
}

// post posts a webhook and returns how long that took. If the server is overloaded, post tries
// again when the server asks it to, as the platform does.
func (v *victim) post(c *http.Client, body string, attempts int) (time.Duration, error) {
	began := time.Now()
	for ; ; attempts-- {
		res, err := c.Post(v.url(normalizePath), "application/json", strings.NewReader(body))
		if err != nil {
			return 0, err
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if seconds, _ := strconv.Atoi(res.Header.Get("Retry-After")); res.StatusCode == http.StatusServiceUnavailable && attempts > 1 {
			time.Sleep(time.Duration(seconds) * time.Second)
			continue
		}
		if err == nil && (res.StatusCode != http.StatusOK || len(text) < len(body)) {
			err = fmt.Errorf("%s: %.200s", res.Status, text)
		}
		return time.Since(began), err
	}
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
		if _, err := io.WriteString(c, head(n)); err != nil {
			return
		}
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

// stoppedHTTP2 begins 30 uploads on one connection, and ends none.
func stoppedHTTP2(ctx context.Context, v *victim, address, _ int) {
	c := v.client(address)
	defer c.CloseIdleConnections()
	var uploads sync.WaitGroup
	for range 30 {
		uploads.Go(func() {
			body, write := io.Pipe()
			defer func() { _ = body.Close() }()
			go func() { _, _ = write.Write(bytes.Repeat([]byte{' '}, 1<<20)) }()
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, v.url(normalizePath), body)
			if res, err := c.Do(r); err == nil {
				_ = res.Body.Close()
			}
		})
	}
	uploads.Wait()
}

// floodHTTP2 makes requests on one connection as fast as it can, and cancels every second.
func floodHTTP2(ctx context.Context, v *victim, address, _ int) {
	c := v.client(address)
	defer c.CloseIdleConnections()
	for n := 0; ctx.Err() == nil; n++ {
		requestCtx, cancel := context.WithCancel(ctx)
		r, _ := http.NewRequestWithContext(requestCtx, http.MethodGet, v.url("/api/v1/validate/key?key=aB3d"), http.NoBody)
		if n%2 == 0 {
			go cancel()
		}
		if res, err := c.Do(r); err == nil {
			_ = res.Body.Close()
		}
		cancel()
	}
}

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

// TestAttacks attacks servers in their own processes, and requires that webhooks of 3 MB and
// small requests from other addresses succeed. It prints a table of their times and of the
// peak memory. By default it runs one attack of each kind; HAILMARK_ATTACKS=all runs all:
//
//	HAILMARK_TESTS=all HAILMARK_ATTACKS=all go test -v -timeout 30m -run TestAttacks ./cmd/internal/serve
func TestAttacks(t *testing.T) {
	testenv.Slow(t)
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "server\tattack\taddresses\tconns\t3 MB, longest\tsmall, median\tpeak memory")
	all := os.Getenv("HAILMARK_ATTACKS") == "all"
	run := func(kind, name string, addresses, conns int, pause time.Duration, isUsual bool, a attack) {
		if isUsual || all {
			t.Run(fmt.Sprint(kind, "/", name, "/", addresses), func(t *testing.T) {
				large, small, peak := runAttack(t, kind, addresses, conns, pause, a)
				fmt.Fprintf(columns, "%s\t%s\t%d\t%d\t%v\t%v\t%d MB\n", kind, name, addresses, conns, large.Round(time.Millisecond), small.Round(10*time.Microsecond), peak)
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
	}
	header := "GET /jane HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("a", 60_000)
	run("server", "idle", 100, 20_000, headerTimeout, true, conn(always("GET /jane HTTP/1.1\r\nHost: x\r\n\r\n"), "", -1))
	run("server", "unfinished headers", 100, 3_000, headerTimeout, true, conn(always(header), "", -1))
	run("server", "resets", 4, 4, again, false, floodResets)
	run("TLS", "stopped HTTP/2 uploads", 16, 16, again, true, stoppedHTTP2)
	run("TLS", "HTTP/2 requests and cancellations", 4, 4, again, false, floodHTTP2)
	_ = columns.Flush()
	t.Logf("\n%s", table.String())
}

// runAttack keeps up so many connections of an attack. A connection that ends is replaced after
// a pause.
func runAttack(t *testing.T, kind string, addresses, conns int, pause time.Duration, a attack) (large, small time.Duration, peak int) {
	v := startVictim(t, kind)
	ctx, cancel := context.WithCancel(t.Context())
	var attackers, first sync.WaitGroup
	for n := range conns {
		first.Add(1)
		attackers.Go(func() {
			first.Done()
			for ctx.Err() == nil {
				a(ctx, v, n%addresses, n/addresses)
				select {
				case <-ctx.Done():
				case <-time.After(pause):
				}
			}
		})
	}
	first.Wait()
	// Honest clients make small requests all the time, and two at once post large webhooks.
	var times []time.Duration
	var honestClients sync.WaitGroup
	done := make(chan struct{})
	fast := v.client(400)
	honestClients.Go(func() {
		for isLast := false; !isLast; {
			select {
			case <-done:
				isLast = true
			case <-time.After(10 * time.Millisecond):
			}
			took, err := v.post(fast, honest(1000), 1)
			assert.NoError(t, err, "a small webhook")
			times = append(times, took)
		}
	})
	var longest [2]time.Duration
	var posts sync.WaitGroup
	for n := range longest {
		posts.Go(func() {
			slow := v.client(401 + n)
			defer slow.CloseIdleConnections()
			for range 3 {
				took, err := v.post(slow, honest(3_000_000), 5)
				assert.NoError(t, err, "a webhook of 3 MB")
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
	peak = v.peakMemory(t)
	if kind != "TimeoutHandler" && !testenv.RaceEnabled {
		require.Less(t, peak, 256, "MB")
	}
	return slices.Max(longest[:]), times[len(times)/2], peak
}
