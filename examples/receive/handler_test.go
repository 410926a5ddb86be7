package receive

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

var secret = []byte("secret")

func signed(payload string) *http.Request {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(payload))
	req := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(payload))
	req.Header.Set(webhooknorm.SignatureHeader, fmt.Sprintf("sha256=%x", mac.Sum(nil)))
	return req
}

func serve(h http.Handler, r *http.Request) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// newReceiver returns a handler whose worker calls service.
func newReceiver(service Service) (*Handler, *Worker) {
	worker := NewWorker(NewMemory(100_000), service)
	return NewHandler(Config{Secrets: [][]byte{[]byte("old"), secret}, VerifyToken: "token", HandOver: worker.HandOver}), worker
}

func message(id string) string {
	return fmt.Sprintf(`{"entry":[{"changes":[{"value":{
		"contacts":[{"profile":{"name":"Jane","username":"@jane"},"user_id":"US.13491208655302741918"}],
		"messages":[{"from_user_id":"US.13491208655302741918","id":%q}]}}]}]}`, id)
}

// A journal is a service that writes down its calls.
type journal struct{ lines []string }

func (j *journal) Changed(c webhooknorm.IdentityChange) {
	j.lines = append(j.lines, "change "+c.Previous.BSUID+" "+c.Current.BSUID)
}

func (j *journal) Happened(e webhooknorm.Event) {
	j.lines = append(j.lines, fmt.Sprintf("%s %s %s", e.Kind, e.MessageID, e.BSUID))
}

func TestReceiver(t *testing.T) {
	var j journal
	h, worker := newReceiver(&j)
	require.Equal(t, 200, serve(h, signed(message("wamid.1"))))
	require.Equal(t, 200, serve(h, signed(message("wamid.2"))))
	require.Equal(t, 200, serve(h, signed(message("wamid.1"))), "delivered again")
	require.Equal(t, 200, serve(h, signed(`{"entry":[{"changes":[{"value":{"user_id_update":[
		{"user_id":{"previous":"US.1","current":"US.2"}}]}}]}]}`)))
	require.Equal(t, 200, serve(h, signed(`{}`)), "sent again, it would be the same")

	require.Equal(t, 400, serve(h, signed(`{`)))
	require.Equal(t, 400, serve(h, signed(strings.Repeat(" ", maxPayload+1))))
	forged := signed(message("wamid.3"))
	forged.Body = io.NopCloser(strings.NewReader(message("wamid.4")))
	require.Equal(t, 403, serve(h, forged))
	require.Equal(t, 405, serve(h, httptest.NewRequest(http.MethodPut, "/webhook", nil)))
	worker.Close()
	worker.Close()
	require.Equal(t, 503, serve(h, signed(message("wamid.5"))), "nothing is accepted after the end")
	require.Equal(t, []string{
		"message wamid.1 US.13491208655302741918", "message wamid.2 US.13491208655302741918",
		"change US.1 US.2", "identity_update  US.1",
	}, j.lines)
}

// A body without a signature is not read.
func TestMissingSignature(t *testing.T) {
	h, worker := newReceiver(&journal{})
	defer worker.Close()
	unsigned := signed(message("wamid.3"))
	unsigned.Header.Del(webhooknorm.SignatureHeader)
	unsigned.Body = io.NopCloser(unreadable{t})
	require.Equal(t, 403, serve(h, unsigned))
}

type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

func TestHandshake(t *testing.T) {
	h, worker := newReceiver(&journal{})
	defer worker.Close()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/webhook?hub.mode=subscribe&hub.verify_token=token&hub.challenge=42", nil))
	require.Equal(t, "42", w.Body.String())
	require.Equal(t, 403, serve(h, httptest.NewRequest(http.MethodGet, "/webhook?hub.mode=subscribe&hub.verify_token=x&hub.challenge=42", nil)))
}

// Large bodies that stall take the places of large bodies only.
func TestStalledBodies(t *testing.T) {
	h, worker := newReceiver(&journal{})
	defer worker.Close()
	var stalled sync.WaitGroup
	var ends []*io.PipeWriter
	for i := range maxLarge {
		body, end := io.Pipe()
		ends = append(ends, end)
		r := signed("")
		r.Body, r.ContentLength = body, smallPayload+1
		if i == 0 {
			r.ContentLength = -1
		}
		stalled.Go(func() { serve(h, r) })
		_, err := end.Write([]byte(" "))
		require.NoError(t, err, "the handler reads the body")
	}
	large := signed(strings.Repeat(" ", smallPayload+1))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, large)
	require.Equal(t, 503, w.Code)
	require.Equal(t, "10", w.Header().Get("Retry-After"))
	require.Equal(t, 200, serve(h, signed(message("wamid.1"))), "a small body has a place")
	for _, end := range ends {
		require.NoError(t, end.Close())
	}
	stalled.Wait()
	require.Equal(t, 400, serve(h, signed(strings.Repeat(" ", smallPayload+1))), "the places are free again")
}

// A blocker is a service that waits.
type blocker struct {
	journal
	entered, release chan struct{}
}

func (b *blocker) Happened(webhooknorm.Event) {
	b.entered <- struct{}{}
	<-b.release
}

func TestFullQueue(t *testing.T) {
	b := &blocker{entered: make(chan struct{}), release: make(chan struct{})}
	h, worker := newReceiver(b)
	require.Equal(t, 200, serve(h, signed(message("first"))))
	<-b.entered
	for range maxWaiting {
		require.Equal(t, 200, serve(h, signed(message("first"))))
	}
	require.Equal(t, 503, serve(h, signed(message("second"))))
	require.ErrorIs(t, worker.HandOver(webhooknorm.Webhook{}), ErrFull)
	b.release <- struct{}{}
	worker.Close()
}

// A broken deduplicator fails. No event may be lost then.
type broken struct{}

func (broken) Add(string) (bool, error) { return false, errors.New("no connection") }

func TestBrokenDeduplicator(t *testing.T) {
	var j journal
	worker := NewWorker(broken{}, &j)
	webhook, err := webhooknorm.Read([]byte(message("wamid.1")))
	require.NoError(t, err)
	require.NoError(t, worker.HandOver(webhook))
	require.NoError(t, worker.HandOver(webhook))
	worker.Close()
	require.Len(t, j.lines, 2)
}

// The largest webhook that the platform sends.
func TestLargeBatch(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"entry":[{"changes":[`)
	for i := range 1000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"value":{"messages":[{"id":"wamid.%d","from":"1650555%04d","text":{"body":%q}}]}}`, i, i, strings.Repeat("x", 3000))
	}
	b.WriteString(`]}]}`)
	require.Greater(t, b.Len(), 3_000_000)
	var j journal
	h, worker := newReceiver(&j)
	require.Equal(t, 200, serve(h, signed(b.String())))
	worker.Close()
	require.Len(t, j.lines, 1000)
}

func TestMemory(t *testing.T) {
	m := NewMemory(10)
	add := func(key int) bool {
		isNew, err := m.Add(strconv.Itoa(key))
		require.NoError(t, err)
		return isNew
	}
	for i := range 1000 {
		require.True(t, add(i))
		for j := max(0, i-9); j <= i; j++ {
			require.False(t, add(j), "one of the last ten")
		}
		require.LessOrEqual(t, len(m.young)+len(m.old), 20)
	}
	require.True(t, add(0), "forgotten")
}

// A counter is a service that counts how often each message arrives.
type counter struct {
	journal
	arrived map[string]int
}

func (c *counter) Happened(e webhooknorm.Event) { c.arrived[e.Clone().MessageID]++ }

// Signed posts over a real connection, one in ten of them delivered twice and one in
// twenty forged besides. RECEIVER_LOAD=30s makes it 30 seconds of 2,000 posts a second.
func TestLoad(t *testing.T) {
	duration, err := time.ParseDuration(cmp.Or(os.Getenv("RECEIVER_LOAD"), "200ms"))
	require.NoError(t, err)
	const (
		perTick = 20
		tick    = 10 * time.Millisecond
		clients = 16
	)
	c := &counter{arrived: map[string]int{}}
	h, worker := newReceiver(c)
	server := httptest.NewServer(h)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}

	var (
		posts     = make(chan *http.Request, clients)
		senders   sync.WaitGroup
		wrong     atomic.Int64
		lock      sync.Mutex
		latencies []time.Duration
	)
	for range clients {
		senders.Go(func() {
			for req := range posts {
				want := http.StatusOK
				if req.Header.Get("Forged") != "" {
					want = http.StatusForbidden
				}
				start := time.Now()
				res, err := client.Do(req)
				if err != nil {
					wrong.Add(1)
					continue
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if res.StatusCode != want {
					wrong.Add(1)
				}
				lock.Lock()
				latencies = append(latencies, time.Since(start))
				lock.Unlock()
			}
		})
	}
	post := func(id string, forged bool) {
		payload := message(id)
		req, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader(payload))
		require.NoError(t, err)
		req.Header.Set(webhooknorm.SignatureHeader, signed(payload).Header.Get(webhooknorm.SignatureHeader))
		if forged {
			req.Header.Set(webhooknorm.SignatureHeader, signed(payload+" ").Header.Get(webhooknorm.SignatureHeader))
			req.Header.Set("Forged", "yes")
		}
		posts <- req
	}

	sent, total := 0, 0
	var early uint64
	ticker := time.NewTicker(tick)
	for start := time.Now(); time.Since(start) < duration; <-ticker.C {
		for range perTick {
			switch {
			case total%20 == 19:
				post(fmt.Sprintf("forged.%d", total), true)
			case total%10 == 8 && sent > 0:
				post(fmt.Sprintf("wamid.%d", sent-1-rand.IntN(min(sent, 1000))), false)
			default:
				post(fmt.Sprintf("wamid.%d", sent), false)
				sent++
			}
			total++
		}
		if early == 0 && time.Since(start) > duration/3 {
			early = heap()
		}
	}
	ticker.Stop()
	late := heap()
	close(posts)
	senders.Wait()
	server.Close()
	worker.Close()

	slices.Sort(latencies)
	t.Logf("%d posts in %v, median %v, 99%% within %v; heap %d KiB after a third, %d KiB at the end",
		total, duration, latencies[len(latencies)/2], latencies[len(latencies)*99/100], early>>10, late>>10)
	require.Zero(t, wrong.Load(), "unexpected responses")
	require.Len(t, c.arrived, sent, "none lost, none forged")
	for id, n := range c.arrived {
		require.Equal(t, 1, n, "%s is doubled", id)
	}
	// What this test itself keeps of each post is an id, a latency and their map.
	require.Less(t, late, early+uint64(total)*200+8<<20)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
