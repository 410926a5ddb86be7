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
	logFormat                string
	accessLog, version       bool
	page                     bool
	drainDelay, drainTimeout time.Duration
	redis                    redislimit.Config
	config                   httpapi.Config
	limits                   httpapi.Limits
	proxies                  []netip.Prefix
	warnings                 []string // about settings without effect
}

// flags returns the flags, which set o.
func (o *options) flags() *flag.FlagSet {
	o.page, o.drainTimeout, o.redis.Timeout = true, 20*time.Second, redislimit.DefaultTimeout
	c := &o.config
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // Main prints errors

	fs.StringVar(&o.addr, "addr", ":8080", "listen on this `address`")
	fs.StringVar(&o.adminAddr, "admin-addr", "", "serve /healthz, /readyz, /metrics and /debug/pprof/ on this `address`, which must not be public")
	fs.StringVar(&c.BaseURL, "base-url", "", "the public `address` of the server (default http://localhost with the port)")
	fs.StringVar(&o.tlsCert, "tls-cert", "", "serve HTTPS with the certificate chain in this PEM `file`, which is read again when it changes")
	fs.StringVar(&o.tlsKey, "tls-key", "", "the PEM `file` of its key")

	fs.BoolFunc("page", "serve the page at / and its assets below /-/ (default yes; -page=no turns it off)", yesNo(&o.page))
	fs.StringVar(&c.ChatHost, "chat-host", "", "the `host` of click-to-chat links (default wa.me)")
	fs.StringVar(&c.Notice, "notice", "", "the status of username links, a `text` that begins with \"As of YYYY-MM-DD\"")

	fs.Func("json-limit", fmt.Sprintf("`requests` per minute and client, except QR codes; \"off\" for no limit (default %d)", o.limits.Of(httpapi.ClassJSON)), limit(&o.limits.JSON))
	fs.Func("qr-limit", fmt.Sprintf("QR `requests` per minute and client; \"off\" for no limit (default %d)", o.limits.Of(httpapi.ClassQR)), limit(&o.limits.QR))
	fs.StringVar(&o.redis.URL, "redis-url", "", "share the request counters of several replicas in the Redis or Valkey at this `URL`, such as redis://localhost:6379/0")
	fs.StringVar(&o.redis.KeyPrefix, "redis-key-prefix", redislimit.DefaultKeyPrefix, "the `text` that begins each key; replicas share the counters of the same prefix")
	fs.Func("redis-timeout", fmt.Sprintf("wait for the shared counters for at most this `duration`, then count alone (default %v)", redislimit.DefaultTimeout), within(&o.redis.Timeout, time.Millisecond, time.Minute))
	fs.Func("trusted-proxies", "trust X-Forwarded-For of the proxies with these `addresses`, such as 10.0.0.7,fd00::/8", func(s string) (err error) {
		o.proxies, err = parseProxies(s)
		return err
	})

	fs.Func("drain-delay", "keep serving for this `duration` after SIGTERM, while /readyz responds with 503 (default 0)", within(&o.drainDelay, 0, time.Hour))
	fs.Func("drain-timeout", "then wait for requests in progress for at most this `duration` (default 20s)", within(&o.drainTimeout, 0, time.Hour))
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
	return opts, cmp.Or(err, opts.check())
}

const envPrefix = "HAILMARK_"

func variable(flagName string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// setFromEnv sets the flags that are not given from the environment, and returns the
// variables that have no flag. An empty variable counts as unset.
func setFromEnv(fs *flag.FlagSet, environ []string) (unknown []string, err error) {
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		flagName := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, envPrefix), "_", "-"))
		switch {
		case !strings.HasPrefix(name, envPrefix) || value == "" || given[flagName]:
		case fs.Lookup(flagName) == nil || flagName == "version" || name != variable(flagName):
			unknown = append(unknown, name)
		default:
			if setErr := fs.Set(flagName, value); setErr != nil {
				err = errors.Join(err, fmt.Errorf("invalid value %q for %s: %w", value, name, setErr))
			}
		}
	}
	return unknown, err
}

// check returns what is wrong with the settings.
func (o options) check() (err error) {
	o.config.BaseURL = cmp.Or(o.config.BaseURL, "http://localhost")
	if _, problem := httpapi.New(o.config); problem != nil {
		err = errors.New(flagOfField.Replace(problem.Error()))
	}
	if o.logFormat != "text" && o.logFormat != "json" {
		err = errors.Join(err, errors.New("-log-format must be text or json"))
	}
	return err
}

// flagOfField replaces the fields in an error of [httpapi.New] by their flags.
var flagOfField = strings.NewReplacer(
	"httpapi: Config.BaseURL", "-base-url or "+variable("base-url"),
	"httpapi: Config.ChatHost", "-chat-host or "+variable("chat-host"),
	"httpapi: Config.Notice", "-notice or "+variable("notice"),
)

// within sets a duration that has bounds.
func within(v *time.Duration, least, most time.Duration) func(string) error {
	return func(s string) (err error) {
		if *v, err = time.ParseDuration(s); err != nil || *v < least || *v > most {
			return fmt.Errorf("must be from %v to %v", least, most)
		}
		return nil
	}
}

// limit sets a rate limit.
func limit(v *int) func(string) error {
	return func(s string) (err error) {
		if s == "off" {
			*v = httpapi.Unlimited
			return nil
		}
		if *v, err = strconv.Atoi(s); err != nil || *v < 1 || *v > httpapi.MaxLimit {
			return fmt.Errorf("must be from 1 to %d, or off", httpapi.MaxLimit)
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

// FlagNames returns the flags as they are written, for the completion of shells.
func FlagNames() []string {
	var names []string
	new(options).flags().VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return names
}
