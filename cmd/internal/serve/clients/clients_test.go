package clients

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseProxies(t *testing.T) {
	ranges, err := ParseProxies("10.0.0.7, fd00::/8,192.0.2.0/24")
	require.NoError(t, err)
	require.Equal(t, Proxies{netip.MustParsePrefix("10.0.0.7/32"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("192.0.2.0/24")}, ranges)
	for _, list := range []string{"", "10.0.0", "10.0.0.7,", "10.0.0.7/8", "::ffff:10.0.0.0/104", "0.0.0.0/0", "::/0", "localhost"} {
		_, err := ParseProxies(list)
		require.Error(t, err, list)
	}
}

func TestAddr(t *testing.T) {
	ranges, err := ParseProxies("10.0.0.0/8,fd00::/8")
	require.NoError(t, err)
	for _, tt := range []struct {
		peer   string
		header []string
		want   string
	}{
		{"192.0.2.1:80", nil, "192.0.2.1"},
		{"192.0.2.1:80", []string{"198.51.100.1"}, "192.0.2.1"}, // not from a proxy
		{"10.0.0.1:80", nil, "10.0.0.1"},
		{"10.0.0.1:80", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:80", []string{"203.0.113.1, 198.51.100.1"}, "198.51.100.1"}, // the first may be forged
		{"10.0.0.1:80", []string{"203.0.113.1", "198.51.100.1", "10.0.0.2,fd00::1"}, "198.51.100.1"},
		{"10.0.0.1:80", []string{"198.51.100.1, nonsense, 10.0.0.2"}, "10.0.0.1"},
		{"10.0.0.1:80", []string{"198.51.100.1,"}, "10.0.0.1"},
		{"10.0.0.1:80", []string{""}, "10.0.0.1"},
		{"10.0.0.1:80", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.1"},
		{"[fd00::1%eth0]:80", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"[::ffff:10.0.0.1]:80", []string{"[2001:db8::1]:80"}, "2001:db8::1"},
		{"10.0.0.1", []string{"[2001:db8::1]"}, "2001:db8::1"},
		{"10.0.0.1:80", []string{"2001:db8::1"}, "2001:db8::1"},
		{"10.0.0.1:80", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
	} {
		r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.header, "Forwarded": {"for=203.0.113.9"}, "X-Real-Ip": {"203.0.113.9"}}}
		require.Equal(t, netip.MustParseAddr(tt.want), ranges.Addr(r), tt)
	}
	require.False(t, ranges.Addr(&http.Request{RemoteAddr: "@"}).IsValid(), "a Unix socket")
	long := &http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{"X-Forwarded-For": {strings.Repeat(",", 60_000) + "198.51.100.1"}}}
	require.Equal(t, netip.MustParseAddr("198.51.100.1"), ranges.Addr(long))
}
