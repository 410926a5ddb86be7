package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

// envPrefix and a flag's name make up the name of its twin in the environment.
const envPrefix = "HAILMARK_"

type lookupEnv func(name string) (string, bool)

// options is what the command line and the environment say.
type options struct {
	addr, adminAddr string
	tlsCert, tlsKey string
	redisURL        string
	logFormat       string
	accessLog       bool
	drainDelay      time.Duration
	drainTimeout    time.Duration
	version         bool
	config          httpapi.Config
}

// flags returns the flags, which set o.
func (o *options) flags() *flag.FlagSet {
	config := &o.config
	o.logFormat, o.drainTimeout = "text", 20*time.Second
	fs := flag.NewFlagSet("server", flag.ContinueOnError)

	fs.StringVar(&o.addr, "addr", ":8080", "listen on this `address`")
	fs.StringVar(&o.adminAddr, "admin-addr", "", "answer operators on this `address`: /healthz, /readyz, /metrics, /debug/pprof/; it must not be public")
	fs.Func("base-url", "the `address` under which clients reach the server; http://localhost with the port unless given",
		setting(config, parseText, func(c *httpapi.Config) *string { return &c.BaseURL }))
	fs.StringVar(&o.tlsCert, "tls-cert", "", "serve HTTPS, with the certificate chain in this PEM `file`; read again when it changes")
	fs.StringVar(&o.tlsKey, "tls-key", "", "the PEM `file` of its key")

	fs.Func("chat-host", "the `host` of click-to-chat links; wa.me unless given",
		setting(config, parseText, func(c *httpapi.Config) *string { return &c.ChatHost }))
	fs.Func("notice", "the status of username links, a `text` that begins with \"As of YYYY-MM-DD\"",
		setting(config, parseText, func(c *httpapi.Config) *string { return &c.Notice }))

	fs.Func("json-limit", fmt.Sprintf("the `requests` a minute and client, QR codes aside; %d unless given", httpapi.DefaultJSONLimit),
		setting(config, parseLimit, func(c *httpapi.Config) *int { return &c.JSONLimit }))
	fs.Func("qr-limit", fmt.Sprintf("the QR `requests` a minute and client; %d unless given", httpapi.DefaultQRLimit),
		setting(config, parseLimit, func(c *httpapi.Config) *int { return &c.QRLimit }))
	fs.StringVar(&o.redisURL, "redis-url", "", "share the request counters of several replicas in the Redis or Valkey at this `URL`, as in redis://localhost:6379/0")
	fs.Func("trusted-proxies", "believe X-Forwarded-For of proxies in these `ranges`, as in 10.0.0.0/8,fd00::/8",
		setting(config, parsePrefixes, func(c *httpapi.Config) *[]netip.Prefix { return &c.TrustedProxies }))
	fs.BoolVar(&config.Forwarded, "forwarded", false, "believe Forwarded of these proxies instead; they must write it")

	fs.Func("drain-delay", "after SIGTERM, go on for this `duration` while /readyz says no; 0 unless given", wait(&o.drainDelay))
	fs.Func("drain-timeout", "after that, wait for requests for this `duration` at most; 20s unless given", wait(&o.drainTimeout))
	fs.BoolVar(&o.accessLog, "access-log", false, "log each request: its route, status and duration, nothing of the client; answers get an X-Request-Id")
	fs.Func("log-format", "write the log as `text` or json; text unless given", func(s string) error {
		if s != "text" && s != "json" {
			return errors.New("must be text or json")
		}
		o.logFormat = s
		return nil
	})
	fs.BoolVar(&o.version, "version", false, "print the version and exit")
	return fs
}

// parseOptions reads the flags and, for those that are not given, the environment.
// Its error names the flag or variable that is wrong.
func parseOptions(args []string, env lookupEnv, stderr io.Writer) (options, error) {
	var opts options
	fs := opts.flags()
	fs.SetOutput(io.Discard) // the caller prints the error, and we print the help
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(stderr, "server serves the Hailmark HTTP API and its short links.\nEach flag but -version has a twin in the environment, such as %sBASE_URL.\n\n", envPrefix)
			fs.SetOutput(stderr)
			fs.PrintDefaults()
		}
		return options{}, err
	}
	if fs.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q; server -help lists the flags", fs.Arg(0))
	}
	if err := setFromEnv(fs, env); err != nil {
		return options{}, err
	}
	if (opts.tlsCert == "") != (opts.tlsKey == "") {
		return options{}, errors.New("-tls-cert and -tls-key belong together")
	}
	return opts, nil
}

// setFromEnv sets the flags that are not given from the environment. An empty
// variable counts as none.
func setFromEnv(fs *flag.FlagSet, env lookupEnv) error {
	given := map[string]bool{"version": true}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var errs []error
	fs.VisitAll(func(f *flag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, _ := env(name)
		if given[f.Name] || value == "" {
			return
		}
		if err := fs.Set(f.Name, value); err != nil {
			errs = append(errs, fmt.Errorf("invalid value %q for %s: %w", value, name, err))
		}
	})
	return errors.Join(errs...)
}

// setting sets a field of the config, and holds it to the rules of httpapi before there
// is a server, so that the flag package can name the flag.
func setting[T any](config *httpapi.Config, parse func(string) (T, error), field func(*httpapi.Config) *T) func(string) error {
	return func(s string) error {
		v, err := parse(s)
		if err != nil {
			return err
		}
		*field(config) = v
		probe := httpapi.Config{BaseURL: "http://localhost"}
		*field(&probe) = v
		_, err = httpapi.New(probe)
		return err
	}
}

func parseText(s string) (string, error) { return s, nil }

func parseLimit(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, errors.New("must be a number of requests, at least 1")
	}
	return n, nil
}

func parsePrefixes(s string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for part := range strings.SplitSeq(s, ",") {
		p, err := netip.ParsePrefix(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q is not an address range; write one as in 10.0.0.0/8", strings.TrimSpace(part))
		}
		prefixes = append(prefixes, p)
	}
	return prefixes, nil
}

// wait sets a duration for which the server waits.
func wait(field *time.Duration) func(string) error {
	return func(s string) error {
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 || d > time.Hour {
			return errors.New("must be a duration of at most an hour, as in 5s")
		}
		*field = d
		return nil
	}
}
