package httpapi

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/hailmark/hailmark/busname"
)

// A baseURL is the handler's URL.
type baseURL struct {
	url string // without a trailing slash
}

// parseBaseURL parses an absolute http or https URL without user, query and fragment, such
// as "https://example.com" or "https://example.com/wa/". It drops a trailing slash. The host
// follows the same rules as in [parseHost].
func parseBaseURL(s string) (baseURL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil,
		u.Scheme != "http" && u.Scheme != "https",
		u.Host == "",
		u.User != nil,
		strings.ContainsAny(s, "?#"),
		strings.Contains(u.Path, "//"),
		strings.Contains(u.Path+"/", "/./"), // browsers resolve %2e, too
		strings.Contains(u.Path+"/", "/../"):
		return baseURL{}, fmt.Errorf("base URL is %q; it must be http or https with a host and optionally a path, such as https://example.com", s)
	}
	if err := checkAuthority(u); err != nil {
		return baseURL{}, fmt.Errorf("base URL is %q; its %w", s, err)
	}
	return baseURL{u.Scheme + "://" + strings.ToLower(u.Host) + strings.TrimSuffix(u.EscapedPath(), "/")}, nil
}

// String returns the URL without a trailing slash.
func (b baseURL) String() string { return b.url }

// shortLink returns a username's short link, such as "https://example.com/jane.doe". If the server
// may need the path itself, such as "favicon.ico" or "docs", the link contains "/@" instead of
// "/".
func (b baseURL) shortLink(u busname.Username) string {
	if isReserved(u.String()) {
		return b.url + "/@" + u.String()
	}
	return b.url + "/" + u.String()
}

// parseShortPath returns the username in a short link's path, such as "/jane.doe" or "/@docs". For
// other paths, including reserved names without "@", ok is false and the server should respond
// itself.
func parseShortPath(path string) (u busname.Username, ok bool) {
	name, ok := strings.CutPrefix(path, "/")
	if !ok {
		return busname.Username{}, false
	}
	name, explicit := strings.CutPrefix(name, "@")
	u, err := busname.Parse(name)
	if err != nil || !explicit && isReserved(name) {
		return busname.Username{}, false
	}
	return u, true
}

// isReserved reports whether a server may need the path itself, for example for a file, a page or
// monitoring. The list is long because additions would break existing short links.
func isReserved(name string) bool {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		switch name[i:] {
		case ".avif", ".css", ".csv", ".gif", ".gz", ".ico", ".jpeg", ".jpg", ".js", ".json", ".jsonl", ".map", ".md", ".mjs", ".pdf", ".php",
			".png", ".svg", ".wasm", ".webmanifest", ".webp", ".woff", ".woff2", ".yaml", ".yml", ".zip":
			return true
		}
	}
	switch name {
	case "about", "admin", "api", "app", "assets", "debug", "docs", "health", "healthz", "help", "imprint", "legal", "livez", "login", "logout",
		"metrics", "openapi", "ping", "pprof", "privacy", "ready", "readyz", "reference", "security", "static", "status", "swagger", "terms", "version":
		return true
	}
	return false
}
