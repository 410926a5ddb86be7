package httpapi

import (
	"time"

	"github.com/hailmark/hailmark/problem"
)

// AllCodes returns every code that a response can have.
func AllCodes() []problem.Code { return allErrorCodes() }

// SetClock replaces the clock of a handler and of its MemoryLimiter.
func SetClock(h *Handler, now func() time.Time) {
	h.now = now
	if l, ok := h.limiter.(*MemoryLimiter); ok {
		l.now = now
	}
}
