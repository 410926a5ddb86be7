package serve

import (
	"context"
	"crypto/tls"
	"log/slog"
	"sync/atomic"
	"time"
)

const certificateAge = time.Second

// newTLSConfig returns a configuration that reloads the certificate until ctx ends. Files that don't
// match leave the previous pair in use.
func newTLSConfig(ctx context.Context, certFile, keyFile string, logger *slog.Logger) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	var current atomic.Pointer[tls.Certificate]
	current.Store(&pair)
	go func() {
		failure := "" // logged once
		for tick := time.NewTicker(certificateAge); ctx.Err() == nil; {
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
			pair, err := tls.LoadX509KeyPair(certFile, keyFile)
			switch {
			case err == nil:
				current.Store(&pair)
				failure = ""
			case err.Error() != failure:
				logger.Warn("the certificate can't be loaded, so the last one stays in use", "cause", err)
				failure = err.Error()
			}
		}
	}()
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return current.Load(), nil }}, nil
}
