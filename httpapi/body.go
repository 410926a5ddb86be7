package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hailmark/hailmark/httpapi/bound"
	"github.com/hailmark/hailmark/problem"
)

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

// begin returns the request of the handler's pool.
func (out *responder) begin() *bound.Request {
	if out.request == nil {
		out.request = out.handler.pool.Begin(out.r, out.client)
	}
	return out.request
}

// readBody reads a request body.
func (out *responder) readBody(b *body) ([]byte, error) {
	text, err := out.begin().ReadBody(out.w, b.limit)
	var middleware *http.MaxBytesError
	switch {
	case err == nil:
		out.bodyRead = true
		return text, nil
	case errors.Is(err, bound.ErrTooLarge):
		return nil, tooLarge(b.limit)
	case errors.As(err, &middleware):
		return nil, tooLarge(middleware.Limit)
	case errors.Is(err, bound.ErrBusy):
		return nil, errOverloaded
	case errors.Is(err, bound.ErrTimeout):
		return nil, problem.New("", CodeRequestTimeout, "the body didn't arrive within %.0f s; try again", bound.TransferTime.Seconds())
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

// errOverloaded rejects a request for which there is no room.
var errOverloaded = problem.New("", CodeOverloaded, "the service is busy with other large requests; try again in %s s", overloadedRetryAfter)

// send writes a response body.
func (out *responder) send(body []byte) (err error) {
	if len(body) > bound.SmallBody {
		out.bytes, err = out.request.Write(out.w, body)
	} else {
		out.bytes, err = out.w.Write(body)
	}
	return err
}
