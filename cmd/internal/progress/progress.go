// Package progress shows how far a command has come, in one line of a terminal.
package progress

import (
	"fmt"
	"io"
	"time"
)

// interval is the least time between two updates.
const interval = 100 * time.Millisecond

// A Line is a line of a terminal that is written again and again. The nil Line, for an
// output that is not a terminal, writes nothing.
type Line struct {
	w       io.Writer
	started time.Time
	updated time.Time
	shown   bool
}

// New returns a Line on w, or nil unless w is a terminal.
func New(w io.Writer, isTerminal bool) *Line {
	if !isTerminal {
		return nil
	}
	now := time.Now()
	return &Line{w: w, started: now, updated: now}
}

// Update shows text, unless the line was updated a moment ago. The text gets the time
// that has passed.
func (l *Line) Update(text func(elapsed time.Duration) string) {
	if l == nil {
		return
	}
	now := time.Now()
	if now.Sub(l.updated) < interval {
		return
	}
	l.updated, l.shown = now, true
	fmt.Fprintf(l.w, "\r\x1b[K%s", text(now.Sub(l.started)))
}

// Clear removes the line, so that other output can follow.
func (l *Line) Clear() {
	if l == nil || !l.shown {
		return
	}
	l.shown = false
	fmt.Fprint(l.w, "\r\x1b[K")
}
