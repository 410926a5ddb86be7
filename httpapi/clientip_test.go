package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proxies of the tests: a private network and one that is reached by IPv6.
var testProxies = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("2001:db8:ffff::/48"),
	netip.MustParsePrefix("fe80::/64"),
}

func requestFrom(peer string, forwardedFor ...string) *http.Request {
	return &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": forwardedFor}}
}

func TestClient(t *testing.T) {
	proxies, err := newTrustedProxies(testProxies, false)
	require.NoError(t, err)
	for _, c := range []struct {
		name  string
		peer  string
		lines []string
		want  string
	}{
		// The peer.
		{"IPv4", "203.0.113.9:1234", nil, "203.0.113.9"},
		{"IPv6 counts by its /64", "[2001:db8:1:2:ffff:ffff:ffff:ffff]:1234", nil, "2001:db8:1:2::"},
		{"IPv4-mapped counts as IPv4", "[::ffff:203.0.113.9]:1234", nil, "203.0.113.9"},
		{"NAT64 counts as the IPv4 address inside", "[64:ff9b::203.0.113.9]:1234", nil, "203.0.113.9"},
		{"the neighbour of NAT64 counts by its /64", "[64:ff9b:0:0:0:1:cb00:7109]:1234", nil, "64:ff9b::"},
		{"a zone is dropped", "[fe80:0:0:1::1%eth0]:1234", nil, "fe80:0:0:1::"},
		{"a middleware left the address alone", "203.0.113.9", nil, "203.0.113.9"},
		{"a middleware left an IPv6 address alone", "2001:db8:1:2::5", nil, "2001:db8:1:2::"},
		{"a trusted proxy without the header", "10.0.0.1:1234", nil, "10.0.0.1"},
		{"a trusted proxy with an empty header", "10.0.0.1:1234", []string{""}, "10.0.0.1"},

		// What trusted proxies say.
		{"one proxy", "10.0.0.1:1234", []string{"203.0.113.9"}, "203.0.113.9"},
		{"a chain of proxies", "10.0.0.1:1234", []string{"203.0.113.9, 10.0.0.3, 2001:db8:ffff::2"}, "203.0.113.9"},
		{"two lines are one list", "10.0.0.1:1234", []string{"198.51.100.7, 203.0.113.9", "10.0.0.3,\t10.0.0.2"}, "203.0.113.9"},
		{"an IPv6 client counts by its /64", "10.0.0.1:1234", []string{"2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::"},
		{"an IPv4-mapped client counts as IPv4", "10.0.0.1:1234", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"a client's zone is dropped", "10.0.0.1:1234", []string{"fe80:0:0:1::1%eth0"}, "fe80:0:0:1::"},
		{"IPv4 with a port", "10.0.0.1:1234", []string{"203.0.113.9:80"}, "203.0.113.9"},
		{"IPv6 with a port", "10.0.0.1:1234", []string{"[2001:db8:1:2::5]:80"}, "2001:db8:1:2::"},
		{"IPv6 in brackets", "10.0.0.1:1234", []string{"[2001:db8:1:2::5]"}, "2001:db8:1:2::"},
		{"IPv6 that looks as if it had a port", "10.0.0.1:1234", []string{"2001:db8:1:2::5:80"}, "2001:db8:1:2::"},
		{"the proxy is an IPv4-mapped peer", "[::ffff:10.0.0.1]:1234", []string{"203.0.113.9"}, "203.0.113.9"},
		{"the proxy is a peer with a zone", "[fe80::1%eth0]:1234", []string{"203.0.113.9"}, "203.0.113.9"},
		{"a proxy is an IPv4-mapped hop", "10.0.0.1:1234", []string{"203.0.113.9, ::ffff:10.0.0.2"}, "203.0.113.9"},
		{"a proxy is a hop with a port", "10.0.0.1:1234", []string{"203.0.113.9, 10.0.0.2:8080"}, "203.0.113.9"},
		{"only trusted hops", "10.0.0.1:1234", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.1"},

		// What others say.
		{"forged to the service itself", "203.0.113.9:1234", []string{"198.51.100.7"}, "203.0.113.9"},
		{"forged as a trusted proxy", "203.0.113.9:1234", []string{"10.0.0.1"}, "203.0.113.9"},
		{"forged to a proxy", "10.0.0.1:1234", []string{"198.51.100.7, 203.0.113.9"}, "203.0.113.9"},
		{"forged in a line of its own", "10.0.0.1:1234", []string{"198.51.100.7", "203.0.113.9"}, "203.0.113.9"},
		{"forged as a chain of proxies", "10.0.0.1:1234", []string{"198.51.100.7, 10.0.0.2, 203.0.113.9"}, "203.0.113.9"},
		{"forged nonsense is not reached", "10.0.0.1:1234", []string{"x,,;\x00, 203.0.113.9"}, "203.0.113.9"},
		{"an IPv6 address that ends like a proxy's", "[::10.0.0.1]:1234", []string{"198.51.100.7"}, "::"},

		// Hops that are no addresses.
		{"unknown", "10.0.0.1:1234", []string{"198.51.100.7, unknown"}, "10.0.0.1"},
		{"unknown to a proxy further off", "10.0.0.1:1234", []string{"198.51.100.7, unknown, 10.0.0.2"}, "10.0.0.1"},
		{"an empty hop", "10.0.0.1:1234", []string{"198.51.100.7,, 10.0.0.2"}, "10.0.0.1"},
		{"an empty last hop", "10.0.0.1:1234", []string{"198.51.100.7, "}, "10.0.0.1"},
		{"an empty last line", "10.0.0.1:1234", []string{"198.51.100.7", ""}, "10.0.0.1"},
		{"10 kB of commas", "10.0.0.1:1234", []string{strings.Repeat(",", 10_000)}, "10.0.0.1"},
		{"10 kB of commas before the client", "10.0.0.1:1234", []string{strings.Repeat(",", 10_000) + "203.0.113.9"}, "203.0.113.9"},
		{"10 kB of commas before a proxy", "10.0.0.1:1234", []string{strings.Repeat(",", 10_000) + "10.0.0.2"}, "10.0.0.1"},
		{"a Unix socket of nginx", "10.0.0.1:1234", []string{"unix:"}, "10.0.0.1"},
		{"the syntax of Forwarded", "10.0.0.1:1234", []string{"for=203.0.113.9"}, "10.0.0.1"},
		{"quoted", "10.0.0.1:1234", []string{`"203.0.113.9"`}, "10.0.0.1"},
		{"a leading zero", "10.0.0.1:1234", []string{"203.0.113.09"}, "10.0.0.1"},
		{"an impossible port", "10.0.0.1:1234", []string{"203.0.113.9:65536"}, "10.0.0.1"},
		{"an empty port", "10.0.0.1:1234", []string{"203.0.113.9:"}, "10.0.0.1"},
		{"IPv4 in brackets", "10.0.0.1:1234", []string{"[203.0.113.9]"}, "10.0.0.1"},
		{"half a bracket", "10.0.0.1:1234", []string{"[2001:db8::5"}, "10.0.0.1"},
		{"the other half", "10.0.0.1:1234", []string{"2001:db8::5]"}, "10.0.0.1"},
		{"a range", "10.0.0.1:1234", []string{"203.0.113.0/24"}, "10.0.0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, proxies.client(requestFrom(c.peer, c.lines...)).String())
		})
	}
}

func TestPeerWithoutAddress(t *testing.T) {
	proxies, err := newTrustedProxies(testProxies, false)
	require.NoError(t, err)
	for _, peer := range []string{"", "@", "/run/hailmark.sock", "pipe", "localhost:80", ":80", "[::1", "1.2.3.4:x"} {
		require.Zero(t, proxies.client(requestFrom(peer, "203.0.113.9")), "%q", peer)
	}
}

func TestNobodyIsTrustedByDefault(t *testing.T) {
	proxies, err := newTrustedProxies(nil, false)
	require.NoError(t, err)
	for _, peer := range []string{"127.0.0.1", "10.0.0.1", "192.168.0.1", "203.0.113.9"} {
		require.Equal(t, peer, proxies.client(requestFrom(peer+":1234", "198.51.100.7")).String())
	}
}

func TestOtherHeadersAreNotRead(t *testing.T) {
	proxies, err := newTrustedProxies(testProxies, false)
	require.NoError(t, err)
	r := requestFrom("10.0.0.1:1234")
	for _, name := range []string{"Forwarded", "X-Real-Ip", "True-Client-Ip", "X-Client-Ip", "Cf-Connecting-Ip"} {
		r.Header.Set(name, "198.51.100.7")
	}
	r.Header.Set("Forwarded", "for=198.51.100.7")
	require.Equal(t, "10.0.0.1", proxies.client(r).String())

	r.Header.Set("X-Forwarded-For", "203.0.113.9")
	require.Equal(t, "203.0.113.9", proxies.client(r).String())
}

func TestForwarded(t *testing.T) {
	proxies, err := newTrustedProxies(testProxies, true)
	require.NoError(t, err)
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"an address", []string{"for=198.51.100.7"}, "198.51.100.7"},
		{"in any case, among others, with blanks", []string{"by=10.0.0.1; For=198.51.100.7 ;proto=https"}, "198.51.100.7"},
		{"quoted", []string{`for="198.51.100.7"`}, "198.51.100.7"},
		{"with a port", []string{`for="198.51.100.7:4711"`}, "198.51.100.7"},
		{"IPv6", []string{`for="[2001:db8:1:2:3::7]:4711"`}, "2001:db8:1:2::"},
		{"from the right", []string{"for=203.0.113.9, for=198.51.100.7, for=10.0.0.2"}, "198.51.100.7"},
		{"from the last line", []string{"for=203.0.113.9", "for=198.51.100.7"}, "198.51.100.7"},
		{"a forged quote does not reach what a proxy appends", []string{`for="203.0.113.9, for=198.51.100.7`}, "198.51.100.7"},
		{"nor does one that is closed again", []string{`for=203.0.113.9;x=", for=198.51.100.7`}, "198.51.100.7"},
		{"a quoted value that looks like an element", []string{`for=198.51.100.7;host="x,for=203.0.113.9;y=";proto=https`}, "198.51.100.7"},
		{"a quoted value that looks like a parameter", []string{`host="x;for=203.0.113.9";for=198.51.100.7`}, "198.51.100.7"},
		{"an escaped quote", []string{`for=198.51.100.7;host="x\",for=203.0.113.9;y=\""`}, "198.51.100.7"},
		{"an escaped backslash before the closing quote", []string{`for=203.0.113.9;host="x\\", for=198.51.100.7`}, "198.51.100.7"},
		{"quoted values of several proxies", []string{`for=203.0.113.9;host="a,b", for=198.51.100.7;host="c,d", for="10.0.0.2";host="e,f"`}, "198.51.100.7"},
		{"a forged quote before a quoted value", []string{`for="203.0.113.9, for=198.51.100.7;host="a,b"`}, "198.51.100.7"},
		{"text after a quoted value", []string{`for="198.51.100.7"x`}, "10.0.0.1"},
		{"a quote inside a token", []string{`for=198.51.100.7;host=x"y"`}, "10.0.0.1"},
		{"a value that ends in a backslash", []string{`for="198.51.100.7\`}, "10.0.0.1"},
		{"a hidden client", []string{"for=203.0.113.9, for=_hidden"}, "10.0.0.1"},
		{"an unknown client", []string{"for=203.0.113.9, for=unknown"}, "10.0.0.1"},
		{"no for", []string{"for=203.0.113.9, proto=https"}, "10.0.0.1"},
		{"two of them", []string{"for=203.0.113.9;for=198.51.100.7"}, "10.0.0.1"},
		{"an empty element", []string{"for=203.0.113.9,"}, "10.0.0.1"},
		{"half a quote", []string{`for="203.0.113.9`}, "10.0.0.1"},
		{"none", nil, "10.0.0.1"},
	} {
		r := &http.Request{RemoteAddr: "10.0.0.1:1234", Header: http.Header{"Forwarded": c.lines, "X-Forwarded-For": {"203.0.113.77"}}}
		require.Equal(t, c.want, proxies.client(r).String(), c.name)
		r.RemoteAddr = "192.0.2.5:1234"
		require.Equal(t, "192.0.2.5", proxies.client(r).String(), "a peer that is not trusted")
	}
}

func TestNewTrustedProxies(t *testing.T) {
	_, err := newTrustedProxies([]netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"),
		{},
		netip.MustParsePrefix("0.0.0.0/0"),
		netip.MustParsePrefix("::/0"),
		netip.MustParsePrefix("192.168.1.7/24"),
		netip.MustParsePrefix("2001:db8::1/48"),
		netip.MustParsePrefix("::ffff:10.0.0.0/104"),
		netip.MustParsePrefix("192.0.2.1/32"),
	}, false)
	require.EqualError(t, err, strings.Join([]string{
		"trusted proxy range 2 is not an address range; write one as in 10.0.0.0/8",
		"trusted proxy range 0.0.0.0/0 matches every address, which lets any client forge its address; list only your proxies",
		"trusted proxy range ::/0 matches every address, which lets any client forge its address; list only your proxies",
		"trusted proxy range 192.168.1.7/24 has host bits set; did you mean 192.168.1.0/24 (the range) or 192.168.1.7/32 (one address)?",
		"trusted proxy range 2001:db8::1/48 has host bits set; did you mean 2001:db8::/48 (the range) or 2001:db8::1/128 (one address)?",
		"trusted proxy range ::ffff:10.0.0.0/104 is of IPv4-mapped addresses, which are counted as IPv4; write it as in 10.0.0.0/8",
	}, "\n"))

	ranges := slices.Clone(testProxies)
	proxies, err := newTrustedProxies(ranges, false)
	require.NoError(t, err)
	ranges[0] = netip.MustParsePrefix("203.0.113.9/32")
	require.Equal(t, "203.0.113.9", proxies.client(requestFrom("203.0.113.9:1", "198.51.100.7")).String(),
		"a caller that changes its ranges later changes nothing")
}

func TestClientDoesNotAllocate(t *testing.T) {
	proxies, err := newTrustedProxies(testProxies, false)
	require.NoError(t, err)
	for _, r := range []*http.Request{
		requestFrom("203.0.113.9:1234", "198.51.100.7"),
		requestFrom("[2001:db8::5]:1234", "198.51.100.7"),
		requestFrom("10.0.0.1:1234", "198.51.100.7, [2001:db8::5]:80", "[2001:db8:ffff::1], 10.0.0.3:80, 10.0.0.2"),
	} {
		require.Zero(t, testing.AllocsPerRun(100, func() { proxies.client(r) }), r.RemoteAddr)
	}
}

// referenceClient is the rule as one would explain it, with package net.
func referenceClient(ranges []string, r *http.Request) string {
	trusted := func(ip net.IP) bool {
		return slices.ContainsFunc(ranges, func(s string) bool {
			_, block, err := net.ParseCIDR(s)
			return err == nil && block.Contains(ip)
		})
	}
	parse := func(s string) net.IP {
		bracketed := strings.HasPrefix(s, "[")
		if bracketed && !strings.HasSuffix(s, "]") || !bracketed && strings.Count(s, ":") == 1 {
			colon := strings.LastIndex(s, ":")
			if colon < 0 {
				return nil
			}
			if _, err := strconv.ParseUint(s[colon+1:], 10, 16); err != nil {
				return nil
			}
			s = s[:colon]
		}
		if bracketed {
			if !strings.HasSuffix(s, "]") || !strings.Contains(s, ":") {
				return nil // not closed, or IPv4
			}
			s = s[1 : len(s)-1]
		}
		if host, zone, ok := strings.Cut(s, "%"); ok && zone != "" && strings.Contains(host, ":") {
			s = host
		}
		return net.ParseIP(s)
	}
	key := func(ip net.IP) string {
		if v4 := ip.To4(); v4 != nil {
			return v4.String()
		}
		return ip.Mask(net.CIDRMask(64, 128)).String()
	}

	peer := parse(r.RemoteAddr)
	if peer == nil {
		return "invalid IP"
	}
	if !trusted(peer) {
		return key(peer)
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for _, hop := range slices.Backward(hops) {
		ip := parse(strings.Trim(hop, " \t"))
		if ip == nil {
			break
		}
		if !trusted(ip) {
			return key(ip)
		}
	}
	return key(peer)
}

func FuzzClient(f *testing.F) {
	proxies, err := newTrustedProxies(testProxies, false)
	require.NoError(f, err)
	var ranges []string
	for _, p := range testProxies {
		ranges = append(ranges, p.String())
	}
	f.Add("10.0.0.1:1234", "198.51.100.7, 203.0.113.9\n10.0.0.3, ::ffff:10.0.0.2")
	f.Add("[2001:db8:ffff::1%eth0]:1234", ",,203.0.113.9:80,[fe80::1],[fe80::2]:80")
	f.Add("10.0.0.1", "[2001:db8::5%1]:80,10.0.0.1%eth0\n\n")
	f.Add("@", "::ffff:203.0.113.9%eth0")
	f.Fuzz(func(t *testing.T, peer, lines string) {
		r := requestFrom(peer, strings.Split(lines, "\n")...)
		got := proxies.client(r)
		require.Equal(t, referenceClient(ranges, r), got.String())
		require.Equal(t, got, clientKey(got), "a key is its own key")
		require.False(t, got.Is4In6())
		require.Empty(t, got.Zone())
	})
}

func BenchmarkClient(b *testing.B) {
	proxies, err := newTrustedProxies(testProxies, false)
	require.NoError(b, err)
	for name, r := range map[string]*http.Request{
		"direct":  requestFrom("203.0.113.9:1234", "198.51.100.7"),
		"proxied": requestFrom("10.0.0.1:1234", "198.51.100.7, 203.0.113.9, 10.0.0.2"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				proxies.client(r)
			}
		})
	}
}

func TestParseProxies(t *testing.T) {
	got, err := ParseProxies("10.0.0.0/8, fd00::/8,10.0.0.7, ::1")
	require.NoError(t, err)
	require.Equal(t, []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"),
		netip.MustParsePrefix("10.0.0.7/32"), netip.MustParsePrefix("::1/128"),
	}, got)
	for _, s := range []string{"", "10.0.0.0/8,", "10.0.0", "x/8"} {
		_, err := ParseProxies(s)
		require.ErrorContains(t, err, "is not an address or a range", s)
	}
}
