package serve

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
)

// A recorder keeps what is written to it. While blocked is locked, writes wait.
type recorder struct {
	blocked sync.Mutex
	err     error
	text    strings.Builder
}

func (r *recorder) Write(lines []byte) (int, error) {
	r.blocked.Lock()
	defer r.blocked.Unlock()
	if r.err != nil {
		n, _ := r.text.Write(lines[:min(3, len(lines))])
		return n, r.err
	}
	return r.text.Write(lines)
}

func TestLogBuffer(t *testing.T) {
	t.Run("keeps the order", func(t *testing.T) {
		var r recorder
		b, want := &logBuffer{out: &r}, ""
		for i := range 10_000 {
			line := strconv.Itoa(i) + "\n"
			want += line
			n, err := b.Write([]byte(line))
			require.NoError(t, err)
			require.Equal(t, len(line), n)
		}
		b.close()
		require.Equal(t, want, r.text.String())
		require.Zero(t, b.dropped.Load())
	})
	t.Run("drops what does not fit", func(t *testing.T) {
		var r recorder
		r.blocked.Lock()
		b := &logBuffer{out: &r}
		line := []byte(strings.Repeat("x", 1023) + "\n")
		const lines = 4 * maxPending / 1024
		for range lines {
			_, err := b.Write(line)
			require.NoError(t, err)
		}
		b.mu.Lock()
		require.LessOrEqual(t, len(b.pending), maxPending)
		b.mu.Unlock()
		r.blocked.Unlock()
		b.close()
		written := strings.Count(r.text.String(), "\n")
		require.EqualValues(t, lines, uint64(written)+b.dropped.Load())
		require.GreaterOrEqual(t, written, maxPending/1024)
		require.LessOrEqual(t, written, 2*maxPending/1024, "one buffer that is written and one that waits")
	})
	t.Run("drops what cannot be written", func(t *testing.T) {
		r := recorder{err: errors.New("the reader is gone")}
		b := &logBuffer{out: &r}
		_, _ = b.Write([]byte("1\n2\n3\n"))
		b.close()
		require.EqualValues(t, 2, b.dropped.Load(), "all lines but the one that was written")
	})
	t.Run("does not wait for a stalled reader at the end", func(t *testing.T) {
		var r recorder
		r.blocked.Lock()
		defer r.blocked.Unlock()
		b := &logBuffer{out: &r}
		_, _ = b.Write([]byte("1\n"))
		b.close()
	})
}

// startWithLog runs the server with its log in a pipe, and returns the pipe's end
// after the server listens.
func startWithLog(t *testing.T, args ...string) (p *process, log *os.File) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, free.Close())
	read, write, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = read.Close() })
	p = &process{cmd: command(t, nil, append([]string{"-addr", free.Addr().String(), "-json-limit", noLimit}, args...)...), base: "http://" + free.Addr().String()}
	p.cmd.Stderr = write
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	require.NoError(t, write.Close())
	lines := bufio.NewReader(read)
	for {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		if listening.MatchString(line) {
			return p, read
		}
		if m := adminListening.FindStringSubmatch(line); m != nil {
			p.log.WriteString(line)
		}
	}
}

func droppedLines(t *testing.T, p *process) int {
	t.Helper()
	_, metrics := get(t, p.admin(t)+"/metrics")
	m := regexp.MustCompile(`(?m)^hailmark_log_lines_dropped_total (\S+)$`).FindStringSubmatch(metrics)
	require.NotNil(t, m)
	n, err := strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	return int(n)
}

// requireStops sends SIGTERM and waits for the process.
func (p *process) requireStops(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, p.cmd.Wait())
}

func TestLogWithoutReader(t *testing.T) {
	t.Parallel()
	p, log := startWithLog(t, "-access-log", "-admin-addr", "127.0.0.1:0")
	require.NoError(t, log.Close())
	require.Eventually(t, func() bool {
		res, _ := get(t, p.base+"/jane")
		require.Equal(t, http.StatusFound, res.StatusCode)
		return droppedLines(t, p) > 0
	}, time.Minute, time.Millisecond)
	p.requireStops(t)
}

func TestLogWithStalledReader(t *testing.T) {
	t.Parallel()
	p, _ := startWithLog(t, "-access-log", "-admin-addr", "127.0.0.1:0")
	conn := dial(t, p)
	responses := bufio.NewReader(conn)
	const batch = 1000
	require.Eventually(t, func() bool {
		_, err := io.WriteString(conn, strings.Repeat("GET /jane HTTP/1.1\r\nHost: x\r\n\r\n", batch))
		require.NoError(t, err)
		for range batch {
			require.Equal(t, http.StatusFound, skipAnswer(responses))
		}
		return droppedLines(t, p) > 0
	}, time.Minute, time.Millisecond)
	p.requireStops(t)
}

// A line of the access log has these fields, in the form of all other lines.
func TestAccessLog(t *testing.T) {
	for _, tt := range []struct {
		o          httpapi.Observation
		text, json string
	}{
		{
			httpapi.Observation{Route: "/{username}", Method: "GET", Status: 302, Duration: 1500 * time.Nanosecond, RequestID: "00000000000000ff"},
			`level=INFO msg=request method=GET route=/{username} status=302 bytes=0 duration_us=1 request_id=00000000000000ff`,
			`"level":"INFO","msg":"request","method":"GET","route":"/{username}","status":302,"bytes":0,"duration_us":1,"request_id":"00000000000000ff"}`,
		},
		{
			httpapi.Observation{Method: "other", Status: 429, Code: httpapi.CodeRateLimited, Bytes: 1234, Duration: time.Hour, UsedFallback: true, RequestID: "f"},
			`level=INFO msg=request method=other route="" status=429 bytes=1234 duration_us=3600000000 code=rate_limited fallback=true request_id=f`,
			`"level":"INFO","msg":"request","method":"other","route":"","status":429,"bytes":1234,"duration_us":3600000000,"code":"rate_limited","fallback":true,"request_id":"f"}`,
		},
	} {
		for format, want := range map[string]string{"text": tt.text, "json": tt.json} {
			var b strings.Builder
			observer(options{accessLog: true}, newLogger(&b, format), nil)(t.Context(), tt.o)
			_, got, _ := strings.Cut(b.String(), map[string]string{"text": " ", "json": ","}[format])
			require.Equal(t, want+"\n", got)
		}
	}
	require.Nil(t, observer(options{}, nil, nil))
}
