package httpapi

import (
	"net/http"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
)

// shortLinkRoute is the route of short links in an [Observation].
const shortLinkRoute = "/{username}"

// serveShortLink redirects a path with one segment to its username's chat.
func (out *responder) serveShortLink(path string) {
	u, ok := parseShortPath(path)
	if !ok {
		out.writeError(CodeNotFound, "not a short link: "+explainShortPath(path))
		return
	}
	in := input{route: &shortLink}
	if err := in.readQuery(out.r.URL.RawQuery); err != nil {
		out.writeProblem(err)
		return
	}
	link, err := chatlink.UsernameLink(u, in.get(&textParam))
	if err != nil {
		out.writeProblem(err)
		return
	}
	out.set("Cache-Control", cacheJSON)
	out.set("Location", out.handler.chatHost.link(link))
	out.set("Content-Length", "0")
	out.writeHeader(http.StatusFound)
}

// explainShortPath says what's wrong with a path that isn't a short link, and suggests a username
// that may have been meant.
func explainShortPath(path string) string {
	if problems := problem.All(busname.Validate(strings.TrimPrefix(path[1:], "@")).Err()); len(problems) > 0 {
		return problems[0].Message
	}
	return "this path is reserved; a short link to a username is / or /@ and the username"
}

// shortLink declares a short link's parameters.
var shortLink = route{method: http.MethodGet, params: []declared{optional(&textParam)}}
