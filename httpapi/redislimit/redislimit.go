// Package redislimit counts the requests of several replicas together, in a Redis (6.2 or
// later) or Valkey server that they share:
//
//	shared, err := redislimit.New(redislimit.Config{URL: "redis://localhost:6379/0", Logger: logger})
//	…
//	defer shared.Close()
//	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", Limiter: shared})
//
// Each request runs one script on the server, by its clock, so all replicas have the same
// windows, as described at [httpapi.MemoryLimiter]. If that clock is set back, a window in use
// ends at most 60 seconds later. The /56 and the /48 around an IPv6 client are counted by each
// replica alone. A key such as hailmark:limit:qr:192.0.2.1 expires with its window.
//
// No request fails because of Redis. A request waits for its count for [Config.Timeout] at
// most. If the count is late or Redis is out of reach, the replica counts this request and
// the following ones in memory, so a client has its full limit at each replica. Every half
// second one request tries Redis again, and the first success ends the outage. The log
// records the beginning and the end. Counters that Redis loses start over.
package redislimit

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/hailmark/hailmark/httpapi"
)

//go:embed take.lua
var takeSource string

var takeScript = redis.NewScript(takeSource)

// The defaults of a Config.
const (
	DefaultKeyPrefix = "hailmark:limit:"
	DefaultTimeout   = 100 * time.Millisecond
)

var noNotifications = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}

// connectTimeout bounds a dial, which continues after the request that needed it.
const connectTimeout = 2 * time.Second

// A Config configures a [Limiter]. Exactly one of URL and Client must be set.
type Config struct {
	// Limits are those of each client.
	Limits httpapi.Limits

	// URL is redis://user:password@host:6379/0, rediss:// for TLS with a CA that the system
	// trusts, unix:///path, or redis://host1:6379?addr=host2:6379 for a cluster.
	URL string

	// Client is used instead of URL, for Sentinel or another CA, and stays open after Close.
	// Its options should have ContextTimeoutEnabled, so that late replies don't block it,
	// and MaxRetries -1, because a repeated command counts a request twice.
	Client redis.UniversalClient

	KeyPrefix string        // begins every key; empty is [DefaultKeyPrefix]
	Timeout   time.Duration // how long a request waits for its count; 0 is [DefaultTimeout]
	Logger    *slog.Logger  // receives the beginning and the end of an outage; may be nil
}

// A Limiter is an [httpapi.Limiter] that counts in Redis. It must be closed after use.
type Limiter struct {
	client    redis.UniversalClient
	ownClient bool   // Close closes it
	password  string // of the URL
	limits    httpapi.Limits
	prefix    string
	timeout   time.Duration
	logger    *slog.Logger
	memory    *httpapi.MemoryLimiter // counts networks, and everything during an outage
	spent     *spentTable
	breaker   *breaker
}

// New connects to Redis and returns a limiter. It returns an error only if cfg is invalid.
// If Redis is out of reach, New logs why, and the limiter counts in memory.
func New(cfg Config) (*Limiter, error) {
	if (cfg.URL == "") == (cfg.Client == nil) {
		return nil, errors.New("redislimit: exactly one of URL and Client must be set")
	}
	if cfg.Timeout < 0 {
		return nil, errors.New("redislimit: Timeout is negative; it must be positive, or 0 for the default")
	}
	memory, err := httpapi.NewMemoryLimiter(cfg.Limits, 0)
	if err != nil {
		return nil, err
	}
	l := &Limiter{
		client:    cfg.Client,
		ownClient: cfg.Client == nil,
		limits:    cfg.Limits,
		prefix:    cmp.Or(cfg.KeyPrefix, DefaultKeyPrefix),
		timeout:   cmp.Or(cfg.Timeout, DefaultTimeout),
		logger:    cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
		memory:    memory,
		spent:     &spentTable{clients: map[spentClient]spent{}},
		breaker:   &breaker{born: time.Now()},
	}
	if l.ownClient {
		if l.client, err = newClient(cfg.URL); err != nil {
			return nil, err
		}
		u, _ := url.Parse(cfg.URL) // newClient has parsed it
		l.password, _ = u.User.Password()
	}
	ctx, cancel := context.WithTimeout(context.Background(), max(connectTimeout, l.timeout))
	defer cancel()
	l.record(true, takeScript.Load(ctx, l.client).Err())
	return l, nil
}

// errURL never contains a part of the URL, because any part may be a piece of a password
// with characters that should have been escaped.
var errURL = errors.New("redislimit: URL can't be parsed; it must be as in redis://user:password@localhost:6379/0, or " +
	"redis://host1:6379?addr=host2:6379 for a cluster, and other characters than letters and digits in a password must be percent-encoded")

// newClient returns a client for a URL. It waits only as long as its contexts allow, and
// never repeats a command.
func newClient(rawURL string) (redis.UniversalClient, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Fragment != "" || u.Host == "" && u.Scheme != "unix" {
		return nil, errURL
	}
	if u.Query().Has("addr") {
		opts, err := redis.ParseClusterURL(rawURL)
		if err != nil {
			return nil, errURL
		}
		opts.ContextTimeoutEnabled, opts.MaxRetries, opts.DialerRetries, opts.DialTimeout = true, -1, 1, connectTimeout
		opts.DisableIdentity, opts.MaintNotificationsConfig = true, noNotifications
		return redis.NewClusterClient(opts), nil
	}
	opts, err := redis.ParseURL(rawURL)
	if err != nil {
		return nil, errURL
	}
	opts.ContextTimeoutEnabled, opts.MaxRetries, opts.DialerRetries, opts.DialTimeout = true, -1, 1, connectTimeout
	opts.DisableIdentity, opts.MaintNotificationsConfig = true, noNotifications
	return redis.NewClient(opts), nil
}

// Close closes the connections to a URL, and returns nil. A closed limiter counts in memory.
func (l *Limiter) Close() error {
	l.breaker.close()
	if l.ownClient {
		return l.client.Close()
	}
	return nil
}

// Take counts a request in Redis, or in memory during an outage.
func (l *Limiter) Take(ctx context.Context, client netip.Addr, class httpapi.Class) httpapi.Decision {
	limit := l.limits.Of(class)
	if limit == httpapi.Unlimited {
		return httpapi.Decision{Allowed: true}
	}
	if d, ok := l.spent.find(spentClient{client, class}); ok {
		return d
	}
	if try, isProbe := l.breaker.try(); try {
		d, err := l.count(ctx, l.prefix+class.String()+":"+client.String(), limit)
		l.record(isProbe, err)
		switch {
		case err == nil && d.Allowed:
			return l.memory.TakeNetworks(client, class, d)
		case err == nil:
			l.spent.add(spentClient{client, class}, d)
			return d
		}
	}
	d := l.memory.Take(ctx, client, class)
	d.UsedFallback = true
	return d
}

// count counts a request in Redis. It doesn't end with ctx, because a client that
// disconnects must not cost a connection to Redis.
func (l *Limiter) count(ctx context.Context, key string, limit int) (httpapi.Decision, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.timeout)
	defer cancel()
	values, err := takeScript.Run(ctx, l.client, []string{key}, limit, httpapi.LimitWindow.Milliseconds()).Int64Slice()
	if err != nil {
		return httpapi.Decision{}, err
	}
	if len(values) != 3 || values[1] < 0 || values[1] > httpapi.MaxLimit || values[2] < 0 || values[2] > httpapi.LimitWindow.Milliseconds() {
		return httpapi.Decision{}, errors.New("the script returned other values than a decision, a count and a time")
	}
	return httpapi.Decision{
		Allowed:   values[0] == 1,
		Limit:     limit,
		Remaining: max(0, limit-int(values[1])), // a replica may have a lower limit than others
		ResetIn:   time.Duration(values[2]) * time.Millisecond,
	}, nil
}

// record logs the beginning and the end of an outage.
func (l *Limiter) record(isProbe bool, err error) {
	if err != nil && l.password != "" && strings.Contains(err.Error(), l.password) {
		err = errors.New("the server's error contains the password") // old servers repeat unknown commands
	}
	switch changed := l.breaker.record(isProbe, err == nil); {
	case changed && err == nil:
		l.logger.Info("Redis is in reach again, so replicas count requests together")
	case changed:
		l.logger.Warn("Redis is out of reach, so this replica counts requests alone", "cause", withoutAddress(err))
	}
}

// withoutAddress returns the text of err without the host, which may be a piece of a
// password.
func withoutAddress(err error) string {
	var lookup *net.DNSError
	var operation *net.OpError
	if errors.As(err, &lookup) {
		return "lookup: " + lookup.Err
	}
	if errors.As(err, &operation) {
		return operation.Op + ": " + operation.Err.Error()
	}
	return err.Error()
}
