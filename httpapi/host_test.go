package httpapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
)

func TestHostLinks(t *testing.T) {
	h, err := parseHost("Chat.example.com:8443")
	require.NoError(t, err)
	require.Equal(t, "https://chat.example.com:8443/jane?text=Hi", h.link(chatlink.MustParseLink("https://wa.me/jane?text=Hi")))
	require.Equal(t, "https://chat.whatsapp.com/AbC", h.link(chatlink.MustParseLink("https://chat.whatsapp.com/AbC")), "it has a host of its own")
	require.Equal(t, "https://wa.me/jane", host{}.link(chatlink.MustParseLink("https://wa.me/jane")))
}

func TestParseHost(t *testing.T) {
	for _, s := range []string{"wa.me", "localhost:8443", "127.0.0.1", "[::1]:80", "[2001:db8::A]", "chat_link.internal", "XN--P1AI.example", "WA.example", "1.example", "0x7f.example", "a.1b", "0xg", "255.255.255.255:1", "wa.me:65535", strings.Repeat("a.", 126) + "b"} {
		h, err := parseHost(s)
		require.NoError(t, err, s)
		require.Equal(t, "https://"+strings.ToLower(s)+"/jane?text=Hi", h.link(chatlink.MustParseLink("wa.me/jane?text=Hi")))
	}
	for _, s := range []string{
		"", " ", "https://wa.me", "wa.me/", "wa.me/x", "wa.me?x", "wa.me#x", "u@wa.me", "wa.me:", "wa.me:0", "wa.me:65536",
		"wa.me:http", "wa..me", ".me", "-wa.me", "wa-.me", "wä.me", "wa.me\n", "[::1", "a\"b", strings.Repeat("a", 64) + ".me",
		strings.Repeat("a.", 127) + "me", strings.Repeat("a.", 126) + "bc",
		"999.1.1.1", "1.2.3.4.5", "1.2.3", "0x7f.1", "0x7f", "0x", "a.0xF", "a.1", "1", "4294967295:80", "256.1.1.1", "1.2.3.4.", "wa.me.",
		"1::2:3", "::1", "::1:80", "2001:db8::1", "[1.2.3.4]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[]", "[::1]x",
	} {
		h, err := parseHost(s)
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
		"https://Example.COM/Wa":      "https://example.com/Wa",
		"https://example.com/..a/.b.": "https://example.com/..a/.b.",
	} {
		b, err := parseBaseURL(s)
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
		b, err := parseBaseURL(s)
		require.Error(t, err, s)
		require.Zero(t, b)
	}
}
