package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hailmark/hailmark/problem"
)

// A response is a successful response: 200, or 304 if the client has it already.
type response struct {
	contentType string
	body        []byte
	stream      func(io.Writer) // writes what is too long to be a body
	cache       string          // Cache-Control of a GET
	etag        string          // strong, with its quotes; "" for the hash of the body
	filename    string          // what a browser saves the body as, or ""
	qrWarning   string          // the header X-QR-Warning, or ""
	notModified bool            // the client has etag already, and there is no body
}

const (
	mediaJSON = "application/json"

	cacheJSON = "public, max-age=60, s-maxage=3600, stale-while-revalidate=86400"
	cacheQR   = "public, max-age=86400, s-maxage=604800, stale-while-revalidate=86400"
	noStore   = "no-store"
)

func jsonResponse(v any) (response, error) {
	body, err := encodeJSON(v)
	return response{contentType: mediaJSON, body: body, cache: cacheJSON}, err
}

// encodeJSON leaves <, > and & in links as they are, which json.Marshal does not.
func encodeJSON(v any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.buf.Reset()
	if err := e.enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(e.buf.Bytes()), nil
}

// An encoder is reused, because it allocates more than it encodes.
type encoder struct {
	buf bytes.Buffer
	enc *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.enc = json.NewEncoder(&e.buf)
	e.enc.SetEscapeHTML(false)
	return e
}}

// A responder writes one response.
type responder struct {
	api     *api
	w       http.ResponseWriter
	r       *http.Request
	header  http.Header        // the header of w
	client  netip.Addr         // the key under which the request is counted
	memory  *reservation       // for the body, or nil
	work    *reservation       // for what becomes of a large body, or nil
	values  [maxHeaders]string // the values of the header, in one allocation
	headers int

	hasProcessor bool // see takeProcessor

	// For the observation.
	route        string
	status       int
	code         problem.Code
	bytes        int
	usedFallback bool
	requestID    string
}

// maxHeaders is how many header fields of a response share one allocation.
const maxHeaders = 14

// newResponder returns the responder of a request, with the header fields of every
// response. The allowed origin is the constant "*", so that a cache filled by a client
// without an Origin serves browsers too.
func (a *api) newResponder(w http.ResponseWriter, r *http.Request) *responder {
	out := &responder{api: a, w: w, r: r, header: w.Header()}
	out.set("X-Content-Type-Options", "nosniff")
	if !a.leaveCORS {
		out.set("Access-Control-Allow-Origin", "*")
		out.set("Access-Control-Expose-Headers", "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ETag, Content-Disposition, Age, Date, X-Request-Id, X-QR-Warning")
		out.set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	if a.requestIDs {
		out.requestID = newRequestID()
		out.set("X-Request-Id", out.requestID)
	}
	return out
}

// newRequestID returns 16 hexadecimal digits.
func newRequestID() string {
	var id [8]byte
	binary.BigEndian.PutUint64(id[:], rand.Uint64())
	return hex.EncodeToString(id[:])
}

// set is [http.Header.Set] for a name in its canonical form.
func (out *responder) set(name, value string) {
	n := out.headers
	if n == len(out.values) {
		out.header[name] = []string{value}
		return
	}
	out.headers++
	out.values[n] = value
	out.header[name] = out.values[n : n+1 : n+1]
}

func (out *responder) writeResponse(resp response) {
	if out.r.Method == http.MethodPost {
		out.set("Cache-Control", noStore)
	} else {
		out.set("Cache-Control", resp.cache)
		if resp.etag == "" {
			resp.etag = etagOf(resp.body)
		}
		out.set("Etag", resp.etag)
		known := out.r.Header["If-None-Match"]
		resp.notModified = resp.notModified || etagListed(known, resp.etag) || len(known) == 1 && strings.TrimSpace(known[0]) == "*"
	}
	if resp.notModified {
		out.writeHeader(http.StatusNotModified)
		return
	}
	if resp.filename != "" {
		out.set("Content-Disposition", `inline; filename="`+resp.filename+`"`)
	}
	if resp.qrWarning != "" {
		out.set("X-Qr-Warning", resp.qrWarning)
	}
	if resp.stream != nil {
		out.set("Content-Type", resp.contentType)
		out.writeHeader(http.StatusOK)
		out.stream(resp.stream)
		return
	}
	out.write(http.StatusOK, resp.contentType, resp.body)
}

// stream writes a long response, and cuts it off if the client does not read enough of it
// while other requests wait for memory.
func (out *responder) stream(write func(io.Writer)) {
	abort := abortWriting(out.w)
	out.memory.startTransfer(abort)
	out.work.startTransfer(abort)
	write(out)
	if aborted := out.memory.endTransfer(); out.work.endTransfer() || aborted {
		out.status = 0
		panic(http.ErrAbortHandler)
	}
}

// releaseMemory gives back all that the request holds.
func (out *responder) releaseMemory() {
	out.work.release()
	out.memory.release()
	out.work, out.memory = nil, nil
}

// takeProcessor waits until the request may decode or encode a large body.
func (out *responder) takeProcessor() error {
	return out.waitInLine(func(ctx context.Context) error {
		err := out.api.processors.take(ctx, out.client)
		out.hasProcessor = err == nil
		return err
	})
}

// waitInLine calls wait before the response has begun. Its context ends if a client that
// holds less needs the memory of the request, and the error is then errOverloaded.
func (out *responder) waitInLine(wait func(context.Context) error) error {
	ctx, cancel := context.WithCancel(out.r.Context())
	defer cancel()
	endMemory, endWork := out.memory.startLine(cancel), out.work.startLine(cancel)
	err := wait(ctx)
	aborted := endMemory()
	aborted = endWork() || aborted
	switch {
	case out.r.Context().Err() != nil:
		panic(http.ErrAbortHandler)
	case aborted:
		return errOverloaded
	default:
		return err
	}
}

func (out *responder) releaseProcessor() {
	if out.hasProcessor {
		out.hasProcessor = false
		out.api.processors.release()
	}
}

// Write writes a part of a body. While it waits for the client, others may encode.
func (out *responder) Write(part []byte) (written int, err error) {
	for len(part) > 0 {
		n, err := out.writePiece(part[:min(len(part), networkPiece)])
		part = part[n:]
		written += n
		out.bytes += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

func (out *responder) writePiece(piece []byte) (int, error) {
	if !out.hasProcessor {
		return out.send(piece)
	}
	out.hasProcessor = false
	slow := time.AfterFunc(quickWrite, out.api.processors.release)
	n, err := out.send(piece)
	wait := out.api.processors.take
	if slow.Stop() {
		wait = out.api.processors.yield
	}
	// The request keeps its memory however long this takes: a response that has begun
	// must not be cut off because the server is slow.
	if wait(out.r.Context(), out.client) != nil {
		panic(http.ErrAbortHandler)
	}
	out.hasProcessor = true
	return n, err
}

func (out *responder) send(piece []byte) (int, error) {
	out.memory.startWait()
	out.work.startWait()
	n, err := out.w.Write(piece)
	out.memory.endWait(n)
	out.work.endWait(n)
	return n, err
}

// internalMessage is the message of an internal error, which is not about the request.
const internalMessage = "something went wrong on our side; the request may be tried again"

// writeProblem responds with the first problem of err. An error without one is internal: its
// type is logged, and its text is not, because it may contain data of the request.
func (out *responder) writeProblem(err error) {
	problems := problem.All(err)
	if len(problems) == 0 {
		out.logError("internal error", "cause", fmt.Sprintf("%T", err))
		out.writeError(CodeInternal, internalMessage)
		return
	}
	out.writeError(problems[0].Code, problems[0].Message)
}

// logError logs an error with the route of the request.
func (out *responder) logError(message string, attrs ...any) {
	attrs = append([]any{"method", methodName(out.r.Method), "route", out.route}, attrs...)
	if out.requestID != "" {
		attrs = append(attrs, "request_id", out.requestID)
	}
	out.api.logger.ErrorContext(out.r.Context(), message, attrs...)
}

func (out *responder) writeError(code problem.Code, message string) {
	if code == CodeOverloaded {
		out.set("Retry-After", overloadedRetryAfter)
	}
	body, _ := encodeJSON(errorBody{errorDetail{code, message}}) // two strings always encode
	out.code = code
	out.set("Cache-Control", noStore)
	out.write(statusOf(code), mediaJSON, body)
}

// smallResponse is the largest body for which net/http sets Content-Length itself, more
// cheaply than we can.
const smallResponse = 1 << 10

func (out *responder) write(status int, contentType string, body []byte) {
	out.set("Content-Type", contentType)
	isHead := out.r.Method == http.MethodHead
	if isHead || len(body) > smallResponse {
		out.set("Content-Length", strconv.Itoa(len(body)))
	}
	out.writeHeader(status)
	if !isHead {
		_, _ = out.Write(body) // if the client is gone, there is no one to report the error to
	}
}

func (out *responder) writeHeader(status int) {
	out.status = status
	out.w.WriteHeader(status)
}

// preflight responds to OPTIONS. It succeeds on every path, because a browser shows a
// page the 404 of a request only if the preflight before it succeeded.
func (out *responder) preflight(allow string) {
	out.set("Allow", allow)
	if !out.api.leaveCORS {
		out.set("Access-Control-Allow-Methods", allow)
		out.set("Access-Control-Allow-Headers", "*, Authorization, Content-Type")
		out.set("Access-Control-Max-Age", "86400")
	}
	out.writeHeader(http.StatusNoContent)
}

// etagOf returns the strong ETag of what identity identifies: it is the same in every
// process.
func etagOf(identity []byte) string {
	const hash = 12
	sum := sha256.Sum256(identity)
	var tag [1 + hash*8/6 + 1]byte
	tag[0], tag[len(tag)-1] = '"', '"'
	base64.RawURLEncoding.Encode(tag[1:], sum[:hash])
	return string(tag[:])
}

// etagListed reports whether the lines of an If-None-Match list etag (RFC 9110, 13.1.2).
// Weak tags compare by their opaque part.
func etagListed(lines []string, etag string) bool {
	for _, line := range lines {
		for {
			tag := strings.TrimPrefix(strings.TrimLeft(line, " \t,"), "W/")
			if !strings.HasPrefix(tag, `"`) {
				break
			}
			end := strings.IndexByte(tag[1:], '"') + len(`""`)
			if tag[:end] == etag {
				return true
			}
			if end < len(`""`) {
				break // no closing quote
			}
			line = tag[end:]
		}
	}
	return false
}
