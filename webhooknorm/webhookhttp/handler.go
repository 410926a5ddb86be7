// Package webhookhttp receives Cloud API webhooks over HTTP.
//
//	handler, err := webhookhttp.New(webhookhttp.Config{
//		AppSecrets:  [][]byte{appSecret},
//		VerifyToken: verifyToken,
//		Receive: func(ctx context.Context, webhook webhooknorm.Webhook) error {
//			return queue.Store(ctx, webhook)
//		},
//	})
//	mux.Handle("/webhook", handler)
//
// The handler answers the subscription handshake. It verifies the signature before it parses
// the body, then passes the webhook to a callback. The platform expects a response within
// seconds and retries for days, so Receive should only store the webhook, and another
// goroutine or process should do slow work such as replying. Events can arrive out of order and
// more than once; [webhooknorm.Event.Key] identifies repetitions.
package webhookhttp

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/hailmark/hailmark/httpapi/bound"
	"github.com/hailmark/hailmark/webhooknorm"
)

const maxPayload = 4 << 20 // the platform sends at most 3 MB

// Strangers cause lookups, too, so a handler runs at most maxLookups of them at a time. A request has
// lookupTime for its lookup, including the time that it waits for others'.
const (
	maxLookups = 64
	lookupTime = 5 * time.Second // a query by an index takes far less
)

// ErrSignature is the [Config.OnError] error for a webhook that the platform didn't sign with an
// app secret. Anybody can cause it.
var ErrSignature = errors.New("webhookhttp: missing or wrong signature; check that AppSecrets contains the app secret of the subscription, and that no middleware reads or rewrites the body")

var (
	errLookups = fmt.Errorf("webhookhttp: %d other lookups took %v; find out what slows Lookup, and let it return when the request's context ends", maxLookups, lookupTime)
	errToken   = errors.New("webhookhttp: handshake with a wrong verify token; check VerifyToken")
	errBusy    = errors.New("webhookhttp: too many webhooks at the same time; the platform sends this one again")
	errBody    = errors.New("webhookhttp: the body is larger than 4 MiB, or it didn't arrive whole and in time")
)

// Credentials prove that a request is the platform's.
type Credentials struct {
	// AppSecrets sign the webhooks. There's usually one, or two while one replaces the other.
	AppSecrets [][]byte

	// VerifyToken is the token that the platform sends in the subscription handshake.
	VerifyToken string
}

// A Config configures a handler. Receive is required, and either AppSecrets and VerifyToken, or Lookup.
type Config struct {
	// AppSecrets and VerifyToken are the [Credentials] of all requests. New copies them.
	AppSecrets  [][]byte
	VerifyToken string

	// Lookup returns the credentials of a request instead, for a service that receives the webhooks of
	// several apps, each at a URL of its own, such as /webhook/{tenant}. It's called before the body is
	// read, and must neither read it nor take long. Nothing about the request is verified yet.
	//
	// Strangers cause lookups, too, so each handler runs at most 64 at a time, and the others wait. The
	// context of the request that Lookup is given ends 5 seconds after the request began, including the
	// time that it waited, so pass it to queries. A request that has waited for 5 seconds is answered with
	// 503, without a lookup.
	//
	// For a URL that belongs to nobody it returns the zero Credentials: the response is 403, as for a
	// wrong signature, after the same work as with one or two secrets, so strangers don't learn who is a
	// tenant. If it returns an error, the response is 503, and the platform sends the webhook again.
	// Lookup must support concurrent calls.
	Lookup func(*http.Request) (Credentials, error)

	// Receive accepts a webhook, or returns an error so that the platform sends it again. The
	// webhook contains every change of the payload: those about people as Events, all others,
	// such as template and account updates, as Others.
	//
	// It must support concurrent calls and may retain the webhook. The context is the
	// request's, so it ends with the request, and contains what was put there in front of the
	// handler, such as the tenant of the URL. Credentials prove nothing about the account IDs in the
	// webhook, so trust that tenant and not them.
	Receive func(ctx context.Context, webhook webhooknorm.Webhook) error

	// Pool bounds the memory of large webhooks, each of which has a share of it until Receive has
	// returned. The default is [bound.Default], which all handlers of the process share.
	Pool *bound.Pool

	// OnError, if set, is called for each GET or POST that doesn't reach Receive or that
	// Receive rejects, except a successful handshake. The error is [ErrSignature], an error
	// from [webhooknorm.Read], Receive or Lookup, or one that describes a wrong verify token, an
	// incomplete body, slow lookups or an overload. It contains no request data unless Receive's or Lookup's does.
	// OnError must support concurrent calls.
	OnError func(error)
}

type handler struct {
	cfg    Config
	nobody [][]byte // with Lookup, secrets that nobody knows
}

// New returns the handler for the callback URL of the webhook subscription, or an error if a
// required field of cfg is missing or two contradict each other. The handler responds with
//
//   - 200 if Receive returned nil, and to a signed payload that isn't a webhook, because
//     sending it again wouldn't help;
//   - 400 if the signed payload isn't valid JSON or contains too many events;
//   - 403 if the signature or the verify token is missing or wrong;
//   - 405 if the method is neither GET nor POST;
//   - 408 or 413 if the body doesn't arrive within 30 seconds or is larger than 4 MiB;
//   - 503 if Receive or Lookup failed, or too many webhooks or lookups happen at the same time.
func New(cfg Config) (http.Handler, error) {
	switch {
	case cfg.Receive == nil:
		return nil, errors.New("webhookhttp: no Receive function")
	case cfg.Lookup != nil && (len(cfg.AppSecrets) > 0 || cfg.VerifyToken != ""):
		return nil, errors.New("webhookhttp: Lookup together with AppSecrets or VerifyToken; set either, because Lookup decides for all requests")
	case cfg.Lookup != nil: // it returns them
	case len(cfg.AppSecrets) == 0:
		return nil, errors.New("webhookhttp: no AppSecrets; set the app secret from the app dashboard")
	case cfg.VerifyToken == "":
		return nil, errors.New("webhookhttp: no VerifyToken; set the token of the webhook subscription")
	case slices.ContainsFunc(cfg.AppSecrets, func(secret []byte) bool { return len(secret) == 0 }):
		return nil, errors.New("webhookhttp: empty app secret")
	}
	var nobody [][]byte
	if cfg.Lookup != nil {
		nobody = [][]byte{[]byte(rand.Text()), []byte(rand.Text())}
		cfg.Lookup = limit(cfg.Lookup)
	} else {
		credentials := Credentials{cloneSecrets(cfg.AppSecrets), cfg.VerifyToken}
		cfg.Lookup = func(*http.Request) (Credentials, error) { return credentials, nil }
	}
	if cfg.OnError == nil {
		cfg.OnError = func(error) {}
	}
	if cfg.Pool == nil {
		cfg.Pool = bound.Default()
	}
	return &handler{cfg, nobody}, nil
}

// limit returns a lookup that waits while maxLookups others run, and whose requests' contexts end after
// lookupTime. The context of a POST doesn't end when the client leaves, because the body is unread.
func limit(lookup func(*http.Request) (Credentials, error)) func(*http.Request) (Credentials, error) {
	running := make(chan struct{}, maxLookups)
	return func(r *http.Request) (Credentials, error) {
		ctx, cancel := context.WithTimeout(r.Context(), lookupTime)
		defer cancel()
		select {
		case running <- struct{}{}:
			defer func() { <-running }()
			return lookup(r.WithContext(ctx))
		case <-ctx.Done():
			return Credentials{}, errLookups
		}
	}
}

// cloneSecrets copies secrets, so that the caller may overwrite them after New.
func cloneSecrets(secrets [][]byte) [][]byte {
	clones := make([][]byte, len(secrets))
	for i, secret := range secrets {
		clones[i] = bytes.Clone(secret)
	}
	return clones
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		bound.CloseUnread(w, r)
		credentials, err := h.cfg.Lookup(r)
		if err != nil {
			h.fail(w, http.StatusServiceUnavailable, err)
			return
		}
		challenge, ok := webhooknorm.Challenge(r.URL.Query(), credentials.VerifyToken)
		if !ok {
			h.fail(w, http.StatusForbidden, errToken)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, challenge)
	case http.MethodPost:
		h.receive(w, r)
	default:
		bound.CloseUnread(w, r)
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "method not allowed; use GET or POST", http.StatusMethodNotAllowed)
	}
}

func (h *handler) receive(w http.ResponseWriter, r *http.Request) {
	signature := r.Header.Get("X-Hub-Signature-256")
	if signature == "" {
		h.reject(w, r, http.StatusForbidden, ErrSignature)
		return
	}
	credentials, err := h.cfg.Lookup(r)
	if err != nil {
		h.reject(w, r, http.StatusServiceUnavailable, err)
		return
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero Addr without one
	request := h.cfg.Pool.Begin(r, peer.Addr())
	defer request.End()
	payload, status, err := read(request, w)
	if err != nil {
		h.reject(w, r, status, err)
		return
	}
	var webhook webhooknorm.Webhook
	verify := func() {
		if !webhooknorm.VerifySignature(payload, signature, h.secrets(credentials)...) {
			err = ErrSignature
		} else {
			webhook, err = webhooknorm.Read(payload)
		}
	}
	if len(payload) <= bound.SmallBody {
		verify()
	} else if request.Work(verify) != nil {
		h.reject(w, r, http.StatusServiceUnavailable, errBusy)
		return
	}
	if errors.Is(err, ErrSignature) {
		h.fail(w, http.StatusForbidden, err)
		return
	}
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

// secrets returns the secrets of a request. With Lookup, there are at least two, because the time that a wrong
// signature takes shows how many there are: none of nobody, one of a tenant, and two while it replaces one.
func (h *handler) secrets(c Credentials) [][]byte {
	n := min(len(c.AppSecrets), len(h.nobody))
	return append(slices.Clip(c.AppSecrets), h.nobody[n:]...)
}

// read returns the body, or the status of the error response.
func read(request *bound.Request, w http.ResponseWriter) (payload []byte, status int, err error) {
	payload, err = request.ReadBody(w, maxPayload)
	var middleware *http.MaxBytesError
	switch {
	case errors.Is(err, bound.ErrTooLarge), errors.As(err, &middleware):
		return nil, http.StatusRequestEntityTooLarge, errBody
	case errors.Is(err, bound.ErrBusy):
		return nil, http.StatusServiceUnavailable, errBusy
	case err != nil:
		return nil, http.StatusRequestTimeout, errBody
	}
	return payload, 0, nil
}

// reject fails before the body is read, or ends the connection of a transfer that was ended.
func (h *handler) reject(w http.ResponseWriter, r *http.Request, status int, err error) {
	bound.CloseUnread(w, r)
	h.fail(w, status, err)
}

// fail reports err, but only to OnError, because the sender may be anybody.
func (h *handler) fail(w http.ResponseWriter, status int, err error) {
	h.cfg.OnError(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "10")
	}
	http.Error(w, http.StatusText(status), status)
}
