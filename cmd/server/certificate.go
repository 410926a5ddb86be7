package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificateAge is for how long the files of a certificate are not looked at again.
const certificateAge = time.Second

// A certificate is read from two files, and read again when one of them has changed:
// handshakes look, at most once a second. While the files do not fit each other, as
// between the writing of the one and of the other, the last pair stays in use.
type certificate struct {
	certFile, keyFile string
	logger            *slog.Logger

	mu      sync.Mutex
	pair    *tls.Certificate
	loaded  fileStamps // of pair
	failed  fileStamps // of the last files that did not fit, which is said once
	checked time.Time
}

// fileStamps tell whether files have changed.
type fileStamps [2]struct {
	modified time.Time
	size     int64
}

func newCertificate(certFile, keyFile string, logger *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, logger: logger}
	stamps, err := c.stamps()
	if err == nil {
		err = c.load(stamps)
	}
	if err != nil {
		return nil, fmt.Errorf("-tls-cert and -tls-key: %w", err)
	}
	c.checked = time.Now()
	return c, nil
}

// get is a [tls.Config.GetCertificate].
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.checked) >= certificateAge {
		c.checked = now
		c.refresh()
	}
	return c.pair, nil
}

func (c *certificate) refresh() {
	stamps, err := c.stamps()
	if err == nil {
		if stamps == c.loaded {
			return
		}
		err = c.load(stamps)
	}
	if err == nil {
		c.logger.Info("certificate loaded")
		return
	}
	if stamps != c.failed {
		c.failed = stamps
		c.logger.Warn("the certificate has changed but cannot be loaded, so the last one stays", "cause", err)
	}
}

func (c *certificate) load(stamps fileStamps) error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.pair, c.loaded, c.failed = &pair, stamps, fileStamps{}
	return nil
}

func (c *certificate) stamps() (stamps fileStamps, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, statErr := os.Stat(name)
		if statErr != nil {
			err = errors.Join(err, statErr)
			continue
		}
		stamps[i].modified, stamps[i].size = info.ModTime(), info.Size()
	}
	return stamps, err
}
