package main

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A watch keeps the deadlines of connections. With each request, net/http sets eight,
// most of them to put one off, and each would have to be told to the runtime's timers.
// Here a connection only remembers its deadlines, and the watch goes round and ends the
// calls whose time has come. So a deadline may pass a round too late.
type watch struct {
	began time.Time
	last  atomic.Int64 // when the last round was, in nanoseconds since began

	mu     sync.Mutex
	guests map[*guest]struct{}
}

// watchRound is the time between two rounds of the server's watch.
const watchRound = 500 * time.Millisecond

func newWatch() *watch { return &watch{began: time.Now(), guests: map[*guest]struct{}{}} }

// run goes round until done is closed.
func (w *watch) run(done <-chan struct{}) {
	ticker := time.NewTicker(watchRound)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			w.round(now)
		case <-done:
			return
		}
	}
}

func (w *watch) round(now time.Time) {
	w.last.Store(int64(now.Sub(w.began)))
	w.mu.Lock()
	defer w.mu.Unlock()
	for g := range w.guests {
		g.read.check(w)
		g.write.check(w)
	}
}

// passed reports whether a deadline was over at the last round.
func (w *watch) passed(deadline time.Time) bool {
	return !deadline.IsZero() && int64(deadline.Sub(w.began)) <= w.last.Load()
}

// A guest is a connection that a watch looks after.
type guest struct {
	*net.TCPConn
	watch       *watch
	active      atomic.Bool // has sent a request
	read, write deadline
}

func (w *watch) admit(conn *net.TCPConn) *guest {
	g := &guest{TCPConn: conn, watch: w}
	g.read.tell, g.write.tell = conn.SetReadDeadline, conn.SetWriteDeadline
	w.mu.Lock()
	defer w.mu.Unlock()
	w.guests[g] = struct{}{}
	return g
}

// Close is that of the connection.
func (g *guest) Close() error {
	g.watch.mu.Lock()
	delete(g.watch.guests, g)
	g.watch.mu.Unlock()
	return g.TCPConn.Close()
}

// SetReadDeadline remembers t. Only one that has passed interrupts what goes on.
func (g *guest) SetReadDeadline(t time.Time) error { return g.read.set(t, g.watch.passed(t)) }

// SetWriteDeadline is to writes what SetReadDeadline is to reads.
func (g *guest) SetWriteDeadline(t time.Time) error { return g.write.set(t, g.watch.passed(t)) }

// SetDeadline sets both.
func (g *guest) SetDeadline(t time.Time) error {
	if err := g.SetReadDeadline(t); err != nil {
		return err
	}
	return g.SetWriteDeadline(t)
}

// A deadline is of the reads or the writes of a connection.
type deadline struct {
	tell func(time.Time) error // sets that of the connection itself

	mu   sync.Mutex
	at   time.Time // or zero
	over bool      // the connection has been told that it is over
}

var longAgo = time.Unix(1, 0)

// set tells the connection of a deadline that has passed, or that the last one no longer
// counts, but never of one that is to come.
func (d *deadline) set(t time.Time, passed bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	wasOver := d.over
	d.at, d.over = t, passed
	switch {
	case passed:
		return d.tell(longAgo)
	case wasOver:
		return d.tell(time.Time{})
	}
	return nil
}

// check tells the connection of the deadline if it has passed since it was set.
func (d *deadline) check(w *watch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.over && w.passed(d.at) {
		d.over = true
		_ = d.tell(longAgo) // it fails only if the connection is closed
	}
}

// note is a [http.Server.ConnState].
func (*watch) note(conn net.Conn, state http.ConnState) {
	if state != http.StateActive {
		return
	}
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if g := conn.(*guest); !g.active.Load() {
		g.active.Store(true)
	}
}

// newcomer reports whether there is a connection that has not sent a request yet.
func (w *watch) newcomer() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for g := range w.guests {
		if !g.active.Load() {
			return true
		}
	}
	return false
}
