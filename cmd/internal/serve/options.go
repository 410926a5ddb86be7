package serve

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/cmd/internal/serve/clients"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
	"github.com/hailmark/hailmark/internal/service"
)

// options contains the settings from the command line and the environment.
type options struct {
	addr, adminAddr, pprofAddr string
	tlsCert, tlsKey            string
	logFormat                  string
	accessLog, page            bool
	check, version             bool
	drainDelay, drainTimeout   time.Duration
	proxies                    clients.Proxies
	redis                      redislimit.Config
	limits                     httpapi.Limits
	config                     httpapi.Config
	warnings                   []string // about settings without effect
}

// flags returns flags that set o.
func (o *options) flags() *flag.FlagSet {
	o.drainTimeout = 20 * time.Second
	c := &o.config
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // Main prints errors

	fs.StringVar(&o.addr, "addr", ":8080", "listen on this `address`")
	fs.StringVar(&o.adminAddr, "admin-addr", "", "serve /healthz, /readyz and /metrics on this `address`, which must not be public")
	fs.StringVar(&o.pprofAddr, "pprof-addr", "", "serve profiles at /debug/pprof/ on this `address`, such as localhost:6060")
	fs.Func("base-url", "the public `address` of the server (default http://localhost with the port)", parsed(&c.BaseURL, service.ParseBaseURL))
	fs.StringVar(&o.tlsCert, "tls-cert", "", "serve HTTPS with the certificate chain in this PEM `file`, which is read again when it changes")
	fs.StringVar(&o.tlsKey, "tls-key", "", "the PEM `file` of its key")

	fs.BoolVar(&o.page, "page", true, "serve the page at / and its assets below /-/; --page=false turns it off")
	fs.Func("chat-host", "the `host` of click-to-chat links (default wa.me)", parsed(&c.ChatHost, service.ParseHost))
	fs.Func("notice", "the status of username links, a `text` that begins with \"As of YYYY-MM-DD\"", func(s string) error {
		c.Notice = s
		return service.CheckNotice(s)
	})

	fs.Func("json-limit", "`requests` per minute and client, except QR codes; \"off\" for no limit (default 60)", limit(&o.limits.JSON))
	fs.Func("qr-limit", "QR `requests` per minute and client; \"off\" for no limit (default 20)", limit(&o.limits.QR))
	fs.StringVar(&o.redis.URL, "redis-url", "", "share the request counters of several replicas in the Redis or Valkey at this `URL`, such as redis://localhost:6379/0")
	fs.Func("redis-timeout", "wait for the shared counters for at most this `duration`, then count alone (default 100ms)", duration(&o.redis.Timeout))
	fs.Func("trusted-proxies", "trust X-Forwarded-For of the proxies with these `addresses`, such as 10.0.0.7,fd00::/8", func(s string) (err error) {
		o.proxies, err = clients.ParseProxies(s)
		return err
	})

	fs.Func("drain-delay", "keep serving for this `duration` after SIGTERM, while /readyz responds with 503 (default 0s)", duration(&o.drainDelay))
	fs.Func("drain-timeout", "then wait for requests in progress for at most this `duration` (default 20s)", duration(&o.drainTimeout))
	fs.BoolVar(&o.accessLog, "access-log", false, "log the route, status and duration of each request, and add an X-Request-Id to its response")
	fs.Func("log-format", "write the log as `text` or json (default text)", func(s string) error {
		if o.logFormat = s; s != "text" && s != "json" {
			return errors.New("must be text or json")
		}
		return nil
	})
	fs.BoolVar(&o.check, "check", false, "check the settings and exit, with status 0 if the server could start with them")
	fs.BoolVar(&o.version, "version", false, "print the version and exit")
	return fs
}

// writeHelp describes the flags.
func writeHelp(w io.Writer) {
	new(options).flags().VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(w, "  --%s\n\t%s\n", strings.TrimSpace(f.Name+" "+value), usage)
	})
}

// parseOptions parses the flags and, for absent ones, the environment. Its error identifies each
// invalid flag or variable.
func parseOptions(name string, args, environ []string) (opts options, err error) {
	fs := opts.flags()
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return opts, err
		}
		return opts, errors.New(oneDash.ReplaceAllString(err.Error(), "$1 --"))
	}
	if fs.NArg() > 0 {
		return opts, fmt.Errorf("unexpected argument %q; %s --help lists the flags", fs.Arg(0), name)
	}
	unknown, err := setFromEnv(fs, environ)
	if len(unknown) > 0 {
		opts.warnings = append(opts.warnings, "variables without a flag have no effect: "+strings.Join(unknown, ", "))
	}
	return opts, err
}

// oneDash finds flags in package flag's errors.
var oneDash = regexp.MustCompile(`(for|for flag|defined:|argument:) -`)

const envPrefix = "HAILMARK_"

func variable(flagName string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// setFromEnv sets absent flags from nonempty variables. It returns the variables without a flag.
func setFromEnv(fs *flag.FlagSet, environ []string) (unknown []string, err error) {
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		flagName := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, envPrefix), "_", "-"))
		switch {
		case !strings.HasPrefix(name, envPrefix) || value == "" || given[flagName]:
		case fs.Lookup(flagName) == nil || flagName == "version" || flagName == "check" || name != variable(flagName):
			unknown = append(unknown, name)
		default:
			if setErr := fs.Set(flagName, value); setErr != nil {
				err = errors.Join(err, fmt.Errorf("invalid value %q for %s: %w", value, name, setErr))
			}
		}
	}
	return unknown, err
}

// parsed sets a valid text.
func parsed[T any](v *string, parse func(string) (T, error)) func(string) error {
	return func(s string) error {
		*v = s
		_, err := parse(s)
		return err
	}
}

// duration sets a duration.
func duration(v *time.Duration) func(string) error {
	return func(s string) (err error) {
		if *v, err = time.ParseDuration(s); *v < 0 {
			err = errors.New("must not be negative")
		}
		return err
	}
}

// limit sets a rate limit.
func limit(v *int) func(string) error {
	return func(s string) (err error) {
		if s == "off" {
			*v = httpapi.Unlimited
			return nil
		}
		if *v, err = strconv.Atoi(s); err != nil || *v < 1 || *v >= 1<<24 {
			return fmt.Errorf("must be from 1 to %d, or off", 1<<24-1)
		}
		return nil
	}
}

// FlagNames returns the flags with their dashes, for shell completion.
func FlagNames() []string {
	var names []string
	new(options).flags().VisitAll(func(f *flag.Flag) { names = append(names, "--"+f.Name) })
	return names
}
