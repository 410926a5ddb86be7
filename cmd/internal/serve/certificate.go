package serve

import (
	"crypto/tls"
	"log/slog"
	"sync"
	"time"
)

// certificateAge is how long a certificate is used before its files are read again. So failures log
// a line per minute.
const certificateAge = time.Minute

// A certificate is read again for handshakes, at most once in certificateAge. Files that don't match
// leave the previous pair in use.
type certificate struct {
	certFile, keyFile string
	logger            *slog.Logger

	mu      sync.Mutex
	current tls.Certificate
	loaded  time.Time
}

func (c *certificate) load() error {
	c.loaded = time.Now()
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err == nil {
		c.current = pair
	}
	return err
}

// get is a [tls.Config.GetCertificate].
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.loaded) >= certificateAge {
		if err := c.load(); err != nil {
			c.logger.Warn("the certificate can't be loaded, so the last one stays in use", "cause", err)
		}
	}
	pair := c.current
	return &pair, nil
}

// expiry returns when the certificate in use expires.
func (c *certificate) expiry() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current.Leaf.NotAfter
}
