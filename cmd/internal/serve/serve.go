// Package serve is the Hailmark server as a command: the handler of package httpapi
// with flags, logs, metrics, TLS and a shutdown without lost requests.
package serve

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
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

	"github.com/hailmark/hailmark/cmd/internal/drain"
	"github.com/hailmark/hailmark/cmd/internal/page"
	"github.com/hailmark/hailmark/cmd/internal/reference"
	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
)

//go:generate go test -run TestLicenses -update
//go:embed licenses.txt
var licenses string

// The help has commands only if name is that of a program: hailmark serve has none.
const (
	commandHelp = `
%[1]s healthcheck [flags]  exit with 0 if the server at -admin-addr is ready
%[1]s licenses             print the licences of all linked modules
`
	flagHelp = `
Every flag except -version can also be set in the environment, such as HAILMARK_BASE_URL.

`
)

// headerTimeout bounds a TLS handshake and the header of a request.
const headerTimeout = 5 * time.Second

// Main runs the program with its arguments and returns the exit status. A name of several
// words, such as hailmark serve, is a command of a program and has no commands itself.
func Main(name string, args []string) int {
	command, isProgram := "", !strings.Contains(name, " ")
	if isProgram && len(args) > 0 && (args[0] == "healthcheck" || args[0] == "licenses") {
		command, args = args[0], args[1:]
	}
	opts, err := parseOptions(name, args, os.Environ())
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Printf("%s [flags]\n", strings.TrimSpace(name+" "+command))
		if isProgram && command == "" {
			fmt.Printf(commandHelp, name)
		}
		fmt.Print(flagHelp)
		flags := new(options).flags()
		flags.SetOutput(os.Stdout)
		flags.PrintDefaults()
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
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

// version returns the version of the main module. It contains the revision unless it is
// a tag.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
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
	logs := &logBuffer{out: os.Stderr}
	defer logs.close()
	return serve(ctx, opts, logs)
}

// serve handles requests until ctx ends, then drains.
func serve(ctx context.Context, opts options, logs *logBuffer) error {
	logger := newLogger(logs, opts.logFormat)
	registry, count := newMetrics(logs)
	for _, warning := range opts.warnings {
		logger.Warn(warning)
	}
	listener, err := drain.Listen(ctx, opts.addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	server := newServer(opts, logger)
	scheme := "http"
	if opts.tlsCert != "" || opts.tlsKey != "" {
		scheme = "https"
		if server.TLSConfig, err = newTLSConfig(opts.tlsCert, opts.tlsKey, logger); err != nil {
			return fmt.Errorf("-tls-cert and -tls-key must name two files: %w", err)
		}
	}
	if opts.config.BaseURL == "" {
		opts.config.BaseURL = fmt.Sprintf("%s://localhost:%d", scheme, listener.Addr().(*net.TCPAddr).Port)
	}
	if server.Handler, err = newHandler(opts, logger, observer(opts, logger, count)); err != nil {
		return err
	}
	if err := startAdmin(opts.adminAddr, server, registry); err != nil {
		return fmt.Errorf("-admin-addr: %w", err)
	}
	if opts.page && !page.HasModule() {
		logger.Info("the page uses the API, because " + page.NoModule)
	}
	logger.Info("listening", "addr", listener.Addr().String(), "base_url", opts.config.BaseURL, "version", version())
	return server.Run(ctx, listener)
}

// newServer returns the public server, without its handler.
func newServer(opts options, logger *slog.Logger) *drain.Server {
	return &drain.Server{
		Delay: opts.drainDelay, Timeout: opts.drainTimeout, Logger: logger,
		Server: http.Server{
			ReadHeaderTimeout: headerTimeout,
			ReadTimeout:       30 * time.Second, // enough for 4 MiB at 140 kB/s
			WriteTimeout:      30 * time.Second,
			IdleTimeout:       90 * time.Second,
			MaxHeaderBytes:    64 << 10, // a text of 4096 emoji takes 49 kB in a query
			ErrorLog:          serverLog(logger),
		},
	}
}

// newHandler returns the page, the API, the short links, and the pages that describe them.
func newHandler(opts options, logger *slog.Logger, observe func(context.Context, httpapi.Observation)) (http.Handler, error) {
	cfg := opts.config
	cfg.ShortLinks, cfg.Logger, cfg.Observe = true, logger, observe
	if opts.accessLog {
		cfg.RequestID = newRequestID
	}
	if len(opts.proxies) > 0 {
		cfg.ClientAddr = behind(opts.proxies)
	}
	limiter, err := httpapi.NewMemoryLimiter(opts.limits, 0)
	if err != nil {
		return nil, err
	}
	cfg.Limiter = limiter
	if opts.redis.URL != "" {
		logging.Disable() // redislimit logs what an operator can act upon
		opts.redis.Logger, opts.redis.Limits = logger, opts.limits
		limiter, err := redislimit.New(opts.redis)
		if err != nil {
			return nil, fmt.Errorf("-redis-url: %w", err)
		}
		cfg.Limiter = limiter
	}
	api, err := httpapi.New(cfg)
	if err != nil {
		return nil, err
	}
	pages, err := reference.New(cfg, opts.limits)
	if err != nil {
		return nil, err
	}
	if opts.page {
		maps.Copy(pages, page.New())
	}
	return withPages(api, pages, cfg), nil
}

// withPages returns a handler of GET and HEAD for pages, by path, and of everything else
// with api. Requests for pages are observed and not counted.
func withPages(api http.Handler, pages map[string]*static.File, cfg httpapi.Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, found := pages[r.URL.Path]
		if !found || r.Method != http.MethodGet && r.Method != http.MethodHead {
			api.ServeHTTP(w, r)
			return
		}
		began, o := time.Now(), httpapi.Observation{Route: r.URL.Path, Method: r.Method}
		if strings.HasPrefix(o.Route, "/-/") {
			o.Route = "/-/{asset}" // the paths of assets change with each version
		}
		if cfg.RequestID != nil {
			o.RequestID = cfg.RequestID(r)
			w.Header().Set("X-Request-Id", o.RequestID)
		}
		o.Status, o.Bytes = file.Serve(w, r)
		o.Duration = time.Since(began)
		if cfg.Observe != nil {
			cfg.Observe(r.Context(), o)
		}
	})
}

// newRequestID returns 16 hexadecimal digits.
func newRequestID(*http.Request) string { return fmt.Sprintf("%016x", rand.Uint64()) }

// observer returns what counts and logs requests, or nil if nothing does.
func observer(opts options, logger *slog.Logger, count func(httpapi.Observation)) func(context.Context, httpapi.Observation) {
	if opts.adminAddr == "" && !opts.accessLog {
		return nil
	}
	return func(ctx context.Context, o httpapi.Observation) {
		if opts.adminAddr != "" {
			count(o)
		}
		if opts.accessLog {
			logRequest(ctx, logger, o)
		}
	}
}
