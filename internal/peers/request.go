package peers

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"
)

const (
	// TransferTime is how long a body or a response may take: 140 kB/s for 4 MiB.
	TransferTime = 30 * time.Second

	// lingerTime is how long the server continues to read a body that nobody wants. If it closed
	// the connection at once, the reset could destroy the response.
	lingerTime = time.Second / 2
)

// Errors of [Transfer.ReadBody].
var (
	ErrEnded    = errors.New("the transfer was ended to make room for others")
	ErrTooLarge = errors.New("the body is too large")
	ErrTimeout  = errors.New("the body didn't arrive in time")
)

// Begin returns the transfer of a request, which the caller must end with Done. It's that of the
// connection if the budget guards the request's server.
func (b *Budget) Begin(r *http.Request, client netip.Addr) *Transfer {
	client = Network(client)
	// A connection may have many HTTP/2 requests at a time.
	if t, ok := r.Context().Value(connKey{}).(*Transfer); ok && t.budget == b && r.ProtoMajor == 1 {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !t.isOver() {
			t.moveTo(client)
			t.set(max(t.fixed, t.conn.idleBytes+headerBytes(r)), 0)
		}
		return t
	}
	t := b.begin(client, time.Now())
	b.mu.Lock()
	defer b.mu.Unlock()
	t.set(headerBytes(r), 0)
	return t
}

// moveTo makes another address the transfer's client.
func (t *Transfer) moveTo(client netip.Addr) {
	if t.client.addr != client {
		t.leave()
		t.join(client)
	}
}

// headerBytes returns about how much memory a request's header needs.
func headerBytes(r *http.Request) int64 {
	const perName, perValue = 120, 20 // a map's entry with a slice, and a string
	n := 2 * len(r.RequestURI)
	for name, values := range r.Header {
		n += perName + len(name)
		for _, value := range values {
			n += perValue + len(value)
		}
	}
	return int64(n)
}

// Keep keeps the transfer until Done. It's for peers that have proved to be trustworthy.
func (t *Transfer) Keep() {
	t.budget.mu.Lock()
	defer t.budget.mu.Unlock()
	t.end = nil
}

// Done ends what the request holds. A connection's header is counted until its next request.
func (t *Transfer) Done() {
	t.budget.mu.Lock()
	defer t.budget.mu.Unlock()
	switch {
	case t.isOver():
	case t.conn != nil:
		t.end = t.conn.end
		t.moveTo(t.conn.peer)
		t.set(t.fixed, 0)
	default:
		t.remove()
	}
}

// ReadBody reads a request's body of at most limit bytes, which remain counted. Its error is
// [ErrEnded], [ErrTooLarge], [ErrTimeout], an [http.MaxBytesError] of middleware, or another one for
// an incomplete body. After an error, the caller should call [CloseUnread] before it responds.
func (t *Transfer) ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, ErrTooLarge
	}
	conn := http.NewResponseController(w)
	var end func() // stays nil if middleware hides the connection
	if conn.SetReadDeadline(time.Now().Add(TransferTime)) == nil {
		end = func() { _ = conn.SetReadDeadline(past) }
	}
	done := t.wait(end)
	body, err := t.readAll(r, limit)
	done()
	switch {
	case err == nil:
		_ = conn.SetReadDeadline(time.Time{}) // otherwise it would end the request's context
	case errors.Is(err, ErrTimeout) && r.ProtoMajor == 1:
		_ = conn.SetWriteDeadline(time.Now().Add(lingerTime)) // the server's WriteTimeout can have passed, too
	}
	return body, err
}

// past is a deadline that ends a transfer.
var past = time.Unix(1, 0)

func (t *Transfer) readAll(r *http.Request, limit int64) ([]byte, error) {
	body := make([]byte, 0, 1<<10) // grows with the received bytes, whatever length is announced
	for {
		if len(body) == cap(body) {
			size := min(2*int64(cap(body)), limit+1)
			if int64(len(body)) <= r.ContentLength { // or -1; middleware may have changed the body
				size = min(size, r.ContentLength+1) // one more byte, to see the end
			}
			if !t.Hold(size) {
				return nil, ErrEnded
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		var timeout interface{ Timeout() bool }
		switch {
		case int64(len(body)) > limit:
			return nil, ErrTooLarge
		case errors.Is(err, io.EOF):
			return body, nil
		case err == nil:
		case t.hasEnded():
			return nil, ErrEnded
		case errors.As(err, &timeout) && timeout.Timeout():
			return nil, ErrTimeout
		default:
			return nil, err
		}
	}
}

func (t *Transfer) hasEnded() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

// Write writes a large response body, for which the caller has called Hold, and waits until it's
// sent. It returns the number of written bytes.
func (t *Transfer) Write(w http.ResponseWriter, r *http.Request, body []byte) (int, error) {
	conn := http.NewResponseController(w)
	var end func()
	// The deadline of an HTTP/2 stream can't be set while the budget is locked.
	if conn.SetWriteDeadline(time.Now().Add(TransferTime)) == nil && r.ProtoMajor == 1 {
		end = func() { _ = conn.SetWriteDeadline(past) }
	}
	done := t.wait(end)
	n, err := w.Write(body)
	if err == nil {
		if err = conn.Flush(); errors.Is(err, http.ErrNotSupported) {
			err = nil
		}
	}
	done()
	if err == nil && !t.hasEnded() {
		_ = conn.SetWriteDeadline(time.Time{}) // otherwise the connection's next request would inherit it
	}
	return n, err
}

// CloseUnread prepares a response to a request whose body hasn't been read: the response is sent
// at once, and then the connection is closed. Otherwise net/http would wait for the body.
func CloseUnread(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerTime)) // fails if middleware hides the connection
	}
}
