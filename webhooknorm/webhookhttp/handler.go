// Package webhookhttp receives Cloud API webhooks over HTTP.
//
//	handler, err := webhookhttp.New(webhookhttp.Config{
//		AppSecrets:  [][]byte{appSecret},
//		VerifyToken: verifyToken,
//		Receive: func(ctx context.Context, webhook webhooknorm.Webhook) error {
//			return queue.Store(ctx, webhook.Events)
//		},
//	})
//	mux.Handle("/webhook", handler)
//
// The handler answers the subscription handshake, verifies the signature over the raw
// body before it parses anything, and passes each webhook to one callback. The platform
// expects a response within seconds and retries for days, so Receive should only store the
// webhook. An event can arrive more than once and out of order: drop repetitions by
// [webhooknorm.Event.Key]. Don't answer an event whose Standby is set.
package webhookhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/hailmark/hailmark/webhooknorm"
)

const (
	maxPayload  = 4 << 20 // the platform sends at most 3 MB
	bodyTimeout = 20 * time.Second
	maxUnread   = 64 << 20 // bytes of all bodies that haven't arrived whole
)

// Errors that the handler passes to [Config.OnError], along with those of
// [webhooknorm.Read] and of Receive. None of them contains data of the request.
var (
	ErrSignature = errors.New("webhookhttp: missing or wrong signature; check that AppSecrets contains the app secret of the subscription, and that no middleware reads or rewrites the body")
	ErrToken     = errors.New("webhookhttp: handshake with a wrong verify token; check VerifyToken")
	ErrBusy      = errors.New("webhookhttp: too many webhooks at the same time; the platform sends this one again")
	ErrBody      = errors.New("webhookhttp: the body didn't arrive whole and in time")
)

// A Config configures a [Handler]. AppSecrets, VerifyToken and Receive are required.
type Config struct {
	// AppSecrets sign the webhooks: usually one, or two while one replaces the other.
	AppSecrets [][]byte

	// VerifyToken is the token that the platform sends in the subscription handshake.
	VerifyToken string

	// Receive accepts one webhook. After nil the platform considers it delivered; after
	// an error it sends the webhook again later. Receive can be called concurrently, and
	// may retain the webhook.
	Receive func(ctx context.Context, webhook webhooknorm.Webhook) error

	// OnError, if set, is called for each request that didn't lead to a delivery.
	OnError func(error)
}

// A Handler is the endpoint to enter as callback URL of the webhook subscription.
type Handler struct {
	cfg    Config
	bodies bodies
}

// New returns a handler, or an error if a required field of cfg is missing.
func New(cfg Config) (*Handler, error) {
	switch {
	case len(cfg.AppSecrets) == 0:
		return nil, errors.New("webhookhttp: no AppSecrets; set the app secret from the app dashboard")
	case cfg.VerifyToken == "":
		return nil, errors.New("webhookhttp: no VerifyToken; set the token of the webhook subscription")
	case cfg.Receive == nil:
		return nil, errors.New("webhookhttp: no Receive function")
	case slices.ContainsFunc(cfg.AppSecrets, func(secret []byte) bool { return len(secret) == 0 }):
		return nil, errors.New("webhookhttp: empty app secret")
	}
	if cfg.OnError == nil {
		cfg.OnError = func(error) {}
	}
	return &Handler{cfg: cfg, bodies: bodies{max: maxUnread}}, nil
}

// ServeHTTP answers the handshake (GET) and receives webhooks (POST). A webhook gets
//
//   - 200 if Receive returned nil, and also if the payload is signed but isn't a webhook,
//     because it would be the same when sent again;
//   - 403 if the signature is missing or wrong;
//   - 400, 408 or 413 if the body is malformed, late or larger than 4 MiB;
//   - 503 if Receive failed or too many webhooks arrive at the same time.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		challenge, ok := webhooknorm.Challenge(r.URL.Query(), h.cfg.VerifyToken)
		if !ok {
			h.fail(w, http.StatusForbidden, ErrToken)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, challenge)
	case http.MethodPost:
		h.receive(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "method not allowed; use GET or POST", http.StatusMethodNotAllowed)
	}
}

func (h *Handler) receive(w http.ResponseWriter, r *http.Request) {
	signature := r.Header.Get(webhooknorm.SignatureHeader)
	if signature == "" {
		h.fail(w, http.StatusForbidden, ErrSignature)
		return
	}
	payload, status, err := h.read(w, r)
	if err != nil {
		h.fail(w, status, err)
		return
	}
	if !webhooknorm.VerifySignature(payload, signature, h.cfg.AppSecrets...) {
		h.fail(w, http.StatusForbidden, ErrSignature)
		return
	}
	webhook, err := webhooknorm.Read(payload)
	switch {
	case errors.Is(err, webhooknorm.CodeUnrecognizedShape):
		h.cfg.OnError(err)
	case err != nil:
		h.fail(w, http.StatusBadRequest, err)
	default:
		if err := h.cfg.Receive(r.Context(), webhook); err != nil {
			h.fail(w, http.StatusServiceUnavailable, err)
		}
	}
}

// read returns the body, or the status of the error response.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (payload []byte, status int, err error) {
	control := http.NewResponseController(w)
	b := &body{Reader: http.MaxBytesReader(w, r.Body, maxPayload), all: &h.bodies}
	// Without deadlines, such as in http.TimeoutHandler, the server's ReadTimeout counts.
	if control.SetReadDeadline(time.Now().Add(bodyTimeout)) == nil {
		b.interrupt = func() { _ = control.SetReadDeadline(time.Unix(1, 0)) }
		// Otherwise the deadline would cancel the context of Receive.
		defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	}
	defer h.bodies.remove(b) // before the deadline ends
	payload, err = io.ReadAll(b)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge, ErrBody
	case errors.Is(err, ErrBusy):
		return nil, http.StatusServiceUnavailable, err
	case err != nil:
		return nil, http.StatusRequestTimeout, ErrBody
	}
	return payload, 0, nil
}

// bodies bounds the bytes of bodies that haven't arrived whole. Anybody can stall, because
// a signature can be verified only at the end. Instead of a new body, the oldest gives way:
// the platform sends its bodies in one go.
type bodies struct {
	mu        sync.Mutex
	max, size int
	list      []*body // oldest first
}

type body struct {
	io.Reader
	all       *bodies
	interrupt func() // ends a Read; nil if that's impossible
	size      int
	evicted   bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	a := b.all
	a.mu.Lock()
	defer a.mu.Unlock()
	if b.evicted {
		return 0, ErrBusy
	}
	if b.size == 0 && n > 0 {
		a.list = append(a.list, b) // a body without bytes costs nothing
	}
	for b.size, a.size = b.size+n, a.size+n; a.size > a.max; {
		i := slices.IndexFunc(a.list, func(o *body) bool { return o.interrupt != nil || o == b })
		oldest := a.list[i]
		a.list, a.size, oldest.evicted = slices.Delete(a.list, i, i+1), a.size-oldest.size, true
		if oldest == b {
			return 0, ErrBusy
		}
		oldest.interrupt()
	}
	return n, err
}

func (a *bodies) remove(b *body) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.list, b); i >= 0 {
		a.list, a.size = slices.Delete(a.list, i, i+1), a.size-b.size
	}
}

// fail reports err, but only to OnError, because the sender may be anybody.
func (h *Handler) fail(w http.ResponseWriter, status int, err error) {
	h.cfg.OnError(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "10")
	}
	http.Error(w, http.StatusText(status), status)
}
