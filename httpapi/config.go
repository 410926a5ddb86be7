package httpapi

import (
	"errors"
	"fmt"

	"github.com/hailmark/hailmark/chatlink"
)

// A ConfigError is a problem of one field of a [Config].
type ConfigError struct {
	Field string // the name of the field, such as "BaseURL"
	Err   error
}

// Error returns the field and the problem.
func (e *ConfigError) Error() string { return "httpapi: Config." + e.Field + ": " + e.Err.Error() }

// Unwrap returns the problem without the field.
func (e *ConfigError) Unwrap() error { return e.Err }

// Validate returns every problem of cfg, in the order of its fields. [New] reports the
// same problems; Validate does not build a handler.
func (cfg Config) Validate() []*ConfigError {
	_, errs := cfg.parse()
	return errs
}

// settings are the values that a Config holds as text, and its limits.
type settings struct {
	base     chatlink.BaseURL
	chatHost chatlink.Host
	notice   chatlink.Notice
	limits   [classCount]int
	proxies  trustedProxies
	memory   int64
}

// parse reads the values of cfg and returns every problem of them.
func (cfg Config) parse() (s settings, errs []*ConfigError) {
	check := func(field string, err error) {
		if err != nil {
			errs = append(errs, &ConfigError{field, err})
		}
	}
	var err error
	if cfg.BaseURL == "" {
		err = errors.New("must be set, such as https://example.com")
	} else {
		s.base, err = chatlink.ParseBaseURL(cfg.BaseURL)
	}
	check("BaseURL", err)
	if cfg.ChatHost != "" {
		s.chatHost, err = chatlink.ParseHost(cfg.ChatHost)
		check("ChatHost", err)
	}
	if cfg.Notice != "" {
		s.notice, err = chatlink.ParseNotice(cfg.Notice)
		check("Notice", err)
	}
	s.limits[ClassDefault], err = parseLimit(cfg.JSONLimit, DefaultJSONLimit)
	check("JSONLimit", err)
	s.limits[ClassQR], err = parseLimit(cfg.QRLimit, DefaultQRLimit)
	check("QRLimit", err)
	s.proxies, err = newTrustedProxies(cfg.TrustedProxies, cfg.Forwarded)
	check("TrustedProxies", err)
	s.memory, err = parseMemoryBudget(cfg.MemoryBudget)
	check("MemoryBudget", err)
	return s, errs
}

func parseLimit(limit, byDefault int) (int, error) {
	switch {
	case limit == 0:
		return byDefault, nil
	case limit != Unlimited && limit < 0 || limit > MaxLimit:
		return 0, fmt.Errorf("must be 1-%d requests a minute, 0 for the default or Unlimited; got %d", MaxLimit, limit)
	default:
		return limit, nil
	}
}

func parseMemoryBudget(bytes int64) (int64, error) {
	switch {
	case bytes == 0:
		return DefaultMemoryBudget, nil
	case bytes < MinMemoryBudget:
		return 0, fmt.Errorf("must be at least %d bytes, or 0 for the default; got %d", MinMemoryBudget, bytes)
	default:
		return bytes, nil
	}
}
