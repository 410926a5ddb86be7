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
	"sync"

	"github.com/andybalholm/brotli"

	"github.com/hailmark/hailmark/httpapi/bound"
	"github.com/hailmark/hailmark/internal/negotiate"
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

// Serve responds to GET and HEAD, and returns the status and the number of sent bytes. The status is
// 0 if the response wasn't sent completely.
func (f *File) Serve(w http.ResponseWriter, r *http.Request) (status, sent int) {
	bound.CloseUnread(w, r)
	header := w.Header()
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
	if negotiate.Matches(r.Header.Values("If-None-Match"), tag) {
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

// encoding returns the client's preferred encoding, or the shorter encoding if there's no
// preference.
func (f *File) encoding(lines []string) string {
	if f.brotli == nil {
		return negotiate.Encoding(lines, "gzip")
	}
	return negotiate.Encoding(lines, "br", "gzip")
}
