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
//     what a proxy could not name, the text before it does not name either;
//   - the other of the two headers, X-Real-IP, True-Client-IP and the like: a proxy
//     that sets one header passes the others on as the client forged them.
//
// Where no client comes out of that, the peer is the client: there is no address
// that a forger could hide behind.
type trustedProxies struct {
	ranges   []netip.Prefix
	header   string
	parseHop func(string) (netip.Addr, bool)
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
			errs = append(errs, fmt.Errorf("trusted proxy range %v is every address there is, so that anyone could forge theirs; name the proxies' own range", p))
		case p != p.Masked():
			errs = append(errs, fmt.Errorf("trusted proxy range %v has address bits after its length; write %v for the range or %v for the one address",
				p, p.Masked(), netip.PrefixFrom(addr, addr.BitLen())))
		}
	}
	if len(errs) > 0 {
		return trustedProxies{}, errors.Join(errs...)
	}
	t := trustedProxies{slices.Clone(ranges), "X-Forwarded-For", parseHop}
	if forwarded {
		t.header, t.parseHop = "Forwarded", parseForwarded
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

// lastUntrusted reads the lines of a header, which make up one list, from the
// right. It reports false if the list ends, or holds something else than an
// address, before there is one that is not trusted.
func (t trustedProxies) lastUntrusted(lines []string) (netip.Addr, bool) {
	for i := len(lines) - 1; i >= 0; i-- {
		for rest, more := lines[i], true; more; {
			var hop string
			rest, hop, more = cutLast(rest)
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

// cutLast cuts list before its last element and reports whether more are left.
func cutLast(list string) (rest, last string, more bool) {
	i := strings.LastIndexByte(list, ',')
	return list[:max(i, 0)], list[i+1:], i >= 0
}

// parseHop reads an address with or without a port: 192.0.2.1, 192.0.2.1:80,
// 2001:db8::1, [2001:db8::1] or [2001:db8::1]:80. An IPv4-mapped address becomes
// IPv4, and a zone is dropped. What it accepts, it reads without allocating, but
// for a zone.
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

// parseForwarded reads the address in an element of Forwarded: that of its one for, as
// in
//
//	for=192.0.2.1;proto=https or for="[2001:db8::1]:4711"
//
// An element ends at a comma, quoted or not, because a forger's open quote must not
// reach into what a proxy appends. So one with a quoted comma cannot be read, nor one
// with a backslash in its for; no proxy has a reason to write them. Names such as
// unknown or _hidden are no addresses.
func parseForwarded(element string) (addr netip.Addr, ok bool) {
	for pair, rest, more := "", element, true; more; {
		pair, rest, more = strings.Cut(rest, ";")
		name, value, _ := strings.Cut(strings.Trim(pair, " \t"), "=")
		if !strings.EqualFold(name, "for") {
			continue
		}
		if ok {
			return netip.Addr{}, false // which of the two?
		}
		if quoted := len(value) > 2 && value[0] == '"' && value[len(value)-1] == '"'; quoted {
			value = value[1 : len(value)-1]
		}
		if addr, ok = parseHop(value); !ok {
			return netip.Addr{}, false
		}
	}
	return addr, ok
}

// clientKey returns what addr is counted under: an IPv4 address as it is, an IPv6
// address by its /64, which is the least that a subscriber is given.
func clientKey(addr netip.Addr) netip.Addr {
	if addr.Is4() {
		return addr
	}
	p, _ := addr.Prefix(64) // fails only for more than 128 bits
	return p.Addr()
}
