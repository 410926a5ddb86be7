package serve

import (
	"bytes"
	"context"
	"io"
	"log"
	"log/slog"

	"github.com/hailmark/hailmark/httpapi"
)

func newLogger(w io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// logRequest writes a line of the access log. An observation holds no personal data,
// and the line has nothing else.
func logRequest(ctx context.Context, logger *slog.Logger, o httpapi.Observation) {
	attrs := append(make([]slog.Attr, 0, 8),
		slog.String("method", o.Method), slog.String("route", o.Route), slog.Int("status", o.Status),
		slog.Int("bytes", o.Bytes), slog.Int64("duration_us", o.Duration.Microseconds()))
	if o.Code != "" {
		attrs = append(attrs, slog.String("code", string(o.Code)))
	}
	if o.UsedFallback {
		attrs = append(attrs, slog.Bool("fallback", true))
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "request", append(attrs, slog.String("request_id", o.RequestID))...)
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
