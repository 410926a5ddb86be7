package httpapi

import (
	"net/http"
	"net/netip"
)

// clientAddr returns the address under which r is counted, or the zero Addr without one.
func (h *Handler) clientAddr(r *http.Request) netip.Addr {
	if h.clientOf != nil {
		return subscriber(h.clientOf(r))
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	addr := peer.Addr()
	if err != nil {
		addr, _ = netip.ParseAddr(r.RemoteAddr) // middleware may have left only an address
	}
	return subscriber(addr)
}

// nat64 contains the IPv4 addresses behind translators (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// subscriber returns an IPv4 address, even from inside an IPv6 address, or a /64's first address, because every subscriber controls at least that many.
func subscriber(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap(); addr.Is4() {
		return addr
	}
	if nat64.Contains(addr.WithZone("")) {
		bytes := addr.As16()
		return netip.AddrFrom4([4]byte(bytes[12:]))
	}
	return network(addr, 64)
}

// network returns the first address in an IPv6 address's network, and other addresses unchanged.
func network(addr netip.Addr, bits int) netip.Addr {
	if !addr.Is6() {
		return addr
	}
	p, _ := addr.Prefix(bits) // fails only for more than 128 bits; drops the zone
	return p.Addr()
}
