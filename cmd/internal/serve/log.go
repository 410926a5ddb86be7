package serve

import (
	"bytes"
	"context"
	"io"
	"log"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

func newLogger(w io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// logRequest writes a line of the access log. An observation holds no personal data, and the
// line has nothing else.
func logRequest(ctx context.Context, logger *slog.Logger, o httpapi.Observation) {
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("method", o.Method),
		slog.String("route", o.Route),
		slog.Int("status", o.Status),
		slog.Int("bytes", o.Bytes),
		slog.Int64("duration_us", o.Duration.Microseconds()),
	)
	if o.Code != "" {
		line.AddAttrs(slog.String("code", string(o.Code)))
	}
	if o.UsedFallback {
		line.AddAttrs(slog.Bool("fallback", true))
	}
	line.AddAttrs(slog.String("request_id", o.RequestID))
	_ = logger.Handler().Handle(ctx, line) // the log never fails
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

const (
	maxPending = 1 << 20               // bytes of lines that wait for the reader
	batchTime  = 10 * time.Millisecond // how long lines are collected
	closeTime  = time.Second           // how long close waits for the reader
)

// A logBuffer is a writer of lines that never waits for the reader of the log. Lines
// that do not fit or cannot be written are dropped and counted.
type logBuffer struct {
	out     io.Writer
	dropped atomic.Uint64
	writing sync.Mutex // held while out is written to

	mu      sync.Mutex
	pending []byte
}

// Write adds whole lines. It never fails. The first line starts the timer of a batch.
func (b *logBuffer) Write(lines []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.pending)+len(lines) > maxPending {
		b.drop(lines)
		return len(lines), nil
	}
	if len(b.pending) == 0 {
		time.AfterFunc(batchTime, b.flush)
	}
	b.pending = append(b.pending, lines...)
	return len(lines), nil
}

func (b *logBuffer) drop(lines []byte) { b.dropped.Add(uint64(bytes.Count(lines, []byte("\n")))) }

func (b *logBuffer) flush() {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.mu.Lock()
	batch := b.pending
	b.pending = nil
	b.mu.Unlock()
	if len(batch) == 0 {
		return // close has written the lines of this timer
	}
	if n, err := b.out.Write(batch); err != nil {
		b.drop(batch[n:])
	}
}

// close writes what is left, unless the reader takes longer than closeTime.
func (b *logBuffer) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	go func() {
		b.flush()
		cancel()
	}()
	<-ctx.Done()
}
