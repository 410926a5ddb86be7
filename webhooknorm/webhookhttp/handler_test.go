package webhookhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

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

func (r *receiver) handler(t *testing.T) *Handler {
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
	return h
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
	require.ErrorIs(t, got.errors[1], ErrToken)

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
	require.ErrorIs(t, got.errors[1], ErrBody)

	r := httptest.NewRequest(http.MethodPost, "/webhook", io.NopCloser(readerFunc(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF })))
	r.Header.Set("X-Hub-Signature-256", signature)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, 408, w.Code)
}

// Large bodies that stall take the slots of large bodies only.
func TestSlots(t *testing.T) {
	var got receiver
	h := got.handler(t)
	var stalled sync.WaitGroup
	var ends []*io.PipeWriter
	for i := range largeSlots {
		body, end := io.Pipe()
		ends = append(ends, end)
		r := httptest.NewRequest(http.MethodPost, "/webhook", body)
		r.Header.Set("X-Hub-Signature-256", signature)
		r.ContentLength = smallPayload + 1
		if i == 0 {
			r.ContentLength = -1
		}
		stalled.Go(func() { h.ServeHTTP(httptest.NewRecorder(), r) })
		_, err := end.Write([]byte(" ")) // returns when the handler has read it
		require.NoError(t, err)
	}
	large := strings.Repeat(" ", smallPayload+1)
	require.Equal(t, 503, post(h, large, signature).Code)
	require.ErrorIs(t, got.errors[0], ErrBusy)
	require.Equal(t, 200, post(h, message, signature).Code, "a small body has a slot")
	for _, end := range ends {
		require.NoError(t, end.Close())
	}
	stalled.Wait()
	require.Equal(t, 403, post(h, large, signature).Code, "the slots are free again")
}

// The same over a connection, where deadlines work.
func TestServer(t *testing.T) {
	var got receiver
	server := httptest.NewServer(got.handler(t))
	defer server.Close()
	r, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader(message))
	require.NoError(t, err)
	r.Header.Set("X-Hub-Signature-256", signature)
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 200, response.StatusCode)
	require.Len(t, got.received, 1)
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
	} {
		cfg := valid
		change(&cfg)
		_, err := New(cfg)
		require.ErrorContains(t, err, message)
	}
}
