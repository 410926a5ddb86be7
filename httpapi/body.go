package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hailmark/hailmark/internal/peers"
	"github.com/hailmark/hailmark/problem"
)

// freeBytes is the largest body that's decoded, and the largest response that's encoded, without
// regard to others.
const freeBytes = 16 << 10

const overloadedRetryAfter = "5" // seconds

func checkContentType(lines []string) error {
	for _, contentType := range lines {
		mediaType, _, _ := strings.Cut(contentType, ";")
		if !strings.EqualFold(strings.TrimSpace(mediaType), mediaJSON) {
			return problem.New("", CodeUnsupportedContentType, "Content-Type is %q; send %s or omit it", contentType[:min(len(contentType), 100)], mediaJSON)
		}
	}
	return nil
}

// checkContentEncoding rejects compressed bodies.
func checkContentEncoding(lines []string) error {
	for _, coding := range lines {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return problem.New("", CodeUnsupportedContentType, "Content-Encoding is %q; send the body without compression, and omit this header", coding[:min(len(coding), 100)])
		}
	}
	return nil
}

// begin returns the request's transfer.
func (out *responder) begin() *peers.Transfer {
	if out.transfer == nil {
		out.transfer = out.handler.budget.Begin(out.r, out.client)
	}
	return out.transfer
}

// readBody reads a request body.
func (out *responder) readBody(b *body) ([]byte, error) {
	text, err := out.begin().ReadBody(out.w, out.r, b.limit)
	var middleware *http.MaxBytesError
	switch {
	case err == nil:
		out.bodyRead = true
		return text, nil
	case errors.Is(err, peers.ErrTooLarge):
		return nil, tooLarge(b.limit)
	case errors.As(err, &middleware):
		return nil, tooLarge(middleware.Limit)
	case errors.Is(err, peers.ErrEnded):
		return nil, errOverloaded
	case errors.Is(err, peers.ErrTimeout):
		return nil, problem.New("", CodeRequestTimeout, "the body didn't arrive within %.0f s; try again", peers.TransferTime.Seconds())
	}
	out.gone = out.r.Context().Err() != nil
	return nil, problem.New("", b.invalid, "the body is incomplete")
}

func tooLarge(limit int64) error {
	size := fmt.Sprintf("%d KiB", limit>>10)
	if limit%(1<<10) != 0 {
		size = fmt.Sprintf("%d bytes", limit)
	}
	return problem.New("", CodeBodyTooLarge, "the body is too large; at most %s are allowed", size)
}

// errOverloaded rejects a request whose transfer is ended.
var errOverloaded = problem.New("", CodeOverloaded, "the service is busy with other large requests; try again in %s s", overloadedRetryAfter)

// send writes a response body.
func (out *responder) send(body []byte) (err error) {
	if len(body) > freeBytes {
		out.bytes, err = out.transfer.Write(out.w, out.r, body)
	} else {
		out.bytes, err = out.w.Write(body)
	}
	return err
}
