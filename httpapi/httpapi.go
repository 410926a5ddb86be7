// Package httpapi serves links, validation, QR codes and helpers for the WhatsApp Business
// Platform below /api/v1. It needs no API keys and stores nothing.
//
//	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com"})
//	…
//	mux.Handle("/api/v1/", api)
//
// The handler also works below another path, with or without [http.StripPrefix]:
//
//	mux.Handle("/wa/", api) // with the BaseURL https://example.com/wa
//
// # Routes
//
// A GET accepts its parameters in the query and a POST in a JSON object. Parameters in brackets are
// optional, but qr requires either username or phone, and contact/resolve exactly one identifier.
// A key is a username key, a code of 4 to 8 letters or digits that people can require before
// strangers write to their username. With a country, a phone number may be a national one.
//
//	GET  /api/v1/username-link               username [key] [text]
//	GET  /api/v1/phone-link                  phone [country] [text]
//	GET  /api/v1/validate/username           username
//	GET  /api/v1/validate/key                key
//	GET  /api/v1/validate/phone              phone [country]
//	GET  /api/v1/qr                          [username] [phone] [country] [text] [format] [size] [color] [bg]
//	GET  /api/v1/openapi.json
//	POST /api/v1/business/bsuid/validate     bsuid
//	POST /api/v1/business/bsuid/parse        bsuid
//	POST /api/v1/business/username/validate  username
//	POST /api/v1/business/contact/resolve    [bsuid] [phone] [country] [username]
//	POST /api/v1/business/webhook/normalize  a webhook
//	POST /api/v1/business/webhook/read       a webhook
//
// [Config.ShortLinks] adds GET /{username} and /@{username}, which redirect to the chat. Each GET route
// also supports HEAD, and each path OPTIONS. The OpenAPI document specifies the details.
//
// # Errors
//
// An error has the status 4xx or 5xx and a JSON body with the first problem:
//
//	{"error":{"code":"username_length","message":"username has 1 character; the length must be 3-35 characters"}}
//
// Programs should compare the code, because the message may change. For an invalid value, the
// validate routes instead return 200 with "valid":false and, except for BSUIDs, the reasons.
//
// # Limits
//
// By default, a client may make 20 requests for QR codes and 60 others per minute. Further
// requests get 429 with a Retry-After header. A client is an IPv4 address or an IPv6 /64. An IPv6 /56
// is limited to 16 times as many requests, and a /48 to 256 times. Behind a proxy, set
// [Config.ClientAddr]; otherwise all its users share one limit. The function should only read a
// header that the proxy overwrites, because clients can send any other header themselves.
//
// A webhook may be 4 MiB long, any other body 64 KiB, and a response 8 MiB. Package wire contains the JSON
// of the responses about webhooks and contacts.
//
// # Memory
//
// A large request waits up to 20 seconds for room in [Config.Pool], and otherwise gets 503 with a
// Retry-After header. A body or a response may take 30 seconds. Connections and headers are the server's;
// package bound bounds them, too, and the [deployment guide] says what else a server needs.
//
// # Privacy
//
// The handler logs only panics and internal errors, with the route but without any data from the
// request. An [Observation] doesn't contain such data either.
//
// [deployment guide]: https://github.com/hailmark/hailmark/blob/main/docs/deploy.md#your-own-server
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
	"sync"
	"time"

	"github.com/hailmark/hailmark/httpapi/bound"
)

// A Config configures a handler. Only BaseURL has no default.
type Config struct {
	// BaseURL is the handler's public address without /api/v1. Short links and the OpenAPI
	// document contain it. A request's Host is ignored because it may be forged.
	BaseURL string

	// ChatHost is the host of click-to-chat links. The default is wa.me.
	ChatHost string

	// Notice describes where username links work. It must begin with "As of " and a date, as in
	// "As of 2026-11-21, …". The default is this version's notice.
	Notice string

	// Routes selects routes by path prefix, such as "/api/v1/validate/". The default is all
	// routes. The OpenAPI document, which is always served, describes only these.
	Routes []string

	// ShortLinks adds short links: GET /jane.doe?text=Hi and /@jane.doe redirect to the
	// click-to-chat link with 302. The handler then serves every path with one segment, so
	// mount it at the root of BaseURL. Paths that servers use themselves, such as
	// /favicon.ico and /docs, don't redirect. Short links aren't counted.
	ShortLinks bool

	// Limiter limits each client's requests. The default counts in memory and has the default
	// limits. In addition, the handler limits IPv6 networks.
	Limiter Limiter

	// ClientAddr returns the client's address, for example from a trusted proxy's header. By
	// default, it's the connection's remote address. Clients with the zero Addr share a limit.
	// ClientAddr must support concurrent calls.
	ClientAddr func(*http.Request) netip.Addr

	// DisableCORS omits the CORS headers, so that middleware can set them. By default, web
	// pages of any origin may call the API.
	DisableCORS bool

	// Pool bounds the memory of large requests. The default is [bound.Default], which all handlers
	// of the process share.
	Pool *bound.Pool

	// Logger logs panics and internal errors; nil discards them.
	Logger *slog.Logger

	// Observe, if set, is called after each response with the request's context, also after
	// panics. It must support concurrent calls.
	Observe func(context.Context, Observation)
}

// A Handler serves the API. It's safe for concurrent use, starts no goroutines, and doesn't need
// to be closed. Handlers are independent unless they share a [Limiter] or a [bound.Pool].
type Handler struct {
	base        baseURL
	basePath    string // without a final slash
	chatHost    host
	notice      string
	routes      map[string]*route
	openapi     func() (response, error)
	limiter     Limiter
	networks    *memoryLimiter // counts IPv6 networks
	shortLinks  bool
	disableCORS bool
	clientOf    func(*http.Request) netip.Addr
	logger      *slog.Logger
	observe     func(context.Context, Observation)
	now         func() time.Time
	pool        *bound.Pool
}

// New returns a handler. Its error identifies every invalid field.
func New(cfg Config) (*Handler, error) {
	h := &Handler{
		notice:      cmp.Or(cfg.Notice, usernameNotice),
		limiter:     cfg.Limiter,
		shortLinks:  cfg.ShortLinks,
		disableCORS: cfg.DisableCORS,
		clientOf:    cfg.ClientAddr,
		logger:      cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
		observe:     cfg.Observe,
		now:         time.Now,
		pool:        cfg.Pool,
	}
	var errs []error
	check := func(field string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("httpapi: Config.%s: %w", field, err))
		}
	}
	var err error
	if cfg.BaseURL == "" {
		err = errors.New("it's empty; set it to the public address, such as https://example.com")
	} else if h.base, err = parseBaseURL(cfg.BaseURL); err == nil {
		u, _ := url.Parse(h.base.String()) // the base is one
		h.basePath = strings.TrimRight(u.Path, "/")
	}
	check("BaseURL", err)
	if cfg.ChatHost != "" {
		h.chatHost, err = parseHost(cfg.ChatHost)
		check("ChatHost", err)
	}
	if cfg.Notice != "" {
		check("Notice", checkNotice(cfg.Notice))
	}
	h.routes, err = indexRoutes(cfg.Routes)
	check("Routes", err)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if h.pool == nil {
		h.pool = bound.Default()
	}
	var inMemory bool
	if h.networks, inMemory = h.limiter.(*memoryLimiter); !inMemory {
		h.networks = newMemoryLimiter(Limits{}, limiterEntries)
	}
	if h.limiter == nil {
		h.limiter = h.networks
	}
	h.openapi = sync.OnceValues(func() (response, error) { return describe(h.base, h.routes) })
	return h, nil
}

// ServeHTTP serves a request unless its client is above the rate limit.
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
		rt, out.route, allow = &shortLink, shortLinkRoute, shortLink.allow()
	}
	if r.Method == http.MethodOptions {
		out.preflight(allow)
		return
	}
	if wait, ok := out.count(rt); !ok {
		out.set("Retry-After", wait)
		whose := "too many requests"
		if out.byNetwork {
			whose = "too many requests from your network"
		}
		out.writeError(CodeRateLimited, whose+"; try again in "+wait+" s")
		return
	}
	switch {
	case rt == nil:
		out.writeError(CodeNotFound, "there is nothing at this path; "+h.base.String()+prefix+"/openapi.json describes the API")
	case !rt.accepts(r.Method):
		out.set("Allow", allow)
		out.writeError(CodeMethodNotAllowed, "method not allowed; use "+allow)
	case rt == &shortLink:
		out.serveShortLink(path)
	default:
		out.serve(rt)
	}
}

// count asks the limiter and sets the rate limit headers. If the client has used up its limit,
// it returns the seconds to wait and false. Short links aren't counted.
func (out *responder) count(rt *route) (wait string, ok bool) {
	if rt == &shortLink {
		return "", true
	}
	route := ""
	if rt != nil && rt.accepts(out.r.Method) {
		route = rt.path
	}
	h := out.handler
	out.client = h.clientAddr(out.r)
	d, byNetwork := h.networks.takeNetworks(out.client, route, h.limiter.Take(out.r.Context(), out.client, route))
	out.byNetwork = byNetwork
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
	defer func() {
		if out.request != nil {
			out.request.End()
		}
	}()
	resp, err := out.respond(rt)
	if err != nil {
		out.writeProblem(err)
		return
	}
	out.writeResponse(resp)
}

// respond returns the response. When it returns, nothing refers to the body.
func (out *responder) respond(rt *route) (resp response, err error) {
	in, err := out.read(rt)
	if err != nil {
		return response{}, err
	}
	if len(in.body) <= bound.SmallBody {
		in.mostBytes = bound.SmallBody
		if resp, err = rt.run(out.handler, in); !errors.Is(err, CodeResponseTooLarge) {
			return resp, err
		}
		if out.begin().Reserve(out.w, maxResponse) != nil { // while it may wait, because it holds nothing
			return response{}, out.overloaded()
		}
	}
	in.mostBytes = maxResponse
	ended := out.begin().Work(func() {
		resp, err = rt.run(out.handler, in)
		if err == nil && out.begin().Reserve(out.w, int64(len(resp.body))) != nil {
			resp, err = response{}, errOverloaded
		}
	})
	if ended != nil {
		return response{}, out.overloaded()
	}
	return resp, err
}

// overloaded returns the error for a request that waited in vain for room or for its turn.
func (out *responder) overloaded() error {
	out.gone = out.r.Context().Err() != nil
	return errOverloaded
}

// recoverPanic responds to a panic with 500. It cuts off a response that has begun; otherwise the
// client would mistake it for a complete one. A panic's value isn't logged because it may
// contain client data, except for runtime errors.
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
