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
// body before it parses anything, and passes each webhook to one callback.
//
// The platform expects a response within seconds and retries for days, so Receive should
// store the webhook and return; process it afterwards. The same event can arrive more
// than once and out of order: drop repetitions by [webhooknorm.Event.Key].
package webhookhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/hailmark/hailmark/webhooknorm"
)

const (
	maxPayload  = 4 << 20 // the platform sends at most 3 MB
	bodyTimeout = 20 * time.Second

	// Bodies are read before their signature can be checked, so their number is bounded.
	// Small bodies have slots of their own, so that large ones can't block them.
	smallPayload = 64 << 10
	smallSlots   = 512
	largeSlots   = 8
)

// Errors that the handler passes to [Config.OnError], along with those of
// [webhooknorm.Read], of reading a body, and of Receive itself. None of them contains
// data of the request.
var (
	ErrSignature = errors.New("webhookhttp: missing or wrong signature; check that AppSecrets contains the app secret of the subscription")
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
	cfg          Config
	small, large chan struct{}
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
	}
	for _, secret := range cfg.AppSecrets {
		if len(secret) == 0 {
			return nil, errors.New("webhookhttp: empty app secret")
		}
	}
	if cfg.OnError == nil {
		cfg.OnError = func(error) {}
	}
	return &Handler{cfg, make(chan struct{}, smallSlots), make(chan struct{}, largeSlots)}, nil
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
	slots := h.large
	if 0 <= r.ContentLength && r.ContentLength <= smallPayload {
		slots = h.small
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	default:
		return nil, http.StatusServiceUnavailable, ErrBusy
	}
	// A ResponseWriter without deadlines relies on the server's ReadTimeout.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	payload, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge, ErrBody
	case err != nil:
		return nil, http.StatusRequestTimeout, ErrBody
	}
	return payload, 0, nil
}

// fail reports err and responds with a status. The response doesn't contain the error,
// because the sender may be anybody.
func (h *Handler) fail(w http.ResponseWriter, status int, err error) {
	h.cfg.OnError(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "10")
	}
	http.Error(w, http.StatusText(status), status)
}
