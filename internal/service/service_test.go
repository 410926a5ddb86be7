package service_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/service"
	"github.com/hailmark/hailmark/internal/vectors"
	"github.com/hailmark/hailmark/problem"
)

func TestKeyVectors(t *testing.T) {
	file, err := vectors.Load[string, string]("key_parse.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		err := service.CheckKey(v.Input)
		require.Equal(t, v.Codes, problem.All(err).Codes(), v.ID)
		if v.Output != nil {
			require.Equal(t, *v.Output, v.Input, v.ID)
		}
	}
	require.ErrorIs(t, service.CheckKey("12\xff4"), service.CodeInvalidKey)
}

func TestShortLinkVectors(t *testing.T) {
	file, err := vectors.Load[struct{ BaseURL, Username string }, string]("short_link.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		var base service.BaseURL
		if v.Input.BaseURL != "" {
			base, err = service.ParseBaseURL(v.Input.BaseURL)
			require.NoError(t, err, v.ID)
		}
		require.Equal(t, *v.Output, base.ShortLink(busname.MustParse(v.Input.Username)), v.ID)
	}
	require.Empty(t, service.BaseURL{}.ShortLink(busname.Username{}), "no username, no link")
}

func TestReasonsVectors(t *testing.T) {
	file, err := vectors.Load[string, []service.Reason]("username_reasons.json")
	require.NoError(t, err)
	given := map[service.Reason]bool{}
	for _, v := range file.Vectors {
		require.Equal(t, *v.Output, service.Reasons(v.Input), v.ID)
		for _, reason := range *v.Output {
			given[reason] = true
		}
	}
	require.Len(t, given, 9, "every reason occurs")
	require.Equal(t, []service.Reason{"too_short", "uppercase_letter", "leading_or_trailing_dot"}, service.Reasons("A."))
	require.Equal(t, []service.Reason{"leading_www", "reserved_domain_suffix"}, service.Reasons("www.jane.com"))
	require.Equal(t, []service.Reason{"uppercase_letter", "leading_www"}, service.Reasons("wWwjane"))
	require.Equal(t, []service.Reason{"leading_www"}, service.Reasons("www"))
	require.Empty(t, service.Reasons("wwxjane"))
}

// The second form of the rules, one regular expression each.
var rules = []struct {
	reason service.Reason
	broken *regexp.Regexp
}{
	{"too_short", regexp.MustCompile(`(?s)\A.{0,2}\z`)},
	{"too_long", regexp.MustCompile(`(?s)\A.{36,}\z`)},
	{"invalid_character", regexp.MustCompile(`[^a-zA-Z0-9._]`)},
	{"uppercase_letter", regexp.MustCompile(`\A[a-zA-Z0-9._]*[A-Z][a-zA-Z0-9._]*\z`)},
	{"no_letter", regexp.MustCompile(`\A[^a-zA-Z]*\z`)},
	{"leading_or_trailing_dot", regexp.MustCompile(`\A\.|\.\z`)},
	{"consecutive_dots", regexp.MustCompile(`\.\.`)},
	{"leading_www", regexp.MustCompile(`\A[wW]{3}`)},
	{"reserved_domain_suffix", regexp.MustCompile(`\.(?i:com|org|net|int|edu|gov|mil|us|in|html?|arpa|txt|xml)\z`)},
}

func FuzzReasons(f *testing.F) {
	for _, s := range []string{"jane", "www.Jane.COM", "..", "a.\u212aom", "jos\xe9", "x.uſ", "WWW", "123[", "jane@Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := []service.Reason{}
		for _, rule := range rules {
			broken := rule.broken.MatchString(s)
			if rule.reason == "reserved_domain_suffix" {
				broken = broken && utf8.RuneCountInString(s[strings.LastIndexByte(s, '.'):]) == len(s)-strings.LastIndexByte(s, '.')
			}
			if broken {
				want = append(want, rule.reason)
			}
		}
		require.Equal(t, want, service.Reasons(s))
	})
}

func TestCheckNotice(t *testing.T) {
	for _, s := range []string{service.DefaultNotice, "As of 2026-11-21", "As of 2027-01-31, all is well: ü."} {
		require.NoError(t, service.CheckNotice(s), s)
	}
	for _, s := range []string{
		"", "All is well.", "as of 2026-11-21, x", "As of today", "As of 2026-13-01, x", "As of 2026-00-01, x", "As of 2026-01-32, x",
		"As of 2026-01-00, x", "As of 2026-02-30, x", "As of 2026-1-1, x", "As of 2026-11-211", "As of 2026/11/21, x", " As of 2026-11-21", "As of 2026-11-21\nx", "As of 2026-11-21 \xff",
	} {
		require.Error(t, service.CheckNotice(s), s)
	}
}

func TestHostLinks(t *testing.T) {
	host, err := service.ParseHost("Chat.example.com:8443")
	require.NoError(t, err)
	for _, link := range []string{"https://chat.example.com:8443/jane?text=Hi", "www.Chat.example.com:8443/jane?text=Hi", " HTTP://chat.example.com:8443/jane/?text=Hi"} {
		l, err := host.ParseLink(link)
		require.NoError(t, err, link)
		require.Equal(t, "https://wa.me/jane?text=Hi", l.String(), link)
	}
	l, err := host.ParseLink(host.Link("https://wa.me/?text=Hi"))
	require.NoError(t, err)
	require.Equal(t, "picker", l.Kind())
	for _, link := range []string{"https://wa.me/jane", "www.WA.me/jane", "ftp://chat.example.com:8443/jane", "chat.example.com/jane", "", "://", "chat.example.com:8443"} {
		_, err = host.ParseLink(link)
		require.ErrorIs(t, err, chatlink.CodeUnrecognizedLink, link)
	}
	_, err = host.ParseLink("https://chat.whatsapp.com/AbC")
	require.NoError(t, err, "the other forms don't depend on the chat host")
	require.Equal(t, "https://chat.whatsapp.com/AbC", host.Link("https://chat.whatsapp.com/AbC"))
}

func TestIdentifier(t *testing.T) {
	for id, want := range map[service.ContactInput][2]string{
		{BSUID: "US.1A"}:             {"bsuid", "US.1A"},
		{Phone: "+1 (650) 555-1234"}: {"phone", "16505551234"},
		{Username: "jane.doe"}:       {"username", "jane.doe"},
		{Username: "Jane"}:           {},
	} {
		p, _ := service.ResolveContact(id)
		kind, value := service.Identifier(p)
		require.Equal(t, want, [2]string{kind, value})
	}
}

func TestParseHost(t *testing.T) {
	for _, s := range []string{"wa.me", "localhost:8443", "127.0.0.1", "[::1]:80", "[2001:db8::A]", "chat_link.internal", "XN--P1AI.example", "WA.example", "1.example", "0x7f.example", "a.1b", "0xg", "255.255.255.255:1", "wa.me:65535", strings.Repeat("a.", 126) + "b"} {
		h, err := service.ParseHost(s)
		require.NoError(t, err, s)
		require.Equal(t, "https://"+strings.ToLower(s)+"/jane?text=Hi", h.Link("https://wa.me/jane?text=Hi"))
	}
	for _, s := range []string{
		"", " ", "https://wa.me", "wa.me/", "wa.me/x", "wa.me?x", "wa.me#x", "u@wa.me", "wa.me:", "wa.me:0", "wa.me:65536",
		"wa.me:http", "wa..me", ".me", "-wa.me", "wa-.me", "wä.me", "wa.me\n", "[::1", "a\"b", strings.Repeat("a", 64) + ".me",
		strings.Repeat("a.", 127) + "me", strings.Repeat("a.", 126) + "bc",
		"999.1.1.1", "1.2.3.4.5", "1.2.3", "0x7f.1", "0x7f", "0x", "a.0xF", "a.1", "1", "4294967295:80", "256.1.1.1", "1.2.3.4.", "wa.me.",
		"1::2:3", "::1", "::1:80", "2001:db8::1", "[1.2.3.4]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[]", "[::1]x",
	} {
		h, err := service.ParseHost(s)
		require.Error(t, err, s)
		require.Zero(t, h)
	}
}

func TestEqualHostsCompareEqual(t *testing.T) {
	for _, s := range []string{"wa.me", "WA.ME", "Wa.Me"} {
		h, err := service.ParseHost(s)
		require.NoError(t, err)
		require.Equal(t, service.Host{}, h, s)
	}
	a, err := service.ParseHost("Chat.Example.com")
	require.NoError(t, err)
	b, err := service.ParseHost("chat.example.COM")
	require.NoError(t, err)
	require.Equal(t, a, b)
}

func TestParseBaseURL(t *testing.T) {
	for s, want := range map[string]string{
		"https://example.com":         "https://example.com",
		"https://example.com/":        "https://example.com",
		"HTTP://example.com:8080/wa/": "http://example.com:8080/wa",
		"http://[::1]:8080":           "http://[::1]:8080",
		"https://example.com/a%20b":   "https://example.com/a%20b",
		"https://Example.COM/Wa":      "https://example.com/Wa",
		"https://example.com/..a/.b.": "https://example.com/..a/.b.",
	} {
		b, err := service.ParseBaseURL(s)
		require.NoError(t, err, s)
		require.Equal(t, want, b.String())
	}
	for _, s := range []string{
		"", "/", "example.com", "example.com:8080", "//example.com", "ftp://example.com", "https://", "https:///wa", "https://u:p@example.com",
		"https://example.com?", "https://example.com/?a=b", "https://example.com#", "https://example.com//", "https://example.com/a//b",
		"https://example.com/a/../b", "https://example.com/./", "https://exa mple.com", "https://example.com:0", "https://example.com/\n", "mailto:a@b.example",
		"https://example.com/%2e%2e/a", "https://example.com/%2E", "https://example.com/.%2e/", "https://example.com/a/..",
		"https://1::2:3", "https://[fe80::1%25eth0]",
	} {
		b, err := service.ParseBaseURL(s)
		require.Error(t, err, s)
		require.Zero(t, b)
	}
}

func TestKeyEdges(t *testing.T) {
	require.NoError(t, service.CheckKey("09azAZ"))
	for _, c := range "/:@[`{" {
		require.ErrorIs(t, service.CheckKey("abc"+string(c)), service.CodeInvalidKey)
	}
	for n, want := range map[int]bool{0: false, 3: false, 4: true, 8: true, 9: false} {
		require.Equal(t, want, service.CheckKey(strings.Repeat("a", n)) == nil, n)
	}
}

// What the configuration accepts makes links that every URL parser takes apart alike,
// and reads back as itself.
func FuzzConfiguration(f *testing.F) {
	for _, s := range []string{
		"wa.me", "localhost:8443", "[::1]:80", "wa.me:0", "a b", "https://example.com/wa/", "http://[::1]:8080", "https://u@example.com", "https://example.com/a/../b",
		service.DefaultNotice, "As of 2026-13-01, x",
	} {
		f.Add(s)
	}
	jane := busname.MustParse("jane")
	notice := regexp.MustCompile(`\AAs of [0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([^0-9]|\z)`)
	f.Fuzz(func(t *testing.T, s string) {
		if host, err := service.ParseHost(s); err == nil {
			u, err := url.Parse(host.Link("https://wa.me/jane"))
			require.NoError(t, err)
			require.Equal(t, &url.URL{Scheme: "https", Host: strings.ToLower(s), Path: "/jane"}, u)
		}
		if base, err := service.ParseBaseURL(s); err == nil {
			u, err := url.Parse(base.ShortLink(jane))
			require.NoError(t, err)
			require.True(t, (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "")
			require.Equal(t, u.Path, u.JoinPath().Path, "nothing to clean")
			require.True(t, strings.HasSuffix(u.Path, "/jane") && !strings.HasSuffix(u.Path, "//jane"))
			again, err := service.ParseBaseURL(base.String())
			require.NoError(t, err)
			require.Equal(t, base, again)
		}
		want := notice.MatchString(s) && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
		require.Equal(t, want, service.CheckNotice(s) == nil)
	})
}

// Every short link leads back to its username, and a username has no other path than
// its own and that with "@".
func TestParseShortPath(t *testing.T) {
	for _, name := range []string{"jane.doe", "docs", "favicon.ico", "jane.js", "abc"} {
		u := busname.MustParse(name)
		for _, path := range []string{service.BaseURL{}.ShortLink(u), "/@" + name} {
			got, ok := service.ParseShortPath(path)
			require.True(t, ok, path)
			require.Equal(t, u, got)
		}
	}
	for _, path := range []string{"", "/", "/@", "jane", "@jane", "//jane", "/@@jane", "/jane/", "/Jane", "/docs", "/favicon.ico", "/a.png"} {
		got, ok := service.ParseShortPath(path)
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
		require.Equal(t, "/@"+name, service.BaseURL{}.ShortLink(busname.MustParse(name)), name)
	}
	for _, name := range free {
		if u, err := busname.Parse(name); err == nil {
			require.Equal(t, "/"+name, service.BaseURL{}.ShortLink(u), name)
		}
	}
}
