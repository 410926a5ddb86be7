package httpapi

import (
	"net/http"

	"github.com/hailmark/hailmark/chatlink"
)

// serveShortLink redirects a path with one segment to its username's chat.
func (out *responder) serveShortLink(path string) {
	u, ok := chatlink.ParseShortPath(path)
	if !ok {
		out.writeError(codeNotFound, "not a short link: a short link is / or /@ and a username, 3-35 characters from a-z, 0-9, period and underscore, with at least one letter")
		return
	}
	in := input{route: &shortLink}
	if err := in.readQuery(out.r.URL.RawQuery); err != nil {
		out.writeProblem(err)
		return
	}
	link, err := chatlink.ToUsername(u, in.get(&textParam))
	if err != nil {
		out.writeProblem(err)
		return
	}
	out.set("Cache-Control", cacheJSON)
	out.set("Location", link.On(out.handler.chatHost))
	out.set("Content-Length", "0")
	out.writeHeader(http.StatusFound)
}

// shortLink declares a short link's parameters.
var shortLink = route{method: http.MethodGet, params: []declared{optional(&textParam)}}
