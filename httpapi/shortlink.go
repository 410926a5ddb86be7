package httpapi

import (
	"net/http"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
)

// NewShortLinks returns the handler of short links: it redirects /{username} to the
// click-to-chat link of that username with 302, and answers every other path with
// 404. An empty chatHost is [chatlink.DefaultHost]. Mount it where the BaseURL of
// the Config points:
//
//	mux.Handle("/{username}", links)
//
// It counts no requests.
func NewShortLinks(chatHost string) (http.Handler, error) {
	host, err := parseChatHost(chatHost)
	if err != nil {
		return nil, err
	}
	return shortLinks{host}, nil
}

type shortLinks struct{ host chatlink.Host }

func (s shortLinks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const allow = "GET, HEAD, OPTIONS"
	out := respond(w, r)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		out.preflight(allow)
		return
	default:
		out.set("Allow", allow)
		out.error(CodeMethodNotAllowed, "a short link takes "+allow)
		return
	}
	u, err := busname.Parse(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil {
		out.error(CodeNotFound, "this is no short link: a username is "+usernameRule)
		return
	}
	out.set("Cache-Control", cacheJSON)
	out.set("Location", s.host.UsernameLink(u, chatlink.Text{}))
	out.set("Content-Length", "0")
	w.WriteHeader(http.StatusFound)
}
