package serve

import (
	"bytes"
	"context"
	"io"
	"log"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

func newLogger(w io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(logHandler{slog.NewJSONHandler(w, nil)})
	}
	return slog.New(logHandler{slog.NewTextHandler(w, nil)})
}

// A logHandler adds the request's id to a line.
type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, line slog.Record) error {
	if id, ok := ctx.Value(requestID{}).(string); ok {
		line.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, line)
}

// logRequest writes a line to the access log, which contains no personal data because an
// observation contains none.
func logRequest(ctx context.Context, logger *slog.Logger, o httpapi.Observation) {
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	line.AddAttrs(slog.String("method", o.Method), slog.String("route", o.Route), slog.Int("status", o.Status),
		slog.Int("bytes", o.Bytes), slog.Int64("duration_us", o.Duration.Microseconds()), slog.String("code", string(o.Code)))
	_ = logger.Handler().Handle(ctx, line) // the log never fails
}

// serverLog returns an [http.Server]'s log. Because most lines contain client data, it only
// reports listener errors and panics.
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

// batchTime is how long lines are collected, because a write for each costs as much as its request.
const batchTime = 10 * time.Millisecond

// A logQueue never waits for the log's reader. It drops and counts lines that don't fit or can't be
// written.
type logQueue struct {
	lines   chan []byte   // nil is the last
	ended   chan struct{} // closed after the last line
	dropped atomic.Uint64
}

func newLogQueue(w io.Writer) *logQueue {
	q := &logQueue{lines: make(chan []byte, 16384), ended: make(chan struct{})}
	go func() {
		defer close(q.ended)
		var batch []byte
		for line := []byte{}; line != nil; {
			if line = <-q.lines; len(batch) == 0 {
				time.Sleep(batchTime)
			}
			batch = append(batch, line...)
			if line != nil && len(q.lines) > 0 && len(batch) < 1<<20 {
				continue
			}
			if n, err := w.Write(batch); err != nil {
				q.dropped.Add(uint64(bytes.Count(batch[n:], []byte("\n"))))
			}
			batch = batch[:0]
		}
	}()
	return q
}

func (q *logQueue) Write(line []byte) (int, error) {
	select {
	case q.lines <- bytes.Clone(line):
	default:
		q.dropped.Add(1)
	}
	return len(line), nil
}

// close waits for the log's reader for at most a second.
func (q *logQueue) close() {
	_, _ = q.Write(nil) // doesn't fit if the reader is too slow
	select {
	case <-q.ended:
	case <-time.After(time.Second):
	}
}
