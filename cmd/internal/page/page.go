// Package page is the page of the Hailmark server: links, QR codes, tables and checks in
// a browser. The page runs the library as a WebAssembly module, and uses the API where a
// browser cannot run the module.
//
// The page is at the path / and its assets are below /-/, since a hyphen is in no username.
// All other paths belong to the API and its short links.
package page

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// securityPolicy is the Content-Security-Policy of the page. Trusted Types are limited to
// one policy, which makes the address of the service worker.
const securityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; worker-src 'self'; form-action 'none'; base-uri 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types hailmark"

// New returns the handlers of the page and its assets, by their paths. They handle GET and
// HEAD.
func New() map[string]http.Handler {
	handlers := map[string]http.Handler{}
	for location, a := range newAssets() {
		handlers[location] = a
	}
	return handlers
}

// HasModule reports whether the WebAssembly module and its loader were built before this
// program.
func HasModule() bool {
	names := sourceNames()
	return slices.Contains(names, moduleFile) && slices.Contains(names, loaderFile)
}

// ServeHTTP implements [http.Handler] for GET and HEAD.
func (a *asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
		return
	}
	header.Set("Content-Type", a.contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // if the client is gone, there is no one to report the error to
	}
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
