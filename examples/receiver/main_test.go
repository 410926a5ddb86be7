package main

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
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

func serve(r *receiver, req *http.Request) int {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w.Code
}

func message(id string) string {
	return fmt.Sprintf(`{"entry":[{"changes":[{"value":{
		"contacts":[{"profile":{"name":"Jane","username":"@jane"},"user_id":"US.13491208655302741918"}],
		"messages":[{"from_user_id":"US.13491208655302741918","id":%q}]}}]}]}`, id)
}

const line = "message  of \"Jane\", reply: \"recipient\" \"US.13491208655302741918\"\n"

func TestReceiver(t *testing.T) {
	var out bytes.Buffer
	r := newReceiver([][]byte{[]byte("old"), secret}, "token", printer{&out})
	require.Equal(t, 200, serve(r, signed(message("wamid.1"))))
	require.Equal(t, 200, serve(r, signed(message("wamid.2"))))
	require.Equal(t, 200, serve(r, signed(message("wamid.1"))), "delivered again")
	require.Equal(t, 200, serve(r, signed(`{"entry":[{"changes":[{"value":{"user_id_update":[
		{"user_id":{"previous":"US.1","current":"US.2"}}]}}]}]}`)))
	require.Equal(t, 200, serve(r, signed(`{}`)), "not to be repeated")

	require.Equal(t, 400, serve(r, signed(`{`)))
	require.Equal(t, 400, serve(r, signed(strings.Repeat(" ", maxPayload+1))))
	forged := signed(message("wamid.3"))
	forged.Body = io.NopCloser(strings.NewReader(message("wamid.4")))
	require.Equal(t, 403, serve(r, forged))
	unsigned := signed(message("wamid.3"))
	unsigned.Header.Del(webhooknorm.SignatureHeader)
	require.Equal(t, 403, serve(r, unsigned))
	require.Equal(t, 405, serve(r, httptest.NewRequest(http.MethodPut, "/webhook", nil)))
	r.close()
	require.Equal(t, line+line+
		"change {BSUID:US.1 ParentBSUID: Phone:} -> {BSUID:US.2 ParentBSUID: Phone:}\n"+
		"identity_update  of \"US.1\", reply: \"recipient\" \"US.1\"\n", out.String())
}

func TestHandshake(t *testing.T) {
	r := newReceiver([][]byte{secret}, "token", printer{io.Discard})
	defer r.close()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/webhook?hub.mode=subscribe&hub.verify_token=token&hub.challenge=42", nil))
	require.Equal(t, "42", w.Body.String())
	require.Equal(t, 403, serve(r, httptest.NewRequest(http.MethodGet, "/webhook?hub.mode=subscribe&hub.verify_token=x&hub.challenge=42", nil)))
}

// A blocker is a callback that is slow.
type blocker struct {
	printer
	entered, release chan struct{}
}

func (b blocker) happened(webhooknorm.Event) {
	b.entered <- struct{}{}
	<-b.release
}

func TestFullQueueIsAnsweredWithLater(t *testing.T) {
	b := blocker{entered: make(chan struct{}), release: make(chan struct{})}
	r := newReceiver([][]byte{secret}, "token", b)
	require.Equal(t, 200, serve(r, signed(message("first"))))
	<-b.entered
	for range maxWaiting {
		require.Equal(t, 200, serve(r, signed(message("first"))))
	}
	require.Equal(t, 503, serve(r, signed(message("second"))))
	b.release <- struct{}{}
	r.close()
}

// The largest webhook that the platform sends.
func TestLargeBatch(t *testing.T) {
	var b, out bytes.Buffer
	b.WriteString(`{"entry":[{"changes":[`)
	for i := range 1000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"value":{"messages":[{"id":"wamid.%d","from":"1650555%04d","text":{"body":%q}}]}}`, i, i, strings.Repeat("x", 3000))
	}
	b.WriteString(`]}]}`)
	require.Greater(t, b.Len(), 3_000_000)
	r := newReceiver([][]byte{secret}, "token", printer{&out})
	require.Equal(t, 200, serve(r, signed(b.String())))
	r.close()
	require.Equal(t, 1000, strings.Count(out.String(), "\n"))
}

func TestMemory(t *testing.T) {
	m := newMemory(10)
	for i := range 1000 {
		require.True(t, m.add(fmt.Sprint(i)))
		for j := max(0, i-9); j <= i; j++ {
			require.False(t, m.add(fmt.Sprint(j)), "one of the last ten")
		}
		require.LessOrEqual(t, len(m.young)+len(m.old), 20)
	}
	require.True(t, m.add("0"), "forgotten")
}

// A counter is a callback that counts how often each message arrives.
type counter struct {
	printer
	arrived map[string]int
}

func (c counter) happened(e webhooknorm.Event) { c.arrived[e.Clone().MessageID]++ }

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
	c := counter{arrived: map[string]int{}}
	r := newReceiver([][]byte{secret}, "token", c)
	server := httptest.NewServer(r)
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
	r.close()

	slices.Sort(latencies)
	t.Logf("%d posts in %v, median %v, 99%% within %v; heap %d KiB after a third, %d KiB at the end",
		total, duration, latencies[len(latencies)/2], latencies[len(latencies)*99/100], early>>10, late>>10)
	require.Zero(t, wrong.Load(), "answers other than expected")
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
