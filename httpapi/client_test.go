package httpapi

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// The client is the peer, without what doesn't identify a subscriber.
func TestClientOfPeer(t *testing.T) {
	for peer, want := range map[string]string{
		"203.0.113.9:1234":                        "203.0.113.9",
		"[2001:db8:1:2:ffff:ffff:ffff:ffff]:1234": "2001:db8:1:2::",
		"[::ffff:203.0.113.9]:1234":               "203.0.113.9",
		"[64:ff9b::203.0.113.9]:1234":             "203.0.113.9", // NAT64
		"[64:ff9b::203.0.113.9%eth0]:1234":        "203.0.113.9",
		"[64:ff9b:0:0:0:1:cb00:7109]:1234":        "64:ff9b::",
		"[fe80:0:0:1::1%eth0]:1234":               "fe80:0:0:1::",
		"203.0.113.9":                             "203.0.113.9", // some middleware leaves no port
		"2001:db8:1:2::5":                         "2001:db8:1:2::",
		"":                                        "invalid IP",
		"@":                                       "invalid IP",
		"/run/hailmark.sock":                      "invalid IP",
		"localhost:80":                            "invalid IP",
		"1.2.3.4:x":                               "invalid IP",
	} {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {"198.51.100.7"}}}
		require.Equal(t, want, new(Handler).clientAddr(r).String(), "%q", peer)
	}
}
