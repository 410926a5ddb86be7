package main

import (
	"net"

	"golang.org/x/sys/unix"
)

// ignoreOpening makes the kernel ignore packets to the listener that open a
// connection. Clients send them again after a second, by when the listener is closed
// and they are refused.
func ignoreOpening(l *net.TCPListener) error {
	const flags, syn = 13, 2 // in a TCP header
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: flags},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: syn, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0xffff}, // take all of the packet
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},      // and none of it
	}
	raw, err := l.SyscallConn()
	if err != nil {
		return err
	}
	var attachErr error
	err = raw.Control(func(fd uintptr) {
		attachErr = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
	})
	if err != nil {
		return err
	}
	return attachErr
}
