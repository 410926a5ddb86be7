package drain

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// setMinTTL sets the lowest TTL that a socket accepts.
func setMinTTL(socket any, ttl int) error {
	raw, err := socket.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	controlErr := raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MINHOPCOUNT, ttl) // fails for IPv4 sockets
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MINTTL, ttl)
	})
	return errors.Join(controlErr, err)
}

// hasPending reports whether a listener has connections to accept.
func hasPending(listener any) bool {
	raw, err := listener.(syscall.Conn).SyscallConn()
	if err != nil {
		return false
	}
	n := 0
	_ = raw.Control(func(fd uintptr) {
		n, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0) //nolint:gosec // a file descriptor is small
	})
	return n > 0
}
