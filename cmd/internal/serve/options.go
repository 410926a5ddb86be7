package serve

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
)

// options are the settings from the command line and the environment.
type options struct {
	addr, adminAddr          string
	tlsCert, tlsKey          string
	redisURL, logFormat      string
	accessLog, version       bool
	drainDelay, drainTimeout time.Duration
	redisTimeout             time.Duration
	config                   httpapi.Config
	warnings                 []string // about settings without effect
}

// flags returns the flags, which set o.
func (o *options) flags() *flag.FlagSet {
	o.drainTimeout, o.redisTimeout = 20*time.Second, redislimit.DefaultTimeout
	c := &o.config
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // Main prints errors

	fs.StringVar(&o.addr, "addr", ":8080", "listen on this `address`")
	fs.StringVar(&o.adminAddr, "admin-addr", "", "serve /healthz, /readyz, /metrics and /debug/pprof/ on this `address`, which must not be public")
	fs.StringVar(&c.BaseURL, "base-url", "", "the public `address` of the server (default http://localhost with the port)")
	fs.StringVar(&o.tlsCert, "tls-cert", "", "serve HTTPS with the certificate chain in this PEM `file`, which is read again when it changes")
	fs.StringVar(&o.tlsKey, "tls-key", "", "the PEM `file` of its key")

	fs.StringVar(&c.ChatHost, "chat-host", "", "the `host` of click-to-chat links (default wa.me)")
	fs.StringVar(&c.Notice, "notice", "", "the status of username links, a `text` that begins with \"As of YYYY-MM-DD\"")

	fs.Func("json-limit", fmt.Sprintf("`requests` per minute and client, except QR codes (default %d)", httpapi.DefaultJSONLimit), within(&c.JSONLimit, strconv.Atoi, 1, httpapi.MaxLimit))
	fs.Func("qr-limit", fmt.Sprintf("QR `requests` per minute and client (default %d)", httpapi.DefaultQRLimit), within(&c.QRLimit, strconv.Atoi, 1, httpapi.MaxLimit))
	fs.StringVar(&o.redisURL, "redis-url", "", "share the request counters of several replicas in the Redis or Valkey at this `URL`, such as redis://localhost:6379/0")
	fs.Func("redis-timeout", fmt.Sprintf("wait for the shared counters for at most this `duration`, then count alone (default %v)", redislimit.DefaultTimeout), within(&o.redisTimeout, time.ParseDuration, time.Millisecond, time.Minute))
	fs.Func("trusted-proxies", "trust X-Forwarded-For of the proxies with these `addresses`, such as 10.0.0.7,fd00::/8", prefixes(&c.TrustedProxies))
	fs.BoolFunc("forwarded", "trust the Forwarded header (RFC 7239) of these proxies instead of X-Forwarded-For", yesNo(&c.Forwarded))

	fs.Func("drain-delay", "keep serving for this `duration` after SIGTERM, while /readyz responds with 503 (default 0)", within(&o.drainDelay, time.ParseDuration, 0, time.Hour))
	fs.Func("drain-timeout", "then wait for requests in progress for at most this `duration` (default 20s)", within(&o.drainTimeout, time.ParseDuration, 0, time.Hour))
	fs.BoolFunc("access-log", "log the route, status and duration of each request, and add an X-Request-Id to its response", yesNo(&o.accessLog))
	fs.StringVar(&o.logFormat, "log-format", "text", "write the log as `text` or json")
	fs.BoolVar(&o.version, "version", false, "print the version and exit")
	return fs
}

// parseOptions reads the flags, and the environment for those that are not given. Its
// error names each flag or variable that is wrong.
func parseOptions(name string, args, environ []string) (opts options, err error) {
	fs := opts.flags()
	if err := fs.Parse(args); err != nil {
		return opts, err
	}
	if fs.NArg() > 0 {
		return opts, fmt.Errorf("unexpected argument %q; %s -help lists the flags", fs.Arg(0), name)
	}
	unknown, err := setFromEnv(fs, environ)
	if len(unknown) > 0 {
		opts.warnings = append(opts.warnings, "variables without a flag have no effect: "+strings.Join(unknown, ", "))
	}
	if opts.config.Forwarded && len(opts.config.TrustedProxies) == 0 {
		opts.warnings = append(opts.warnings, "-forwarded has no effect without -trusted-proxies")
	}
	return opts, cmp.Or(err, opts.check())
}

func variable(flagName string) string {
	return "HAILMARK_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// setFromEnv sets the flags that are not given from the environment, and returns the
// variables that have no flag. An empty variable counts as unset.
func setFromEnv(fs *flag.FlagSet, environ []string) (unknown []string, err error) {
	flags := map[string]string{} // by variable, or "" if the flag is given
	fs.VisitAll(func(f *flag.Flag) { flags[variable(f.Name)] = f.Name })
	fs.Visit(func(f *flag.Flag) { flags[variable(f.Name)] = "" })
	delete(flags, variable("version"))
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		flagName, known := flags[name]
		switch {
		case !strings.HasPrefix(name, variable("")) || value == "":
		case !known:
			unknown = append(unknown, name)
		case flagName != "":
			if setErr := fs.Set(flagName, value); setErr != nil {
				err = errors.Join(err, fmt.Errorf("invalid value %q for %s: %w", value, name, setErr))
			}
		}
	}
	return unknown, err
}

// check returns what is wrong with the settings.
func (o options) check() error {
	var errs []error
	cfg := o.config
	cfg.BaseURL = cmp.Or(cfg.BaseURL, "http://localhost")
	for _, problem := range cfg.Validate() {
		flagName := map[string]string{"BaseURL": "base-url", "ChatHost": "chat-host", "Notice": "notice", "TrustedProxies": "trusted-proxies"}[problem.Field]
		errs = append(errs, fmt.Errorf("-%s or %s: %w", flagName, variable(flagName), problem.Err))
	}
	if o.logFormat != "text" && o.logFormat != "json" {
		errs = append(errs, errors.New("-log-format must be text or json"))
	}
	if (o.tlsCert == "") != (o.tlsKey == "") {
		errs = append(errs, errors.New("-tls-cert and -tls-key must be set together"))
	}
	return errors.Join(errs...)
}

// scheme returns the scheme that clients use.
func (o options) scheme() string {
	if o.tlsCert != "" {
		return "https"
	}
	return "http"
}

// within sets a value that has bounds.
func within[T cmp.Ordered](v *T, parse func(string) (T, error), least, most T) func(string) error {
	return func(s string) (err error) {
		if *v, err = parse(s); err != nil || *v < least || *v > most {
			return fmt.Errorf("must be from %v to %v", least, most)
		}
		return nil
	}
}

// yesNo sets a boolean.
func yesNo(v *bool) func(string) error {
	return func(s string) error {
		*v = slices.Contains([]string{"yes", "on", "true", "t", "1"}, strings.ToLower(s))
		if !*v && !slices.Contains([]string{"no", "off", "false", "f", "0"}, strings.ToLower(s)) {
			return errors.New("must be yes or no")
		}
		return nil
	}
}

// prefixes sets addresses and ranges with commas between them.
func prefixes(v *[]netip.Prefix) func(string) error {
	return func(s string) error {
		*v = nil
		for part := range strings.SplitSeq(s, ",") {
			part = strings.TrimSpace(part)
			p, err := netip.ParsePrefix(part)
			if addr, notOne := netip.ParseAddr(part); notOne == nil {
				p, err = addr.Prefix(addr.BitLen())
			}
			if err != nil {
				return fmt.Errorf("%q is not an address or a range; write 10.0.0.7 or 10.0.0.0/8", part)
			}
			*v = append(*v, p)
		}
		return nil
	}
}

func printHelp(name string, w io.Writer) {
	fmt.Fprintf(w, "%[1]s [flags]              serve the HTTP API and its short links\n"+
		"%[1]s healthcheck [flags]  exit with 0 if the server at -admin-addr is ready\n"+
		"%[1]s licenses             print the licences of all linked modules\n\n"+
		"Every flag except -version can also be set in the environment, such as %[2]s.\n\n", name, variable("base-url"))
	fs := new(options).flags()
	fs.SetOutput(w)
	fs.PrintDefaults()
}

// FlagNames returns the flags as they are written, for the completion of shells.
func FlagNames() []string {
	var names []string
	new(options).flags().VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return names
}
