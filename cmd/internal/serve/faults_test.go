package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/testenv"
)

// sizes returns small, or full if HAILMARK_FAULTS is set. The full sizes are those of
// deploy/README.md and take minutes.
func sizes(small, full int) int {
	if os.Getenv("HAILMARK_FAULTS") != "" {
		return full
	}
	return small
}

// peakMemory returns the largest resident memory of the process so far, in MB.
func (p *process) peakMemory(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Skip("there is no /proc")
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, m)
	kB, err := strconv.Atoi(string(m[1]))
	require.NoError(t, err)
	return kB / 1000
}

// requireServes makes requests back to back and logs their duration.
func (p *process) requireServes(t *testing.T, during string) {
	t.Helper()
	var took []time.Duration
	for range 200 {
		began := time.Now()
		res, _ := get(t, p.base+"/api/v1/validate/key?key=aB3d")
		require.Equal(t, http.StatusOK, res.StatusCode)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("%s: others take %v (median), %v (slowest of 200); peak memory %d MB", during, took[100].Round(time.Microsecond), took[199].Round(time.Microsecond), p.peakMemory(t))
}

const noLimit = "16777215"

func TestIdleAndSlowConnections(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-json-limit", noLimit)
	idle, slow := sizes(100, 1000), sizes(100, 1000)
	for range idle {
		dial(t, p)
	}
	p.requireServes(t, fmt.Sprintf("%d idle connections", idle))

	var slowloris []net.Conn
	began := time.Now()
	for range slow {
		conn := dial(t, p)
		_, err := io.WriteString(conn, "GET /jane HTTP/1.1\r\nHost: x\r\nX-")
		require.NoError(t, err)
		slowloris = append(slowloris, conn)
	}
	dialed := time.Now()
	p.requireServes(t, fmt.Sprintf("and %d that send a header by the byte", slow))
	for time.Since(began) < headerTimeout-time.Second {
		time.Sleep(500 * time.Millisecond)
		for _, conn := range slowloris {
			if _, err := io.WriteString(conn, "a"); err != nil {
				require.Greater(t, time.Since(began), headerTimeout, "each byte in time: %v", err)
			}
		}
	}
	for _, conn := range slowloris {
		require.NoError(t, conn.SetReadDeadline(dialed.Add(2*headerTimeout)))
		_, err := io.ReadAll(conn)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server closes it")
	}
	t.Logf("all of these were ended after %v", time.Since(began).Round(100*time.Millisecond))
}

func TestSlowUploads(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-json-limit", noLimit)
	uploads := sizes(50, 500)
	for range uploads {
		conn := dial(t, p)
		_, err := io.WriteString(conn, "POST /api/v1/business/webhook/normalize HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n{")
		require.NoError(t, err)
	}
	p.requireServes(t, fmt.Sprintf("%d uploads that announce 4 MiB and send a byte", uploads))
	require.Less(t, p.peakMemory(t), 100, "memory is not taken for what is only announced")
}

func TestHostileRequests(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-json-limit", noLimit)
	const get = "GET /api/v1/validate/key?key=aB3d HTTP/1.1\r\nHost: x\r\n"
	const post = "POST /api/v1/business/bsuid/parse HTTP/1.1\r\nHost: x\r\n"
	for _, tt := range []struct {
		name, send string
		statuses   []int // of the responses before the server closes the connection
	}{
		{"a header too large", get + "X-A: " + strings.Repeat("a", 80<<10) + "\r\n\r\n", []int{431}},
		{"a path too long", "GET /" + strings.Repeat("a", 80<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", []int{431}},
		{"garbage after a request", get + "\r\n\x00\x01\x02\r\n\r\n", []int{200, 400}},
		{"garbage after ten", strings.Repeat(get+"\r\n", 10) + "garbage\r\n\r\n" + get, []int{200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 400}},
		{"two lengths", post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}", []int{400}},
		{"a length and chunks", post + "Content-Length: 16\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"bsuid\":\"US.1\"}\r\n0\r\n\r\n", []int{200}},
		{"an unknown coding", post + "Transfer-Encoding: gzip\r\n\r\n", []int{501}},
		{"no host", "GET /jane HTTP/1.1\r\n\r\n", []int{400}},
		{"a body too large", post + "Content-Length: 1000000\r\n\r\n" + strings.Repeat(" ", 1000000), []int{400}},
		{"a body that is cut short", post + "Content-Length: 1000\r\n\r\n{\"bsuid\":", []int{400}},
		{"a wrong chunk", post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", []int{400}},
		{"nothing", "", nil},
	} {
		conn := dial(t, p).(*net.TCPConn)
		go func() { // the server may close before it has read everything
			_, _ = io.WriteString(conn, tt.send)
			_ = conn.CloseWrite()
		}()
		answers := bufio.NewReader(conn)
		var statuses []int
		for {
			res, err := http.ReadResponse(answers, nil)
			if err != nil {
				break
			}
			statuses = append(statuses, res.StatusCode)
			_, err = io.Copy(io.Discard, res.Body)
			require.NoError(t, err, tt.name)
		}
		require.Equal(t, tt.statuses, statuses, tt.name)
	}
	p.requireServes(t, "after hostile requests")
}

// Ten million addresses do not increase the memory of the server, and do not reset the
// counter of a client that is over its limit.
func TestFloodOfClients(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-trusted-proxies", "127.0.0.1/32")
	const workers, batch = 4, 500
	request := func(b *bytes.Buffer, address string) {
		fmt.Fprintf(b, "GET /api/v1/x HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\n\r\n", address)
	}
	status := func(r *bufio.Reader) int {
		res, err := http.ReadResponse(r, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		return res.StatusCode
	}

	spender := dial(t, p)
	answers := bufio.NewReader(spender)
	spend := func() int {
		var b bytes.Buffer
		request(&b, "198.51.100.1")
		_, err := b.WriteTo(spender)
		require.NoError(t, err)
		return status(answers)
	}
	began := time.Now()
	for range 60 {
		require.Equal(t, http.StatusNotFound, spend())
	}
	require.Equal(t, http.StatusTooManyRequests, spend())

	clients := sizes(50_000, 10_000_000)
	var wg sync.WaitGroup
	for worker := range workers {
		conn := dial(t, p)
		wg.Go(func() {
			go func() {
				for n := worker * batch; n < clients; n += workers * batch {
					var b bytes.Buffer
					for i := n; i < n+batch; i++ {
						request(&b, fmt.Sprintf("10.%d.%d.%d", byte(i>>16), byte(i>>8), byte(i)))
					}
					if _, err := b.WriteTo(conn); err != nil {
						return
					}
				}
			}()
			answers := bufio.NewReaderSize(conn, 64<<10)
			for n := worker * batch; n < clients; n += workers * batch {
				for range batch {
					if got := skipAnswer(answers); got != http.StatusNotFound {
						t.Errorf("status %d", got)
						return
					}
				}
				if worker == 0 && time.Since(began) < 55*time.Second && n/workers/batch%20 == 0 && spend() != http.StatusTooManyRequests {
					t.Error("the client over its limit is served")
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d clients in %v: peak memory %d MB", clients, time.Since(began).Round(time.Second), p.peakMemory(t))
	if !testenv.RaceEnabled {
		require.Less(t, p.peakMemory(t), 100)
	}
}

// skipAnswer reads a response quickly and returns its status, or 0.
func skipAnswer(r *bufio.Reader) int {
	line, err := r.ReadSlice('\n')
	if err != nil || len(line) < len("HTTP/1.1 200") {
		return 0
	}
	status, _ := strconv.Atoi(string(line[9:12]))
	length := 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0
		}
		if len(line) <= len("\r\n") {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
	}
	_, err = r.Discard(length)
	if err != nil {
		return 0
	}
	return status
}

// Webhooks with the most events that fit, sent at once. Those for which there is no
// memory are refused.
func TestManyEvents(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-json-limit", noLimit)
	const parallel = 8
	events := sizes(150_000, (4<<20-40)/3)
	payload := `{"messages":[{}` + strings.Repeat(`,{}`, events-1) + `]}`
	began := time.Now()
	var wg sync.WaitGroup
	var answered, refused atomic.Int64
	for range parallel {
		wg.Go(func() {
			res, err := http.Post(p.base+normalizePath, "application/json", strings.NewReader(payload))
			if err != nil {
				t.Error(err)
				return
			}
			n, err := io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			switch {
			case err == nil && res.StatusCode == http.StatusOK && n >= int64(events)*80:
				answered.Add(1)
			case err == nil && res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") != "":
				refused.Add(1)
			default:
				t.Error(res.StatusCode, n, err)
			}
		})
	}
	wg.Wait()
	t.Logf("%d webhooks of %d events at once in %v: %d answered, %d refused; peak memory %d MB",
		parallel, events, time.Since(began).Round(time.Millisecond), answered.Load(), refused.Load(), p.peakMemory(t))
	require.Positive(t, answered.Load())
	if !testenv.RaceEnabled {
		require.Less(t, p.peakMemory(t), maxAttackMemory)
	}
}
