// Package httpapi is the HTTP API of this module: links, validation, QR codes and helpers
// for the business API, below /api/v1. It needs no keys and stores nothing.
//
//	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com"})
//	…
//	mux.Handle("/api/v1/", api)
//
// Under a prefix, strip it, and let BaseURL end in it:
//
//	mux.Handle("/wa/", http.StripPrefix("/wa", api))
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
// The handler describes itself at /api/v1/openapi.json. It starts no goroutines, keeps
// only the request counters, and does not need to be closed. It makes no outgoing
// requests: every response depends on the request alone. Handlers in one process are
// independent unless they share a [Limiter].
//
// # Limits
//
// Requests are counted for each client, an IPv4 address or an IPv6 /64, in windows of 60
// seconds: one counter for QR codes and one for everything else. The window opens with
// the first counted request, so up to twice the limit can pass within a minute, half
// before its end and half after. List proxies in [Config.TrustedProxies]; otherwise all
// users of a proxy count as one client.
//
// A CDN can cache responses to GET. The X-RateLimit-Remaining of a cached response, which
// has an Age header, belongs to the client that filled the cache.
//
// # Memory
//
// Requests in flight share a budget of bytes ([Config.MemoryBudget]). A large request
// that does not fit waits for a few seconds and then gets 503 with the code overloaded.
// While requests wait, clients that stall an upload or do not read their response lose
// their place. This needs [http.ResponseController] to work, so middleware that wraps the
// ResponseWriter must have an Unwrap method.
//
// # Privacy
//
// Only panics are logged, with the route and the stack and without any part of the
// request. An [Observation] contains no data from the request.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// The default limits, in requests per client per minute.
const (
	DefaultJSONLimit = 60
	DefaultQRLimit   = 20
)

// Unlimited switches a limit off. Requests are then not counted, and responses have no
// rate limit headers.
const Unlimited = -1

// The default of [Config.MemoryBudget], and its minimum, which is enough for the largest
// body.
const (
	DefaultMemoryBudget = 48 << 20
	MinMemoryBudget     = 16 << 20
)

// A Config configures a handler. Only BaseURL has no default.
type Config struct {
	// BaseURL is where clients reach the handler, without /api/v1. Short links and
	// the OpenAPI document begin with it. It is never taken from a request, since a
	// forged Host would end up in caches.
	BaseURL string

	// ChatHost is the host of click-to-chat links; empty is [chatlink.DefaultHost].
	ChatHost string

	// Notice describes the status of username links and begins with a date, as in "As of
	// 2026-11-21, …"; empty is [chatlink.DefaultNotice].
	Notice string

	// QRLimit is the number of requests per minute that a client may make to GET
	// /api/v1/qr, and JSONLimit to all other routes. 0 is the default, [Unlimited] means
	// no limit.
	JSONLimit, QRLimit int

	// ShortLinks adds short links: GET /jane.doe and /@jane.doe redirect to the
	// click-to-chat link of that username with 302; a parameter text becomes part of the
	// link. The handler then takes every path of one segment, so mount it at the root of
	// the BaseURL. Paths that a server may need itself, such as /favicon.ico and /docs,
	// are never redirected. Short links are not counted.
	ShortLinks bool

	// Limiter counts the requests; nil is a [MemoryLimiter] of the default size.
	Limiter Limiter

	// TrustedProxies are the addresses of the proxies. X-Forwarded-For is used only if it
	// comes from them. List only proxies: a client inside a trusted range can claim any
	// address. [ParseProxies] reads them from a setting.
	TrustedProxies []netip.Prefix

	// Forwarded says that these proxies write Forwarded (RFC 7239), so that it is read
	// instead of X-Forwarded-For. If they do not, clients can write it as they like.
	Forwarded bool

	// LeaveCORS leaves CORS to the program that mounts the handler: responses have no
	// CORS headers, and OPTIONS returns only Allow.
	LeaveCORS bool

	// MemoryBudget is the approximate number of bytes that the requests in flight may
	// hold together: bodies, decoded values, and responses until they are written. A
	// large request that does not fit waits for a few seconds and then gets 503 with the
	// code overloaded. An eighth of the budget is reserved for small requests. 0 is
	// [DefaultMemoryBudget]; less than [MinMemoryBudget] is refused. The process needs
	// two to three times as much, because memory is freed only when the garbage collector
	// runs.
	MemoryBudget int64

	// RequestIDs gives each request a random id, which its response has as X-Request-Id.
	// The X-Request-Id of a client may be personal data and is not used.
	RequestIDs bool

	// Logger receives panics. If nil, nothing is logged.
	Logger *slog.Logger

	// If not nil, Observe is called after each request, in its goroutine and with its
	// context.
	Observe func(context.Context, Observation)

	// Now is the clock of the limits; nil is [time.Now].
	Now func() time.Time
}

// An api is the handler that New returns.
type api struct {
	settings
	limiter    Limiter
	shortLinks bool
	logger     *slog.Logger
	observe    func(context.Context, Observation)
	now        func() time.Time
	openapi    []byte
	memory     *memoryBudget
	leaveCORS  bool
	requestIDs bool
	processors *processors
}

// New returns the handler of all routes, and of short links if cfg asks for them. Its
// error joins a [*ConfigError] for every problem of cfg.
func New(cfg Config) (http.Handler, error) {
	parsed, problems := cfg.parse()
	if len(problems) > 0 {
		errs := make([]error, len(problems))
		for i, p := range problems {
			errs[i] = p
		}
		return nil, errors.Join(errs...)
	}
	a := &api{
		settings:   parsed,
		limiter:    cfg.Limiter,
		shortLinks: cfg.ShortLinks,
		logger:     cfg.Logger,
		observe:    cfg.Observe,
		now:        cfg.Now,
		memory:     newMemoryBudget(parsed.memory),
		leaveCORS:  cfg.LeaveCORS,
		requestIDs: cfg.RequestIDs,
	}
	a.processors = newProcessors(max(1, runtime.GOMAXPROCS(0)/2), a.memory.bodies)
	if a.limiter == nil {
		a.limiter = newMemoryLimiter(defaultLimiterEntries)
	}
	if a.logger == nil {
		a.logger = slog.New(slog.DiscardHandler)
	}
	if a.now == nil {
		a.now = time.Now
	}
	var err error
	a.openapi, err = describe(a.base)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// ServeHTTP finds the route, counts the request, and writes the response.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := a.newResponder(w, r)
	if a.observe != nil {
		defer out.observe(a.observe, time.Now())
	}
	defer a.recoverPanic(out)

	if a.shortLinks && strings.LastIndexByte(r.URL.Path, '/') == 0 && r.URL.Path != "/" {
		a.serveShortLink(out)
		return
	}
	routes, known := routesOf(r.URL)
	if known {
		out.route = r.URL.Path
	}
	if r.Method == http.MethodOptions {
		out.preflight(routes.allow)
		return
	}
	rt := routes.forMethod(r.Method)
	if wait, ok := a.count(out, rt); !ok {
		out.set("Retry-After", wait)
		out.writeError(CodeRateLimited, "too many requests; try again in "+wait+" s")
		return
	}
	switch {
	case !known:
		out.writeError(CodeNotFound, "there is nothing at this path; "+a.base.String()+prefix+"/openapi.json describes the API")
	case rt == nil:
		out.set("Allow", routes.allow)
		out.writeError(CodeMethodNotAllowed, "this path takes "+routes.allow)
	default:
		a.serve(out, rt)
	}
}

// count counts the request and says so in the header. If the client has spent its
// limit, it returns false and the seconds to wait.
func (a *api) count(out *responder, rt *route) (wait string, ok bool) {
	class := ClassDefault
	if rt != nil {
		class = rt.class
	}
	out.client = a.proxies.client(out.r)
	if a.limits[class] == Unlimited {
		return "", true
	}
	d := a.limiter.Take(out.r.Context(), out.client, class, a.limits[class], a.now())
	out.usedFallback = d.UsedFallback
	out.set("X-Ratelimit-Limit", strconv.Itoa(d.Limit))
	out.set("X-Ratelimit-Remaining", strconv.Itoa(d.Remaining))
	out.set("X-Ratelimit-Reset", strconv.FormatInt(d.resetUnix(), 10))
	if d.Allowed {
		return "", true
	}
	return strconv.FormatInt(d.retryAfter(), 10), false
}

func (a *api) serve(out *responder, rt *route) {
	defer func() {
		out.releaseProcessor()
		out.releaseMemory()
	}()
	in, err := a.read(out, rt)
	if err != nil {
		out.writeProblem(err)
		return
	}
	resp, err := a.handle(out, rt, in)
	if resp.stream == nil {
		out.releaseProcessor()
		out.releaseMemory()
	}
	if err != nil {
		out.writeProblem(err)
		return
	}
	out.writeResponse(resp)
}

// handle returns the result of a request.
func (a *api) handle(out *responder, rt *route, in input) (response, error) {
	if isLarge(in.body) {
		if err := a.admitLarge(out, in.body); err != nil {
			return response{}, err
		}
	}
	if rt.body != nil && rt.body.fields != nil {
		if err := in.readFields(); err != nil {
			return response{}, err
		}
	}
	resp, err := rt.result.handle(a, in)
	if resp.stream == nil || out.work != nil {
		return resp, err
	}
	// The body is short, but its response is long. Its events are forgotten while it waits.
	if err := a.admitLarge(out, in.body); err != nil {
		return response{}, err
	}
	return rt.result.handle(a, in)
}

// recoverPanic responds to a panic with 500. It cuts off a response that has begun,
// because a part must not pass for the whole. It logs what cannot contain data of a
// client: the stack and the text of runtime errors, but not the value of other panics.
func (a *api) recoverPanic(out *responder) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler { //nolint:errorlint // the very value is the signal
		panic(v)
	}
	cause := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		cause = err.Error()
	}
	out.logError("panic", "cause", cause, "stack", string(debug.Stack()))
	if out.status != 0 {
		panic(http.ErrAbortHandler)
	}
	out.writeError(CodeInternal, internalMessage)
}
