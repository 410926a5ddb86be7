package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// The buffer of a body has these sizes at first. It grows with what has arrived, never
// with what is announced.
const (
	tinyBody  = 1 << 10  // reserves nothing: a connection takes more
	shortBody = 16 << 10 // is reserved in the small pool
)

func checkContentType(lines []string) error {
	for _, contentType := range lines {
		mediaType, _, _ := strings.Cut(contentType, ";")
		if !strings.EqualFold(strings.TrimSpace(mediaType), mediaJSON) {
			return problem.New(CodeUnsupportedContentType, "Content-Type must be %s or absent; got %q", mediaJSON, contentType[:min(len(contentType), 100)])
		}
	}
	return nil
}

// readBody reads the body of a request into memory that it reserves as the body
// arrives.
func (a *api) readBody(out *responder, b *body) ([]byte, error) {
	expected := b.limit // if the length is not announced
	if n := out.r.ContentLength; n > b.limit {
		return nil, tooLarge(b)
	} else if n >= 0 {
		expected = n
	}
	src := http.MaxBytesReader(out.w, out.r.Body, b.limit)
	buf := make([]byte, 0, min(expected, tinyBody)+1) // one more byte, to read the end
	for {
		out.memory.startWait()
		n, err := src.Read(buf[len(buf):cap(buf)])
		out.memory.endWait(n)
		buf = buf[:len(buf)+n]
		if err != nil {
			return finishBody(out, b, buf, err)
		}
		if len(buf) == cap(buf) {
			if err := a.reserveBody(out, len(buf), expected); err != nil {
				return nil, err
			}
			size := max(4*len(buf), shortBody)
			if int64(size) > expected {
				size = int(expected)
			}
			buf = append(make([]byte, 0, size+1), buf...)
		}
	}
}

// reserveBody reserves memory for a body that is longer than what has been read of it.
// A long body reserves all that it is expected to need, so that no two bodies wait for
// each other halfway.
func (a *api) reserveBody(out *responder, read int, expected int64) error {
	var err error
	switch {
	case out.memory == nil:
		err = out.reserve(a.memory.small, min(expected, shortBody))
	case out.memory.pool == a.memory.small && read >= shortBody:
		err = out.reserve(a.memory.bodies, expected)
	default:
		return nil
	}
	if err == nil {
		out.memory.startTransfer(abortReading(out.w))
	}
	return err
}

// finishBody returns the body, or the problem that the error of its reader means.
func finishBody(out *responder, b *body, buf []byte, err error) ([]byte, error) {
	if out.memory.endTransfer() {
		out.set("Connection", "close") // the rest of the body is not read
		return nil, errOverloaded
	}
	if errors.Is(err, io.EOF) {
		return buf, nil
	}
	var tooMany *http.MaxBytesError
	if errors.As(err, &tooMany) {
		return nil, tooLarge(b)
	}
	return nil, problem.New(b.invalid, "the body ended before its announced end")
}

func tooLarge(b *body) error {
	return problem.New(CodeBodyTooLarge, "the body must be at most %d KiB", b.limit>>10)
}

// The memory that decoding takes, in bytes: events, of which [webhooknorm.Events] holds a
// few thousand, and an index of the names of large objects, or of contacts.
const (
	eventMemory = 256
	maxEvents   = 4096
	nameMemory  = 96
)

// smallWork is the most that decoding may take without a reservation.
const smallWork = 128 << 10

func isLarge(body []byte) bool { return decodingMemory(body) > smallWork }

// decodingMemory returns about how much memory decoding a body takes at most.
func decodingMemory(body []byte) int64 {
	objects := min(bytes.Count(body, []byte{'{'}), maxEvents)
	names := bytes.Count(body, []byte{'"'}) / 2
	return int64(len(body)) + int64(objects)*eventMemory + int64(names)*nameMemory
}

// encodingMemory returns how much memory a response about a body takes at most while it is
// streamed: a buffer of pieces that grows, and the longest event.
func encodingMemory(body []byte) int64 { return int64(2*streamPiece + len(body)) }

// admitLarge waits until a request with a large body or a long response has the memory and
// the processor that it needs.
func (a *api) admitLarge(out *responder, body []byte) error {
	if out.memory == nil || out.memory.pool == a.memory.small {
		if err := out.reserve(a.memory.bodies, int64(len(body))); err != nil {
			return err
		}
	}
	err := out.waitInLine(func(ctx context.Context) (err error) {
		out.work, err = out.reserveFrom(ctx, a.memory.work, decodingMemory(body)+encodingMemory(body))
		return err
	})
	if err != nil {
		return err
	}
	return out.takeProcessor()
}

// reserve replaces what the request holds by a part of another pool.
func (out *responder) reserve(pool *memoryPool, bytes int64) error {
	if out.memory.endTransfer() {
		out.set("Connection", "close") // the rest of the body is not read
		return errOverloaded
	}
	r, err := out.reserveFrom(out.r.Context(), pool, bytes)
	if err != nil {
		return err
	}
	out.memory.release()
	out.memory = r
	return nil
}

// errOverloaded is the problem of a request for which there is no memory.
var errOverloaded = problem.New(CodeOverloaded, "the service is busy with other large requests; try again in %s s", overloadedRetryAfter)

// overloadedRetryAfter is the Retry-After of errOverloaded, in seconds.
const overloadedRetryAfter = "5"

func (out *responder) reserveFrom(ctx context.Context, pool *memoryPool, bytes int64) (*reservation, error) {
	r, err := pool.reserve(ctx, out.client, bytes)
	switch {
	case err != nil && out.r.Context().Err() != nil:
		panic(http.ErrAbortHandler)
	case err != nil:
		return nil, errOverloaded
	}
	return r, nil
}
