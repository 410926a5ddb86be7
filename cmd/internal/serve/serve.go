// Package serve is the Hailmark server as a command: the handler of package httpapi
// with flags, logs, metrics, TLS and a shutdown without lost requests.
package serve

import (
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
)

//go:generate go test -run TestLicenses -update
//go:embed licenses.txt
var licenses string

// headerTimeout bounds a TLS handshake and the header of a request.
const headerTimeout = 5 * time.Second

// Main runs the command with its arguments and returns the exit status. The help calls
// the command by name, which may be several words.
func Main(name string, args []string) int {
	command := ""
	if len(args) > 0 && (args[0] == "healthcheck" || args[0] == "licenses") {
		command, args = args[0], args[1:]
	}
	opts, err := parseOptions(name, args, os.Environ())
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(name, os.Stdout)
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 2
	case opts.version:
		fmt.Println(readBuild())
	case command == "licenses":
		fmt.Print(licenses)
	case command == "healthcheck":
		err = checkReady(opts.adminAddr)
	default:
		err = run(opts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// run serves until a signal ends it.
func run(opts options) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // the live heap is small and would be collected too often
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(160 << 20)
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE) // SIGPIPE: the reader of the log is gone
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // the second signal ends the process
	logs := newLogBuffer(os.Stderr)
	defer logs.close()
	logger := newLogger(logs, opts.logFormat)
	for _, warning := range opts.warnings {
		logger.Warn(warning)
	}
	return serve(ctx, opts, logger, newMetrics(logs))
}

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
		return fmt.Errorf("-tls-cert and -tls-key: %w", err)
	}
	if err := s.startAdmin(opts.adminAddr, m); err != nil {
		return fmt.Errorf("-admin-addr: %w", err)
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
	cfg.ShortLinks, cfg.Logger = true, logger
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
		limiter, err := redislimit.New(redislimit.Config{URL: opts.redisURL, Timeout: opts.redisTimeout, Logger: logger})
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

// newServer returns the public server, which does not listen yet.
func newServer(opts options, handler http.Handler, logger *slog.Logger) (*server, error) {
	s := &server{delay: opts.drainDelay, timeout: opts.drainTimeout, logger: logger}
	s.Server = http.Server{
		Handler:           s.closeAfterResponse(handler),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       30 * time.Second, // enough for 4 MiB at 140 kB/s
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    64 << 10, // a text of 4096 emoji takes 49 kB in a query
		ConnState:         s.trackUnused,
		ErrorLog:          serverLog(logger),
	}
	if opts.tlsCert == "" {
		return s, nil
	}
	cert, err := newCertificate(opts.tlsCert, opts.tlsKey, logger)
	s.TLSConfig = &tls.Config{GetCertificate: cert.get}
	return s, err
}
