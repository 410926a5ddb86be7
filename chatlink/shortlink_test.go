package chatlink_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
)

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

func TestParseLinkEdges(t *testing.T) {
	for link, want := range map[string]string{
		"api.whatsapp.com/send?phone=16505551234&phone=16505551234":      "https://wa.me/16505551234",
		"api.whatsapp.com/send?phone=16505551234&phone=":                 "https://wa.me/16505551234",
		"api.whatsapp.com/send?phone=+16505551234":                       "https://wa.me/16505551234",
		"api.whatsapp.com/send?phone=+1+650+555+1234":                    "https://wa.me/16505551234",
		"api.whatsapp.com/send?phone=%2B1+650+555+1234":                  "https://wa.me/16505551234",
		"api.whatsapp.com/send?phone=+%2b16505551234":                    "https://wa.me/16505551234",
		"wa.me/+1 (650) 555-1234":                                        "https://wa.me/16505551234",
		"wa.me/+1.650.555.1234":                                          "https://wa.me/16505551234",
		"wa.me/qr/" + strings.Repeat("a", 128):                           "https://wa.me/qr/" + strings.Repeat("a", 128),
		"wa.me/message/-_09azAZ":                                         "https://wa.me/message/-_09azAZ",
		"web.whatsapp.com/send?username=jane&username=jane&text=Hi":      "https://wa.me/jane?text=Hi",
		"https://WWW.WA.ME/jane/?utm_source=x%zz&text=%0A1%2B1#fragment": "https://wa.me/jane?text=%0A1%2B1",
	} {
		l, err := chatlink.ParseLink(link)
		require.NoError(t, err, link)
		require.Equal(t, want, l.String(), link)
	}
	_, err := chatlink.ParseLink("api.whatsapp.com/send?phone=+49+0171+1234567")
	require.ErrorIs(t, err, phone.CodeInvalid, "the plus is one, so the 0 is a trunk zero")
	for _, link := range []string{
		"wa.me/qr/" + strings.Repeat("a", 129), "wa.me/qr/a b", "wa.me/message/a.b", "wa.me/qr/a`", "wa.me/qr/a{", "wa.me/qr/a@", "wa.me/qr/a[", "wa.me/qr/a:",
		"api.whatsapp.com/send?phone=16505551234&phone=16505551235", "api.whatsapp.com/send?phone=1650+555+1234&username=jane",
		"wa.me/1/2", "wa.me/p/1", "api.whatsapp.com/other?phone=16505551234", "api.whatsapp.com/send/x?phone=16505551234",
		"chat.whatsapp.com/a/b", "chat.whatsapp.com", "whatsapp.com/channel", "whatsapp.com/other/AbC", "wa.me/", "ftp://wa.me/jane", "wa.me/%zz", "wa.me/jane?phone=16505551234",
	} {
		_, err := chatlink.ParseLink(link)
		require.ErrorIs(t, err, chatlink.CodeUnrecognizedLink, link)
	}
}
