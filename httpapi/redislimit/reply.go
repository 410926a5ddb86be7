package redislimit

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// The bounds of one reply. The largest replies that a client needs are a cluster's list
// of slots and of commands.
const (
	maxReplyBytes    = 1 << 20
	maxReplyElements = 1 << 16
)

var errReply = errors.New("the server sent a reply that is not Redis's or is too large")

// checkedDialer returns a dialer for connections that check what the server sends. A
// client allocates as much memory as the length of a reply says, before it has arrived.
func checkedDialer(config *tls.Config) func(ctx context.Context, network, addr string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 5 * time.Minute}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		var conn net.Conn
		var err error
		if config == nil {
			conn, err = dialer.DialContext(ctx, network, addr)
		} else {
			conn, err = (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext(ctx, network, addr)
		}
		if err != nil {
			return nil, err
		}
		return &checkedConn{Conn: conn}, nil
	}
}

// A checkedConn fails when the bytes that it reads are not replies of a plausible size.
type checkedConn struct {
	net.Conn
	replies replyChecker
}

func (c *checkedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if !c.replies.check(p[:n]) {
		return 0, errReply
	}
	return n, err
}

// A replyChecker follows a stream of replies in the Redis protocol (RESP2 and RESP3).
// Every element is a line of a type and a value, followed by data if it is a string with
// a length. The elements of an array follow its line.
type replyChecker struct {
	kind     byte // the type of the line that is being read, or 0 at its beginning
	value    int  // its number so far
	digits   int
	negative bool
	data     int // bytes of a string that are still to come, with the line end
	elements int // elements missing from the current reply
	bytes    int // length of the current reply up to here
	failed   bool
}

// check reads a part of the stream. After the first fault it always returns false.
func (c *replyChecker) check(part []byte) bool {
	for len(part) > 0 && !c.failed {
		if c.data > 0 {
			n := min(c.data, len(part))
			c.data -= n
			c.add(n)
			part = part[n:]
			if c.data == 0 {
				c.endElement(0)
			}
			continue
		}
		c.add(1)
		c.readLine(part[0])
		part = part[1:]
	}
	return !c.failed
}

func (c *replyChecker) add(bytes int) {
	if c.bytes += bytes; c.bytes > maxReplyBytes {
		c.failed = true
	}
}

func (c *replyChecker) readLine(b byte) {
	switch {
	case c.kind == 0:
		c.kind, c.value, c.digits, c.negative = b, 0, 0, false
		switch b {
		case '+', '-', ':', '_', ',', '#', '(', '$', '!', '=', '*', '~', '>', '%', '|':
		default:
			c.failed = true
		}
	case b == '\n':
		c.endLine()
	case !hasLength(c.kind) || b == '\r':
	case b == '-' && c.digits == 0:
		c.negative = true
	case '0' <= b && b <= '9':
		c.digits++
		if c.value = 10*c.value + int(b-'0'); c.value > maxReplyBytes {
			c.failed = true
		}
	default:
		c.failed = true // such as $?, a length that is not known in advance: servers do not send it
	}
}

// hasLength reports whether the value of a line of this type is a length.
func hasLength(kind byte) bool {
	switch kind {
	case '$', '!', '=', '*', '~', '>', '%', '|':
		return true
	}
	return false
}

func (c *replyChecker) endLine() {
	kind := c.kind
	c.kind = 0
	if hasLength(kind) && (c.digits == 0 || c.negative && c.value != 1) {
		c.failed = true
		return
	}
	switch {
	case c.negative && hasLength(kind): // null
		c.endElement(0)
	case kind == '$' || kind == '!' || kind == '=':
		c.data = c.value + len("\r\n")
	case kind == '*' || kind == '~' || kind == '>':
		c.endElement(c.value)
	case kind == '%':
		c.endElement(2 * c.value)
	case kind == '|':
		c.endElement(2*c.value + 1) // attributes precede their element
	default:
		c.endElement(0)
	}
}

// endElement ends an element that so many elements follow.
func (c *replyChecker) endElement(inner int) {
	if c.elements > 0 {
		c.elements--
	}
	if c.elements += inner; c.elements > maxReplyElements {
		c.failed = true
	}
	if c.elements == 0 {
		c.bytes = 0
	}
}
