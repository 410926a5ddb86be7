package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/hailmark/hailmark/problem"
)

const (
	freeTime = 5 * time.Second // for the first freeBytes of a body

	// lingerTime is how long the server continues to read a rejected body. If it closed the
	// connection immediately, the reset could destroy the response.
	lingerTime           = time.Second / 2
	overloadedRetryAfter = "5" // seconds
)

func checkContentType(lines []string) error {
	for _, contentType := range lines {
		mediaType, _, _ := strings.Cut(contentType, ";")
		if !strings.EqualFold(strings.TrimSpace(mediaType), mediaJSON) {
			return problem.New("", codeUnsupportedContentType, "Content-Type must be %s or absent; got %q", mediaJSON, contentType[:min(len(contentType), 100)])
		}
	}
	return nil
}

// readBody reads a request body. A long one needs a slot.
func (out *responder) readBody(b *body) ([]byte, error) {
	conn := http.NewResponseController(out.w)
	_ = conn.SetReadDeadline(time.Now().Add(freeTime)) // fails if middleware hides the connection
	text, err := out.receive(b, conn)
	if out.slot != nil && !out.slot.end() {
		err = errOverloaded
	}
	if err != nil {
		_ = conn.SetReadDeadline(time.Now().Add(lingerTime))
		out.set("Connection", "close")
		return nil, err
	}
	_ = conn.SetReadDeadline(time.Time{})
	return text, nil
}

func (out *responder) receive(b *body, conn *http.ResponseController) ([]byte, error) {
	announced := out.r.ContentLength // or -1; middleware may have changed the body
	if announced > b.limit {
		return nil, tooLarge(b.limit)
	}
	buf := make([]byte, 0, 1<<10) // without a slot, it grows with the received bytes
	for next := freeBytes; ; {
		if len(buf) == cap(buf) {
			size := min(int64(4*len(buf))+1, b.limit+1)
			if int64(len(buf)) <= announced {
				size = announced + 1 // one more byte, to see the end
			}
			if out.slot == nil {
				size = min(size, int64(4*len(buf))+1, freeBytes+1)
			}
			buf = append(make([]byte, 0, size), buf...)
		}
		n, err := out.r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > b.limit:
			return nil, tooLarge(b.limit)
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, out.readProblem(b, err)
		case len(buf) <= next:
			continue
		case out.slot == nil:
			_ = conn.SetReadDeadline(time.Time{}) // the line has a limit of its own
			if err := out.takeSlot(); err != nil {
				return nil, err
			}
			out.slot.begin(conn.SetReadDeadline)
		case !out.slot.next(len(buf) - next + pieceBytes):
			return nil, errOverloaded
		}
		next = len(buf) + pieceBytes
	}
}

// readProblem returns the problem behind a read error.
func (out *responder) readProblem(b *body, err error) error {
	var tooMany *http.MaxBytesError // of middleware
	if errors.As(err, &tooMany) {
		return tooLarge(tooMany.Limit)
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return problem.New("", codeRequestTimeout, "the body didn't arrive in time; it must arrive at %d KiB/s at least and within %d s", pieceBytes>>10, transferTime/time.Second)
	}
	out.gone = out.r.Context().Err() != nil
	return problem.New("", b.invalid, "the body is incomplete")
}

func tooLarge(limit int64) error {
	size := fmt.Sprintf("%d KiB", limit>>10)
	if limit%(1<<10) != 0 {
		size = fmt.Sprintf("%d bytes", limit)
	}
	return problem.New("", codeBodyTooLarge, "the body must be at most %s", size)
}

func (out *responder) takeSlot() error {
	if out.slot = out.handler.slots.take(out.r.Context(), network(out.client, slotNetwork)); out.slot == nil {
		return errOverloaded
	}
	return nil
}

// Slots are shared within an IPv6 /48, because anyone can get one.
const slotNetwork = 48

// errOverloaded rejects a request that gets no slot or loses it.
var errOverloaded = problem.New("", codeOverloaded, "the service is busy with other large requests; try again in %s s", overloadedRetryAfter)

// send writes a response body. With a slot, it fails if the client doesn't read.
func (out *responder) send(body []byte) error {
	if out.slot == nil {
		n, err := out.w.Write(body)
		out.bytes = n
		return err
	}
	conn := http.NewResponseController(out.w)
	out.slot.begin(conn.SetWriteDeadline)
	for len(body) > 0 {
		n, err := out.w.Write(body[:min(len(body), pieceBytes)])
		out.bytes += n
		if err != nil {
			return err
		}
		body = body[n:]
		if !out.slot.next(n) {
			return errOverloaded
		}
	}
	if err := conn.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if !out.slot.end() { // otherwise the connection's next request would inherit the deadline
		return errOverloaded
	}
	return nil
}
