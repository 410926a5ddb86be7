package chatlink_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
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

func TestInvalidUTF8(t *testing.T) {
	_, err := chatlink.ParseText("a\xffb")
	require.ErrorIs(t, err, problem.Code("text_invalid"))
}

// The edges of what a text may be.
func TestParseTextEdges(t *testing.T) {
	longest := strings.Repeat("\r\n", 4095) + "x"
	text, err := chatlink.ParseText(longest)
	require.NoError(t, err, "CRLF counts as one character")
	require.Equal(t, strings.Repeat("\n", 4095)+"x", text)
	_, err = chatlink.ParseText(longest + "x")
	require.ErrorIs(t, err, problem.Code("text_too_long"))
	for _, blank := range []string{"", " ", "\t\n", "\r\n", "\u00a0\u2003\u3000", strings.Repeat(" ", 5000)} {
		text, err = chatlink.ParseText(blank)
		require.NoError(t, err, "%q", blank)
		require.Zero(t, text)
	}
	for _, s := range []string{"\r", "\r\r\n", "\n\r", "a\rb", "\v", "\f", "\u0085", "\u0085\u009f", " \u0080 ", "\x7f", "\x00", "\x1f", "x\x1e", "\xff"} {
		_, err = chatlink.ParseText(s)
		require.ErrorIs(t, err, problem.Code("text_invalid"), "%q", s)
	}
	_, err = chatlink.ParseText("é\r\n\a")
	require.ErrorContains(t, err, "U+0007 at character 3")
	for _, s := range []string{"\u0020x", "~", "\u00a0x"} { // next to the controls
		_, err = chatlink.ParseText(s)
		require.NoError(t, err, "%q", s)
	}
}

func TestAllocations(t *testing.T) {
	number := phone.MustParse("+16505551234")
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		link, _ := chatlink.PhoneLink(number, "1+1 = 2")
		_ = link.String()
	}), 1.0, "the link")
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
