package chatlink_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
)

// The zero values of a username and a number belong to nobody, so no link leads there.
func TestLinksToNobody(t *testing.T) {
	for _, text := range []string{"", "Hi"} {
		l, err := chatlink.UsernameLink(busname.Username{}, text)
		require.ErrorIs(t, err, busname.CodeInvalidLength)
		require.Zero(t, l)
		l, err = chatlink.PhoneLink(phone.Number{}, text)
		require.ErrorIs(t, err, phone.CodeInvalid)
		require.Zero(t, l)
	}
}

func TestParseLinkEdges(t *testing.T) {
	for link, want := range map[string]string{
		"api.whatsapp.com/send?phone=16505551234&phone=16505551234":                   "https://wa.me/16505551234",
		"api.whatsapp.com/send?phone=16505551234&phone=":                              "https://wa.me/16505551234",
		"api.whatsapp.com/send?phone=+16505551234":                                    "https://wa.me/16505551234",
		"api.whatsapp.com/send?phone=+1%20650%20555%201234":                           "https://wa.me/16505551234",
		"api.whatsapp.com/send?phone=+%2b16505551234":                                 "https://wa.me/16505551234",
		"whatsapp-smb://send/?phone=+16505551234":                                     "https://wa.me/16505551234",
		"intent://chat?code=AbC&x=1#Intent;scheme=whatsapp;end":                       "https://chat.whatsapp.com/AbC",
		"INTENT://send/+16505551234#Intent;scheme=smsto;package=com.whatsapp.w4b;end": "https://wa.me/16505551234",
		"wa.me/+1 (650) 555-1234":                                                     "https://wa.me/16505551234",
		"wa.me/+1.650.555.1234":                                                       "https://wa.me/16505551234",
		"wa.me/qr/" + strings.Repeat("a", 128):                                        "https://wa.me/qr/" + strings.Repeat("a", 128),
		"wa.me/message/-_09azAZ":                                                      "https://wa.me/message/-_09azAZ",
		"https://api.whatsapp.com/message/ABC123?autoload=1":                          "https://wa.me/message/ABC123",
		"chat.whatsapp.com/invite/AbC123":                                             "https://chat.whatsapp.com/AbC123",
		"https://www.whatsapp.com/catalog/16505551234":                                "https://wa.me/c/16505551234",
		"https://wa.me:443/jane":                                                      "https://wa.me/jane",
		"web.whatsapp.com/send?username=jane&username=jane&text=Hi":                   "https://wa.me/jane?text=Hi",
		"https://WWW.WA.ME/jane/?utm_source=x%zz&text=%0A1%2B1#fragment":              "https://wa.me/jane?text=%0A1%2B1",
	} {
		l, err := chatlink.ParseLink(link)
		require.NoError(t, err, link)
		require.Equal(t, want, l.String(), link)
	}
	_, err := chatlink.ParseLink("api.whatsapp.com/send?phone=+49%200171%201234567")
	require.ErrorIs(t, err, phone.CodeInvalid, "the plus is one, so the 0 is a trunk zero")
	for _, link := range []string{
		"api.whatsapp.com/send?phone=9+12345678912", "api.whatsapp.com/send?phone=9%2B12345678912", "api.whatsapp.com/send?phone=9%2b12345678912",
		"wa.me/9+12345678912", "wa.me/9%2B12345678912", "whatsapp://send?phone=+9+12345678912", "api.whatsapp.com/send?phone=%2B1+650+555+1234",
		"wa.me/c/9+12345678912", "intent://send?phone=9+12345678912#Intent;scheme=whatsapp;end",
	} {
		_, err := chatlink.ParseLink(link)
		require.ErrorIs(t, err, phone.CodeInvalid, link)
		require.ErrorContains(t, err, "a + that isn't in front", link)
	}
	for _, link := range []string{
		"wa.me/qr/" + strings.Repeat("a", 129), "wa.me/qr/a b", "wa.me/message/a.b", "wa.me/qr/a`", "wa.me/qr/a{", "wa.me/qr/a@", "wa.me/qr/a[", "wa.me/qr/a:",
		"api.whatsapp.com/send?phone=16505551234&phone=16505551235", "api.whatsapp.com/send?phone=1650+555+1234&username=jane",
		"wa.me/1/2", "wa.me/p/1", "api.whatsapp.com/other?phone=16505551234", "api.whatsapp.com/send/x?phone=16505551234",
		"api.whatsapp.com/message", "api.whatsapp.com/message/a/b", "api.whatsapp.com/other/a", "whatsapp://message/a", "whatsapp.com/catalog", "wa.me:8080/jane", "http://wa.me:443/jane",
		"chat.whatsapp.com/a/b", "chat.whatsapp.com/invite/a/b", "chat.whatsapp.com", "whatsapp.com/channel", "whatsapp.com/other/AbC", "wa.me/", "ftp://wa.me/jane", "wa.me/%zz", "wa.me/jane?phone=16505551234",
		"whatsapp://chat", "whatsapp://chat?code=", "whatsapp://chat/a?code=b", "https://api.whatsapp.com/chat?code=AbC",
		"intent://send/16505551234#Intent;scheme=smsto;end", "intent://send/16505551234#Intent;scheme=smsto;package=org.sms;end", "intent://send?phone=16505551234", "intent://x#Intent;scheme=market;package=com.whatsapp;end",
	} {
		_, err := chatlink.ParseLink(link)
		require.ErrorIs(t, err, chatlink.CodeUnrecognizedLink, link)
	}
}
