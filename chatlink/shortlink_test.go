package chatlink_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/check/vectors"
)

func TestShortLinkVectors(t *testing.T) {
	file, err := vectors.Load[struct{ BaseURL, Username string }, string]("short_link.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		var base chatlink.BaseURL
		if v.Input.BaseURL != "" {
			base, err = chatlink.ParseBaseURL(v.Input.BaseURL)
			require.NoError(t, err, v.ID)
		}
		require.Equal(t, *v.Output, base.ShortLink(busname.MustParse(v.Input.Username)), v.ID)
	}
	require.Empty(t, chatlink.BaseURL{}.ShortLink(busname.Username{}), "no username, no link")
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
		if host, err := chatlink.ParseHost(s); err == nil {
			u, err := url.Parse(chatlink.MustParseLink("wa.me/jane").On(host))
			require.NoError(t, err)
			require.Equal(t, &url.URL{Scheme: "https", Host: strings.ToLower(s), Path: "/jane"}, u)
		}
		if base, err := chatlink.ParseBaseURL(s); err == nil {
			u, err := url.Parse(base.ShortLink(jane))
			require.NoError(t, err)
			require.True(t, (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "")
			require.Equal(t, u.Path, u.JoinPath().Path, "nothing to clean")
			require.True(t, strings.HasSuffix(u.Path, "/jane") && !strings.HasSuffix(u.Path, "//jane"))
			again, err := chatlink.ParseBaseURL(base.String())
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
		for _, path := range []string{chatlink.BaseURL{}.ShortLink(u), "/@" + name} {
			got, ok := chatlink.ParseShortPath(path)
			require.True(t, ok, path)
			require.Equal(t, u, got)
		}
	}
	for _, path := range []string{"", "/", "/@", "jane", "@jane", "//jane", "/@@jane", "/jane/", "/Jane", "/docs", "/favicon.ico", "/a.png"} {
		got, ok := chatlink.ParseShortPath(path)
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
		require.Equal(t, "/@"+name, chatlink.BaseURL{}.ShortLink(busname.MustParse(name)), name)
	}
	for _, name := range free {
		if u, err := busname.Parse(name); err == nil {
			require.Equal(t, "/"+name, chatlink.BaseURL{}.ShortLink(u), name)
		}
	}
}
