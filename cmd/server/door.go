package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"time"
)

// handshakeTime is how long connections that clients had begun to open when the door
// closed are still taken.
const handshakeTime = 200 * time.Millisecond

// A door is a listener that can close without slamming: the kernel completes
// connections on its own and queues them, and when a listener is closed, it resets
// those in the queue, with the requests that their clients have already sent.
type door struct {
	*net.TCPListener
	watch *watch
}

// errClosed is what a door says when it has closed.
var errClosed = errors.New("the door is closed")

// openDoor listens at an address. It does without Multipath TCP, whose sockets take no
// filter.
func openDoor(ctx context.Context, addr string, w *watch) (door, error) {
	var lc net.ListenConfig
	lc.SetMultipathTCP(false)
	listener, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return door{}, err
	}
	return door{listener.(*net.TCPListener), w}, nil
}

// Accept lets in a guest of the watch. At the deadline of the listener it says so in
// words that are not taken for a passing fault.
func (d door) Accept() (net.Conn, error) {
	conn, err := d.AcceptTCP()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errClosed
	case err != nil:
		return nil, err
	}
	return d.watch.admit(conn), nil
}

// close lets no client begin to open a connection any more, and ends Accept when
// those that had begun are in. Where the kernel does not let us do the first, the
// rest is done all the same.
func (d door) close(logger *slog.Logger) error {
	if err := ignoreOpening(d.TCPListener); err != nil {
		logger.Warn("clients that connect at this moment may get a reset", "cause", err)
	}
	return d.SetDeadline(time.Now().Add(handshakeTime))
}
