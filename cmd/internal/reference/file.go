package reference

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// A file is a static response in two encodings.
type file struct {
	contentType     string
	plain, squeezed variant
}

// A variant is a body in one encoding, with its strong ETag.
type variant struct {
	body []byte
	etag string
}

func newFile(contentType string, body []byte) *file {
	var squeezed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&squeezed, gzip.BestCompression) // the level is valid
	_, _ = w.Write(body)                                         // a buffer takes all
	_ = w.Close()
	tag := hashOf(body)
	return &file{contentType, variant{body, `"` + tag + `"`}, variant{squeezed.Bytes(), `"` + tag + `-gzip"`}}
}

// ServeHTTP implements [http.Handler] for GET and HEAD.
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v, h := f.plain, w.Header()
	if acceptsGzip(r.Header) {
		v = f.squeezed
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Etag", v.etag)
	h.Set("Cache-Control", "public, max-age=60, s-maxage=3600, stale-while-revalidate=86400")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	if matches(r.Header.Values("If-None-Match"), v.etag) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(v.body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(v.body) // if the client is gone, there is no one to report the error to
	}
}

// acceptsGzip reports whether a request accepts gzip by name, with a quality above 0.
func acceptsGzip(h http.Header) bool {
	for _, line := range h.Values("Accept-Encoding") {
		for item := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(item, ";")
			if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				continue
			}
			q, found := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(params, " ", "")), "q=")
			quality, err := strconv.ParseFloat(q, 64)
			return !found || err == nil && quality > 0
		}
	}
	return false
}

// matches reports whether the lines of an If-None-Match name etag. Weak tags compare by
// their opaque part.
func matches(lines []string, etag string) bool {
	for _, line := range lines {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
				return true
			}
		}
	}
	return false
}

// A capture is the response of a handler that was called without a connection.
type capture struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// call sends a request to a handler.
func call(h http.Handler, method, target, body string) (*capture, error) {
	r, err := http.NewRequest(method, target, io.NopCloser(strings.NewReader(body))) //nolint:noctx // nothing waits
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(len(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	c := &capture{status: http.StatusOK, header: http.Header{}}
	h.ServeHTTP(c, r)
	return c, nil
}

func (c *capture) Header() http.Header         { return c.header }
func (c *capture) Write(b []byte) (int, error) { return c.body.Write(b) }
func (c *capture) WriteHeader(status int)      { c.status = status }
