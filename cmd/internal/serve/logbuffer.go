package serve

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

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
	switch {
	case len(b.pending)+len(lines) > maxPending:
		b.drop(lines)
		return len(lines), nil
	case len(b.pending) == 0:
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
	flushed := make(chan struct{})
	go func() {
		b.flush()
		close(flushed)
	}()
	select {
	case <-flushed:
	case <-time.After(closeTime):
	}
}
