package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
)

// NewShortLinks returns the handler of short links: it redirects /{username} to the
// click-to-chat link of that username with 302, and answers every other path with
// 404. Of the Config it needs ChatHost and Observe alone, so give it the one that
// [New] was given. Mount it where the BaseURL of that points:
//
//	mux.Handle("/{username}", links)
//
// It counts no requests.
func NewShortLinks(cfg Config) (http.Handler, error) {
	host, err := parseChatHost(cfg.ChatHost)
	if err != nil {
		return nil, fmt.Errorf("ChatHost: %w", err)
	}
	return shortLinks{host, cfg.Observe}, nil
}

type shortLinks struct {
	host    chatlink.Host
	observe func(context.Context, Observation)
}

// shortLinkRoute is what an [Observation] calls it.
const shortLinkRoute = "/{username}"

func (s shortLinks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const allow = "GET, HEAD, OPTIONS"
	out := respond(w, r)
	out.route = shortLinkRoute
	if s.observe != nil {
		defer out.observe(s.observe, time.Now())
	}
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
	out.writeHeader(http.StatusFound)
}
