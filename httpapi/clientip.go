package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// trustedProxies are the ranges of the proxies whose X-Forwarded-For is believed, or
// whose Forwarded (RFC 7239), if that is what they write. With none, every client is
// the peer of its connection.
//
// Anyone can send the header, and a proxy only appends to what it was sent. So of
//
//	X-Forwarded-For: forged, client, proxy 1    (and the peer is proxy 2)
//
// only what a trusted proxy wrote is worth reading: from the right, for as long as
// it names trusted proxies, and the first address that is none of them is the
// client. Not read are:
//
//   - the header, when the peer itself is not trusted;
//   - anything further left once a hop is not an address, an empty one included:
//     once a hop is unreadable, nothing to its left can be trusted;
//   - the other of the two headers, X-Real-IP, True-Client-IP and the like: a proxy
//     that sets one header passes the others on as the client forged them.
//
// If this yields no address, the peer counts as the client, so a forged header gains
// nothing.
type trustedProxies struct {
	ranges   []netip.Prefix
	header   string
	cutLast  func(list string) (rest, last string, more bool)
	parseHop func(string) (netip.Addr, bool)
}

// ParseProxies reads a list of addresses and ranges with commas between them, such as
// "10.0.0.7, fd00::/8", for [Config.TrustedProxies].
func ParseProxies(list string) ([]netip.Prefix, error) {
	var ranges []netip.Prefix
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		p, err := netip.ParsePrefix(part)
		if addr, notOne := netip.ParseAddr(part); notOne == nil {
			p, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not an address or a range; write 10.0.0.7 or 10.0.0.0/8", part)
		}
		ranges = append(ranges, p)
	}
	return ranges, nil
}

// newTrustedProxies checks the ranges. Its error names everything that is wrong
// with any of them.
func newTrustedProxies(ranges []netip.Prefix, forwarded bool) (trustedProxies, error) {
	var errs []error
	for i, p := range ranges {
		switch addr := p.Addr(); {
		case !p.IsValid():
			errs = append(errs, fmt.Errorf("trusted proxy range %d is not an address range; write one as in 10.0.0.0/8", i+1))
		case addr.Is4In6():
			errs = append(errs, fmt.Errorf("trusted proxy range %v is of IPv4-mapped addresses, which are counted as IPv4; write it as in 10.0.0.0/8", p))
		case p.Bits() == 0:
			errs = append(errs, fmt.Errorf("trusted proxy range %v matches every address, which lets any client forge its address; list only your proxies", p))
		case p != p.Masked():
			errs = append(errs, fmt.Errorf("trusted proxy range %v has host bits set; did you mean %v (the range) or %v (one address)?",
				p, p.Masked(), netip.PrefixFrom(addr, addr.BitLen())))
		}
	}
	if len(errs) > 0 {
		return trustedProxies{}, errors.Join(errs...)
	}
	t := trustedProxies{slices.Clone(ranges), "X-Forwarded-For", cutLastHop, parseHop}
	if forwarded {
		t.header, t.cutLast, t.parseHop = "Forwarded", cutLastForwarded, parseForwarded
	}
	return t, nil
}

// client returns the key of the client that sent r: see [clientKey]. Requests
// that came over a connection without an address, a Unix socket for one, all have
// the zero Addr: they are one client.
func (t trustedProxies) client(r *http.Request) netip.Addr {
	peer, ok := parseHop(r.RemoteAddr)
	if !ok {
		return netip.Addr{}
	}
	if t.contains(peer) {
		if client, ok := t.lastUntrusted(r.Header[t.header]); ok {
			return clientKey(client)
		}
	}
	return clientKey(peer)
}

// lastUntrusted reads the lines of a header, which are one list, from the right. It
// returns false if the list ends, or has an element that is not an address, before the
// first address that is not trusted.
func (t trustedProxies) lastUntrusted(lines []string) (netip.Addr, bool) {
	for i := len(lines) - 1; i >= 0; i-- {
		for rest, more := lines[i], true; more; {
			var hop string
			rest, hop, more = t.cutLast(rest)
			addr, ok := t.parseHop(strings.Trim(hop, " \t"))
			if !ok {
				return netip.Addr{}, false
			}
			if !t.contains(addr) {
				return addr, true
			}
		}
	}
	return netip.Addr{}, false
}

func (t trustedProxies) contains(addr netip.Addr) bool {
	for _, p := range t.ranges {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// cutLastHop cuts an X-Forwarded-For before its last element and reports whether there
// are others.
func cutLastHop(list string) (rest, last string, more bool) {
	i := strings.LastIndexByte(list, ',')
	return list[:max(i, 0)], list[i+1:], i >= 0
}

// cutLastForwarded is cutLastHop for Forwarded, where a comma in a quoted string does
// not end an element. The list is read from the right, because only the right end is
// from a proxy that is trusted: the quotes of an element must be balanced by
// themselves, so a quote that a client leaves open cannot hide what a proxy appends.
//
// Where the quotes to the left are not balanced, the two readings differ, and the
// element is not one of a proxy: it ends at the comma then, and parseForwarded refuses
// what is left of it.
func cutLastForwarded(list string) (rest, last string, more bool) {
	quoted := false
	for i := len(list) - 1; i >= 0; i-- {
		switch {
		case list[i] == '"' && !escaped(list, i):
			quoted = !quoted
		case list[i] == ',' && !quoted:
			return list[:i], list[i+1:], true
		}
	}
	if quoted {
		return cutLastHop(list)
	}
	return "", list, false
}

// escaped reports whether a backslash before list[i] escapes it: an odd number of them.
func escaped(list string, i int) bool {
	before := strings.TrimRight(list[:i], `\`)
	return (i-len(before))%2 == 1
}

// parseHop reads an address with or without a port: 192.0.2.1, 192.0.2.1:80,
// 2001:db8::1, [2001:db8::1] or [2001:db8::1]:80. An IPv4-mapped address becomes
// IPv4, and a zone is dropped. It allocates only for errors and zones.
func parseHop(s string) (netip.Addr, bool) {
	var addr netip.Addr
	var err error
	inner, open := strings.CutPrefix(s, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	switch {
	case open && closed:
		addr, err = netip.ParseAddr(inner)
		if addr.Is4() {
			return netip.Addr{}, false
		}
	case open || strings.Count(s, ":") == 1:
		var ap netip.AddrPort
		ap, err = netip.ParseAddrPort(s)
		addr = ap.Addr()
	default:
		addr, err = netip.ParseAddr(s)
	}
	return addr.Unmap().WithZone(""), err == nil
}

// parseForwarded reads the address in an element of Forwarded, that of its only for
// parameter, as in
//
//	for=192.0.2.1;proto=https or for="[2001:db8::1]:4711"
//
// Every other parameter is a token or a quoted string. Names such as unknown or _hidden
// are not addresses.
func parseForwarded(element string) (addr netip.Addr, ok bool) {
	for rest, more := element, true; more; {
		var name, value string
		name, rest, _ = strings.Cut(rest, "=")
		if value, rest, more, ok = cutForwardedValue(rest); !ok {
			return netip.Addr{}, false
		}
		if !strings.EqualFold(strings.Trim(name, " \t"), "for") {
			continue
		}
		if addr.IsValid() {
			return netip.Addr{}, false // ambiguous
		}
		if addr, ok = parseHop(value); !ok {
			return netip.Addr{}, false
		}
	}
	return addr, addr.IsValid()
}

// cutForwardedValue cuts list after the value of a parameter, which it returns without
// its quotes, and reports whether there are other parameters.
func cutForwardedValue(list string) (value, rest string, more, ok bool) {
	if !strings.HasPrefix(list, `"`) {
		value, rest, more = strings.Cut(list, ";")
		return strings.TrimRight(value, " \t"), rest, more, !strings.Contains(value, `"`)
	}
	for i := 1; i < len(list); i++ {
		switch list[i] {
		case '\\':
			i++
		case '"':
			rest, more = strings.CutPrefix(strings.TrimLeft(list[i+1:], " \t"), ";")
			return list[1:i], rest, more, more || rest == ""
		}
	}
	return "", "", false, false
}

// nat64 is the range in which translators represent the IPv4 internet (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// clientKey returns the address under which addr is counted: an IPv4 address as it is,
// also if it is inside a NAT64 address, and an IPv6 address by its /64, the least that
// a subscriber is given.
func clientKey(addr netip.Addr) netip.Addr {
	if addr.Is4() {
		return addr
	}
	if nat64.Contains(addr) {
		bytes := addr.As16()
		return netip.AddrFrom4([4]byte(bytes[12:]))
	}
	p, _ := addr.Prefix(64) // fails only for more than 128 bits
	return p.Addr()
}
