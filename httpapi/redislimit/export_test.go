package redislimit

import "time"

// NewPatient is New for tests of what the server replies: a request waits for a minute,
// because on a busy machine no reply comes within 100 ms for sure.
func NewPatient(cfg Config) (*Limiter, error) {
	cfg.Timeout = time.Minute
	return New(cfg)
}
