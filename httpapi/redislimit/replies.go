package redislimit

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// A reply to one of our commands takes less than 1 kB, but a cluster's replies list its nodes and commands.
const (
	maxReply        = 64 << 10
	maxClusterReply = 1 << 20
	elementBytes    = 64 // of an element of an array or a map in the memory of go-redis
)

// errLong tells that Redis announced or sent more than any reply to our commands takes.
var errLong = errors.New("the reply is longer than any that Redis gives to our commands")

// A replyConn ends a connection over which a reply would take more memory than most bytes. go-redis
// itself allocates what a length announces, and panics if that's impossible.
type replyConn struct {
	net.Conn
	most int
	left int    // for the reply to what was written last
	skip int    // bytes of a string, with its CRLF
	line []byte // its beginning
}

// A checkedConn is a replyConn that go-redis can check before it's used again.
type checkedConn struct {
	*replyConn
	syscall.Conn
}

// dialer returns a dialer whose connections are replyConns. o has the TLS configuration.
func dialer(most int, o *redis.Options) func(ctx context.Context, network, addr string) (net.Conn, error) {
	dial := redis.NewDialer(o)
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		bounded := &replyConn{Conn: conn, most: most, left: most}
		if raw, ok := conn.(syscall.Conn); ok {
			return checkedConn{bounded, raw}, nil
		}
		return bounded, nil
	}
}

func (c *replyConn) Write(p []byte) (int, error) {
	c.left = c.most
	return c.Conn.Write(p)
}

func (c *replyConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if !c.fits(p[:n]) {
		return 0, errLong
	}
	return n, err
}

// fits counts received bytes and what they announce, and reports whether it's within the bound.
func (c *replyConn) fits(text []byte) bool {
	c.left -= len(text)
	for c.left >= 0 && len(text) > 0 {
		if c.skip > 0 {
			n := min(c.skip, len(text))
			c.skip -= n
			text = text[n:]
			continue
		}
		part, rest, isWhole := bytes.Cut(text, []byte("\n"))
		c.line = append(c.line, part...)
		text = rest
		if isWhole {
			c.announce(bytes.TrimSuffix(c.line, []byte("\r")))
			c.line = c.line[:0]
		}
	}
	return c.left >= 0
}

// announce counts what a line announces.
func (c *replyConn) announce(line []byte) {
	if len(line) == 0 {
		return
	}
	isString := bytes.IndexByte([]byte("$=!"), line[0]) >= 0
	if !isString && bytes.IndexByte([]byte("*~>%|"), line[0]) < 0 {
		return // the line is a whole value
	}
	n, err := strconv.Atoi(string(line[1:]))
	switch {
	case err != nil, n > c.most:
		c.left = -1
	case n < 0: // null
	case isString:
		c.skip = n + len("\r\n")
	default:
		c.left -= n * elementBytes
	}
}
