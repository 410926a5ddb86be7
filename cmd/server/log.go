package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net/http"

	"github.com/hailmark/hailmark/httpapi"
)

func newLogger(w io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(withRequestID{slog.NewJSONHandler(w, nil)})
	}
	return slog.New(withRequestID{slog.NewTextHandler(w, nil)})
}

// logRequest writes a line of the access log. What an observation holds is no
// personal data, and there is nothing else in the line but the request's id.
func logRequest(ctx context.Context, logger *slog.Logger, o httpapi.Observation) {
	attrs := []slog.Attr{
		slog.String("method", o.Method),
		slog.String("route", o.Route),
		slog.Int("status", o.Status),
		slog.Int("bytes", o.Bytes),
		slog.Duration("duration", o.Duration),
	}
	if o.Code != "" {
		attrs = append(attrs, slog.String("code", string(o.Code)))
	}
	if o.Fallback {
		attrs = append(attrs, slog.Bool("fallback", true))
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
}

// A requestID names a request in the log and, as X-Request-Id, in its answer. It is
// always ours: what a client sends under that name is text of the client's.
type requestID uint64

func (id requestID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

type requestIDKey struct{}

// identify gives each request an id.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := requestID(rand.Uint64())
		w.Header().Set("X-Request-Id", id.String())
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// withRequestID adds the id of the request to what is logged on its behalf.
type withRequestID struct{ slog.Handler }

func (h withRequestID) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(requestIDKey{}).(requestID); ok {
		r.AddAttrs(slog.String("request_id", id.String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h withRequestID) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withRequestID{h.Handler.WithAttrs(attrs)}
}

func (h withRequestID) WithGroup(name string) slog.Handler {
	return withRequestID{h.Handler.WithGroup(name)}
}

// serverLog returns the log of an [http.Server]. Most of what that has to say is
// about single connections and holds clients' addresses, and some of it their words,
// so only the two things that an operator can act upon get through: that connections
// cannot be accepted, and that a handler is wrong.
func serverLog(logger *slog.Logger) *log.Logger {
	return log.New(serverLines{logger}, "", 0)
}

type serverLines struct{ logger *slog.Logger }

func (l serverLines) Write(line []byte) (int, error) {
	switch {
	case bytes.HasPrefix(line, []byte("http: Accept error: ")):
		l.logger.Error("cannot accept connections", "cause", string(bytes.TrimSpace(line)))
	case bytes.HasPrefix(line, []byte("http: panic serving ")), bytes.HasPrefix(line, []byte("http2: panic serving ")):
		l.logger.Error("panic outside of the API")
	}
	return len(line), nil
}
