// Package clients identifies the clients behind proxies.
package clients

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies contains the addresses of trusted proxies.
type Proxies []netip.Prefix

// ParseProxies parses comma-separated addresses and ranges.
func ParseProxies(list string) (ranges Proxies, err error) {
	for part := range strings.SplitSeq(strings.ReplaceAll(list, " ", ""), ",") {
		p, err := netip.ParsePrefix(part)
		if addr, addrErr := netip.ParseAddr(part); addrErr == nil {
			p, err = addr.Prefix(addr.BitLen())
		}
		if err != nil || p.Addr().Is4In6() || p != p.Masked() {
			return nil, fmt.Errorf("%q is not an address or a range; it must be as in 10.0.0.7 or fd00::/8", part)
		}
		if p.Bits() == 0 {
			return nil, fmt.Errorf("%q contains every address, so any client could forge its own; list only your proxies", part)
		}
		ranges = append(ranges, p)
	}
	return ranges, nil
}

func (ranges Proxies) contains(addr netip.Addr) bool {
	return slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// Addr returns the client's address. Because each proxy appends its peer's address to
// X-Forwarded-For, that's the first address from the right that isn't a trusted proxy, or the peer
// without such an address.
func (ranges Proxies) Addr(r *http.Request) netip.Addr {
	peer, _ := parseHop(r.RemoteAddr)
	if !ranges.contains(peer) {
		return peer
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for _, hop := range slices.Backward(hops) {
		switch addr, err := parseHop(strings.TrimSpace(hop)); {
		case err != nil:
			return peer
		case !ranges.contains(addr):
			return addr
		}
	}
	return peer
}

// parseHop parses an address with or without a port.
func parseHop(s string) (netip.Addr, error) {
	withPort, err := netip.ParseAddrPort(s)
	addr := withPort.Addr()
	if err != nil {
		addr, err = netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	}
	return addr.Unmap().WithZone(""), err
}
