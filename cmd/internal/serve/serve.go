// Package serve runs the handler of package httpapi with flags, logs, metrics, TLS and a shutdown
// without lost requests.
package serve

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/hailmark/hailmark/cmd/internal/page"
	"github.com/hailmark/hailmark/cmd/internal/reference"
	"github.com/hailmark/hailmark/cmd/internal/serve/clients"
	"github.com/hailmark/hailmark/cmd/internal/serve/drain"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
)

//go:generate go test -run TestLicenses -update
//go:embed licenses.txt
var licenses string

const (
	commandHelp = `
%[1]s healthcheck [flags]  exit with 0 if the server at --admin-addr is ready
%[1]s licenses             print the licenses of all linked modules
`
	flagHelp = `
Every flag except --check and --version can also be set in the environment, such as HAILMARK_BASE_URL.

`
)

// headerTimeout bounds a TLS handshake and the header of a request.
const headerTimeout = 5 * time.Second

// Main runs the program and returns its exit status. A name with a space, such as hailmark serve, is
// a command, which supports no commands itself.
func Main(name string, args []string) int {
	command, isProgram := "", !strings.Contains(name, " ")
	if isProgram && len(args) > 0 && (args[0] == "healthcheck" || args[0] == "licenses") {
		command, args = args[0], args[1:]
	}
	opts, err := parseOptions(name, args, os.Environ())
	switch {
	case errors.Is(err, flag.ErrHelp):
		switch {
		case command == "healthcheck":
			fmt.Print("Check whether a running server is ready: exit with 0 if it is, otherwise with 1.\n" +
				"Only --admin-addr is used, for example --admin-addr localhost:9090.\n\n")
		case !isProgram:
			fmt.Print("Serve the HTTP API, the web page and short links.\n\n")
		}
		fmt.Printf("%s [flags]\n", strings.TrimSpace(name+" "+command))
		if isProgram && command == "" {
			fmt.Printf(commandHelp, name)
		}
		fmt.Print(flagHelp)
		writeHelp(os.Stdout)
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		if opts.check {
			return 1
		}
		return 2
	case opts.version:
		fmt.Println("hailmark", version(), runtime.Version())
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

// version returns the main module's version, with the revision unless it's a tag.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}

// run serves until a signal ends it.
func run(opts options) error {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE) // SIGPIPE: the reader of the log is gone
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // the second signal ends the process
	logs := newLogQueue(os.Stderr)
	defer logs.close()
	logger := newLogger(logs, opts.logFormat)
	for _, warning := range opts.warnings {
		logger.Warn(warning)
	}

	for name, addr := range map[string]string{"addr": opts.addr, "admin-addr": opts.adminAddr, "pprof-addr": opts.pprofAddr} {
		if _, err := net.ResolveTCPAddr("tcp", addr); err != nil && addr != "" {
			return fmt.Errorf("--%s: %w", name, err)
		}
	}
	listener, err := &drain.Listener{}, error(nil)
	scheme, port := "http", "8080"
	if !opts.check {
		if listener, err = drain.Listen(ctx, opts.addr); err != nil {
			return fmt.Errorf("--addr: %w", err)
		}
		_, port, _ = net.SplitHostPort(listener.Addr().String())
	}
	conns := clients.Limit(listener, opts.proxies)
	server := newServer(opts, conns, logger)
	if opts.tlsCert != "" || opts.tlsKey != "" {
		scheme = "https"
		if server.TLSConfig, err = newTLSConfig(opts.tlsCert, opts.tlsKey, logger); err != nil {
			return fmt.Errorf("--tls-cert and --tls-key must be the names of two files: %w", err)
		}
	}
	opts.config.BaseURL = cmp.Or(opts.config.BaseURL, scheme+"://localhost:"+port)
	metrics := newMetrics(logs)
	if server.Handler, err = newHandler(opts, logger, metrics); err != nil || opts.check {
		return err
	}
	if err := listenAside("admin", opts.adminAddr, newAdmin(server.Draining, metrics.Registry), logger); err != nil {
		return err
	}
	if err := listenAside("pprof", opts.pprofAddr, newProfiles(), logger); err != nil {
		return err
	}
	if opts.page && !page.HasModule() {
		logger.Info("the page can't be used: " + page.NoModule)
	}
	logger.Info("listening", "addr", listener.Addr().String(), "base_url", opts.config.BaseURL, "version", version())
	return server.Run(ctx, listener, conns)
}

// newServer returns the public server without its handler.
func newServer(opts options, conns *clients.Listener, logger *slog.Logger) *drain.Server {
	return &drain.Server{
		Delay: opts.drainDelay, Timeout: opts.drainTimeout, Logger: logger,
		Server: http.Server{
			ReadHeaderTimeout: headerTimeout,
			ReadTimeout:       30 * time.Second, // enough for 4 MiB at 140 kB/s
			WriteTimeout:      30 * time.Second,
			IdleTimeout:       90 * time.Second,
			MaxHeaderBytes:    64 << 10, // a text of 4096 emoji takes 49 kB in a query
			// By default a connection may have 250 streams, and 1 MiB of bodies in each.
			HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: 32, MaxReceiveBufferPerConnection: 128 << 10, MaxReceiveBufferPerStream: 64 << 10},
			ConnState: conns.ConnState,
			ErrorLog:  serverLog(logger),
		},
	}
}

// newHandler returns a handler for the page, the API, the short links and their reference.
func newHandler(opts options, logger *slog.Logger, metrics *metrics) (http.Handler, error) {
	cfg := opts.config
	cfg.ShortLinks, cfg.ClientAddr, cfg.Logger, cfg.Observe = true, opts.proxies.Addr, logger, observer(opts, logger, metrics)
	var err error
	if opts.redis.URL != "" {
		logging.Disable() // redislimit logs what an operator can act upon
		opts.redis.Limits, opts.redis.Logger = opts.limits, logger
		shared, err := redislimit.New(opts.redis)
		if err != nil {
			return nil, fmt.Errorf("--redis-url: %w", err)
		}
		cfg.Limiter = limiter{shared, metrics.fallbacks}
	} else if cfg.Limiter, err = httpapi.NewMemoryLimiter(opts.limits, 0); err != nil {
		return nil, err
	}
	api, err := httpapi.New(cfg)
	if err != nil {
		return nil, err
	}
	files, err := reference.New(cfg, opts.limits)
	if err != nil {
		return nil, err
	}
	if opts.page {
		maps.Copy(files, page.New())
	}
	return &site{api, files, opts.accessLog, cfg.Observe}, nil
}

// observer returns a function that logs and measures requests, or nil.
func observer(opts options, logger *slog.Logger, metrics *metrics) func(context.Context, httpapi.Observation) {
	if opts.adminAddr == "" && !opts.accessLog {
		return nil
	}
	return func(ctx context.Context, o httpapi.Observation) {
		if opts.adminAddr != "" {
			metrics.count(o)
		}
		if opts.accessLog {
			logRequest(ctx, logger, o)
		}
	}
}
