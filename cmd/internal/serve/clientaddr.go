package serve

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// parseProxies reads a list of addresses and ranges with commas between them, such as
// "10.0.0.7, fd00::/8".
func parseProxies(list string) (ranges []netip.Prefix, err error) {
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		p, notPrefix := netip.ParsePrefix(part)
		if addr, notAddr := netip.ParseAddr(part); notAddr == nil {
			p, notPrefix = addr.Prefix(addr.BitLen())
		}
		switch addr := p.Addr(); {
		case notPrefix != nil:
			err = errors.Join(err, fmt.Errorf("%q is not an address or a range; write 10.0.0.7 or 10.0.0.0/8", part))
		case addr.Is4In6():
			err = errors.Join(err, fmt.Errorf("%v contains IPv4-mapped addresses, which count as IPv4; write it as in 10.0.0.0/8", p))
		case p.Bits() == 0:
			err = errors.Join(err, fmt.Errorf("%v contains every address, so any client could forge its address; list only your proxies", p))
		case p != p.Masked():
			err = errors.Join(err, fmt.Errorf("%v has host bits set; did you mean %v (the range) or %v (one address)?", p, p.Masked(), netip.PrefixFrom(addr, addr.BitLen())))
		}
		ranges = append(ranges, p)
	}
	return ranges, err
}

// behind returns a function that returns the address of a request's client behind these
// proxies.
//
// Anyone can send X-Forwarded-For, and a proxy only appends to what it was sent. So of
//
//	X-Forwarded-For: forged, client, proxy 1    (and the peer is proxy 2)
//
// only what a trusted proxy wrote is read: from the right, for as long as it names trusted
// proxies, and the first other address is the client. Once a hop is unreadable, nothing to
// its left can be trusted. If this yields no address, the peer counts as the client, so a
// forged header gains nothing. Other headers, such as X-Real-IP, aren't read, because a proxy
// that sets one passes the others on.
func behind(proxies []netip.Prefix) func(*http.Request) netip.Addr {
	trusted := func(addr netip.Addr) bool {
		return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
	}
	return func(r *http.Request) netip.Addr {
		peer, _ := parseHop(r.RemoteAddr)
		if !trusted(peer) {
			return peer
		}
		for _, line := range slices.Backward(r.Header["X-Forwarded-For"]) {
			for more := true; more; {
				var hop string
				i := strings.LastIndexByte(line, ',')
				line, hop, more = line[:max(i, 0)], line[i+1:], i >= 0
				switch addr, ok := parseHop(strings.Trim(hop, " \t")); {
				case !ok:
					return peer
				case !trusted(addr):
					return addr
				}
			}
		}
		return peer
	}
}

// parseHop reads an address with or without a port: 192.0.2.1, 192.0.2.1:80,
// 2001:db8::1, [2001:db8::1] or [2001:db8::1]:80. An IPv4-mapped address becomes
// IPv4, and a zone is dropped.
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
		var port netip.AddrPort
		port, err = netip.ParseAddrPort(s)
		addr = port.Addr()
	default:
		addr, err = netip.ParseAddr(s)
	}
	return addr.Unmap().WithZone(""), err == nil
}
