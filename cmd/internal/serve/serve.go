// Package serve runs the handler of package httpapi with flags, logs, metrics, TLS and a shutdown
// without lost requests.
package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
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
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9/logging"
	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/cmd/internal/page"
	"github.com/hailmark/hailmark/cmd/internal/reference"
	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/bound"
	"github.com/hailmark/hailmark/httpapi/redislimit"
)

const (
	help = "Serve the HTTP API, the web page and short links, or check a running server.\n\nserver [flags]\n\n" +
		"server healthcheck [flags]  exit with 0 if the server at --admin-addr, such as localhost:9090, is ready\n\n" +
		"Every flag except --check and --version can also be set in the environment, such as HAILMARK_BASE_URL.\n\n"
	healthcheckHelp = "Exit with status 0 if a running server is ready, and otherwise with 1.\n\nserver healthcheck --admin-addr address\n\n" +
		"The address is the server's --admin-addr, such as localhost:9090, and can also be set as HAILMARK_ADMIN_ADDR.\n"
	headerTimeout = 5 * time.Second // for a TLS handshake and a request's header
)

// Main runs the program and returns its exit status.
func Main(args []string) int {
	command := ""
	if len(args) > 0 && args[0] == "healthcheck" {
		command, args = args[0], args[1:]
	}
	opts, err := parseOptions(args, os.Environ())
	switch {
	case errors.Is(err, pflag.ErrHelp) && command == "healthcheck":
		_, err = fmt.Print(healthcheckHelp)
	case errors.Is(err, pflag.ErrHelp):
		_, err = fmt.Print(help + new(options).flags().FlagUsages())
	case err != nil && !opts.check:
		fmt.Fprintf(os.Stderr, "server: %v\n", err)
		return 2
	case err != nil:
	case opts.version:
		_, err = fmt.Println("hailmark", version(), runtime.Version())
	case command == "healthcheck":
		err = checkReady(opts.adminAddr)
	default:
		if err = opts.checkAddrs(); err == nil {
			err = run(opts)
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "server: %v\n", err)
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
func run(opts options) (err error) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE) // SIGPIPE: the reader of the log is gone
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // the second signal ends the process
	logs := newLogQueue(os.Stderr)
	defer logs.close()
	logger := newLogger(logs, opts.logFormat)
	if opts.unknown != nil {
		logger.Warn("variables without a flag have no effect: " + strings.Join(opts.unknown, ", "))
	}
	metrics := newMetrics(logs)
	server := newServer(logger)
	scheme, port := "http", "8080"
	if opts.tlsCert != "" || opts.tlsKey != "" {
		scheme = "https"
		files := &certificate{certFile: opts.tlsCert, keyFile: opts.tlsKey, logger: logger}
		if err := files.load(); err != nil {
			return fmt.Errorf("--tls-cert and --tls-key don't name a certificate and its key: %w", err)
		}
		server.TLSConfig = &tls.Config{GetCertificate: files.get}
		metrics.watch(files)
	}
	var listener net.Listener
	if !opts.check {
		if listener, err = new(net.ListenConfig).Listen(ctx, "tcp", opts.addr); err != nil {
			return fmt.Errorf("--addr: %w", err)
		}
		_, port, _ = net.SplitHostPort(listener.Addr().String())
	}
	opts.baseURL = cmp.Or(opts.baseURL, scheme+"://localhost:"+port)
	if server.Handler, err = newHandler(opts, logger, metrics); err != nil || opts.check {
		return err
	}
	bounded := bound.Listen(server, listener, bound.Limits{Connections: connsWithin(maxFiles())})
	metrics.conns = bounded.Stats
	d := &drainer{Server: server, delay: opts.drainDelay, timeout: opts.drainTimeout, logger: logger}
	if err := listenAside("admin", opts.adminAddr, newAdmin(d.draining.Load, metrics), logger); err != nil {
		return err
	}
	if err := listenAside("pprof", opts.pprofAddr, newProfiles(), logger); err != nil {
		return err
	}
	if opts.page && !page.HasModule() {
		logger.Warn("the page can't be used: " + page.NoModule)
	}
	logger.Info("listening", "addr", listener.Addr().String(), "base_url", opts.baseURL, "version", version())
	return d.serve(ctx, bounded)
}

// newServer returns the public server without its handler. It serves only HTTP/1, because over
// HTTP/2, one connection may make hundreds of requests at a time, whose headers take few bytes.
// Nothing here is faster over HTTP/2, and a proxy can offer it to browsers.
func newServer(logger *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Protocols:         protocols,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       30 * time.Second, // enough for 4 MiB at 140 kB/s
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    64 << 10, // a text of 4096 emoji takes 49 kB in a query
		ErrorLog:          serverLog(logger),
	}
}

// newHandler returns a handler for the page, the API, the short links and their reference.
func newHandler(opts options, logger *slog.Logger, metrics *metrics) (_ http.Handler, err error) {
	cfg := httpapi.Config{
		BaseURL: opts.baseURL, ChatHost: opts.chatHost, Notice: opts.notice, ShortLinks: true, ClientAddr: opts.proxies.Addr, Logger: logger,
	}
	if opts.adminAddr != "" || opts.accessLog {
		cfg.Observe = func(ctx context.Context, o httpapi.Observation) {
			if opts.adminAddr != "" {
				metrics.count(o)
			}
			if opts.accessLog {
				logRequest(ctx, logger, o)
			}
		}
	}
	if opts.redisURL != "" {
		logging.Disable() // redislimit logs what an operator can act upon
		shared, err := redislimit.New(opts.redisURL, opts.limits, logger)
		if err != nil {
			return nil, fmt.Errorf("--redis-url: %w", err)
		}
		cfg.Limiter, metrics.fallbacks = shared, shared.Fallbacks
	} else if cfg.Limiter, err = httpapi.NewMemoryLimiter(opts.limits); err != nil {
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
		maps.Copy(files, page.New(opts.offline))
	}
	return &site{api, files, opts.accessLog, cfg.Observe}, nil
}

// A site serves files by path and everything else with the API. Requests for files are observed
// but not counted.
type site struct {
	api        http.Handler
	files      map[string]*static.File
	requestIDs bool
	observe    func(context.Context, httpapi.Observation)
}

const fileMethods = "GET, HEAD, OPTIONS"

type requestID struct{} // a key of contexts

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.requestIDs {
		id := strconv.FormatUint(rand.Uint64()|1<<63, 16) // 16 digits
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(context.WithValue(r.Context(), requestID{}, id))
	}
	file, found := s.files[r.URL.Path]
	if !found {
		s.api.ServeHTTP(w, r)
		return
	}
	began, o := time.Now(), httpapi.Observation{Route: r.URL.Path, Method: r.Method}
	if strings.HasPrefix(o.Route, "/-/") {
		o.Route = "/-/{asset}" // the paths of assets change with each version
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		o.Status, o.Bytes = file.Serve(w, r)
	case http.MethodOptions:
		o.Status = http.StatusNoContent
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Methods", fileMethods)
		w.Header().Set("Allow", fileMethods)
		bound.CloseUnread(w, r)
		w.WriteHeader(o.Status)
	default:
		o.Method, o.Status, o.Code = "other", http.StatusMethodNotAllowed, "method_not_allowed" // a client may invent methods
		w.Header().Set("Allow", fileMethods)
		httpapi.WriteError(w, r, o.Status, o.Code, "method not allowed; use "+fileMethods)
	}
	if o.Duration = time.Since(began); s.observe != nil {
		s.observe(r.Context(), o)
	}
}
