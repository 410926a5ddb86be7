// Package receive receives WhatsApp webhooks. It is made to be copied or imported.
//
//	worker := receive.NewWorker(receive.NewMemory(100_000), service)
//	defer worker.Close()
//	mux.Handle("/webhook", receive.NewHandler(receive.Config{
//		Secrets:     [][]byte{appSecret},
//		VerifyToken: token,
//		HandOver:    worker.HandOver,
//	}))
//
// A [Handler] verifies a webhook, reads it, passes it to HandOver and responds. A
// [Worker] keeps webhooks in memory, drops duplicate events, and calls a [Service].
// Webhooks in memory are lost if the process dies. A HandOver that stores a webhook
// before it returns avoids that: see examples/receiver, which stores it in SQLite.
package receive

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/hailmark/hailmark/webhooknorm"
)

const (
	// maxPayload is above the 3 MB that the platform sends at most, because it sends a
	// webhook that is refused again for days.
	maxPayload = 4 << 20

	// Bodies are read before their signature is known, so their number is bounded.
	// Small bodies have slots of their own, which large ones cannot take.
	smallPayload = 64 << 10
	maxSmall     = 512
	maxLarge     = 8

	// readTimeout is how long a body may take.
	readTimeout = 20 * time.Second
)

// A Config configures a handler. All fields are required.
type Config struct {
	// Secrets are the app secrets that sign webhooks: one, or two while one replaces
	// the other.
	Secrets [][]byte

	// VerifyToken is the token that the platform sends when it checks the address.
	VerifyToken string

	// HandOver accepts a webhook, and is responsible for it once it returns nil. It must
	// return quickly, because the platform measures the response time. After an error
	// the platform sends the webhook again later. Several goroutines may call it.
	HandOver func(webhooknorm.Webhook) error
}

// A Handler is the HTTP endpoint that the platform calls.
type Handler struct {
	cfg          Config
	small, large chan struct{} // a slot for each body in flight
}

// NewHandler returns a handler for the address that is set as callback URL.
func NewHandler(cfg Config) *Handler {
	return &Handler{cfg, make(chan struct{}, maxSmall), make(chan struct{}, maxLarge)}
}

// ServeHTTP responds to the subscription handshake (GET) and receives webhooks (POST).
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		challenge, ok := webhooknorm.Challenge(r.URL.Query(), h.cfg.VerifyToken)
		if !ok {
			http.Error(w, "the token is wrong", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, challenge)
	case http.MethodPost:
		h.receive(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "use GET or POST", http.StatusMethodNotAllowed)
	}
}

func (h *Handler) receive(w http.ResponseWriter, r *http.Request) {
	signature := r.Header.Get(webhooknorm.SignatureHeader)
	if signature == "" {
		http.Error(w, "the signature is missing", http.StatusForbidden)
		return
	}
	places := h.large
	if r.ContentLength >= 0 && r.ContentLength <= smallPayload {
		places = h.small
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		tryLater(w)
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTimeout)) // if w supports it
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload))
	if err != nil {
		http.Error(w, "the payload cannot be read", http.StatusBadRequest)
		return
	}
	if !webhooknorm.VerifySignature(payload, signature, h.cfg.Secrets...) {
		http.Error(w, "the signature is wrong", http.StatusForbidden)
		return
	}
	webhook, err := webhooknorm.Read(payload)
	switch {
	case errors.Is(err, webhooknorm.CodeUnrecognizedShape):
		slog.Warn("a signed payload is not a webhook", "error", err)
		return // status 200, because a repeated delivery would have the same payload
	case err != nil:
		slog.Warn("a signed payload is malformed", "error", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := h.cfg.HandOver(webhook); err != nil {
		slog.Warn("a webhook cannot be handed over", "error", err)
		tryLater(w)
	}
}

// tryLater makes the platform send the webhook again.
func tryLater(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "10")
	http.Error(w, "too many webhooks", http.StatusServiceUnavailable)
}
