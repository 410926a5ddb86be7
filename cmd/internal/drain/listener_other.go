//go:build !linux

package drain

import "net"

// refuseHandshakes has no effect: clients that connect now may get a reset.
func refuseHandshakes(net.Listener) error { return nil }

func undoRefusal(net.Conn) {}
