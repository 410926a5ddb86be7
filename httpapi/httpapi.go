// Package httpapi is the HTTP API of this module: links, validation, QR codes and helpers
// for the business API, below /api/v1. It needs no keys and stores nothing.
//
//	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com"})
//	…
//	mux.Handle("/api/v1/", api)
//
// Under a prefix, let BaseURL end in it. Routers that strip the prefix work too:
//
//	mux.Handle("/wa/", api) // with BaseURL https://example.com/wa
//
// # Routes
//
// Parameters are in the query of a GET and in the JSON body of a POST; those in brackets
// are optional.
//
//	GET  /api/v1/username-link               username [key] [text]
//	GET  /api/v1/phone-link                  phone [text]
//	GET  /api/v1/validate/username           username
//	GET  /api/v1/validate/key                key
//	GET  /api/v1/validate/phone              phone
//	GET  /api/v1/qr                          [username] [phone] [text] [format] [size] [color] [bg]
//	GET  /api/v1/openapi.json
//	POST /api/v1/business/bsuid/validate     bsuid
//	POST /api/v1/business/bsuid/parse        bsuid
//	POST /api/v1/business/username/validate  username
//	POST /api/v1/business/contact/resolve    [bsuid] [phone] [username]
//	POST /api/v1/business/webhook/normalize  a webhook
//
// With [Config.ShortLinks], GET /{username} and /@{username} redirect to the chat. HEAD
// works wherever GET does, and OPTIONS on every path.
//
// The handler describes itself at /api/v1/openapi.json. It starts no goroutines, makes no
// outgoing requests, keeps only the request counters, and doesn't need to be closed.
// Handlers in one process are independent unless they share a [Limiter].
//
// # Limits
//
// Requests are counted for each client, an IPv4 address or an IPv6 /64, in windows of 60
// seconds: one counter for QR codes and one for everything else. See [MemoryLimiter] for
// larger networks. Behind a proxy, set [Config.ClientAddr]; otherwise all its users count as
// one client.
//
// A CDN can cache responses to GET. The X-RateLimit-Remaining of a cached response, which
// has an Age header, belongs to the client that filled the cache.
//
// # Large requests
//
// A body has at most 4 MiB, and a response 8 MiB. The first 16 KiB of a body must arrive
// within 5 seconds. A request that needs more takes one of 8 slots; a client, for this
// purpose an IPv4 address or an IPv6 /48, gets at most 4. The client with the fewest slots is
// next, and after 4 seconds in line the response is 503 with the code overloaded. With a
// slot, a body must arrive at 64 KiB every second and within 30 seconds, otherwise the
// response is 408 with the code request_timeout; a client that doesn't read its response is
// cut off in the same way. When others have waited for a second, the slowest transfer of the
// client with the most slots loses its slot. Small requests never wait.
//
// The handler sets these deadlines with an [http.ResponseController], so it needs none of the
// server, although a ReadHeaderTimeout is always advisable. Middleware that wraps the
// ResponseWriter should have an Unwrap method. [http.TimeoutHandler] has none, and keeps each
// response in memory until the client has read it, up to 8 MiB for each connection. The handler
// doesn't need it; below it, bound the connections, and give the server a ReadTimeout and a
// WriteTimeout.
//
// # Privacy
//
// Only panics are logged, with the route and the stack and without any part of the
// request. An [Observation] contains no data from the request.
package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/internal/service"
)

// A Config configures a handler. Only BaseURL has no default.
type Config struct {
	// BaseURL is where clients reach the handler, without /api/v1. Short links and
	// the OpenAPI document begin with it. It's never taken from a request, since a
	// forged Host would end up in caches.
	BaseURL string

	// ChatHost is the host of click-to-chat links; empty is wa.me.
	ChatHost string

	// Notice describes the status of username links and begins with a date, as in "As of
	// 2026-11-21, …"; empty is the notice of this version.
	Notice string

	// Routes selects groups of routes, as in LinkRoutes | ValidationRoutes; 0 is all.
	Routes Routes

	// ShortLinks adds short links: GET /jane.doe and /@jane.doe redirect to the
	// click-to-chat link of that username with 302; a parameter text becomes part of the
	// link. The handler then takes every path of one segment, so mount it at the root of
	// the BaseURL. Paths that a server may need itself, such as /favicon.ico and /docs,
	// are never redirected. Short links aren't counted.
	ShortLinks bool

	// Limiter counts the requests; nil is a [MemoryLimiter] with the default [Limits].
	Limiter Limiter

	// ClientAddr returns the address of a request's client, such as one from a header
	// that a trusted proxy has set; nil means the peer of the connection. Requests with
	// the zero Addr are those of one client.
	ClientAddr func(*http.Request) netip.Addr

	// DisableCORS leaves CORS to middleware: OPTIONS returns only Allow.
	DisableCORS bool

	// RequestID returns the id that a response has as X-Request-Id; nil means none.
	RequestID func(*http.Request) string

	// Logger receives panics. If nil, nothing is logged.
	Logger *slog.Logger

	// Observe, if not nil, is called after each request, with its context.
	Observe func(context.Context, Observation)
}

// Routes are groups of routes. The OpenAPI document describes those that are selected.
type Routes uint8

// The groups of routes.
const (
	LinkRoutes       Routes = 1 << iota // username-link, phone-link and qr
	ValidationRoutes                    // validate/…
	BusinessRoutes                      // business/…
	allRoutes        = LinkRoutes | ValidationRoutes | BusinessRoutes
)

// A Handler is the HTTP API. It's safe for concurrent use.
type Handler struct {
	base        service.BaseURL
	basePath    string // of base, without a slash at its end
	chatHost    service.Host
	notice      string
	routes      map[string]*route
	openapi     []byte
	limiter     Limiter
	shortLinks  bool
	disableCORS bool
	clientOf    func(*http.Request) netip.Addr
	idOf        func(*http.Request) string
	logger      *slog.Logger
	observe     func(context.Context, Observation)
	now         func() time.Time

	slots   slots
	working chan struct{} // holds a value for each request that decodes or encodes much
}

// New returns the handler of the routes, and of short links if cfg asks for them. Its error
// names every field that is wrong.
func New(cfg Config) (*Handler, error) {
	h := &Handler{
		notice:      cmp.Or(cfg.Notice, service.DefaultNotice),
		limiter:     cfg.Limiter,
		shortLinks:  cfg.ShortLinks,
		disableCORS: cfg.DisableCORS,
		clientOf:    cfg.ClientAddr,
		idOf:        cfg.RequestID,
		logger:      cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
		observe:     cfg.Observe,
		now:         time.Now,
		working:     make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), // so that small requests find a processor
	}
	var errs []error
	check := func(field string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("httpapi: Config.%s: %w", field, err))
		}
	}
	var err error
	if cfg.BaseURL == "" {
		err = errors.New("must be set, such as https://example.com")
	} else if h.base, err = service.ParseBaseURL(cfg.BaseURL); err == nil {
		u, _ := url.Parse(h.base.String()) // the base is one
		h.basePath = strings.TrimRight(u.Path, "/")
	}
	check("BaseURL", err)
	if cfg.ChatHost != "" {
		h.chatHost, err = service.ParseHost(cfg.ChatHost)
		check("ChatHost", err)
	}
	if cfg.Notice != "" {
		check("Notice", service.CheckNotice(cfg.Notice))
	}
	if cfg.Routes&^allRoutes != 0 {
		check("Routes", fmt.Errorf("must be a combination of the groups; got %#x", uint8(cfg.Routes)))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if h.limiter == nil {
		if h.limiter, err = NewMemoryLimiter(Limits{}, 0); err != nil {
			return nil, err
		}
	}
	h.routes = indexRoutes(cmp.Or(cfg.Routes, allRoutes))
	h.openapi, err = describe(h.base, h.routes)
	return h, err
}

// ServeHTTP finds the route, counts the request, and writes the response.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := h.newResponder(w, r)
	if h.observe != nil {
		defer out.observe(time.Now())
	}
	defer out.recoverPanic()

	path, rt := h.find(r.URL)
	allow := "GET, POST"
	if rt != nil {
		out.route, allow = path, rt.allow()
	} else if h.shortLinks && strings.LastIndexByte(path, '/') == 0 && path != "/" {
		out.serveShortLink(path)
		return
	}
	if r.Method == http.MethodOptions {
		out.preflight(allow)
		return
	}
	if wait, ok := out.count(rt); !ok {
		out.set("Retry-After", wait)
		out.writeError(CodeRateLimited, "too many requests; try again in "+wait+" s")
		return
	}
	switch {
	case rt == nil:
		out.writeError(CodeNotFound, "there is nothing at this path; "+h.base.String()+prefix+"/openapi.json describes the API")
	case !rt.accepts(r.Method):
		out.set("Allow", allow)
		out.writeError(CodeMethodNotAllowed, "this path takes "+allow)
	default:
		out.serve(rt)
	}
}

// count counts the request and says so in the header. If the client has spent its
// limit, it returns false and the seconds to wait.
func (out *responder) count(rt *route) (wait string, ok bool) {
	class := ClassJSON
	if rt != nil && rt.accepts(out.r.Method) {
		class = rt.class
	}
	h := out.handler
	out.client = h.clientAddr(out.r)
	d := h.limiter.Take(out.r.Context(), out.client, class)
	out.usedFallback = d.UsedFallback
	if d.Limit != 0 {
		out.set("X-Ratelimit-Limit", strconv.Itoa(d.Limit))
		out.set("X-Ratelimit-Remaining", strconv.Itoa(d.Remaining))
		out.set("X-Ratelimit-Reset", strconv.FormatInt(d.resetUnix(h.now()), 10))
	}
	if d.Allowed {
		return "", true
	}
	return strconv.FormatInt(d.retryAfter(), 10), false
}

func (out *responder) serve(rt *route) {
	defer func() { out.slot.release() }()
	in, err := out.read(rt)
	var resp response
	if err == nil {
		resp, err = out.handle(rt, in)
	}
	if err != nil {
		out.writeProblem(err)
		return
	}
	out.writeResponse(resp)
}

// handle returns the result of a request. A request without a slot whose response gets long
// is handled again with a slot.
func (out *responder) handle(rt *route, in input) (response, error) {
	if out.slot == nil {
		in.mostBytes = freeBytes
		resp, err := rt.run(out.handler, in)
		if !errors.Is(err, CodeResponseTooLarge) {
			return resp, err
		}
		if err := out.takeSlot(); err != nil {
			return response{}, err
		}
	}
	select {
	case out.handler.working <- struct{}{}:
		defer func() { <-out.handler.working }()
	case <-out.r.Context().Done():
		out.gone = true
		return response{}, errOverloaded
	}
	in.mostBytes = maxResponse
	return rt.run(out.handler, in)
}

// recoverPanic responds to a panic with 500. It cuts off a response that has begun,
// because a part must not pass for the whole. It logs what can't contain data of a
// client: the stack and the text of runtime errors, but not the value of other panics.
func (out *responder) recoverPanic() {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler { //nolint:errorlint // the very value is the signal
		out.gone = true
		panic(v)
	}
	cause := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		cause = err.Error()
	}
	out.logError("panic", "cause", cause, "stack", string(debug.Stack()))
	if out.status != 0 {
		out.gone = true
		panic(http.ErrAbortHandler)
	}
	out.writeError(CodeInternal, internalMessage)
}
