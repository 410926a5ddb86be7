package httpapi

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
)

func TestShortLink(t *testing.T) {
	for _, row := range [][3]string{
		{"https://example.com", "jane.doe", "https://example.com/jane.doe"},
		{"https://example.com/", "jane", "https://example.com/jane"},
		{"https://example.com/wa/", "jane", "https://example.com/wa/jane"},
		{"http://localhost:8080", "jane", "http://localhost:8080/jane"},
		{"https://example.com", "docs", "https://example.com/@docs"},
		{"https://example.com", "jane.docs", "https://example.com/jane.docs"},
		{"https://example.com", "docs.md", "https://example.com/@docs.md"},
	} {
		base, err := parseBaseURL(row[0])
		require.NoError(t, err)
		require.Equal(t, row[2], base.shortLink(busname.MustParse(row[1])))
	}
}

// What the configuration accepts makes links that every URL parser takes apart alike,
// and reads back as itself.
func FuzzConfiguration(f *testing.F) {
	for _, s := range []string{
		"wa.me", "localhost:8443", "[::1]:80", "wa.me:0", "a b", "https://example.com/wa/", "http://[::1]:8080", "https://u@example.com", "https://example.com/a/../b",
	} {
		f.Add(s)
	}
	jane := busname.MustParse("jane")
	f.Fuzz(func(t *testing.T, s string) {
		if h, err := parseHost(s); err == nil {
			u, err := url.Parse(h.link(chatlink.MustParseLink("wa.me/jane")))
			require.NoError(t, err)
			require.Equal(t, &url.URL{Scheme: "https", Host: strings.ToLower(s), Path: "/jane"}, u)
		}
		if base, err := parseBaseURL(s); err == nil {
			u, err := url.Parse(base.shortLink(jane))
			require.NoError(t, err)
			require.True(t, (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "")
			require.Equal(t, u.Path, u.JoinPath().Path, "nothing to clean")
			require.True(t, strings.HasSuffix(u.Path, "/jane") && !strings.HasSuffix(u.Path, "//jane"))
			again, err := parseBaseURL(base.String())
			require.NoError(t, err)
			require.Equal(t, base, again)
		}
	})
}

// Every short link leads back to its username, and a username has no other path than
// its own and that with "@".
func TestParseShortPath(t *testing.T) {
	for _, name := range []string{"jane.doe", "docs", "favicon.ico", "jane.js", "abc"} {
		u := busname.MustParse(name)
		for _, path := range []string{baseURL{}.shortLink(u), "/@" + name} {
			got, ok := parseShortPath(path)
			require.True(t, ok, path)
			require.Equal(t, u, got)
		}
	}
	for _, path := range []string{"", "/", "/@", "jane", "@jane", "//jane", "/@@jane", "/jane/", "/Jane", "/docs", "/favicon.ico", "/a.png"} {
		got, ok := parseShortPath(path)
		require.False(t, ok, path)
		require.Zero(t, got)
	}
}

// Removing a reserved name would change short links that exist, and so would adding one.
func TestReservedNames(t *testing.T) {
	reserved := strings.Fields(`about admin api app assets debug docs health healthz help imprint legal livez login logout
		metrics openapi ping pprof privacy ready readyz reference security static status swagger terms version
		x.avif x.css x.csv x.gif x.gz x.ico x.jpeg x.jpg x.js x.json x.jsonl x.map x.md x.mjs x.pdf x.php
		x.png x.svg x.wasm x.webmanifest x.webp x.woff x.woff2 x.yaml x.yml x.zip`)
	free := strings.Fields("jane docs. .docs doc docs_ api.jane jane.api x.jp x.j json xjson x.docs")
	for _, name := range reserved {
		if len(name) < 3 {
			name = "x" + name
		}
		require.Equal(t, "/@"+name, baseURL{}.shortLink(busname.MustParse(name)), name)
	}
	for _, name := range free {
		if u, err := busname.Parse(name); err == nil {
			require.Equal(t, "/"+name, baseURL{}.shortLink(u), name)
		}
	}
}
