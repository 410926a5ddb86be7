package serve

import (
	"context"
	"crypto/tls"
	"log/slog"
	"sync/atomic"
	"time"
)

// certificateAge is how long a certificate is used before its files are read again.
const certificateAge = time.Second

// newTLSConfig returns the configuration of a server whose certificate is read again until
// ctx ends. Files that don't match each other leave the last pair in use.
func newTLSConfig(ctx context.Context, certFile, keyFile string, logger *slog.Logger) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	var current atomic.Pointer[tls.Certificate]
	current.Store(&pair)
	go func() {
		failure := "" // is logged once
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
