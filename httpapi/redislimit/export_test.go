package redislimit

import "github.com/hailmark/hailmark/httpapi"

// SetLimits replaces the limits.
func (l *Limiter) SetLimits(limits httpapi.Limits) { l.limits = limits }

// CheckURL parses a URL without connecting.
var CheckURL = newClient

// ErrURL is the only error of CheckURL.
var ErrURL = errURL
