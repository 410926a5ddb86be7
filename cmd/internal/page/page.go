// Package page is the page of the Hailmark server: links, QR codes, tables and checks in
// a browser. The page runs the library as a WebAssembly module, and uses the API where a
// browser cannot run the module.
//
// The page is at the path / and its assets are below /-/, since a hyphen is in no username.
// All other paths belong to another handler.
package page

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

// A Config configures a handler.
type Config struct {
	Next http.Handler // takes all requests except those for the page and its assets

	// RequestIDs gives each request a random id, which its response has as X-Request-Id.
	RequestIDs bool

	// Observe is called after each request for the page or an asset. It may be nil.
	Observe func(context.Context, httpapi.Observation)
}

// The routes of an [httpapi.Observation].
const (
	pageRoute  = "/"
	assetRoute = "/-/{asset}"
)

// securityPolicy is the Content-Security-Policy of the page. Trusted Types are limited to
// one policy, which makes the address of the service worker.
const securityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; worker-src 'self'; form-action 'none'; base-uri 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types hailmark"

type handler struct {
	Config
	assets map[string]*asset // by their paths
}

// New returns the handler of the page.
func New(c Config) http.Handler {
	return &handler{Config: c, assets: newAssets()}
}

// HasModule reports whether the WebAssembly module was built before this program.
func HasModule() bool {
	_, err := files.Open("assets/" + moduleFile)
	return err == nil
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := h.assets[r.URL.Path]
	if a == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Next.ServeHTTP(w, r)
		return
	}
	began := time.Now()
	seen := httpapi.Observation{Route: assetRoute, Method: r.Method}
	if r.URL.Path == "/" {
		seen.Route = pageRoute
	}
	if h.RequestIDs {
		seen.RequestID = newRequestID()
		w.Header().Set("X-Request-Id", seen.RequestID)
	}
	seen.Status, seen.Bytes = a.write(w, r)
	if h.Observe != nil {
		seen.Duration = time.Since(began)
		h.Observe(r.Context(), seen)
	}
}

// write writes the asset, and returns the status and the number of bytes that were sent.
func (a *asset) write(w http.ResponseWriter, r *http.Request) (status, sent int) {
	c := a.content()
	body, tag := c.body, c.tag
	header := w.Header()
	if c.gzip != nil {
		header.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header) {
			body, tag = c.gzip, c.gzipTag
			header.Set("Content-Encoding", "gzip")
		}
	}
	header.Set("Content-Security-Policy", securityPolicy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cache-Control", a.cache)
	header.Set("Etag", tag)
	for name, value := range a.header {
		header.Set(name, value)
	}
	if isListed(r.Header.Values("If-None-Match"), tag) {
		header.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified, 0
	}
	header.Set("Content-Type", a.contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		sent, _ = w.Write(body) // if the client is gone, there is no one to report the error to
	}
	return http.StatusOK, sent
}

// acceptsGzip reports whether a client accepts gzip by name, and not with the weight 0.
func acceptsGzip(header http.Header) bool {
	for _, line := range header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(line, ",") {
			name, weight, _ := strings.Cut(coding, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				_, q, _ := strings.Cut(weight, "=")
				q = strings.TrimSpace(q)
				return q == "" || strings.Trim(q, "0.") != ""
			}
		}
	}
	return false
}

// isListed reports whether the lines of an If-None-Match list a tag. The tags of assets
// contain no comma.
func isListed(lines []string, tag string) bool {
	for _, line := range lines {
		for listed := range strings.SplitSeq(line, ",") {
			listed = strings.TrimPrefix(strings.TrimSpace(listed), "W/")
			if listed == tag || listed == "*" {
				return true
			}
		}
	}
	return false
}

// newRequestID returns 16 hexadecimal digits.
func newRequestID() string {
	id := rand.Uint64()
	var b [8]byte
	for i := range b {
		b[i] = byte(id >> (8 * i))
	}
	return hex.EncodeToString(b[:])
}
