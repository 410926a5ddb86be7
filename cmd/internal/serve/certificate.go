package serve

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"sync"
	"time"
)

// certificateAge is how long a certificate is used before its files are read again.
const certificateAge = time.Second

// A certificate is read from two files, and again by the first handshake after
// certificateAge. Files that do not match each other leave the last pair in use.
type certificate struct {
	certFile, keyFile string
	logger            *slog.Logger

	mu      sync.Mutex
	pair    *tls.Certificate
	read    time.Time
	failure string // why the files cannot be loaded, which is logged once
}

func newTLSConfig(certFile, keyFile string, logger *slog.Logger) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	c := &certificate{certFile: certFile, keyFile: keyFile, logger: logger, pair: &pair, read: time.Now()}
	return &tls.Config{GetCertificate: c.get}, err
}

// get is a [tls.Config.GetCertificate].
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.read) < certificateAge {
		return c.pair, nil
	}
	c.read = time.Now()
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		if err.Error() != c.failure {
			c.logger.Warn("the certificate cannot be loaded, so the last one stays in use", "cause", err)
		}
		c.failure = err.Error()
		return c.pair, nil
	}
	if !bytes.Equal(pair.Certificate[0], c.pair.Certificate[0]) {
		c.logger.Info("certificate loaded")
	}
	c.pair, c.failure = &pair, ""
	return c.pair, nil
}
