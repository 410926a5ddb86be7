package httpapi

import (
	"net/http"
	"net/netip"
)

// clientAddr returns the address of the client of r, without the parts that don't identify
// it, or the zero Addr if the connection has none.
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

// nat64 is the range in which translators represent the IPv4 internet (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// subscriber returns the address under which addr is counted: an IPv4 address as it is,
// also if it's inside an IPv6 address, and an IPv6 address by its /64, the least that a
// subscriber gets.
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

// network returns the first address of the network around an IPv6 address. It returns other
// addresses as they are.
func network(addr netip.Addr, bits int) netip.Addr {
	if !addr.Is6() {
		return addr
	}
	p, _ := addr.Prefix(bits) // fails only for more than 128 bits; drops the zone
	return p.Addr()
}
