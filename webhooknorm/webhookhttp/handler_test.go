package webhookhttp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi/bound"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The signatures were computed with
//
//	printf '%s' "$PAYLOAD" | openssl dgst -sha256 -hmac secret
const (
	message   = `{"entry":[{"changes":[{"value":{"messages":[{"from_user_id":"US.1","id":"wamid.1"}]}}]}]}`
	signature = "sha256=a6b797fb0b6b62d9c1861e694debd21d48fd3b50a1ce03dca236d3470fe11628"

	noWebhook          = `{}`
	noWebhookSignature = "sha256=77325902caca812dc259733aacd046b73817372c777b8d95b402647474516e13"

	cut          = `{`
	cutSignature = "sha256=a1af98d49ad4d3fa8ac725af8d18edb65f5c7191e9fc2796d51b05db6679f2b8"
)

// A receiver collects what a handler delivers and reports.
type receiver struct {
	mu       sync.Mutex
	err      error // what Receive returns
	received []webhooknorm.Event
	errors   []error
}

func (r *receiver) handler(t *testing.T) *handler {
	t.Helper()
	h, err := New(Config{
		AppSecrets:  [][]byte{[]byte("old"), []byte("secret")},
		VerifyToken: "token",
		Receive: func(_ context.Context, webhook webhooknorm.Webhook) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.received = append(r.received, webhook.Events...)
			return r.err
		},
		OnError: func(err error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.errors = append(r.errors, err)
		},
	})
	require.NoError(t, err)
	h.(*handler).cfg.Pool = bound.NewPool(64 << 20)
	return h.(*handler)
}

func post(h http.Handler, payload, signature string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(payload))
	r.Header.Set("X-Hub-Signature-256", signature)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestDelivery(t *testing.T) {
	var got receiver
	h := got.handler(t)
	require.Equal(t, 200, post(h, message, signature).Code)
	require.Len(t, got.received, 1)
	require.Equal(t, "US.1", got.received[0].BSUID)
	require.Empty(t, got.errors)

	require.Equal(t, 200, post(h, noWebhook, noWebhookSignature).Code)
	require.ErrorIs(t, got.errors[0], webhooknorm.CodeUnrecognizedShape)

	require.Equal(t, 400, post(h, cut, cutSignature).Code)
	require.ErrorIs(t, got.errors[1], webhooknorm.CodeInvalidJSON)

	got.err = errors.New("no disk")
	w := post(h, message, signature)
	require.Equal(t, 503, w.Code)
	require.Equal(t, "10", w.Header().Get("Retry-After"))
	require.NotContains(t, w.Body.String(), "disk")
	require.ErrorIs(t, got.errors[2], got.err)
}

// Receive gets the changes that give no event, too.
func TestOthersAreDelivered(t *testing.T) {
	const payload = `{"entry":[{"id":"104","changes":[{"field":"account_update","value":{"event":"DISABLED_UPDATE"}}]}]}`
	var got []webhooknorm.Other
	h, err := New(Config{
		AppSecrets:  [][]byte{[]byte("secret")},
		VerifyToken: "token",
		Receive: func(_ context.Context, webhook webhooknorm.Webhook) error {
			got = append(got, webhook.Others...)
			return nil
		},
	})
	require.NoError(t, err)
	require.Equal(t, 200, post(h, payload, sign(payload, "secret")).Code)
	require.Len(t, got, 1)
	require.Equal(t, "account_update", got[0].Field)
	require.Equal(t, "104", got[0].AccountID)
	require.JSONEq(t, `{"event":"DISABLED_UPDATE"}`, string(got[0].Raw))
}

// An application may erase its secrets after New.
func TestSecretsAreCopied(t *testing.T) {
	secret := []byte("secret")
	h, err := New(Config{
		AppSecrets:  [][]byte{secret},
		VerifyToken: "token",
		Receive:     func(context.Context, webhooknorm.Webhook) error { return nil },
	})
	require.NoError(t, err)
	clear(secret)
	require.Equal(t, 200, post(h, message, sign(message, "secret")).Code)
	require.Equal(t, 403, post(h, message, sign(message, string(secret))).Code)
}

func sign(payload, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(payload))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func TestForgery(t *testing.T) {
	var got receiver
	h := got.handler(t)
	for _, header := range []string{"", "sha256=", cutSignature, strings.ToUpper(signature), strings.TrimPrefix(signature, "sha256=")} {
		require.Equal(t, 403, post(h, message, header).Code, header)
	}
	require.Equal(t, 403, post(h, message+" ", signature).Code)
	require.Empty(t, got.received)
	for _, err := range got.errors {
		require.ErrorIs(t, err, ErrSignature)
	}
	require.Len(t, got.errors, 6)
}

// A body without a signature isn't read.
func TestUnsignedBodyIsNotRead(t *testing.T) {
	var got receiver
	r := httptest.NewRequest(http.MethodPost, "/webhook", io.NopCloser(readerFunc(func([]byte) (int, error) {
		t.Error("the body is read")
		return 0, io.EOF
	})))
	w := httptest.NewRecorder()
	got.handler(t).ServeHTTP(w, r)
	require.Equal(t, 403, w.Code)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestHandshake(t *testing.T) {
	var got receiver
	h := got.handler(t)
	get := func(query string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/webhook?"+query, nil))
		return w
	}
	w := get("hub.mode=subscribe&hub.verify_token=token&hub.challenge=%3Cb%3E42")
	require.Equal(t, 200, w.Code)
	require.Equal(t, "<b>42", w.Body.String())
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
	require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))

	require.Equal(t, 403, get("hub.mode=subscribe&hub.verify_token=x&hub.challenge=42").Code)
	require.Equal(t, 403, get("").Code)
	require.ErrorIs(t, got.errors[1], errToken)

	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPut, "/webhook", nil))
	require.Equal(t, 405, w.Code)
	require.Equal(t, "GET, POST", w.Header().Get("Allow"))
}

func TestBodies(t *testing.T) {
	var got receiver
	h := got.handler(t)
	require.Equal(t, 403, post(h, strings.Repeat(" ", maxPayload), signature).Code, "4 MiB are read")
	require.Equal(t, 413, post(h, strings.Repeat(" ", maxPayload+1), signature).Code)
	require.ErrorIs(t, got.errors[1], errBody)
	require.ErrorContains(t, got.errors[1], "4 MiB")

	r := httptest.NewRequest(http.MethodPost, "/webhook", io.NopCloser(readerFunc(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF })))
	r.Header.Set("X-Hub-Signature-256", signature)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, 408, w.Code)
}

// Small bodies that stall, or whose length isn't known, block no others.
func TestStalledBodies(t *testing.T) {
	var got receiver
	h := got.handler(t)
	var stalled sync.WaitGroup
	var ends []*io.PipeWriter
	for i := range 600 {
		body, end := io.Pipe()
		ends = append(ends, end)
		r := httptest.NewRequest(http.MethodPost, "/webhook", body)
		r.Header.Set("X-Hub-Signature-256", signature)
		r.ContentLength = []int64{-1, 1000, bound.SmallBody}[i%3]
		stalled.Go(func() { h.ServeHTTP(httptest.NewRecorder(), r) })
		_, err := end.Write([]byte(" ")) // returns when the handler has read it
		require.NoError(t, err)
	}
	require.Equal(t, 200, post(h, message, signature).Code)
	require.Equal(t, 403, post(h, strings.Repeat(" ", maxPayload), signature).Code, "a large body is read")
	for _, end := range ends {
		require.NoError(t, end.Close())
	}
	stalled.Wait()
	require.Zero(t, h.held())
}

// A large webhook that finds no room in time is rejected, so that the platform sends it again. A
// small one doesn't wait.
func TestNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got receiver
		h := got.handler(t)
		large := strings.Repeat(" ", maxPayload)
		for range 7 { // fill the pool
			body, end := io.Pipe()
			r := httptest.NewRequest(http.MethodPost, "/webhook", body)
			r.Header.Set("X-Hub-Signature-256", signature)
			r.ContentLength = maxPayload
			go func() {
				h.ServeHTTP(httptest.NewRecorder(), r)
				_ = body.Close()
			}()
			time.AfterFunc(time.Minute, func() { _ = end.Close() })
		}
		synctest.Wait()
		began := time.Now()
		w := post(h, large, signature)
		require.Equal(t, 503, w.Code)
		require.Equal(t, "10", w.Header().Get("Retry-After"))
		require.Equal(t, bound.LineTime, time.Since(began))
		require.ErrorIs(t, got.errors[0], errBusy)
		began = time.Now()
		require.Equal(t, 200, post(h, message, signature).Code)
		require.Zero(t, time.Since(began))
		time.Sleep(time.Minute)
		require.Equal(t, 403, post(h, large, signature).Code, "the body is read")
		require.Zero(t, h.held())
	})
}

func (h *handler) held() int64 { return h.cfg.Pool.Stats().Taken }

// A deadlines is a ResponseWriter that keeps the deadlines that were set.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// The deadline of the body doesn't end the context of Receive.
func TestDeadlineEndsWithTheBody(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	var atReceive []time.Time
	h, err := New(Config{AppSecrets: [][]byte{[]byte("secret")}, VerifyToken: "token", Receive: func(context.Context, webhooknorm.Webhook) error {
		atReceive = w.set
		return nil
	}})
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(message))
	r.Header.Set("X-Hub-Signature-256", signature)
	h.ServeHTTP(w, r)
	require.Len(t, atReceive, 2)
	require.False(t, atReceive[0].IsZero())
	require.True(t, atReceive[1].IsZero())
}

// A Receive that panics delivers nothing, and the handler goes on.
func TestPanic(t *testing.T) {
	var got receiver
	h := got.handler(t)
	receive := h.cfg.Receive
	var calls atomic.Int32
	h.cfg.Receive = func(ctx context.Context, webhook webhooknorm.Webhook) error {
		if calls.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		return receive(ctx, webhook)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	_, err := server.Client().Do(request(t, server.URL, strings.NewReader(message)))
	require.Error(t, err, "the platform sends it again")
	response, err := server.Client().Do(request(t, server.URL, strings.NewReader(message)))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 200, response.StatusCode)
	require.Len(t, got.received, 1)
	require.Zero(t, h.held())
}

func request(t *testing.T, url string, body io.Reader) *http.Request {
	r, err := http.NewRequest(http.MethodPost, url, body)
	require.NoError(t, err)
	r.Header.Set("X-Hub-Signature-256", signature)
	return r
}

// Many requests at a time over HTTP/1 and HTTP/2, with and without a length, as a handler
// of its own and in a TimeoutHandler.
func TestServers(t *testing.T) {
	const n = 20
	for name, wrap := range map[string]func(http.Handler) http.Handler{
		"plain":           func(h http.Handler) http.Handler { return h },
		"timeout handler": func(h http.Handler) http.Handler { return http.TimeoutHandler(h, time.Minute, "") },
	} {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " HTTP/2 ", http2), func(t *testing.T) {
				var got receiver
				h := got.handler(t)
				server := httptest.NewUnstartedServer(wrap(h))
				server.Config.ErrorLog = log.New(io.Discard, "", 0)
				server.EnableHTTP2 = http2
				if http2 {
					server.StartTLS()
				} else {
					server.Start()
				}
				defer server.Close()
				var all sync.WaitGroup
				for i := range n {
					var body io.Reader = strings.NewReader(message)
					if i%2 == 0 {
						body = io.NopCloser(body) // hides the length: the body is chunked
					}
					r := request(t, server.URL, body)
					all.Go(func() {
						response, err := server.Client().Do(r)
						if err != nil || response.StatusCode != 200 || http2 != (response.ProtoMajor == 2) {
							t.Error(response, err)
							return
						}
						_ = response.Body.Close()
					})
				}
				all.Wait()
				require.Len(t, got.received, n)
				require.Zero(t, h.held())
			})
		}
	}
}

// Dropping repetitions by Key, as the documentation suggests, stores each event once.
func TestRepetitions(t *testing.T) {
	stored := map[string]int{}
	h, err := New(Config{AppSecrets: [][]byte{[]byte("secret")}, VerifyToken: "token", Receive: func(_ context.Context, webhook webhooknorm.Webhook) error {
		for _, e := range webhook.Events {
			stored[e.Key()]++
		}
		return nil
	}})
	require.NoError(t, err)
	for range 3 {
		require.Equal(t, 200, post(h, message, signature).Code)
	}
	require.Len(t, stored, 1)
}

func TestNewErrors(t *testing.T) {
	valid := Config{AppSecrets: [][]byte{{1}}, VerifyToken: "t", Receive: func(context.Context, webhooknorm.Webhook) error { return nil }}
	_, err := New(valid)
	require.NoError(t, err)
	for message, change := range map[string]func(*Config){
		"no AppSecrets":    func(c *Config) { c.AppSecrets = nil },
		"empty app secret": func(c *Config) { c.AppSecrets = [][]byte{{1}, {}} },
		"no VerifyToken":   func(c *Config) { c.VerifyToken = "" },
		"no Receive":       func(c *Config) { c.Receive = nil },
		"set either":       func(c *Config) { c.Lookup = func(*http.Request) (Credentials, error) { return Credentials{}, nil } },
	} {
		cfg := valid
		change(&cfg)
		_, err := New(cfg)
		require.ErrorContains(t, err, message)
	}
}

// A webhook is received if and only if it's signed with a secret of the tenant of its URL. Nobody's
// URL is answered like a wrong signature.
func TestTenants(t *testing.T) {
	secrets := map[string][][]byte{"a": {[]byte("secret-a")}, "b": {[]byte("old-b"), []byte("secret-b")}, "unset": {nil}, "nobody": nil}
	down := errors.New("no database")
	type tenant struct{}
	var received []any
	var reported error
	h, err := New(Config{
		Lookup: func(r *http.Request) (Credentials, error) {
			name := r.PathValue("tenant")
			if name == "down" {
				return Credentials{}, down
			}
			if secrets[name] == nil {
				return Credentials{}, nil
			}
			return Credentials{secrets[name], "token-" + name}, nil
		},
		Receive: func(ctx context.Context, _ webhooknorm.Webhook) error {
			received = append(received, ctx.Value(tenant{}))
			return nil
		},
		OnError: func(err error) { reported = err },
	})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("/webhook/{tenant}", func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tenant{}, r.PathValue("tenant"))))
	})
	do := func(r *http.Request) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w
	}
	for _, size := range []int{0, bound.SmallBody} { // which is verified at once, or in line
		payload := message + strings.Repeat(" ", size)
		for name, own := range secrets {
			for _, secret := range []string{"secret-a", "old-b", "secret-b", "", "other"} {
				received, reported = nil, nil
				r := httptest.NewRequest(http.MethodPost, "/webhook/"+name, strings.NewReader(payload))
				r.Header.Set("X-Hub-Signature-256", sign(payload, secret))
				w := do(r)
				isOwn := secret != "" && slices.ContainsFunc(own, func(s []byte) bool { return string(s) == secret })
				if isOwn {
					require.Equal(t, 200, w.Code, "%s %s", name, secret)
					require.Equal(t, []any{name}, received)
					continue
				}
				require.Equal(t, 403, w.Code, "%s %s", name, secret)
				require.Equal(t, "Forbidden\n", w.Body.String())
				require.ErrorIs(t, reported, ErrSignature)
				require.Empty(t, received)
			}
		}
	}
	for name := range secrets {
		for other := range secrets {
			w := do(httptest.NewRequest(http.MethodGet, "/webhook/"+name+"?hub.mode=subscribe&hub.challenge=42&hub.verify_token=token-"+other, nil))
			want := 403
			if name == other && name != "nobody" {
				want = 200
			}
			require.Equal(t, want, w.Code, "%s %s", name, other)
		}
	}

	// Without a look-up nothing is decided, and the body isn't read.
	r := httptest.NewRequest(http.MethodPost, "/webhook/down", io.NopCloser(readerFunc(func([]byte) (int, error) {
		t.Error("the body is read")
		return 0, io.EOF
	})))
	r.Header.Set("X-Hub-Signature-256", signature)
	for _, r := range []*http.Request{r, httptest.NewRequest(http.MethodGet, "/webhook/down", nil)} {
		reported = nil
		w := do(r)
		require.Equal(t, 503, w.Code)
		require.Equal(t, "10", w.Header().Get("Retry-After"))
		require.NotContains(t, w.Body.String(), "database")
		require.ErrorIs(t, reported, down)
	}
}

// A look-up that waits for a database gives up, so that the platform sends the webhook again. What it
// needs from the request is still there.
func TestSlowLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported error
		h, err := New(Config{
			Lookup: func(r *http.Request) (Credentials, error) {
				if r.PathValue("tenant") != "a" {
					return Credentials{}, errors.New("no path value")
				}
				<-r.Context().Done()
				return Credentials{}, r.Context().Err()
			},
			Receive: func(context.Context, webhooknorm.Webhook) error { return nil },
			OnError: func(err error) { reported = err },
		})
		require.NoError(t, err)
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			r := httptest.NewRequest(method, "/webhook/a", strings.NewReader(message))
			r.Header.Set("X-Hub-Signature-256", signature)
			r.SetPathValue("tenant", "a")
			w, began := httptest.NewRecorder(), time.Now()
			h.ServeHTTP(w, r)
			require.Equal(t, 503, w.Code)
			require.Equal(t, "10", w.Header().Get("Retry-After"))
			require.Equal(t, lookupTime, time.Since(began))
			require.ErrorIs(t, reported, context.DeadlineExceeded)
		}
	})
}

// A wrong signature takes the time of as many secrets, whether a URL belongs to nobody, to a tenant or to
// one that replaces its secret. The secrets that fill up the list are nobody's, and leave the tenant's alone.
func TestNumberOfSecrets(t *testing.T) {
	receive := func(context.Context, webhooknorm.Webhook) error { return nil }
	many, err := New(Config{Receive: receive, Lookup: func(*http.Request) (Credentials, error) { return Credentials{}, nil }})
	require.NoError(t, err)
	one, err := New(Config{Receive: receive, AppSecrets: [][]byte{[]byte("a")}, VerifyToken: "token"})
	require.NoError(t, err)
	for own := range 5 {
		secrets := make([][]byte, own, 8) // a tenant's list may have room
		for i := range secrets {
			secrets[i] = []byte{'a' + byte(i)}
		}
		got := many.(*handler).secrets(Credentials{AppSecrets: secrets})
		require.Len(t, got, max(2, own))
		require.Equal(t, secrets, got[:own])
		for _, filled := range got[own:] {
			require.Len(t, filled, 26)
		}
		require.Empty(t, slices.DeleteFunc(slices.Clone(secrets[:cap(secrets)][own:]), func(s []byte) bool { return s == nil }))
		require.Equal(t, secrets, one.(*handler).secrets(Credentials{AppSecrets: secrets}))
	}
}

// At most 64 lookups run at a time, and within 5 seconds each request is answered, whoever sends it and
// however lookups end, if they end with their contexts.
func TestLookupsAreBounded(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			var running, most, began, waited atomic.Int64
			h, err := New(Config{
				Pool: bound.NewPool(64 << 20),
				Lookup: func(r *http.Request) (Credentials, error) {
					began.Add(1)
					now := running.Add(1)
					defer running.Add(-1)
					for old := most.Load(); old < now && !most.CompareAndSwap(old, now); old = most.Load() {
					}
					var takes time.Duration
					_, err := fmt.Sscan(r.PathValue("takes"), (*int64)(&takes))
					if err != nil {
						return Credentials{[][]byte{[]byte("secret")}, "token"}, nil
					}
					select {
					case <-time.After(takes):
						panic(http.ErrAbortHandler)
					case <-r.Context().Done():
						return Credentials{}, r.Context().Err()
					}
				},
				Receive: func(context.Context, webhooknorm.Webhook) error { return nil },
				OnError: func(err error) {
					if errors.Is(err, errLookups) {
						waited.Add(1)
					}
				},
			})
			require.NoError(t, err)
			mux := http.NewServeMux()
			mux.Handle("/webhook/{takes}", h)
			send := func(method, takes string) (code int) {
				r := httptest.NewRequest(method, "/webhook/"+takes, strings.NewReader(message))
				r.Header.Set("X-Hub-Signature-256", signature)
				w := httptest.NewRecorder()
				start := time.Now()
				defer func() {
					require.LessOrEqual(t, time.Since(start), lookupTime)
					if recover() != nil {
						code = 0
					}
				}()
				mux.ServeHTTP(w, r)
				return w.Code
			}
			var group sync.WaitGroup
			n := 1 + r.IntN(300)
			for range n {
				method := []string{http.MethodGet, http.MethodPost}[r.IntN(2)]
				takes := time.Duration(r.Int64N(int64(3 * lookupTime)))
				group.Go(func() {
					require.Contains(t, []int{0, 503}, send(method, fmt.Sprint(int64(takes))))
				})
			}
			group.Wait()
			require.LessOrEqual(t, most.Load(), int64(maxLookups))
			require.Equal(t, min(n, maxLookups), int(most.Load()))
			require.Equal(t, int64(n), began.Load()+waited.Load(), "each request either looks up or waits in vain")
			require.Zero(t, running.Load())

			// Neither a panic nor an error has kept a place, and who waits for a short time gets one.
			most.Store(0)
			began.Store(0)
			waited.Store(0)
			for range 2 * maxLookups {
				group.Go(func() { send(http.MethodPost, fmt.Sprint(int64(time.Second))) })
			}
			group.Wait()
			require.Equal(t, []int64{maxLookups, 2 * maxLookups, 0}, []int64{most.Load(), began.Load(), waited.Load()})
			for range maxLookups + 1 {
				require.Equal(t, 200, send(http.MethodPost, "tenant"))
			}
		})
	}
}
