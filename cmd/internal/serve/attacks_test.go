package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/testenv"
)

// maxAttackMemory is the most that a server under attack may have resident, in MB.
const maxAttackMemory = 256

const normalizePath = "/api/v1/business/webhook/normalize"

// denseWebhook returns a webhook of empty messages, 3 bytes each.
func denseWebhook(messages int) string {
	return `{"messages":[{}` + strings.Repeat(`,{}`, messages-1) + `]}`
}

// manyNames returns one object with so many different names.
func manyNames(names int) string {
	var b strings.Builder
	b.WriteString(`{"messages":[]`)
	for n := range names {
		fmt.Fprintf(&b, `,"%x":0`, n)
	}
	b.WriteByte('}')
	return b.String()
}

// longName returns a webhook of messages from one contact, whose name has so many bytes.
func longName(name, messages int) string {
	const message = `{"from":"16505551234"}`
	return `{"contacts":[{"wa_id":"16505551234","profile":{"name":"` + strings.Repeat("a", name) + `"}}],"messages":[` +
		message + strings.Repeat(","+message, messages-1) + `]}`
}

// A reading is how an attacker reads responses.
type reading int

const (
	unread reading = iota // not at all
	slowly                // just fast enough not to count as stalled
	atOnce                // as fast as it can
)

// attack posts a body again and again, over so many connections, until the test ends.
// The body may be shorter than the announced length. An attacker that leaves the responses
// unread sends the request several times, so that the buffers of the kernel fill up. When
// the server closes a connection, the attacker opens another.
func attack(t *testing.T, p *process, connections int, body string, announced int, reads reading) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", normalizePath, announced)
	once := func() {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
		if err != nil {
			return
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		defer stop()
		defer conn.Close()
		if reads != atOnce {
			_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		}
		send := func() error {
			_, err := io.WriteString(conn, head+body) // the server may hang up
			return err
		}
		_ = send()
		switch reads {
		case slowly:
			for err := error(nil); err == nil; time.Sleep(100 * time.Millisecond) {
				_, err = io.CopyN(io.Discard, conn, 8<<10)
			}
			return
		case atOnce:
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
			}
			return
		case unread:
		}
		if announced == len(body) {
			wg.Go(func() {
				for range 7 {
					if send() != nil {
						return
					}
				}
			})
		}
		for { // a byte at a time shows when the server hangs up
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
	for range connections {
		wg.Go(func() {
			for ctx.Err() == nil {
				once()
			}
		})
	}
	t.Cleanup(wg.Wait)
	t.Cleanup(cancel)
}

// maxSlowdown is how many times longer the median of small requests may be during an attack.
// It is 0.2 to 1.7 times as long as at a control, and hundreds of times as long if large
// requests may use all processors and as much memory as they want.
const maxSlowdown = 10

func startUnlimited(t *testing.T) *process {
	t.Helper()
	return start(t, nil, "-json-limit", noLimit, "-qr-limit", noLimit)
}

// bystanders makes small requests of several kinds, one after the other, for a time. None
// may be refused. It returns the median of their durations, and the median at a control: a
// server that is not attacked and gets the same requests in turns, so that a busy machine
// slows down both.
func bystanders(t *testing.T, p *process) (median, control time.Duration) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	const small = `{"contacts":[{"wa_id":"16505551234","profile":{"name":"Jane"}}],"messages":[{"from":"16505551234","text":{"body":"%s"}}]}`
	processes := []*process{p, startUnlimited(t)}
	var took [2][]time.Duration
	for began := time.Now(); time.Since(began) < time.Duration(sizes(1, 6))*time.Second; {
		for _, r := range []struct{ method, path, body string }{
			{http.MethodGet, "/api/v1/validate/key?key=aB3d", ""},
			{http.MethodPost, "/api/v1/business/bsuid/parse", `{"bsuid":"US.1"}`},
			{http.MethodPost, normalizePath, fmt.Sprintf(small, strings.Repeat("a", 3000))},
			{http.MethodGet, "/api/v1/qr?username=jane", ""},
		} {
			for i, server := range processes {
				sent := time.Now()
				req, err := http.NewRequestWithContext(t.Context(), r.method, server.base+r.path, strings.NewReader(r.body))
				require.NoError(t, err)
				res, err := client.Do(req)
				require.NoError(t, err)
				_, err = io.Copy(io.Discard, res.Body)
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
				require.Equal(t, http.StatusOK, res.StatusCode, r.path)
				took[i] = append(took[i], time.Since(sent))
			}
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	return took[0][len(took[0])/2], took[1][len(took[1])/2]
}

// requireUnharmed measures what an attack does to the server and to bystanders.
func requireUnharmed(t *testing.T, p *process) {
	t.Helper()
	median, control := bystanders(t, p)
	t.Logf("bystanders' median %v, %.1f times the median without an attack; peak memory %d MB",
		median.Round(10*time.Microsecond), float64(median)/float64(control), p.peakMemory(t))
	if testenv.RaceEnabled {
		return
	}
	require.Less(t, p.peakMemory(t), maxAttackMemory)
	if runtime.GOMAXPROCS(0) > 1 { // one processor is shared in slices of 10 ms
		require.Less(t, median, maxSlowdown*control)
	}
}

// The webhooks have nearly 100,000 messages each, and their senders do not read the
// responses, of 8 MB each.
func TestAttackUnreadResponses(t *testing.T) {
	p := startUnlimited(t)
	body := denseWebhook(99_999)
	attack(t, p, 60, body, len(body), unread)
	requireUnharmed(t, p)
}

// The webhooks are short, and their responses are 30 times as long.
func TestAttackShortBodies(t *testing.T) {
	p := startUnlimited(t)
	body := denseWebhook(8000)
	attack(t, p, sizes(60, 400), body, len(body), unread)
	requireUnharmed(t, p)
}

// Each of the messages has the name of the same contact, so that a response has 1 GB.
func TestAttackLongName(t *testing.T) {
	p := startUnlimited(t)
	body := longName(800_000, 1500)
	attack(t, p, 8, body, len(body), unread)
	requireUnharmed(t, p)
}

// Each object has hundreds of thousands of names.
func TestAttackManyNames(t *testing.T) {
	p := startUnlimited(t)
	body := manyNames(sizes(100_000, 420_000))
	require.Less(t, len(body), 4<<20)
	attack(t, p, 60, body, len(body), atOnce)
	requireUnharmed(t, p)
}

// Each upload stops one byte before its end.
func TestAttackStalledUploads(t *testing.T) {
	p := startUnlimited(t)
	body := strings.Repeat(" ", 4<<20-1)
	attack(t, p, sizes(60, 120), body, 4<<20, unread)
	requireUnharmed(t, p)
}

// Bodies of the largest size that have the most events for it.
func TestAttackDenseBodies(t *testing.T) {
	p := startUnlimited(t)
	body := denseWebhook(sizes(300_000, (4<<20-40)/3))
	attack(t, p, 20, body, len(body), atOnce)
	requireUnharmed(t, p)
}

// clientFrom returns a client with this loopback address. Only Linux has more than one.
func clientFrom(t *testing.T, address string) *http.Client {
	t.Helper()
	if runtime.GOOS != "linux" {
		address = "127.0.0.1"
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// While a client leaves large responses unread, or reads them as slowly as it may, large
// webhooks of another client get their responses within 5 seconds, in addition to what
// they take at a server that is not attacked.
func TestLargeWebhookDuringAttack(t *testing.T) {
	for name, reads := range map[string]reading{"unread": unread, "slowly": slowly} {
		t.Run(name, func(t *testing.T) {
			client := clientFrom(t, "127.0.0.2")
			p := startUnlimited(t)
			control := startUnlimited(t)
			body := denseWebhook(150_000)
			attack(t, p, sizes(20, 60), body, len(body), reads)
			text := 3 << 20
			if testenv.RaceEnabled { // two that share the memory of a client need no time limit
				text = 1 << 20
			}
			for _, large := range []string{
				denseWebhook(150_000),
				`{"messages":[{"from":"16505551234","text":{"body":"` + strings.Repeat("a", text) + `"}}]}`,
			} {
				time.Sleep(2 * time.Second) // the attacker takes what it can get
				took, alone := postTwice(t, client, p, large), postTwice(t, client, control, large)
				t.Logf("two webhooks of %d KiB are answered after %v, and after %v without an attack", len(large)>>10, took, alone)
				require.Less(t, took, 5*time.Second+maxSlowdown*alone)
			}
			requireUnharmed(t, p)
		})
	}
}

// postTwice posts a large webhook twice at the same time, and returns how long it took to
// read the whole responses.
func postTwice(t *testing.T, client *http.Client, p *process, body string) time.Duration {
	t.Helper()
	var wg sync.WaitGroup
	sent := time.Now()
	for range 2 {
		wg.Go(func() {
			res, err := client.Post(p.base+normalizePath, "application/json", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			n, err := io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			if err != nil || res.StatusCode != http.StatusOK || n < int64(len(body)) {
				t.Error(res.StatusCode, n, err)
			}
		})
	}
	wg.Wait()
	return time.Since(sent).Round(time.Millisecond)
}
