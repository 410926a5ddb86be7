// Package progress shows a command's progress in one line of a terminal.
package progress

import (
	"fmt"
	"io"
	"time"
)

// interval is the minimum time between two updates.
const interval = 100 * time.Millisecond

// A Line is a line that updates replace. A nil Line ignores them.
type Line struct {
	w       io.Writer
	updated time.Time
	shown   bool
}

// New returns a Line on w, or nil if w isn't a terminal.
func New(w io.Writer, isTerminal bool) *Line {
	if !isTerminal {
		return nil
	}
	return &Line{w: w, updated: time.Now()}
}

// Update shows the text, unless the last update was less than an interval ago.
func (l *Line) Update(text func() string) {
	if l == nil {
		return
	}
	now := time.Now()
	if now.Sub(l.updated) < interval {
		return
	}
	l.updated, l.shown = now, true
	fmt.Fprintf(l.w, "\r\x1b[K%s", text())
}

// Clear removes the line, so that other output can follow. It should be called before each
// write to the same terminal.
func (l *Line) Clear() {
	if l == nil || !l.shown {
		return
	}
	l.shown = false
	fmt.Fprint(l.w, "\r\x1b[K")
}
