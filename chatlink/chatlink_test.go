package chatlink_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/vectors"
)

// testVectors holds f to a vector file: its output, or the codes of its error.
func testVectors[In any](t *testing.T, name string, f func(In) (string, error)) {
	t.Helper()
	file, err := vectors.Load[In, string](name)
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			got, err := f(v.Input)
			require.Equal(t, v.Codes, problem.All(err).Codes())
			if v.Output == nil {
				require.Empty(t, got)
				return
			}
			require.NoError(t, err)
			require.Equal(t, *v.Output, got)
		})
	}
}

func TestParseKeyVectors(t *testing.T) {
	testVectors(t, "key_parse.json", func(s string) (string, error) {
		k, err := chatlink.ParseKey(s)
		return k.String(), err
	})
}

type linkInput struct{ Username, Phone, Text string }

func TestBuildUsernameLinkVectors(t *testing.T) {
	testVectors(t, "username_link.json", func(in linkInput) (string, error) {
		return chatlink.BuildUsernameLink(in.Username, in.Text)
	})
}

func TestBuildPhoneLinkVectors(t *testing.T) {
	testVectors(t, "phone_link.json", func(in linkInput) (string, error) {
		return chatlink.BuildPhoneLink(in.Phone, in.Text)
	})
}

func TestShortLinkVectors(t *testing.T) {
	testVectors(t, "short_link.json", func(in struct{ BaseURL, Username string }) (string, error) {
		if in.BaseURL == "" {
			return chatlink.BaseURL{}.ShortLink(busname.MustParse(in.Username)), nil
		}
		base, err := chatlink.ParseBaseURL(in.BaseURL)
		return base.ShortLink(busname.MustParse(in.Username)), err
	})
}

func TestInvalidUTF8(t *testing.T) {
	_, err := chatlink.ParseText("a\xffb")
	require.ErrorIs(t, err, chatlink.CodeInvalidText)
	_, err = chatlink.ParseKey("12\xff4")
	require.ErrorIs(t, err, chatlink.CodeInvalidKey)
}

func TestZeroValues(t *testing.T) {
	text, err := chatlink.ParseText("hi")
	require.NoError(t, err)
	require.Empty(t, chatlink.Host{}.UsernameLink(busname.Username{}, text), "no username, no link")
	require.Empty(t, chatlink.Host{}.PhoneLink(phone.Number{}, text), "no phone, no link")
	require.Empty(t, chatlink.BaseURL{}.ShortLink(busname.Username{}), "no username, no link")
	require.Equal(t, "wa.me", chatlink.Host{}.String())
	require.Equal(t, chatlink.DefaultNotice, chatlink.Notice{}.String())
	require.Empty(t, chatlink.Key{}.String()+chatlink.Text{}.String()+chatlink.BaseURL{}.String())
}

func TestParseHost(t *testing.T) {
	for _, s := range []string{"wa.me", "localhost:8443", "127.0.0.1", "[::1]:80", "[2001:db8::A]", "chat_link.internal", "XN--P1AI.example", "WA.example", "1.example", "0x7f.example", "a.1b", "0xg", "255.255.255.255:1", "wa.me:65535", strings.Repeat("a.", 126) + "b"} {
		h, err := chatlink.ParseHost(s)
		require.NoError(t, err, s)
		s = strings.ToLower(s)
		require.Equal(t, s, h.String())
		require.Equal(t, "https://"+s+"/jane", h.UsernameLink(busname.MustParse("jane"), chatlink.Text{}))
	}
	for _, s := range []string{
		"", " ", "https://wa.me", "wa.me/", "wa.me/x", "wa.me?x", "wa.me#x", "u@wa.me", "wa.me:", "wa.me:0", "wa.me:65536",
		"wa.me:http", "wa..me", ".me", "-wa.me", "wa-.me", "wä.me", "wa.me\n", "[::1", "a\"b", strings.Repeat("a", 64) + ".me",
		strings.Repeat("a.", 127) + "me", strings.Repeat("a.", 126) + "bc",
		"999.1.1.1", "1.2.3.4.5", "1.2.3", "0x7f.1", "0x7f", "0x", "a.0xF", "a.1", "1", "4294967295:80", "256.1.1.1", "1.2.3.4.", "wa.me.",
		"1::2:3", "::1", "::1:80", "2001:db8::1", "[1.2.3.4]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[]", "[::1]x",
	} {
		h, err := chatlink.ParseHost(s)
		require.Error(t, err, s)
		require.Zero(t, h)
	}
}

func TestEqualHostsCompareEqual(t *testing.T) {
	for _, s := range []string{"wa.me", "WA.ME", "Wa.Me"} {
		h, err := chatlink.ParseHost(s)
		require.NoError(t, err)
		require.Equal(t, chatlink.Host{}, h, s)
	}
	a, err := chatlink.ParseHost("Chat.Example.com")
	require.NoError(t, err)
	b, err := chatlink.ParseHost("chat.example.COM")
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
		b, err := chatlink.ParseBaseURL(s)
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
		b, err := chatlink.ParseBaseURL(s)
		require.Error(t, err, s)
		require.Zero(t, b)
	}
}

func TestParseNotice(t *testing.T) {
	for _, s := range []string{chatlink.DefaultNotice, "As of 2026-11-21", "As of 2027-01-31, all is well: ü."} {
		n, err := chatlink.ParseNotice(s)
		require.NoError(t, err, s)
		require.Equal(t, s, n.String())
	}
	for _, s := range []string{
		"", "All is well.", "as of 2026-11-21, x", "As of today", "As of 2026-13-01, x", "As of 2026-00-01, x", "As of 2026-01-32, x",
		"As of 2026-01-00, x", "As of 2026-02-30, x", "As of 2026-1-1, x", "As of 2026-11-211", "As of 2026/11/21, x", " As of 2026-11-21", "As of 2026-11-21\nx", "As of 2026-11-21 \xff",
	} {
		_, err := chatlink.ParseNotice(s)
		require.Error(t, err, s)
	}
}

// The edges of what a text may be.
func TestParseTextEdges(t *testing.T) {
	longest := strings.Repeat("\r\n", 4095) + "x"
	text, err := chatlink.ParseText(longest)
	require.NoError(t, err, "CRLF counts as one character")
	require.Equal(t, strings.Repeat("\n", 4095)+"x", text.String())
	_, err = chatlink.ParseText(longest + "x")
	require.ErrorIs(t, err, chatlink.CodeTextTooLong)
	for _, blank := range []string{"", " ", "\t\n", "\r\n", "\u00a0\u2003\u3000", strings.Repeat(" ", 5000)} {
		text, err = chatlink.ParseText(blank)
		require.NoError(t, err, "%q", blank)
		require.Zero(t, text)
	}
	for _, s := range []string{"\r", "\r\r\n", "\n\r", "a\rb", "\v", "\f", "\u0085", "\u0085\u009f", " \u0080 ", "\x7f", "\x00", "\x1f", "x\x1e", "\xff"} {
		_, err = chatlink.ParseText(s)
		require.ErrorIs(t, err, chatlink.CodeInvalidText, "%q", s)
	}
	_, err = chatlink.ParseText("é\r\n\a")
	require.ErrorContains(t, err, "U+0007 at character 3")
	for _, s := range []string{"\u0020x", "~", "\u00a0x"} { // beside the controls
		_, err = chatlink.ParseText(s)
		require.NoError(t, err, "%q", s)
	}
}

func TestAllocations(t *testing.T) {
	number, username := phone.MustParse("16505551234"), busname.MustParse("jane")
	text, err := chatlink.ParseText("Grüße, and 1+1 = 2")
	require.NoError(t, err)
	var host chatlink.Host

	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { host.PhoneLink(number, text) }), 1.0, "the link")
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { host.UsernameLink(username, text) }), 1.0, "the link")
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = chatlink.BuildUsernameLink("jane", "Grüße") }), 1.0, "the link")
}

var (
	bare     = regexp.MustCompile(`[A-Za-z0-9\-_.!~*'()]`)
	control  = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x9f]`)
	linkForm = regexp.MustCompile(`\Ahttps://wa\.me/jane(?:\?text=(?:[A-Za-z0-9\-_.!~*'()]|%[0-9A-F]{2})+)?\z`)
)

// encodeURIComponent is the second form of the encoding, rune by rune as ECMA-262 defines it.
func encodeURIComponent(s string) string {
	var b strings.Builder
	for _, r := range s {
		if c := string(r); bare.MatchString(c) {
			b.WriteString(c)
		} else {
			for _, octet := range []byte(c) {
				fmt.Fprintf(&b, "%%%02X", octet)
			}
		}
	}
	return b.String()
}

func FuzzBuildUsernameLinkText(f *testing.F) {
	file, err := vectors.Load[linkInput, string]("username_link.json")
	require.NoError(f, err)
	for _, v := range file.Vectors {
		f.Add(v.Input.Text)
	}
	f.Add("a\xffb")
	f.Fuzz(func(t *testing.T, text string) {
		link, err := chatlink.BuildUsernameLink("jane", text)

		text = strings.Join(strings.Split(text, "\r\n"), "\n")
		blank := strings.TrimSpace(text) == ""
		valid := utf8.ValidString(text) && !control.MatchString(text)
		require.Equal(t, valid && (blank || len([]rune(text)) <= 4096), err == nil)
		if err != nil {
			require.NotEmpty(t, problem.All(err))
			return
		}

		require.Regexp(t, linkForm, link)
		u, err := url.Parse(link)
		require.NoError(t, err)
		require.Equal(t, "/jane", u.Path)
		query, err := url.ParseQuery(u.RawQuery)
		require.NoError(t, err)
		if blank {
			require.Equal(t, "https://wa.me/jane", link)
			return
		}
		require.Equal(t, url.Values{"text": {text}}, query)
		require.Equal(t, "https://wa.me/jane?text="+encodeURIComponent(text), link)
	})
}

func TestKeyEdges(t *testing.T) {
	_, err := chatlink.ParseKey("09azAZ")
	require.NoError(t, err)
	for _, c := range "/:@[`{" {
		_, err := chatlink.ParseKey("abc" + string(c))
		require.ErrorIs(t, err, chatlink.CodeInvalidKey)
	}
	for n, want := range map[int]bool{0: false, 3: false, 4: true, 8: true, 9: false} {
		_, err := chatlink.ParseKey(strings.Repeat("a", n))
		require.Equal(t, want, err == nil, n)
	}
}

func FuzzParseKey(f *testing.F) {
	file, err := vectors.Load[string, string]("key_parse.json")
	require.NoError(f, err)
	for _, v := range file.Vectors {
		f.Add(v.Input)
	}
	form := regexp.MustCompile(`\A[0-9A-Za-z]{4,8}\z`)
	f.Fuzz(func(t *testing.T, s string) {
		k, err := chatlink.ParseKey(s)
		require.Equal(t, form.MatchString(s), err == nil)
		if err == nil {
			require.Equal(t, s, k.String())
		}
	})
}

func BenchmarkBuildUsernameLink(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = chatlink.BuildUsernameLink("jane.doe", "Hello, is the red one still there?")
	}
}

func BenchmarkBuildPhoneLink(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = chatlink.BuildPhoneLink("+1 (650) 555-1234", "")
	}
}

// What the configuration accepts makes links that every URL parser takes apart alike,
// and reads back as itself.
func FuzzConfiguration(f *testing.F) {
	for _, s := range []string{
		"wa.me", "localhost:8443", "[::1]:80", "wa.me:0", "a b", "https://example.com/wa/", "http://[::1]:8080", "https://u@example.com", "https://example.com/a/../b",
		chatlink.DefaultNotice, "As of 2026-13-01, x",
	} {
		f.Add(s)
	}
	jane := busname.MustParse("jane")
	notice := regexp.MustCompile(`\AAs of [0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([^0-9]|\z)`)
	f.Fuzz(func(t *testing.T, s string) {
		if host, err := chatlink.ParseHost(s); err == nil {
			u, err := url.Parse(host.UsernameLink(jane, chatlink.Text{}))
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
		n, err := chatlink.ParseNotice(s)
		require.Equal(t, notice.MatchString(s) && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl), err == nil)
		if err == nil {
			require.Equal(t, s, n.String())
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
