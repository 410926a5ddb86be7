package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
)

// headerTimeout bounds a TLS handshake and the header of a request.
const headerTimeout = 5 * time.Second

// serve handles requests until ctx ends, then drains.
func serve(ctx context.Context, opts options, logger *slog.Logger, m *metrics) error {
	listener, err := listen(ctx, opts.addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	if opts.config.BaseURL == "" {
		opts.config.BaseURL = fmt.Sprintf("%s://localhost:%d", opts.scheme(), listener.Addr().(*net.TCPAddr).Port)
	}
	handler, err := newHandler(opts, logger, m)
	if err != nil {
		return err
	}
	s, err := newServer(opts, handler, logger)
	if err != nil {
		return err
	}
	if opts.adminAddr != "" {
		if err := startAdmin(opts.adminAddr, m, &s.draining, logger); err != nil {
			return fmt.Errorf("-admin-addr: %w", err)
		}
	}
	served := make(chan error, 1)
	go func() { served <- s.serve(listener) }()
	logger.Info("listening", "addr", listener.Addr().String(), "base_url", opts.config.BaseURL, "version", readBuild().String())
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return s.drain(listener, served)
	}
}

// newHandler returns the API and the short links.
func newHandler(opts options, logger *slog.Logger, m *metrics) (http.Handler, error) {
	cfg := opts.config
	cfg.ShortLinks = true
	cfg.Logger = logger
	cfg.Observe = func(ctx context.Context, seen httpapi.Observation) {
		if opts.adminAddr != "" {
			m.observe(seen)
		}
		if opts.accessLog {
			logRequest(ctx, logger, seen)
		}
	}
	if opts.redisURL != "" {
		logging.Disable() // redislimit logs what an operator can act upon
		limiter, err := redislimit.New(redislimit.Config{URL: opts.redisURL, Logger: logger})
		if err != nil {
			return nil, fmt.Errorf("-redis-url: %w", err)
		}
		cfg.Limiter = limiter
	}
	handler, err := httpapi.New(cfg)
	if opts.accessLog {
		handler = withRequestID(handler)
	}
	return handler, err
}

// newServer returns the public server, which has no listener yet.
func newServer(opts options, handler http.Handler, logger *slog.Logger) (*server, error) {
	s := &server{delay: opts.drainDelay, timeout: opts.drainTimeout, logger: logger}
	s.Server = http.Server{
		Handler:           s.closeAfterResponse(handler),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       30 * time.Second, // for the slowest upload of 4 MiB
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    64 << 10, // a text of 4096 emoji takes 12 bytes for each in a query
		ConnState:         s.trackUnused,
		ErrorLog:          serverLog(logger),
	}
	if opts.tlsCert != "" {
		cert, err := newCertificate(opts.tlsCert, opts.tlsKey, logger)
		if err != nil {
			return nil, fmt.Errorf("-tls-cert and -tls-key: %w", err)
		}
		s.TLSConfig = &tls.Config{GetCertificate: cert.get}
	}
	return s, nil
}
