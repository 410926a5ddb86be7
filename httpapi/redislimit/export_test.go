package redislimit

import "time"

// NewPatient is New for tests of what the server answers: it waits for a minute, since
// on a busy machine no answer comes within 100 ms for sure.
func NewPatient(cfg Config) (*Limiter, error) { return newLimiter(cfg, time.Minute) }
