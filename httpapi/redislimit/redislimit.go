// Package redislimit limits requests across several replicas of package httpapi, which count them
// together in a Redis (6.2 or later) or Valkey server:
//
//	shared, err := redislimit.New("redis://localhost:6379/0", 60, 20, logger)
//	…
//	defer shared.Close()
//	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", Limiter: shared})
//
// Counting takes one round trip. A script uses the Redis server's clock, so replicas share the
// windows that [httpapi.NewMemoryLimiter] describes. Once a client has used up its limit, a replica
// usually rejects it without asking Redis until the window ends. If the server's clock is set back,
// a current window ends within 60 seconds. Keys such as hailmark:limit:qr:192.0.2.1 expire with
// their windows.
//
// Requests don't fail because of Redis. If counting takes longer than 100 ms or Redis is
// unreachable, the replica counts in memory, so a client has its full limit at each replica. Every
// half second, one request tries Redis again. The log records when an outage begins and ends.
package redislimit

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"math"
	"net"
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

var (
	//go:embed take.lua
	takeSource string
	takeScript = redis.NewScript(takeSource)
)

const (
	keyPrefix      = "hailmark:limit:"
	qrRoute        = "/api/v1/qr"
	window         = time.Minute // as in package httpapi
	defaultTimeout = 100 * time.Millisecond
	connectTimeout = 2 * time.Second // of a dial, which continues after its request
	retryEvery     = 500 * time.Millisecond
	maxSpent       = 1 << 13 // clients
)

// A Limiter is an [httpapi.Limiter] that counts in Redis. It must be closed after use.
type Limiter struct {
	client    redis.UniversalClient
	password  string // of the URL
	limits    [2]int // for other routes and for QR codes; 0 means none
	timeout   time.Duration
	logger    *slog.Logger
	memory    httpapi.Limiter // counts during an outage
	fallbacks atomic.Uint64
	spent     *spentTable
	breaker   *breaker
}

// New connects to Redis and returns a limiter. It returns an error only if an argument is invalid.
// If Redis is unreachable, New returns after at most 2 seconds, or read_timeout if that's longer, and
// the limiter counts in memory. json and qr are the limits of [httpapi.NewMemoryLimiter]. logger
// receives the beginning and the end of each outage; nil discards them.
//
// The URL is redis://user:password@host:6379/0, rediss:// for TLS with a CA that the system trusts,
// unix:///path, redis://host1:6379?addr=host2:6379 for a cluster, or
// redis://sentinel:26379?master_name=counters for Sentinel. The parameter read_timeout=200ms changes
// the time that a request waits for its count.
func New(rawURL string, json, qr int, logger *slog.Logger) (*Limiter, error) {
	memory, err := httpapi.NewMemoryLimiter(json, qr)
	if err != nil {
		return nil, err
	}
	client, timeout, err := newClient(rawURL)
	if err != nil {
		return nil, err
	}
	u, _ := url.Parse(rawURL) // newClient has parsed it
	password, _ := u.User.Password()
	l := &Limiter{
		client:   client,
		password: password,
		timeout:  timeout,
		logger:   cmp.Or(logger, slog.New(slog.DiscardHandler)),
		memory:   memory,
		spent:    &spentTable{clients: map[spentClient]spent{}},
		breaker:  &breaker{born: time.Now()},
	}
	ctx, cancel := context.WithTimeout(context.Background(), max(connectTimeout, l.timeout))
	defer cancel()
	for i, route := range [...]string{"", qrRoute} { // package httpapi knows the defaults; clients are /64s, so none has this address
		l.limits[i] = memory.Take(ctx, netip.IPv6Loopback(), route).Limit
	}
	l.record(true, takeScript.Load(ctx, l.client).Err())
	return l, nil
}

// errURL contains nothing from the URL, because any part may belong to a password without escapes.
var errURL = errors.New("redislimit: URL can't be parsed; it must be as in redis://user:password@localhost:6379/0, or " +
	"redis://host1:6379?addr=host2:6379 for a cluster, and characters other than letters and digits in a password must be percent-encoded")

// newClient returns a client that obeys contexts, and its timeout. It never repeats a command, which
// would count twice.
func newClient(rawURL string) (_ redis.UniversalClient, timeout time.Duration, err error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Fragment != "" || u.Host == "" && u.Scheme != "unix" {
		return nil, 0, errURL
	}
	orDefault := func(timeout time.Duration) time.Duration {
		if timeout <= 0 {
			return defaultTimeout
		}
		return timeout
	}
	noNotifications := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch query := u.Query(); {
	case query.Has("master_name"):
		if o, err := redis.ParseFailoverURL(rawURL); err == nil {
			o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries, o.DialTimeout, o.DisableIdentity = true, -1, 1, connectTimeout, true
			return redis.NewFailoverClient(o), orDefault(o.ReadTimeout), nil
		}
	case query.Has("addr"):
		if o, err := redis.ParseClusterURL(rawURL); err == nil {
			o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries, o.DialTimeout, o.DisableIdentity = true, -1, 1, connectTimeout, true
			o.MaintNotificationsConfig = noNotifications
			return redis.NewClusterClient(o), orDefault(o.ReadTimeout), nil
		}
	default:
		if o, err := redis.ParseURL(rawURL); err == nil {
			o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries, o.DialTimeout, o.DisableIdentity = true, -1, 1, connectTimeout, true
			o.MaintNotificationsConfig = noNotifications
			return redis.NewClient(o), orDefault(o.ReadTimeout), nil
		}
	}
	return nil, 0, errURL
}

// Close closes the connections. A closed limiter counts in memory.
func (l *Limiter) Close() error {
	l.breaker.close()
	return l.client.Close()
}

// Take counts a request in Redis, or in memory during an outage.
func (l *Limiter) Take(ctx context.Context, client netip.Addr, route string) httpapi.Decision {
	limit, key := l.limits[0], spentClient{client, "json:"}
	if route == qrRoute {
		limit, key = l.limits[1], spentClient{client, "qr:"}
	}
	if limit == 0 {
		return httpapi.Decision{Allowed: true}
	}
	if d, ok := l.spent.find(key); ok {
		return d
	}
	if try, isProbe := l.breaker.try(); try {
		d, err := l.count(ctx, keyPrefix+key.limit+client.String(), limit)
		l.record(isProbe, err)
		switch {
		case err == nil && d.Allowed:
			return d
		case err == nil:
			l.spent.add(key, d)
			return d
		}
	}
	l.fallbacks.Add(1)
	return l.memory.Take(ctx, client, route)
}

// Fallbacks returns how many requests were counted in memory since New, for metrics.
func (l *Limiter) Fallbacks() uint64 { return l.fallbacks.Load() }

// count counts a request in Redis. It continues after ctx, whose end would cost a connection.
func (l *Limiter) count(ctx context.Context, key string, limit int) (httpapi.Decision, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.timeout)
	defer cancel()
	values, err := takeScript.Run(ctx, l.client, []string{key}, limit, window.Milliseconds()).Int64Slice()
	if err != nil {
		return httpapi.Decision{}, err
	}
	if len(values) != 3 || values[1] < 0 || values[1] > math.MaxInt32 || values[2] < 0 || values[2] > window.Milliseconds() {
		return httpapi.Decision{}, errors.New("the script returned other values than a decision, a count and a time")
	}
	return httpapi.Decision{
		Allowed:   values[0] == 1,
		Limit:     limit,
		Remaining: max(0, limit-int(values[1])), // a replica may have a lower limit than others
		ResetIn:   time.Duration(values[2]) * time.Millisecond,
	}, nil
}

// record logs when an outage begins and ends.
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

// withoutAddress returns err's text without the host, which may be part of a password.
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

// A breaker keeps requests away from Redis during an outage, except for one probe at a time. Only
// a probe ends the outage, so a reply that was on its way when it began doesn't.
type breaker struct {
	born    time.Time
	retryAt atomic.Int64 // when the next probe may start, in ns since born; 0 without an outage
}

// try reports whether a request may try Redis and whether it's a probe.
func (b *breaker) try() (ok, isProbe bool) {
	at := b.retryAt.Load()
	if at == 0 {
		return true, false
	}
	now := int64(time.Since(b.born))
	isProbe = now >= at && b.retryAt.CompareAndSwap(at, now+int64(retryEvery))
	return isProbe, isProbe
}

// record records whether a try succeeded. It reports whether an outage began or ended.
func (b *breaker) record(isProbe, ok bool) (changed bool) {
	at := b.retryAt.Load()
	if !ok {
		return b.retryAt.CompareAndSwap(0, int64(time.Since(b.born)+retryEvery))
	}
	return isProbe && at != 0 && at != math.MaxInt64 && b.retryAt.CompareAndSwap(at, 0)
}

func (b *breaker) close() { b.retryAt.Store(math.MaxInt64) } // an outage without an end

// A spentTable contains the clients that have used up their limits. It's cleared when it's full.
type spentTable struct {
	mu      sync.Mutex
	clients map[spentClient]spent
}

type spentClient struct {
	addr  netip.Addr
	limit string // as in its key
}

type spent struct {
	until    time.Time
	decision httpapi.Decision
}

func (t *spentTable) find(client spentClient) (httpapi.Decision, bool) {
	t.mu.Lock()
	s := t.clients[client]
	t.mu.Unlock()
	s.decision.ResetIn = time.Until(s.until)
	return s.decision, s.decision.ResetIn > 0
}

func (t *spentTable) add(client spentClient, d httpapi.Decision) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.clients) >= maxSpent {
		clear(t.clients)
	}
	t.clients[client] = spent{time.Now().Add(d.ResetIn), d}
}
