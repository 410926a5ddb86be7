package reference

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// A capture records a handler's response without a connection.
type capture struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// call sends a request to a handler.
func call(h http.Handler, method, target, body string) (*capture, error) {
	r, err := http.NewRequest(method, target, io.NopCloser(strings.NewReader(body))) //nolint:noctx // nothing waits
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(len(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	c := &capture{status: http.StatusOK, header: http.Header{}}
	h.ServeHTTP(c, r)
	return c, nil
}

func (c *capture) Header() http.Header         { return c.header }
func (c *capture) Write(b []byte) (int, error) { return c.body.Write(b) }
func (c *capture) WriteHeader(status int)      { c.status = status }
