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
// A request waits for the counters for [Config.Timeout] at most. If they are late or
// unavailable, the replica counts in memory and tries to connect again, at once and then
// every half second. An attempt makes new connections outside of requests, and counts a
// request under a key of its own, because a server that cannot write cannot count. So
// while the server is unavailable a client has its limit at each replica, and no request
// fails. A message is logged when the server becomes unavailable and when it is back, but
// not for each request.
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
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/hailmark/hailmark/httpapi"
)

// The defaults of a Config.
const (
	DefaultKeyPrefix = "hailmark:limit:"
	DefaultTimeout   = 100 * time.Millisecond
)

const (
	connectTimeout = 2 * time.Second        // Config.Timeout is used instead if it is longer
	retryEvery     = 500 * time.Millisecond // shortest time between two attempts to connect
)

// A Config configures a [Limiter]. Either URL or Client must be set.
type Config struct {
	// URL names the server: redis://user:password@host:6379/0, rediss:// for TLS, or
	// unix:///path. A URL with addr parameters names the nodes of a cluster, as in
	// redis://host1:6379?addr=host2:6379. The certificate of a server with TLS must be
	// valid for its host and signed by a CA that the system trusts.
	URL string

	// Client is used instead of URL, for Sentinel, another CA or special connections.
	// Close does not close it. Only connections to a URL are closed when the server
	// sends a reply of an absurd length, and only they are replaced after a failure; the
	// pool of Client may need another second until it connects again.
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

// A Limiter is an [httpapi.Limiter] that counts in Redis.
type Limiter struct {
	newClient func() redis.UniversalClient
	ownClient bool // clients of newClient are closed after use
	prefix    string
	timeout   time.Duration
	fallback  httpapi.Limiter
	logger    *slog.Logger

	spent  *spentTable
	queue  queue
	client atomic.Pointer[redis.UniversalClient] // nil while the server is unavailable
	lost   chan error                            // why client was set to nil; has room for one error

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
	newClient := func() redis.UniversalClient { return cfg.Client }
	if cfg.Client == nil {
		var err error
		if newClient, err = clientsOf(cfg.URL); err != nil {
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
		newClient: newClient,
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
	client, err := l.connect()
	if err != nil {
		l.warn(err)
	} else {
		l.client.Store(&client)
	}
	l.done.Go(func() { l.stayConnected(client) })
	for range workers {
		l.done.Go(l.work)
	}
	return l, nil
}

// Close closes the connections. A closed limiter counts in memory.
func (l *Limiter) Close() error {
	l.cancel()
	l.done.Wait()
	l.client.Store(nil)
	return nil
}

// Take counts a request at the server, or in memory while the server is unavailable.
func (l *Limiter) Take(ctx context.Context, client netip.Addr, class httpapi.Class, limit int, now time.Time) httpapi.Decision {
	limit = min(limit, httpapi.MaxLimit)
	if d, ok := l.spent.find(client, class, limit); ok {
		return d
	}
	if server := l.client.Load(); server != nil {
		d, err := l.count(l.key(client, class), limit)
		if err == nil {
			if !d.Allowed {
				l.spent.add(client, class, d)
			}
			return d
		}
		if l.client.CompareAndSwap(server, nil) {
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
