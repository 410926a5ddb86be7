package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// An answer is a whole response with status 200, or 304 if the client has it.
type answer struct {
	contentType string
	body        []byte
	cache       string // Cache-Control of a GET
	etag        string // strong, with its quotes; "" for the hash of the body
	filename    string // what a browser saves the body as, or ""
	notModified bool   // the client has etag already, and there is no body
}

const (
	mediaJSON = "application/json"

	cacheJSON = "public, max-age=60, s-maxage=3600, stale-while-revalidate=86400"
	cacheQR   = "public, max-age=86400, s-maxage=604800, stale-while-revalidate=86400"
	noStore   = "no-store"
)

func answerJSON(v any) (answer, error) {
	body, err := encodeJSON(v)
	return answer{contentType: mediaJSON, body: body, cache: cacheJSON}, err
}

// encodeJSON leaves <, > and & in links as they are, which json.Marshal does not.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func writeAnswer(w http.ResponseWriter, r *http.Request, ans answer) {
	h := w.Header()
	setCommon(h)
	if r.Method == http.MethodPost {
		h.Set("Cache-Control", noStore)
	} else {
		h.Set("Cache-Control", ans.cache)
		if ans.etag == "" {
			ans.etag = etagOf(ans.body)
		}
		h.Set("ETag", ans.etag)
		known := r.Header["If-None-Match"]
		ans.notModified = ans.notModified || names(known, ans.etag) || len(known) == 1 && strings.TrimSpace(known[0]) == "*"
	}
	if ans.notModified {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if ans.filename != "" {
		h.Set("Content-Disposition", `inline; filename="`+ans.filename+`"`)
	}
	write(w, r, http.StatusOK, ans.contentType, ans.body)
}

// writeProblem answers with the first problem of err. An error without one is not
// about the request, so the client learns nothing of it.
func (a *api) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	problems := problem.All(err)
	if len(problems) == 0 {
		panic(err)
	}
	writeError(w, r, problems[0].Code, problems[0].Message)
}

func writeError(w http.ResponseWriter, r *http.Request, code problem.Code, message string) {
	body, _ := encodeJSON(errorBody{errorItem{code, message}}) // two strings always encode
	setCommon(w.Header())
	w.Header().Set("Cache-Control", noStore)
	write(w, r, statusOf(code), mediaJSON, body)
}

func write(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that has gone away is nobody to tell
	}
}

// preflight answers OPTIONS of a known path.
func preflight(w http.ResponseWriter, allow string) {
	h := w.Header()
	setCommon(h)
	h.Set("Allow", allow)
	h.Set("Access-Control-Allow-Methods", allow)
	h.Set("Access-Control-Allow-Headers", "Content-Type")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// setCommon sets what every response carries. The origin is a constant "*", so that
// a cache filled by a client without an Origin serves browsers too.
func setCommon(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ETag, Content-Disposition")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// etagOf returns the strong ETag of what the parts identify: it is the same in
// every process.
func etagOf(parts ...[]byte) string {
	sum := sha256.Sum256(bytes.Join(parts, []byte{0}))
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// names reports whether the lines of an If-None-Match list etag (RFC 9110, 13.1.2).
// Weak tags compare by their opaque part.
func names(lines []string, etag string) bool {
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
