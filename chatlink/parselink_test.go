package chatlink_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

var (
	_ encoding.TextMarshaler   = chatlink.Link{}
	_ encoding.TextUnmarshaler = (*chatlink.Link)(nil)
)

type linkParts struct {
	Kind     string `json:"kind"`
	Phone    string `json:"phone"`
	Username string `json:"username"`
	Code     string `json:"code"`
	Text     string `json:"text"`
}

func partsOf(l chatlink.Link) linkParts {
	return linkParts{string(l.Kind()), l.Phone().String(), l.Username().String(), l.Code(), l.Text()}
}

func TestParseLinkVectors(t *testing.T) {
	file, err := vectors.Load[string, linkParts]("parse_link.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			l, err := chatlink.ParseLink(v.Input)
			require.Equal(t, v.Codes, problem.All(err).Codes())
			if v.Output == nil {
				require.Zero(t, l)
				return
			}
			require.NoError(t, err)
			require.NotZero(t, l)
			require.Equal(t, *v.Output, partsOf(l))
			again, err := chatlink.ParseLink(l.String())
			require.NoError(t, err)
			require.Equal(t, l, again, "the link reads back from its String")
		})
	}
}

func TestLinkTextRoundTrip(t *testing.T) {
	var l chatlink.Link
	require.NoError(t, json.Unmarshal([]byte(`"wa.me/16505551234?text=Hi"`), &l))
	out, err := json.Marshal(l)
	require.NoError(t, err)
	require.JSONEq(t, `"https://wa.me/16505551234?text=Hi"`, string(out))
	require.ErrorIs(t, json.Unmarshal([]byte(`"example.com"`), &l), chatlink.CodeUnrecognizedLink)
	require.NotZero(t, l, "a failed Unmarshal leaves the value alone")
	require.NoError(t, json.Unmarshal([]byte(`""`), &l))
	require.Zero(t, l)
	require.Empty(t, l.String())
}

func TestParseLinkAllocations(t *testing.T) {
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = chatlink.ParseLink("https://wa.me/16505551234") }), 1.0, "the path")
}

// FuzzParseLink checks that a valid link reads back from its String, and that the host
// of a web link is the one that net/url finds.
func FuzzParseLink(f *testing.F) {
	file, err := vectors.Load[string, linkParts]("parse_link.json")
	require.NoError(f, err)
	for _, v := range file.Vectors {
		f.Add(v.Input)
	}
	hosts := []string{"wa.me", "api.whatsapp.com", "web.whatsapp.com", "chat.whatsapp.com", "whatsapp.com", "send", "chat"}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := chatlink.ParseLink(s)
		if err != nil {
			require.Zero(t, l)
			require.NotEmpty(t, problem.All(err))
			return
		}
		again, err := chatlink.ParseLink(l.String())
		require.NoError(t, err)
		require.Equal(t, l, again)

		digits := 0
		for _, c := range l.Phone().String() {
			digits += strings.Count(s, string(c))
		}
		require.GreaterOrEqual(t, digits, len(l.Phone().String()), "every digit of the number stands in the link")
		if !strings.Contains(s, "%") { // net/url does not decode escapes that we leave alone
			text := strings.TrimSpace(s)
			if !strings.Contains(text, "://") {
				text = "https://" + text
			}
			if u, err := url.Parse(text); err == nil {
				require.Contains(t, hosts, strings.TrimPrefix(strings.ToLower(u.Host), "www."))
				require.Nil(t, u.User)
			}
		}
	})
}

// FuzzLinkRoundTrip reads back what every builder makes.
func FuzzLinkRoundTrip(f *testing.F) {
	f.Add("jane.doe", "16505551234", "1+1 = 2\n100% & more? #é👋")
	f.Add("message", "5511987654321", "")
	f.Add("www_", "447700900123", " x ")
	f.Fuzz(func(t *testing.T, username, number, text string) {
		if link, err := chatlink.BuildUsernameLink(username, text); err == nil {
			l, err := chatlink.ParseLink(link)
			require.NoError(t, err)
			require.Equal(t, link, l.String())
			require.Equal(t, chatlink.KindUsername, l.Kind())
			require.Equal(t, username, l.Username().String())
		}
		if link, err := chatlink.BuildPhoneLink(number, text); err == nil {
			l, err := chatlink.ParseLink(link)
			require.NoError(t, err)
			require.Equal(t, link, l.String())
			require.Equal(t, chatlink.KindPhone, l.Kind())
			recipient, err := phone.ParseDigits(number)
			require.NoError(t, err)
			require.Equal(t, recipient, l.Phone())
			want, err := chatlink.ParseText(text)
			require.NoError(t, err)
			require.Equal(t, want, l.Text())
		}
	})
}

func ExampleParseLink() {
	for _, s := range []string{
		"wa.me/16505551234?text=Is%20the%20red%20one%20still%20there%3F",
		"https://api.whatsapp.com/send?phone=%2B1%20650%20555%201234",
		"https://wa.me/jane.doe",
		"https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv",
		"https://example.com/16505551234",
	} {
		link, err := chatlink.ParseLink(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s: phone %q, username %q, code %q, text %q\n", link.Kind(), link.Phone(), link.Username(), link.Code(), link.Text())
	}
	// Output:
	// phone: phone "16505551234", username "", code "", text "Is the red one still there?"
	// phone: phone "16505551234", username "", code "", text ""
	// username: phone "", username "jane.doe", code "", text ""
	// group: phone "", username "", code "AbCdEfGhIjKlMnOpQrStUv", text ""
	// link has an unknown host or path; it must be a WhatsApp link such as https://wa.me/16505551234
}

func BenchmarkParseLink(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = chatlink.ParseLink("https://wa.me/16505551234?text=Is%20the%20red%20one%20still%20there%3F")
	}
}

func ExampleLink_String() {
	link, err := chatlink.ParseLink("https://api.whatsapp.com/send/?phone=%2B1%20650%20555%201234&utm_source=mail")
	fmt.Println(link, err)
	// Output: https://wa.me/16505551234 <nil>
}
