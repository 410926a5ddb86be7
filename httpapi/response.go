package httpapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"

	"github.com/hailmark/hailmark/httpapi/bound"
	"github.com/hailmark/hailmark/httpapi/wire"
	"github.com/hailmark/hailmark/internal/negotiate"
	"github.com/hailmark/hailmark/problem"
)

// A response is a successful response with status 200 or 304.
type response struct {
	contentType string
	body        []byte
	gzip        []byte // the compressed body, or nil
	encoding    string
	cache       string // Cache-Control of a GET
	etag        string // strong and quoted; "" is a hash of the body
	filename    string // for browsers that save the body, or ""
	qrWarning   string // the header X-QR-Warning, or ""
	notModified bool   // the client knows etag already
}

const (
	mediaJSON = "application/json"

	cacheJSON       = "public, max-age=60, s-maxage=3600, stale-while-revalidate=86400"
	cacheQR         = "public, max-age=86400, s-maxage=604800, stale-while-revalidate=86400"
	noStore         = "no-store"
	internalMessage = "something went wrong on our side; the request may be tried again"
)

func jsonResponse(v any) (response, error) {
	body, err := encodeJSON(v)
	return response{contentType: mediaJSON, body: body, cache: cacheJSON}, err
}

// encodeJSON encodes v. Unlike json.Marshal, it doesn't escape <, > and & in links.
func encodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return buf.Bytes(), err
}

// A responder writes one response.
type responder struct {
	handler  *Handler
	w        http.ResponseWriter
	r        *http.Request
	client   netip.Addr     // under which the request is counted
	request  *bound.Request // with a body or a large response, or nil
	bodyRead bool
	values   []string   // of the header
	space    [14]string // for values, in one allocation

	// For the observation.
	route     string
	status    int
	code      problem.Code
	byNetwork bool
	bytes     int
	gone      bool // the client has left
}

// newResponder returns a responder and sets the header fields of every response. The allowed origin
// is always "*", so that caches can serve a response to any origin.
func (h *Handler) newResponder(w http.ResponseWriter, r *http.Request) *responder {
	out := &responder{handler: h, w: w, r: r}
	out.values = out.space[:0]
	out.set("X-Content-Type-Options", "nosniff")
	if !h.disableCORS {
		out.set("Access-Control-Allow-Origin", "*")
		out.set("Access-Control-Expose-Headers", "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ETag, Content-Disposition, Age, Date, X-Request-Id, X-QR-Warning")
		out.set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	return out
}

// set sets a header field. The name must be canonical.
func (out *responder) set(name, value string) {
	out.values = append(out.values, value)
	n := len(out.values)
	out.w.Header()[name] = out.values[n-1 : n : n]
}

func (out *responder) writeResponse(resp response) {
	if out.r.Method == http.MethodPost {
		out.set("Cache-Control", noStore)
	} else {
		if resp.gzip != nil {
			out.set("Vary", "Accept-Encoding")
			if resp.encoding = negotiate.Encoding(out.r.Header["Accept-Encoding"], "gzip"); resp.encoding != "" {
				resp.body = resp.gzip
			}
		}
		out.set("Cache-Control", resp.cache)
		if resp.etag == "" {
			resp.etag = etagOf(resp.body)
		}
		out.set("Etag", resp.etag)
		resp.notModified = resp.notModified || negotiate.Matches(out.r.Header["If-None-Match"], resp.etag)
	}
	if resp.notModified {
		out.writeHeader(http.StatusNotModified)
		return
	}
	if resp.encoding != "" {
		out.set("Content-Encoding", resp.encoding)
	}
	if resp.filename != "" {
		out.set("Content-Disposition", `inline; filename="`+resp.filename+`"`)
	}
	if resp.qrWarning != "" {
		out.set("X-Qr-Warning", resp.qrWarning)
	}
	if resp.contentType == mediaSVG {
		out.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	}
	out.write(http.StatusOK, resp.contentType, resp.body)
}

// writeProblem responds with err's first problem. Only an internal error's type is logged,
// because its text may contain data from the request.
func (out *responder) writeProblem(err error) {
	problems := problem.All(err)
	if len(problems) == 0 {
		out.logError("internal error", "cause", fmt.Sprintf("%T", err))
		out.writeError(CodeInternal, internalMessage)
		return
	}
	out.writeError(problems[0].Code, problems[0].Message)
}

func (out *responder) logError(message string, attrs ...any) {
	attrs = append([]any{"method", methodName(out.r.Method), "route", out.route}, attrs...)
	out.handler.logger.ErrorContext(out.r.Context(), message, attrs...)
}

func (out *responder) writeError(code problem.Code, message string) {
	if code == CodeOverloaded {
		out.set("Retry-After", overloadedRetryAfter)
	}
	out.code = code
	out.set("Cache-Control", noStore)
	out.write(cmp.Or(statuses[code], http.StatusBadRequest), mediaJSON, encodeError(code, message))
}

func encodeError(code problem.Code, message string) []byte {
	body, _ := encodeJSON(errorBody{wire.Problem{Code: code, Message: message}}) // two strings always encode
	return body
}

// WriteError responds with an error in the API's format, so that handlers beside the API can use the
// same. Web pages of any origin may read it. If the request has a body that hasn't been read,
// WriteError doesn't wait for it, and the connection is closed.
func WriteError(w http.ResponseWriter, r *http.Request, status int, code problem.Code, message string) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cache-Control", noStore)
	header.Set("Content-Type", mediaJSON)
	header.Set("X-Content-Type-Options", "nosniff")
	bound.CloseUnread(w, r)
	w.WriteHeader(status)
	_, _ = w.Write(encodeError(code, message)) // fails if the client has left
}

func (out *responder) write(status int, contentType string, body []byte) {
	isHead := out.r.Method == http.MethodHead
	if len(body) > bound.SmallBody && !isHead && out.begin().Reserve(out.w, int64(len(body))) != nil {
		out.writeProblem(errOverloaded)
		return
	}
	out.set("Content-Type", contentType)
	if isHead || len(body) > 2<<10 { // net/http adds the length of a short body at less cost
		out.set("Content-Length", strconv.Itoa(len(body)))
	}
	out.writeHeader(status)
	if isHead {
		return
	}
	if err := out.send(body); err != nil {
		out.gone = true // net/http closes the connection, because the length is wrong
	}
}

func (out *responder) writeHeader(status int) {
	if !out.bodyRead || out.code == CodeOverloaded {
		bound.CloseUnread(out.w, out.r)
	}
	out.status = status
	out.w.WriteHeader(status)
}

// preflight responds to OPTIONS. It succeeds on unknown paths too, because browsers hide the 404 of
// a request whose preflight failed.
func (out *responder) preflight(allow string) {
	out.set("Allow", allow)
	if !out.handler.disableCORS {
		out.set("Access-Control-Allow-Methods", allow)
		out.set("Access-Control-Allow-Headers", "*, Authorization, Content-Type")
		out.set("Access-Control-Max-Age", "86400")
	}
	out.writeHeader(http.StatusNoContent)
}

// etagOf returns a strong ETag, which is the same in every process.
func etagOf(identity []byte) string {
	const hash = 12
	sum := sha256.Sum256(identity)
	var tag [1 + hash*8/6 + 1]byte
	tag[0], tag[len(tag)-1] = '"', '"'
	base64.RawURLEncoding.Encode(tag[1:], sum[:hash])
	return string(tag[:])
}
