// Package static serves immutable files as they are and compressed.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// Style contains the CSS rules that the server's pages share.
//
//go:embed style.css
var Style []byte

// A File contains a response body's encodings, which are created on first use.
type File struct {
	header   map[string]string
	identity func() []byte
	hash     func() string
	gzip     func() []byte
	brotli   []byte // or nil
}

// New returns a file whose responses contain header, Vary, Etag, Content-Encoding and
// Content-Length. The body should be compressible.
func New(header map[string]string, body func() []byte) *File {
	f := &File{header: header, identity: sync.OnceValue(body)}
	f.hash = sync.OnceValue(func() string {
		sum := sha256.Sum256(f.identity())
		return hex.EncodeToString(sum[:12])
	})
	f.gzip = sync.OnceValue(func() []byte { return Gzip(f.identity()) })
	return f
}

// FromBrotli returns a file whose body is already compressed, because good compression needs seconds.
func FromBrotli(header map[string]string, body []byte) *File {
	f := New(header, func() []byte {
		b, err := io.ReadAll(brotli.NewReader(bytes.NewReader(body)))
		if err != nil {
			panic(err) // the file is in the program
		}
		return b
	})
	f.brotli = body
	return f
}

// Gzip uses the default level, because the highest level needs five times as long for a
// WebAssembly module and saves one percent.
func Gzip(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data) // a buffer never fails
	_ = w.Close()
	return b.Bytes()
}

const methods = "GET, HEAD, OPTIONS"

// Serve responds to every method and returns the status and the number of sent bytes. The status is
// 0 if the response wasn't sent completely.
func (f *File) Serve(w http.ResponseWriter, r *http.Request) (status, sent int) {
	header := w.Header()
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		header.Set("Access-Control-Allow-Methods", methods)
		return f.reject(w, http.StatusNoContent, "")
	default:
		header.Set("Content-Type", "application/json")
		return f.reject(w, http.StatusMethodNotAllowed, `{"error":{"code":"method_not_allowed","message":"this path accepts only `+methods+`"}}`+"\n")
	}
	for name, value := range f.header {
		header.Set(name, value)
	}
	header.Set("Vary", "Accept-Encoding")
	body, tag := f.identity, `"`+f.hash()+`"`
	encoding := f.encoding(r.Header.Values("Accept-Encoding"))
	switch encoding {
	case "br":
		body = func() []byte { return f.brotli }
	case "gzip":
		body = f.gzip
	}
	if encoding != "" {
		tag = `"` + f.hash() + "-" + encoding + `"`
	}
	header.Set("Etag", tag)
	if isListed(r.Header.Values("If-None-Match"), tag) {
		header.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified, 0
	}
	if encoding != "" {
		header.Set("Content-Encoding", encoding)
	}
	header.Set("Content-Length", strconv.Itoa(len(body())))
	if r.Method == http.MethodHead {
		return http.StatusOK, 0
	}
	sent, err := w.Write(body())
	if err != nil {
		return 0, sent
	}
	return http.StatusOK, sent
}

// reject responds to other methods than GET and HEAD with the API's error format.
func (f *File) reject(w http.ResponseWriter, status int, body string) (int, int) {
	header := w.Header()
	header.Set("Allow", methods)
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	sent, _ := io.WriteString(w, body)
	return status, sent
}

// encoding returns the client's preferred encoding, or the shorter encoding if there's no
// preference (RFC 9110, 12.5.3). Otherwise, it returns "" for an uncompressed response.
func (f *File) encoding(lines []string) string {
	weights := map[string]float64{}
	for item := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		coding, parameter, hasWeight := strings.Cut(item, ";")
		weight := 1.0
		if hasWeight {
			weight = parseWeight(parameter)
		}
		coding = strings.ToLower(strings.TrimSpace(coding))
		if coding == "x-gzip" { // its old name
			coding = "gzip"
		}
		weights[coding] = weight
	}
	weightOf := func(coding string) float64 {
		if weight, listed := weights[coding]; listed {
			return weight
		}
		return weights["*"]
	}
	gzip, best := weightOf("gzip"), weights["identity"]
	if br := weightOf("br"); f.brotli != nil && br > 0 && br >= max(gzip, best) {
		return "br"
	}
	if gzip > 0 && gzip >= best {
		return "gzip"
	}
	return ""
}

// parseWeight returns the weight of a parameter, for example q=0.5, or 0 if it's invalid.
func parseWeight(parameter string) float64 {
	name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
	weight, err := strconv.ParseFloat(value, 64)
	if err != nil || !strings.EqualFold(name, "q") || !(weight >= 0 && weight <= 1) {
		return 0
	}
	return weight
}

// isListed reports whether If-None-Match lines contain * or tag, weak or strong (RFC 9110, 13.1.2).
// This package's tags don't contain commas, so splitting other tags is harmless.
func isListed(lines []string, tag string) bool {
	list := strings.Join(lines, ",")
	if strings.TrimSpace(list) == "*" {
		return true
	}
	for listed := range strings.SplitSeq(list, ",") {
		if strings.TrimPrefix(strings.TrimSpace(listed), "W/") == tag {
			return true
		}
	}
	return false
}
