package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/cmd/internal/serve/clients"
	"github.com/hailmark/hailmark/httpapi"
)

// options contains the settings from the command line and the environment.
type options struct {
	addr, adminAddr, pprofAddr string
	tlsCert, tlsKey            string
	logFormat, redisURL        string
	accessLog, page, offline   bool
	check, version             bool
	drainDelay, drainTimeout   time.Duration
	proxies                    clients.Proxies
	limits                     httpapi.Limits
	baseURL, chatHost, notice  string
	unknown                    []string // variables
}

// flags returns flags that set o.
func (o *options) flags() *pflag.FlagSet {
	o.addr = ":8080"
	_, jsonLimit := o.limits.For("")
	_, qrLimit := o.limits.For("/api/v1/qr")
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SetOutput(io.Discard) // Main prints errors
	fs.SortFlags = false

	resolve := func(s string) (net.Addr, error) { return net.ResolveTCPAddr("tcp", s) }
	fs.Func("addr", "listen on this `address` (default :8080)", parsed(&o.addr, resolve))
	fs.Func("admin-addr", "serve /healthz, /readyz and /metrics on this `address`, which must not be public", parsed(&o.adminAddr, resolve))
	fs.Func("pprof-addr", "serve profiles at /debug/pprof/ on this `address`, such as localhost:6060", parsed(&o.pprofAddr, resolve))
	fs.Func("base-url", "the public `address` of the server (default http://localhost with the port)", configured(&o.baseURL, func(c *httpapi.Config) *string { return &c.BaseURL }))
	fs.StringVar(&o.tlsCert, "tls-cert", "", "serve HTTPS with the certificate chain in this PEM `file`, which is read again when it changes")
	fs.StringVar(&o.tlsKey, "tls-key", "", "the PEM `file` of its key")

	fs.BoolVar(&o.page, "page", true, "serve the page at / and its assets below /-/; --page=false turns it off")
	fs.BoolVar(&o.offline, "offline", true, "let browsers keep the page, so that it works without a network after the first visit; with --offline=false, they remove it")
	fs.Func("chat-host", "the `host` of click-to-chat links (default wa.me)", configured(&o.chatHost, func(c *httpapi.Config) *string { return &c.ChatHost }))
	fs.Func("notice", "the status of username links, a `text` that begins with \"As of YYYY-MM-DD\"", configured(&o.notice, func(c *httpapi.Config) *string { return &c.Notice }))

	fs.Func("json-limit", fmt.Sprintf("`requests` per minute and client, except QR codes; \"off\" for no limit (default %d)", jsonLimit), limit(&o.limits.JSON))
	fs.Func("qr-limit", fmt.Sprintf("QR `requests` per minute and client; \"off\" for no limit (default %d)", qrLimit), limit(&o.limits.QR))
	fs.StringVar(&o.redisURL, "redis-url", "", "share the request counters of several replicas in the Redis or Valkey at this `URL`, such as redis://localhost:6379/0?read_timeout=100ms")
	fs.Func("trusted-proxies", "trust X-Forwarded-For of the proxies with these `addresses`, such as 10.0.0.7,fd00::/8", func(s string) (err error) {
		o.proxies, err = clients.ParseProxies(s)
		return err
	})

	fs.DurationVar(&o.drainDelay, "drain-delay", 0, "keep serving for this `duration` after SIGTERM, while /readyz responds with 503 (default 0s)")
	fs.DurationVar(&o.drainTimeout, "drain-timeout", 20*time.Second, "then wait for requests in progress for at most this `duration`")
	fs.BoolVar(&o.accessLog, "access-log", false, "log the route, status and duration of each request, and add an X-Request-Id to its response")
	fs.StringVar(&o.logFormat, "log-format", "text", "write the log as `text` or json")
	fs.BoolVar(&o.check, "check", false, "check the settings and exit, with status 0 if they're valid; it doesn't listen, and only warns if Redis is out of reach")
	fs.BoolVar(&o.version, "version", false, "print the version and exit")
	return fs
}

// parseOptions parses the flags and, for absent ones, the environment. Its error identifies each
// invalid flag or variable.
func parseOptions(args, environ []string) (opts options, err error) {
	fs := opts.flags()
	if err := fs.Parse(args); err != nil {
		return opts, err
	}
	if fs.NArg() > 0 {
		return opts, fmt.Errorf("unexpected argument %q; server --help lists the flags", fs.Arg(0))
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		key, isOurs := strings.CutPrefix(name, "HAILMARK_")
		flag := fs.Lookup(strings.ToLower(strings.ReplaceAll(key, "_", "-")))
		switch {
		case !isOurs || value == "" || flag != nil && flag.Changed:
		case flag == nil || flag.Name == "version" || flag.Name == "check" || key != strings.ToUpper(key):
			opts.unknown = append(opts.unknown, name)
		default:
			if setErr := flag.Value.Set(value); setErr != nil {
				err = errors.Join(err, fmt.Errorf("invalid value %q for %s: %w", value, name, setErr))
			}
		}
	}
	if opts.drainDelay < 0 || opts.drainTimeout < 0 {
		err = errors.Join(err, errors.New("--drain-delay or --drain-timeout is negative; use 0s or more"))
	}
	if opts.logFormat != "text" && opts.logFormat != "json" {
		err = errors.Join(err, fmt.Errorf("--log-format is %q; text and json are allowed", opts.logFormat))
	}
	return opts, err
}

// checkAddrs returns an error if the server can't listen on its addresses together.
func (o *options) checkAddrs() error {
	if overlap(o.addr, o.adminAddr) || overlap(o.addr, o.pprofAddr) || overlap(o.adminAddr, o.pprofAddr) {
		return errors.New("two of --addr, --admin-addr and --pprof-addr are the same; use different addresses, for example :8080, localhost:9090 and localhost:6060")
	}
	return nil
}

// overlap reports whether two addresses can't be listened on together.
func overlap(a, b string) bool {
	x, errX := net.ResolveTCPAddr("tcp", a)
	y, errY := net.ResolveTCPAddr("tcp", b)
	isAny := func(ip net.IP) bool { return ip == nil || ip.IsUnspecified() }
	return errX == nil && errY == nil && x.Port == y.Port && x.Port != 0 && (isAny(x.IP) || isAny(y.IP) || x.IP.Equal(y.IP))
}

// parsed sets a valid text.
func parsed[T any](v *string, parse func(string) (T, error)) func(string) error {
	return func(s string) error {
		*v = s
		_, err := parse(s)
		return err
	}
}

// configured sets a text that's valid for a field of the handler's configuration. Otherwise, it returns
// the error of this field.
func configured(v *string, field func(*httpapi.Config) *string) func(string) error {
	return parsed(v, func(s string) (*httpapi.Handler, error) {
		config := httpapi.Config{BaseURL: "http://localhost"}
		*field(&config) = s
		handler, err := httpapi.New(config)
		if fields, ok := err.(interface{ Unwrap() []error }); ok {
			err = errors.Unwrap(fields.Unwrap()[0])
		}
		return handler, err
	})
}

// limit sets a rate limit.
func limit(v *int) func(string) error {
	return func(s string) (err error) {
		if s == "off" {
			*v = -1
		} else if *v, err = strconv.Atoi(s); err != nil || *v < 1 || *v >= 1<<24 {
			return fmt.Errorf("must be from 1 to %d, or off", 1<<24-1)
		}
		return nil
	}
}
