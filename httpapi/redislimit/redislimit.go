// Package redislimit counts the requests of several replicas together, in a Redis or
// Valkey that they share:
//
//	shared, err := redislimit.New(redislimit.Config{URL: "redis://localhost:6379/0", Logger: logger})
//	…
//	defer shared.Close()
//	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", Limiter: shared})
//
// It is a separate module, so that users who do not need it do not depend on a Redis
// client.
//
// # Windows
//
// Windows work as described at [httpapi.Limiter]. Each request runs one Lua script on
// the server, atomically and on the server's clock, so replicas cannot disagree about
// the count or the time. A key is a prefix, the class and the client, as in
// hailmark:limit:qr:192.0.2.1. It holds a count and expires with its window. If the
// server's clock is set back, a window in use ends at most 60 seconds later.
//
// The requests of one moment share a round trip. A client that has spent its limit is
// refused without a round trip until its window ends.
//
// # When the server fails
//
// A request waits for the counters for [Config.Timeout] at most. Connections are made
// outside of requests. If the counters are late or unavailable, the replica counts in
// memory and tries the server once a second, with a write. So while the server is away
// a client has its limit at each replica, and no request fails. A message is logged when
// the server becomes unavailable and when it is back, but not for each request.
//
// When the server restarts or evicts keys, counters are lost, and clients start over.
package redislimit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/hailmark/hailmark/httpapi"
)

// The defaults of a Config.
const (
	DefaultKeyPrefix = "hailmark:limit:"
	DefaultTimeout   = 100 * time.Millisecond
)

const (
	connectTimeout = 5 * time.Second
	retryEvery     = time.Second
)

// A Config configures a [Limiter]. Either URL or Client must be set.
type Config struct {
	// URL is that of a server: redis://user:password@host:6379/0, rediss:// for TLS, or
	// unix:///path. With addr parameters, as in redis://host1:6379?addr=host2:6379, it is
	// that of a cluster.
	URL string

	// Client is used instead of URL, for Sentinel or special connections. It is not
	// closed by the limiter. The replies of its servers are trusted; the connections
	// to a URL are closed when a reply has an absurd length.
	Client redis.UniversalClient

	// KeyPrefix begins every key; empty is [DefaultKeyPrefix].
	KeyPrefix string

	// Timeout is how long a request waits for the counters; 0 is [DefaultTimeout]. It
	// must be longer than a round trip to the server.
	Timeout time.Duration

	// Fallback counts while the server is unavailable; nil is an
	// [httpapi.MemoryLimiter] of the default size.
	Fallback httpapi.Limiter

	// Logger receives a warning when the server becomes unavailable, and a message when
	// it is back. If nil, nothing is logged.
	Logger *slog.Logger
}

// A Limiter is an [httpapi.Limiter] on a server.
type Limiter struct {
	client    redis.UniversalClient
	ownClient bool
	prefix    string
	timeout   time.Duration
	fallback  httpapi.Limiter
	logger    *slog.Logger

	spent     *spentTable
	queue     queue
	available atomic.Bool
	lost      chan error // why the server became unavailable; has room for one error

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// New returns a limiter and connects to the server. If the server cannot be used, New
// logs why and the limiter counts in memory until it can: a server that is unavailable
// when a replica starts is like one that becomes unavailable later.
func New(cfg Config) (*Limiter, error) {
	if (cfg.URL == "") == (cfg.Client == nil) {
		return nil, errors.New("redislimit: either URL or Client must be set")
	}
	if cfg.Timeout < 0 {
		return nil, fmt.Errorf("redislimit: Timeout must not be negative; got %v", cfg.Timeout)
	}
	client := cfg.Client
	if client == nil {
		var err error
		if client, err = newClient(cfg.URL); err != nil {
			return nil, err
		}
	}
	if cfg.Fallback == nil {
		var err error
		if cfg.Fallback, err = httpapi.NewMemoryLimiter(0); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &Limiter{
		client:    client,
		ownClient: cfg.Client == nil,
		prefix:    cmp.Or(cfg.KeyPrefix, DefaultKeyPrefix),
		timeout:   cmp.Or(cfg.Timeout, DefaultTimeout),
		fallback:  cfg.Fallback,
		logger:    cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
		spent:     newSpentTable(),
		queue:     newQueue(),
		lost:      make(chan error, 1),
		ctx:       ctx,
		cancel:    cancel,
	}
	if err := l.probe(); err != nil {
		l.logger.Warn(unavailable, "cause", err)
		l.lost <- err
	} else {
		l.available.Store(true)
	}
	l.done.Go(l.reconnect)
	for range workers {
		l.done.Go(l.work)
	}
	return l, nil
}

// newClient returns a client that waits and retries only as long as its contexts allow.
func newClient(rawURL string) (redis.UniversalClient, error) {
	const form = "redislimit: URL must be as in redis://localhost:6379/0, or redis://host1:6379?addr=host2:6379 for a cluster: %w"
	if u, err := url.Parse(rawURL); err == nil && u.Query().Has("addr") {
		opts, err := redis.ParseClusterURL(rawURL)
		if err != nil {
			return nil, fmt.Errorf(form, withoutURL(err))
		}
		opts.ContextTimeoutEnabled = true
		opts.DialTimeout, opts.PoolTimeout = connectTimeout, connectTimeout
		opts.MaxRetries = -1
		opts.DisableIdentity = true
		opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
		opts.Dialer = checkedDialer(opts.TLSConfig)
		return redis.NewClusterClient(opts), nil
	}
	opts, err := redis.ParseURL(rawURL)
	if err != nil {
		return nil, fmt.Errorf(form, withoutURL(err))
	}
	opts.ContextTimeoutEnabled = true
	opts.DialTimeout, opts.PoolTimeout = connectTimeout, connectTimeout
	opts.MaxRetries, opts.DialerRetries = -1, 1
	opts.DisableIdentity = true
	opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	opts.Dialer = checkedDialer(opts.TLSConfig)
	return redis.NewClient(opts), nil
}

// withoutURL returns err without the URL, which may contain a password.
func withoutURL(err error) error {
	var parse *url.Error
	if errors.As(err, &parse) {
		return parse.Err
	}
	return err
}

// Close closes the connections. A closed limiter counts in memory.
func (l *Limiter) Close() error {
	l.available.Store(false)
	l.cancel()
	l.done.Wait()
	if !l.ownClient {
		return nil
	}
	return l.client.Close()
}

// Take counts a request at the server, or in memory while the server is unavailable.
func (l *Limiter) Take(ctx context.Context, client netip.Addr, class httpapi.Class, limit int, now time.Time) httpapi.Decision {
	limit = min(limit, httpapi.MaxLimit)
	if d, ok := l.spent.find(client, class, limit); ok {
		return d
	}
	if l.available.Load() {
		d, err := l.count(l.key(client, class), limit)
		if err == nil {
			if !d.Allowed {
				l.spent.add(client, class, d)
			}
			return d
		}
		if l.available.CompareAndSwap(true, false) {
			l.lost <- err
		}
	}
	d := l.fallback.Take(ctx, client, class, limit, now)
	d.UsedFallback = true
	return d
}

func (l *Limiter) key(client netip.Addr, class httpapi.Class) string {
	var b strings.Builder
	text := client.String()
	b.Grow(len(l.prefix) + len("json:") + len(text))
	b.WriteString(l.prefix)
	b.WriteString(class.String())
	b.WriteByte(':')
	b.WriteString(text)
	return b.String()
}

const unavailable = "request counters are out of reach, so this replica counts alone"

// reconnect waits until the server is lost, and then probes it until it is back.
func (l *Limiter) reconnect() {
	first := !l.available.Load() // New has logged why
	for {
		select {
		case <-l.ctx.Done():
			return
		case err := <-l.lost:
			if !first {
				l.logger.Warn(unavailable, "cause", err)
			}
			first = false
		}
		for again := time.NewTicker(retryEvery); ; {
			select {
			case <-l.ctx.Done():
				again.Stop()
				return
			case <-again.C:
			}
			if l.probe() == nil {
				again.Stop()
				break
			}
		}
		l.available.Store(true)
		l.logger.Info("request counters are in reach again")
	}
}

// probe connects to the server as often as there are workers, and counts a request of
// no client: a server that cannot write cannot count. It is not limited by the time that
// a request has.
func (l *Limiter) probe() error {
	ctx, cancel := context.WithTimeout(l.ctx, connectTimeout)
	defer cancel()
	errs := make(chan error, workers)
	for range workers {
		go func() {
			errs <- takeScript.Run(ctx, l.client, []string{l.prefix + "probe"}, httpapi.MaxLimit, time.Second.Milliseconds()).Err()
		}()
	}
	var first error
	for range workers {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}
