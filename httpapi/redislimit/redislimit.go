// Package redislimit counts the requests of several replicas together, in a Redis (6.2 or
// later) or Valkey server that they share:
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
// A client may make a number of requests in each window of 60 seconds, as described at
// [httpapi.Limiter]. Each request runs one Lua script on the server, atomically and on
// the server's clock, so all replicas have the same count and the same time. If that
// clock is set back, a window in use ends at most 60 seconds later.
//
// A key consists of a prefix, the class of the request and the address of the client, as
// in hailmark:limit:qr:192.0.2.1. Its value is the count, and it expires with its window.
//
// Requests that arrive at the same time share a round trip. A client that has used up its
// limit is refused without a round trip until its window ends.
//
// # When the server fails
//
// No request fails because of the server. A request waits for its count for
// [Config.Timeout] at most. If the count is late or the server is unavailable, the
// replica counts this request and the following ones in memory, so a client has its full
// limit at each replica. A message is logged when the server becomes unavailable and when
// it is available again, but not for each request.
//
// Meanwhile the replica tries to connect, at once and then every half second. An attempt
// opens new connections in the background, and counts a request under the key
// hailmark:limit:probe. It fails if the server cannot write or is slower than the
// timeout.
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

// A Config configures a [Limiter]. Exactly one of URL and Client must be set.
type Config struct {
	// URL names the server: redis://user:password@host:6379/0, rediss:// for TLS, or
	// unix:///path. A URL with addr parameters names the nodes of a cluster, as in
	// redis://host1:6379?addr=host2:6379. The certificate of a server with TLS must be
	// valid for its host and signed by a CA that the system trusts.
	URL string

	// Client is used instead of URL, for Sentinel, another CA or special connections.
	// It stays open after Close. Its options should have ContextTimeoutEnabled, so that
	// late replies do not block it, and MaxRetries -1, because a repeated command counts
	// a request twice.
	//
	// A URL has two advantages over a Client: connections are closed when the server
	// announces a reply that is far too long, and all connections are replaced after a
	// failure. The pool of a Client may need another second to connect again.
	Client redis.UniversalClient

	// KeyPrefix begins every key; empty is [DefaultKeyPrefix].
	KeyPrefix string

	// Timeout is how long a request waits for its count; 0 is [DefaultTimeout]. It must
	// be longer than a round trip to the server.
	Timeout time.Duration

	// Fallback counts while the server is unavailable; nil is an
	// [httpapi.MemoryLimiter] of the default size.
	Fallback httpapi.Limiter

	// Logger receives a warning when the server becomes unavailable, and a message when
	// it is available again. If nil, nothing is logged.
	Logger *slog.Logger
}

// A Limiter is an [httpapi.Limiter] that counts in Redis. It is safe for concurrent use,
// and must be closed after use.
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

// New connects to the server and returns a limiter. It returns an error only if cfg is
// invalid. If the server is unavailable, New logs why, and the limiter counts in memory
// until it is connected.
func New(cfg Config) (*Limiter, error) {
	if (cfg.URL == "") == (cfg.Client == nil) {
		return nil, errors.New("redislimit: exactly one of URL and Client must be set")
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

// Close ends the use of the server, and closes the connections to a URL. It always returns
// nil. A closed limiter counts in memory.
func (l *Limiter) Close() error {
	l.cancel()
	l.done.Wait()
	l.client.Store(nil)
	return nil
}

// Take counts a request at the server, or with [Config.Fallback] while the server is
// unavailable. A limit above [httpapi.MaxLimit] is treated as MaxLimit. Only the fallback
// uses ctx and now: a client that disconnects does not end a round trip, and the server
// uses its own clock.
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
	return l.prefix + class.String() + ":" + client.String()
}
