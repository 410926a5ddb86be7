package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/hailmark/hailmark/webhooknorm"
)

const (
	// maxPayload is above the 3 MB that the platform sends at most: what is refused
	// comes back for days.
	maxPayload = 4 << 20

	// maxWaiting is how many webhooks may wait for the callback. When there are more,
	// the platform is told to come back later.
	maxWaiting = 1000

	// remembered is how many of the last events are known when they come again.
	remembered = 100_000
)

// A callback is told what has happened, one thing at a time. It may keep what it gets.
type callback interface {
	changed(webhooknorm.IdentityChange)
	happened(webhooknorm.Event)
}

// A receiver answers as soon as a webhook has been read, and works afterwards: the
// platform measures the time, and sends again what takes too long.
//
// What waits is in memory and is lost if the process dies. A service that must not
// lose a message writes it to a durable queue where this one uses a channel.
type receiver struct {
	secrets  [][]byte
	token    string
	callback callback
	waiting  chan webhooknorm.Webhook
	done     chan struct{}
}

func newReceiver(secrets [][]byte, token string, c callback) *receiver {
	r := &receiver{secrets, token, c, make(chan webhooknorm.Webhook, maxWaiting), make(chan struct{})}
	go r.work()
	return r
}

// close waits until everything has been handled. No request may come after it.
func (r *receiver) close() {
	close(r.waiting)
	<-r.done
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch req.Method {
	case http.MethodGet:
		challenge, ok := webhooknorm.Challenge(req.URL.Query(), r.token)
		if !ok {
			http.Error(w, "the token is wrong", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, challenge)
	case http.MethodPost:
		r.receive(w, req)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "use GET or POST", http.StatusMethodNotAllowed)
	}
}

func (r *receiver) receive(w http.ResponseWriter, req *http.Request) {
	payload, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxPayload))
	if err != nil {
		http.Error(w, "the payload could not be read", http.StatusBadRequest)
		return
	}
	if !webhooknorm.VerifySignature(payload, req.Header.Get(webhooknorm.SignatureHeader), r.secrets...) {
		http.Error(w, "the signature is wrong", http.StatusForbidden)
		return
	}
	webhook, err := webhooknorm.Read(payload)
	switch {
	case errors.Is(err, webhooknorm.CodeUnrecognizedShape):
		slog.Warn("a signed payload is no webhook", "error", err)
		return // with 200: it would not be one the next time either
	case err != nil:
		slog.Warn("a signed payload is malformed", "error", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case r.waiting <- webhook:
	default:
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too much is waiting", http.StatusServiceUnavailable)
	}
}

// work is the one goroutine that calls back, so nothing of it needs a lock.
func (r *receiver) work() {
	defer close(r.done)
	seen := newMemory(remembered)
	for webhook := range r.waiting {
		for _, change := range webhook.Changes {
			r.callback.changed(change)
		}
		for _, event := range webhook.Events {
			if key := event.Key(); key == "" || seen.add(key) {
				r.callback.happened(event)
			}
		}
	}
}
