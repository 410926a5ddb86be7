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
	out                 io.Writer
	dropped             atomic.Uint64
	wake, closing, done chan struct{}

	mu      sync.Mutex
	pending []byte
}

func newLogBuffer(out io.Writer) *logBuffer {
	b := &logBuffer{out: out, wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{})}
	go b.run()
	return b
}

// Write adds whole lines. It never fails.
func (b *logBuffer) Write(lines []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.pending)+len(lines) > maxPending {
		b.drop(lines)
		return len(lines), nil
	}
	b.pending = append(b.pending, lines...)
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return len(lines), nil
}

func (b *logBuffer) drop(lines []byte) { b.dropped.Add(uint64(bytes.Count(lines, []byte("\n")))) }

// run writes the lines, until the buffer is closed.
func (b *logBuffer) run() {
	defer close(b.done)
	var batch []byte
	for open := true; open; {
		select {
		case <-b.wake:
			time.Sleep(batchTime)
		case <-b.closing:
			open = false
		}
		b.mu.Lock()
		batch, b.pending = b.pending, batch[:0]
		b.mu.Unlock()
		if n, err := b.out.Write(batch); err != nil {
			b.drop(batch[n:])
		}
	}
}

// close writes what is left, unless the reader takes longer than closeTime.
func (b *logBuffer) close() {
	close(b.closing)
	select {
	case <-b.done:
	case <-time.After(closeTime):
	}
}
