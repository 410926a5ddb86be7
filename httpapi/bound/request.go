package bound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// lingerTime is how long the server continues to read a body that nobody wants. If it closed the
// connection at once, the reset could destroy the response.
const lingerTime = time.Second / 2

// writeChunk is how much of a response is written at a time, so that its progress is known.
const writeChunk = 64 << 10

// past is a deadline that ends a transfer.
var past = time.Unix(1, 0)

// Awaited returns for how long the request has waited for its client and in line.
func (q *Request) Awaited() time.Duration { return q.awaited }

// await measures the time until the returned function is called.
func (q *Request) await() func() {
	began := time.Now()
	return func() { q.awaited += time.Since(began) }
}

// ReadBody takes a share for a body of more than [SmallBody] bytes, and reads the body, which may have
// at most limit bytes. Its error is [ErrBusy] if there's no room, [ErrTooLarge], [ErrTimeout] after
// [TransferTime], an [http.MaxBytesError] of middleware, or another one for an incomplete body. After an
// error, the caller should call [CloseUnread] before it responds. A response to a chunked body closes
// the connection.
func (q *Request) ReadBody(w http.ResponseWriter, limit int64) ([]byte, error) {
	defer q.await()()
	// RFC 9112 demands this if the request had a Content-Length, too, which net/http has removed.
	if len(q.r.TransferEncoding) > 0 && q.r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	body, err := q.readBody(w, limit)
	if errors.Is(err, ErrBusy) || errors.Is(err, ErrTimeout) { // the WriteTimeout can have passed, too
		q.restartWriteTimeout(http.NewResponseController(w))
	}
	return body, err
}

func (q *Request) readBody(w http.ResponseWriter, limit int64) ([]byte, error) {
	announced := q.r.ContentLength // -1 if it's unknown
	if announced > limit {
		return nil, ErrTooLarge
	}
	body, most := make([]byte, 0, 1<<10), min(limit, SmallBody)
	if announced > SmallBody {
		if err := q.take(shareFor(announced, q.r)); err != nil {
			return nil, err
		}
		body, most = make([]byte, 0, announced+1), announced // one more byte, to see the end
	}
	body, err := q.receive(w, body, most)
	if errors.Is(err, ErrTooLarge) && most < limit { // without a length, or middleware has changed the body
		if err = q.take(shareFor(limit, q.r)); err == nil {
			body, err = q.receive(w, body, limit)
		}
	}
	if err != nil {
		return nil, err
	}
	return body, nil
}

// shareFor returns the share for a body of n bytes, the response to it, and its header.
func shareFor(n int64, r *http.Request) int64 { return 2*n + headerBytes(r) + shareSlack }

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

// receive appends the body to what has been read of it, until it has more than most bytes.
func (q *Request) receive(w http.ResponseWriter, body []byte, most int64) ([]byte, error) {
	conn := http.NewResponseController(w)
	var end func() // stays nil if middleware hides the connection
	if conn.SetReadDeadline(time.Now().Add(TransferTime)) == nil {
		end = func() { _ = conn.SetReadDeadline(past) }
	}
	t := &transfer{end: end, total: most}
	t.moved.Store(int64(len(body)))
	q.begin(t)
	body, err := q.readAll(body, most, t)
	isEnded := q.finish(errors.Is(err, io.EOF))
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, io.EOF):
		_ = conn.SetReadDeadline(time.Time{}) // otherwise it would end the request's context
		q.restartWriteTimeout(conn)
		return body, nil
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrBusy):
		return body, err
	case isEnded:
		return nil, ErrBusy
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil, ErrTimeout
	default:
		return nil, err
	}
}

func (q *Request) readAll(body []byte, most int64, t *transfer) ([]byte, error) {
	for {
		if len(body) == cap(body) {
			size := min(2*int64(cap(body)), most+1)
			if q.share == 0 && !q.conn.load(size) {
				return body, ErrBusy
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := q.r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		t.moved.Add(int64(n))
		switch {
		case int64(len(body)) > most:
			return body, ErrTooLarge
		case err != nil:
			return body, err
		}
	}
}

// begin begins to wait for the client.
func (q *Request) begin(t *transfer) {
	t.began = time.Now()
	t.marks = [2]mark{{t.began, t.moved.Load()}, {t.began, t.moved.Load()}}
	q.pool.mu.Lock()
	defer q.pool.mu.Unlock()
	q.transfer = t
}

// finish ends the wait, and reports whether the transfer was ended for somebody in line before it
// had succeeded.
func (q *Request) finish(succeeded bool) (isEnded bool) {
	q.pool.mu.Lock()
	defer q.pool.mu.Unlock()
	q.transfer = nil
	q.isEnded = q.isEnded && !succeeded
	return q.isEnded
}

// Work calls f, which decodes the body or encodes the response and must not wait for anything. At
// most two do that at a time, in the order in which they came. If the request ends before, Work
// returns the error of its context without calling f.
func (q *Request) Work(f func()) error {
	select {
	case q.pool.decoders <- struct{}{}:
	case <-q.r.Context().Done():
		return context.Cause(q.r.Context())
	}
	defer func() { <-q.pool.decoders }()
	f()
	return nil
}

// Reserve takes room for a response of n bytes, or returns [ErrBusy]. A request without a share, which
// has had a small body, may wait in line for a response of more than [SmallResponse] bytes. Otherwise,
// a response that's longer than the share needs room that's free.
func (q *Request) Reserve(w http.ResponseWriter, n int64) error {
	if q.share == 0 && n <= SmallResponse {
		if !q.conn.load(n) {
			return ErrBusy
		}
		return nil
	}
	defer q.await()()
	defer q.restartWriteTimeout(http.NewResponseController(w))
	return q.take(n)
}

// Write writes a response body, for which the caller has called Reserve, and waits until it's sent.
// It returns the number of written bytes.
func (q *Request) Write(w http.ResponseWriter, body []byte) (n int, err error) {
	defer q.await()()
	conn := http.NewResponseController(w)
	t := &transfer{total: int64(len(body))}
	// The deadline of an HTTP/2 stream can't be set while the pool is locked.
	if conn.SetWriteDeadline(time.Now().Add(TransferTime)) == nil && q.r.ProtoMajor == 1 {
		t.end = func() { _ = conn.SetWriteDeadline(past) }
	}
	q.begin(t)
	for n < len(body) && err == nil {
		var written int
		written, err = w.Write(body[n:min(len(body), n+writeChunk)])
		n += written
		t.moved.Add(int64(written))
	}
	if err == nil {
		if err = conn.Flush(); errors.Is(err, http.ErrNotSupported) {
			err = nil
		}
	}
	if q.finish(err == nil); err == nil {
		_ = conn.SetWriteDeadline(time.Time{}) // otherwise the connection's next request would inherit it
		q.restartWriteTimeout(conn)
	}
	return n, err
}

// restartWriteTimeout begins the server's WriteTimeout anew, because much of it may have passed in
// line. A shorter one could pass before a busy machine writes the response. The server itself sets it
// for the connection's next request.
func (q *Request) restartWriteTimeout(conn *http.ResponseController) {
	server, ok := q.r.Context().Value(http.ServerContextKey).(*http.Server)
	if ok && server.WriteTimeout > 0 {
		_ = conn.SetWriteDeadline(time.Now().Add(server.WriteTimeout)) // fails if middleware hides the connection
	}
}

// CloseUnread prepares a response to a request whose body hasn't been read: the response is sent
// at once, and then the connection is closed, by a [Listener] after it has read the rest of the body.
// Otherwise net/http would wait for the body before it responds.
func CloseUnread(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 && r.ProtoMajor == 1 {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			c.hasRest.Store(true)
		}
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerTime)) // fails if middleware hides the connection
	}
}
