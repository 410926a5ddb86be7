package drain

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// refuseHandshakes makes the kernel ignore new connections to the listener: it asks
// for the largest TTL there is (RFC 5082), which no common system sends. Handshakes in
// progress complete, because the TTL of their last packet is not compared. Clients
// send an ignored packet again a second later. This needs no privileges, which a
// socket filter does.
func refuseHandshakes(l net.Listener) error { return setMinTTL(l.(syscall.Conn), 255) }

// undoRefusal lets packets reach a connection. It has the TTL of its listener if it
// was established after refuseHandshakes.
func undoRefusal(conn net.Conn) {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	_ = setMinTTL(conn.(syscall.Conn), 0) // it fails if the connection is closed
}

func setMinTTL(c syscall.Conn, ttl int) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	controlErr := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MINTTL, ttl)
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MINHOPCOUNT, ttl) // IPv4 sockets do not have it
	})
	return errors.Join(controlErr, err)
}
