package httpapi

import (
	"bytes"
	"errors"
	"go/parser"
	"go/token"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// The package comment lists every route with its parameters, and no others.
func TestPackageCommentListsTheRoutes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "httpapi.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	require.NoError(t, err)
	var listed, want []string
	for line := range strings.Lines(file.Doc.Text()) {
		if strings.HasPrefix(line, "\tGET ") || strings.HasPrefix(line, "\tPOST ") {
			listed = append(listed, strings.Join(strings.Fields(line), " "))
		}
	}
	for i := range routes {
		rt := &routes[i]
		words := []string{rt.method, rt.path}
		for _, d := range rt.declared() {
			if d.required {
				words = append(words, d.name)
			} else {
				words = append(words, "["+d.name+"]")
			}
		}
		if rt.body != nil && rt.body.fields == nil {
			words = append(words, "a webhook")
		}
		want = append(want, strings.Join(words, " "))
	}
	require.Equal(t, want, listed)
}

// The tag of a QR code follows from the parameters, so a client that knows it gets 304 without a
// drawing.
func TestQRTagComesFromTheParameters(t *testing.T) {
	in := input{route: newTestHandler(t).routes[prefix+"/qr"]}
	require.NoError(t, in.readQuery("username=jane"))
	for _, known := range []string{`"another"`, "same"} {
		first, err := getQR(&Handler{}, in)
		require.NoError(t, err)
		require.Equal(t, known == "same", first.body == nil)
		in.ifNoneMatch = []string{first.etag}
	}
	tags := map[string]string{}
	for _, query := range []string{"", "&format=svg", "&size=513", "&color=000001", "&bg=fffffe", "&bg=transparent", "&text=a"} {
		in := input{route: in.route}
		require.NoError(t, in.readQuery("username=jane"+query))
		resp, err := getQR(&Handler{}, in)
		require.NoError(t, err)
		require.NotContains(t, tags, resp.etag, query)
		tags[resp.etag] = query
	}
	for _, d := range in.route.declared() { // package qrcode tests that each of its settings changes the key
		known := []string{"username", "phone", "country", "text"}
		for _, s := range qrcode.Settings() {
			known = append(known, s.Name)
		}
		require.Contains(t, known, d.name, "the tag must depend on each parameter")
	}
}

// The message about a media type names the one that came, and not a whole header of it.
func TestContentTypeMessage(t *testing.T) {
	err := checkContentType([]string{"text/plain; charset=utf-8"})
	require.ErrorIs(t, err, CodeUnsupportedContentType)
	require.ErrorContains(t, err, `Content-Type is "text/plain; charset=utf-8"`)
	require.Less(t, len(checkContentType([]string{strings.Repeat("x", 10_000)}).Error()), 200)
	require.NoError(t, checkContentType(nil))
	require.NoError(t, checkContentType([]string{"Application/JSON ;x=y"}))
}

// The log entry of an internal error has the route and the type of the error.
func TestLogOfInternalError(t *testing.T) {
	h := newTestHandler(t)
	var log bytes.Buffer
	h.logger = slog.New(slog.NewTextHandler(&log, nil))
	out := h.newResponder(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	out.route = "/api/v1/qr"
	out.writeProblem(errors.New("secret"))
	require.Contains(t, log.String(), `level=ERROR msg="internal error" method=GET route=/api/v1/qr cause=*errors.errorString`)
}

// An SVG has the link as its title, and may not load or run anything.
func TestQRTitle(t *testing.T) {
	w := httptest.NewRecorder()
	newTestHandler(t).ServeHTTP(w, httptest.NewRequest(http.MethodGet, prefix+"/qr?phone=16505551234&format=svg", nil))
	require.Contains(t, w.Body.String(), "<title>https://wa.me/16505551234</title>")
	require.Equal(t, "default-src 'none'; style-src 'unsafe-inline'; sandbox", w.Header().Get("Content-Security-Policy"))
}

func newTestHandler(t testing.TB) *Handler {
	t.Helper()
	h, err := New(Config{BaseURL: "https://hi.example.com", Limiter: newMemoryLimiter(Limits{-1, -1}, limiterWays)})
	require.NoError(t, err)
	return h
}

func TestSizeVectors(t *testing.T) {
	type option struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	file, err := vectors.Load[option, string]("qr_options.json")
	require.NoError(t, err)
	sizes := 0
	for _, v := range file.Vectors {
		if v.Input.Name != "size" {
			continue // package qrcode reads the others
		}
		sizes++
		var o qrcode.Options
		err := setQR(&o, "size", v.Input.Value)
		if v.Output == nil {
			require.Equal(t, v.Codes, problem.All(err).Codes(), v.ID)
			continue
		}
		require.NoError(t, err, v.ID)
		require.Equal(t, *v.Output, strconv.Itoa(o.Size), v.ID)
	}
	require.Positive(t, sizes)
}

// The client is the peer, without what doesn't identify a subscriber.
func TestClientOfPeer(t *testing.T) {
	for peer, want := range map[string]string{
		"203.0.113.9:1234":                        "203.0.113.9",
		"[2001:db8:1:2:ffff:ffff:ffff:ffff]:1234": "2001:db8:1:2::",
		"[::ffff:203.0.113.9]:1234":               "203.0.113.9",
		"[64:ff9b::203.0.113.9]:1234":             "203.0.113.9", // NAT64
		"[64:ff9b::203.0.113.9%eth0]:1234":        "203.0.113.9",
		"[64:ff9b:0:0:0:1:cb00:7109]:1234":        "64:ff9b::",
		"[fe80:0:0:1::1%eth0]:1234":               "fe80:0:0:1::",
		"203.0.113.9":                             "203.0.113.9", // some middleware leaves no port
		"2001:db8:1:2::5":                         "2001:db8:1:2::",
		"":                                        "invalid IP",
		"@":                                       "invalid IP",
		"/run/hailmark.sock":                      "invalid IP",
		"localhost:80":                            "invalid IP",
		"1.2.3.4:x":                               "invalid IP",
	} {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {"198.51.100.7"}}}
		require.Equal(t, want, new(Handler).clientAddr(r).String(), "%q", peer)
	}
}
