package chatlink_test

import (
	"encoding"
	"encoding/json"
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

var (
	_ encoding.TextAppender    = phone.Number{}
	_ encoding.TextMarshaler   = phone.Number{}
	_ encoding.TextUnmarshaler = (*phone.Number)(nil)
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

func TestParsePhoneVectors(t *testing.T) {
	testVectors(t, "phone_parse.json", func(s string) (string, error) {
		p, err := phone.Parse(s)
		require.Equal(t, err == nil, p.IsValid())
		return p.String(), err
	})
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
	require.False(t, phone.Number{}.IsValid())
	require.Empty(t, phone.Number{}.String()+chatlink.Key{}.String()+chatlink.Text{}.String()+chatlink.BaseURL{}.String())
}

func TestParseHost(t *testing.T) {
	for _, s := range []string{"wa.me", "localhost:8443", "127.0.0.1", "[::1]:80", "chat_link.internal", "XN--P1AI.example"} {
		h, err := chatlink.ParseHost(s)
		require.NoError(t, err, s)
		require.Equal(t, s, h.String())
		require.Equal(t, "https://"+s+"/jane", h.UsernameLink(busname.MustParse("jane"), chatlink.Text{}))
	}
	for _, s := range []string{
		"", " ", "https://wa.me", "wa.me/", "wa.me/x", "wa.me?x", "wa.me#x", "u@wa.me", "wa.me:", "wa.me:0", "wa.me:65536",
		"wa.me:http", "wa..me", ".me", "-wa.me", "wa-.me", "wä.me", "wa.me\n", "[::1", "a\"b", strings.Repeat("a", 64) + ".me",
		strings.Repeat("a.", 127) + "me",
	} {
		h, err := chatlink.ParseHost(s)
		require.Error(t, err, s)
		require.Zero(t, h)
	}
}

func TestParseBaseURL(t *testing.T) {
	for s, want := range map[string]string{
		"https://example.com":         "https://example.com",
		"https://example.com/":        "https://example.com",
		"HTTP://example.com:8080/wa/": "http://example.com:8080/wa",
		"http://[::1]:8080":           "http://[::1]:8080",
		"https://example.com/a%20b":   "https://example.com/a%20b",
	} {
		b, err := chatlink.ParseBaseURL(s)
		require.NoError(t, err, s)
		require.Equal(t, want, b.String())
	}
	for _, s := range []string{
		"", "/", "example.com", "example.com:8080", "//example.com", "ftp://example.com", "https://", "https:///wa", "https://u:p@example.com",
		"https://example.com?", "https://example.com/?a=b", "https://example.com#", "https://example.com//", "https://example.com/a//b",
		"https://example.com/a/../b", "https://example.com/./", "https://exa mple.com", "https://example.com:0", "https://example.com/\n", "mailto:a@b.example",
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
		"As of 2026-01-00, x", "As of 2026-1-1, x", "As of 2026-11-211", "As of 2026/11/21, x", " As of 2026-11-21", "As of 2026-11-21\nx", "As of 2026-11-21 \xff",
	} {
		_, err := chatlink.ParseNotice(s)
		require.Error(t, err, s)
	}
}

// What the platform does with the two forms follows row D9 of vectors/decisions.md.
func TestPhoneSame(t *testing.T) {
	for _, pair := range [][2]string{ // the other form, the canonical form
		{"541112345678", "5491112345678"},
		{"542234567890", "5492234567890"},
		{"543874567890", "5493874567890"},
		{"551161234567", "5511961234567"},
		{"551191234567", "5511991234567"},
		{"5215512345678", "525512345678"},
	} {
		other, canonical := phone.MustParse(pair[0]), phone.MustParse(pair[1])
		require.True(t, other.Same(canonical), pair)
		require.True(t, canonical.Same(other), pair)
		require.Equal(t, canonical, other.Canonical())
		require.Equal(t, canonical, canonical.Canonical())
		require.Equal(t, pair[0], other.String(), "not rewritten")
	}
	for _, pair := range [][2]string{
		{"16505551234", "16505551235"},
		{"551121234567", "5511921234567"},   // a landline in Brazil
		{"551151234567", "5511951234567"},   // also a landline
		{"5415512345", "54915512345"},       // too short for Argentina
		{"544112345678", "5494112345678"},   // no area code in Argentina begins with 4
		{"540112345678", "5490112345678"},   // or with 0
		{"52155123456", "525512345"},        // too short for Mexico
		{"52155123456789", "5255123456789"}, // too long
		{"561112345678", "5691112345678"},   // Chile
		{"5311123456789", "53911123456789"}, // Cuba
	} {
		one, other := phone.MustParse(pair[0]), phone.MustParse(pair[1])
		require.False(t, one.Same(other), pair)
		require.Equal(t, one, one.Canonical())
		require.Equal(t, other, other.Canonical())
	}
	require.True(t, phone.Number{}.Same(phone.Number{}))
	require.Zero(t, phone.Number{}.Canonical())
}

// The message of each refusal says what to write instead.
func TestParsePhoneSaysWhatToWrite(t *testing.T) {
	for _, tt := range []struct{ input, message string }{
		{"01512 3456789", "replace it with the country code"},
		{"07700 900123", "replace it with the country code"},
		{"+0171 1234567", "no country code begins with 0"},
		{"000491711234567", "no country code begins with 0"},
		{"+49 (0)171 1234567", "national (0): leave it out"},
		{"+49 [ 0 ] 171 1234567", "national (0): leave it out"},
		{"+1 650 555 1234,,5", `without extension or dial commands, such as +1 650 555 1234; it contains ','`},
		{"+1 650 555 1234;5", `contains ';'`},
		{"+1 650 555 1234#5", `contains '#'`},
		{"*31#16505551234", `contains '*'`},
		{"+1 650 555 1234 x12", `contains 'x'`},
		{"+1 650 555 1234 ext 12", `contains 'e'`},
		{"12345", "must have 8 to 15 digits including the country code; got 5"},
		{"+1234567890123456", "got 16"},
		{"00123456789012345678901234567890", "got 30"},
	} {
		_, err := phone.Parse(tt.input)
		require.ErrorIs(t, err, phone.CodeInvalid, tt.input)
		require.ErrorContains(t, err, tt.message, tt.input)
	}
	_, err := phone.ParseInternational("650 555 1234")
	require.ErrorContains(t, err, "must begin with + or 00")
	_, err = phone.ParseInternational("0171 1234567")
	require.ErrorContains(t, err, "replace it with the country code", "the more useful of two messages")
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

func TestPhoneTextRoundTrip(t *testing.T) {
	var p phone.Number
	require.NoError(t, json.Unmarshal([]byte(`"+1 650 555 1234"`), &p))
	require.Equal(t, phone.MustParse("16505551234"), p)
	out, err := json.Marshal(p)
	require.NoError(t, err)
	require.JSONEq(t, `"16505551234"`, string(out))
	appended, err := p.AppendText([]byte("+"))
	require.NoError(t, err)
	require.Equal(t, "+16505551234", string(appended))

	require.ErrorIs(t, json.Unmarshal([]byte(`"1"`), &p), phone.CodeInvalid)
	require.True(t, p.IsValid(), "a failed Unmarshal leaves the value alone")
	require.NoError(t, json.Unmarshal([]byte(`""`), &p))
	require.Zero(t, p)
	require.Panics(t, func() { phone.MustParse("1") })
}

func TestAllocations(t *testing.T) {
	number, username := phone.MustParse("16505551234"), busname.MustParse("jane")
	text, err := chatlink.ParseText("Grüße, and 1+1 = 2")
	require.NoError(t, err)
	var host chatlink.Host

	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = phone.Parse("16505551234") }), "canonical digits")
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = phone.Parse("+1 (650) 555-1234") }), 1.0, "the digits")
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

func FuzzParsePhone(f *testing.F) {
	file, err := vectors.Load[string, string]("phone_parse.json")
	require.NoError(f, err)
	for _, v := range file.Vectors {
		f.Add(v.Input)
	}
	refused := regexp.MustCompile(`\pL|[^\PN0-9]|[,;#*，；＃＊]|[(\[] *0 *[)\]]`)
	plus := regexp.MustCompile(`\A[^0-9]*[+＋]`)
	asciiDigit := regexp.MustCompile(`[0-9]`)
	number := regexp.MustCompile(`\A[1-9][0-9]{7,14}\z`)
	f.Fuzz(func(t *testing.T, s string) {
		digits := strings.Join(asciiDigit.FindAllString(s, -1), "")
		want := digits
		if !plus.MatchString(s) {
			want = strings.TrimPrefix(digits, "00")
		}
		valid := number.MatchString(want) && !refused.MatchString(s)
		international, err := phone.ParseInternational(s)
		require.Equal(t, valid && (want != digits || plus.MatchString(s)), err == nil)
		require.Equal(t, err == nil, international.IsValid())

		p, err := phone.Parse(s)
		require.Equal(t, valid, err == nil)
		if err != nil {
			require.ErrorIs(t, err, phone.CodeInvalid)
			return
		}
		require.Equal(t, want, p.String())
		again, err := phone.Parse(p.String())
		require.NoError(t, err)
		require.Equal(t, p, again)
		require.True(t, p.Same(p.Canonical()))
		require.Equal(t, p.Canonical(), p.Canonical().Canonical())
		_, err = phone.Parse(p.Canonical().String())
		require.NoError(t, err)
	})
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
			require.Equal(t, &url.URL{Scheme: "https", Host: s, Path: "/jane"}, u)
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
