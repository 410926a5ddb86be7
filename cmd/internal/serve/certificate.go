package serve

import (
	"crypto/tls"
	"log/slog"
	"sync"
	"time"
)

const certificateAge = time.Second

// newTLSConfig returns a configuration that reads the certificate again for handshakes, at most once
// in certificateAge. Files that don't match leave the previous pair in use.
func newTLSConfig(certFile, keyFile string, logger *slog.Logger) (*tls.Config, error) {
	current, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	loaded, failure := time.Now(), "" // logged once
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(loaded) >= certificateAge {
			pair, err := tls.LoadX509KeyPair(certFile, keyFile)
			switch loaded = time.Now(); {
			case err == nil:
				current, failure = pair, ""
			case err.Error() != failure:
				failure = err.Error()
				logger.Warn("the certificate can't be loaded, so the last one stays in use", "cause", err)
			}
		}
		pair := current
		return &pair, nil
	}}, nil
}
