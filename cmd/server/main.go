// Command server serves the Hailmark HTTP API and its short links.
//
//	server -addr :8080 -base-url https://hi.example.com
//
// Every flag but -version has a twin in the environment: -base-url is
// HAILMARK_BASE_URL. A flag wins over its twin.
//
// On SIGTERM or SIGINT it takes no more connections, finishes the requests that it
// has, and exits; a second signal ends it at once.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // so that the second signal is not caught
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// run is main with what it reads and writes passed in. It returns the exit status.
func run(ctx context.Context, args []string, env lookupEnv, stdout, stderr io.Writer) int {
	opts, err := parseOptions(args, env, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, err)
		return 2
	case opts.version:
		fmt.Fprintln(stdout, version())
		return 0
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	if err := serve(ctx, opts, logger); err != nil {
		logger.Error("stopped", "cause", err)
		return 1
	}
	return 0
}

// The bounds of a connection. A request line holds a text of 4096 characters, each
// of up to 4 bytes, each of which takes 3 when percent-encoded.
const (
	headerTimeout  = 5 * time.Second
	requestTimeout = 30 * time.Second // for the slowest upload of 4 MiB
	answerTimeout  = 30 * time.Second
	idleTimeout    = 90 * time.Second
	drainTimeout   = 20 * time.Second
	maxHeaderBytes = 64 << 10
)

// serve answers requests until ctx ends, then drains.
func serve(ctx context.Context, opts options, logger *slog.Logger) error {
	listener, err := net.Listen("tcp", opts.addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	if opts.config.BaseURL == "" {
		opts.config.BaseURL = fmt.Sprintf("http://localhost:%d", listener.Addr().(*net.TCPAddr).Port)
	}
	opts.config.Logger = logger
	handler, err := newHandler(opts.config)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}

	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	logger.Info("listening", "addr", listener.Addr().String(), "base_url", opts.config.BaseURL, "version", version())

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	logger.Info("draining")
	deadline, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if err := server.Shutdown(deadline); err != nil {
		return errors.Join(fmt.Errorf("some requests were cut off: %w", err), server.Close())
	}
	logger.Info("stopped")
	return nil
}

// newHandler puts short links beside the API: a path of one segment is one, all
// else belongs to the API, which answers what it does not know with 404. It is no
// [http.ServeMux], because that answers a doubled slash with a redirect.
func newHandler(cfg httpapi.Config) (http.Handler, error) {
	api, err := httpapi.New(cfg)
	if err != nil {
		return nil, err
	}
	links, err := httpapi.NewShortLinks(cfg)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, ok := strings.CutPrefix(r.URL.Path, "/"); ok && name != "" && !strings.Contains(name, "/") {
			links.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}), nil
}

// version tells what the binary was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "hailmark (unknown build)"
	}
	v := "hailmark " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += " " + s.Value
		}
	}
	return v + " " + info.GoVersion
}
