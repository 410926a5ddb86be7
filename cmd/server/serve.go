package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
)

// The bounds of a connection. A request line holds a text of 4096 characters, each
// of up to 4 bytes, each of which takes 3 when percent-encoded.
const (
	headerTimeout  = 5 * time.Second
	requestTimeout = 30 * time.Second // for the slowest upload of 4 MiB
	answerTimeout  = 30 * time.Second
	idleTimeout    = 90 * time.Second
	maxHeaderBytes = 64 << 10
)

// A service is the server with all around it.
type service struct {
	opts    options
	logger  *slog.Logger
	public  *http.Server
	door    door
	watch   *watch
	leaving atomic.Bool // SIGTERM has come
}

// ballastSize is how much of the heap is reserved and never touched, so that it takes no
// memory. The collector runs whenever the heap has doubled, and without this it is so
// small that under load it would double dozens of times a second.
const ballastSize = 16 << 20

// serve answers requests until ctx ends, then drains.
func serve(ctx context.Context, opts options, logger *slog.Logger) error {
	ballast := make([]byte, ballastSize)
	defer runtime.KeepAlive(ballast)

	watch := newWatch()
	listener, err := openDoor(ctx, opts.addr, watch)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	defer func() { _ = listener.Close() }() // again, after the server has
	s := &service{opts: opts, logger: logger, door: listener, watch: watch}
	done := make(chan struct{})
	defer close(done)
	go watch.run(done)

	cfg := opts.config
	scheme := "http"
	if opts.tlsCert != "" {
		scheme = "https"
	}
	cfg.BaseURL = cmp.Or(cfg.BaseURL, fmt.Sprintf("%s://localhost:%d", scheme, listener.Addr().(*net.TCPAddr).Port))
	cfg.Logger = logger
	var cert *certificate
	if opts.tlsCert != "" {
		if cert, err = newCertificate(opts.tlsCert, opts.tlsKey, logger); err != nil {
			return err
		}
	}
	if opts.redisURL != "" {
		logging.Disable() // the limiter says what there is to say
		shared, err := redislimit.New(redislimit.Config{URL: opts.redisURL, Logger: logger})
		if err != nil {
			return fmt.Errorf("-redis-url: %w", err)
		}
		defer func() { _ = shared.Close() }()
		cfg.Limiter = shared
	}
	var m *metrics
	if opts.adminAddr != "" {
		m = newMetrics(readBuild())
		end, err := s.serveAdmin(m)
		if err != nil {
			return err
		}
		defer end()
	}
	cfg.Observe = observers(m, opts.accessLog, logger)
	cfg.ShortLinks = true
	handler, err := httpapi.New(cfg)
	if err != nil {
		return err
	}
	if opts.accessLog {
		handler = identify(handler)
	}

	s.public = &http.Server{
		Handler:           s.sayGoodbye(handler),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnState:         watch.note,
		ErrorLog:          serverLog(logger),
	}
	served := make(chan error, 1)
	if cert == nil {
		go func() { served <- s.public.Serve(s.door) }()
	} else {
		s.public.TLSConfig = &tls.Config{GetCertificate: cert.get}
		go func() { served <- s.public.ServeTLS(s.door, "", "") }()
	}
	logger.Info("listening", "addr", listener.Addr().String(), "base_url", cfg.BaseURL, "version", readBuild().String())

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	return s.drain(served)
}

// observers returns who is told of requests, or nil.
func observers(m *metrics, accessLog bool, logger *slog.Logger) func(context.Context, httpapi.Observation) {
	var all []func(context.Context, httpapi.Observation)
	if m != nil {
		all = append(all, m.observe)
	}
	if accessLog {
		all = append(all, func(ctx context.Context, o httpapi.Observation) { logRequest(ctx, logger, o) })
	}
	if all == nil {
		return nil
	}
	return func(ctx context.Context, o httpapi.Observation) {
		for _, observe := range all {
			observe(ctx, o)
		}
	}
}
