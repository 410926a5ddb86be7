package serve

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
		return slog.New(requestIDs{slog.NewJSONHandler(w, nil)})
	}
	return slog.New(requestIDs{slog.NewTextHandler(w, nil)})
}

// logRequest writes a line of the access log. An observation holds no personal data,
// and the line has nothing else but the id of the request.
func logRequest(ctx context.Context, logger *slog.Logger, o httpapi.Observation) {
	attrs := append(make([]slog.Attr, 0, 7),
		slog.String("method", o.Method), slog.String("route", o.Route), slog.Int("status", o.Status),
		slog.Int("bytes", o.Bytes), slog.Int64("duration_us", o.Duration.Microseconds()))
	if o.Code != "" {
		attrs = append(attrs, slog.String("code", string(o.Code)))
	}
	if o.UsedFallback {
		attrs = append(attrs, slog.Bool("fallback", true))
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
}

type requestIDKey struct{}

// withRequestID gives each request an id, which its response carries as X-Request-Id
// and its lines in the log as request_id. The id of a client may be personal data and
// is not used.
func withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := fmt.Sprintf("%016x", rand.Uint64())
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// requestIDs adds the id of the request to a line. Loggers made by With do not.
type requestIDs struct{ slog.Handler }

func (h requestIDs) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

// serverLog returns the log of an [http.Server]. Most of its lines hold addresses or
// text of clients. Only two kinds pass: the listener fails, or a handler panicked.
func serverLog(logger *slog.Logger) *log.Logger { return log.New(serverLines{logger}, "", 0) }

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
