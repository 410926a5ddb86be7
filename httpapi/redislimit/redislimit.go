// Package redislimit counts the requests of several replicas together, in a Redis or
// Valkey that they share:
//
//	shared, err := redislimit.New(redislimit.Config{URL: "redis://localhost:6379/0", Logger: logger})
//	…
//	defer shared.Close()
//	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", Limiter: shared})
//
// It is a module of its own, so that who does not need it has no Redis client among
// their dependencies.
//
// # Windows
//
// They are those of [httpapi.Limiter]: each request is one script, which the server
// runs by itself and by its own clock, so that replicas cannot get in each other's
// way, nor disagree about the time. A key is hailmark:limit, the class and the client,
// as in hailmark:limit:qr:192.0.2.1. It holds a count, and it expires with its window:
// no address is kept for longer than 60 seconds.
//
// # When the server fails
//
// A request waits for the counters for 100 ms at most. If they are late, or cannot be
// had at all, it is counted in the memory of its replica, as are all that follow; once
// a second one of them tries the server again. So while the server is away a client
// has its limit at each replica anew, and no request fails. The logger is told when
// the server goes and when it is back, not of the requests in between.
//
// A server that has lost its counters, because it was started again or had to evict
// keys, lets clients start afresh.
package redislimit

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/hailmark/hailmark/httpapi"
)

const (
	budget     = 100 * time.Millisecond // for a request's count, connecting included
	retryEvery = time.Second
)

// A Config says where the counters are. Only URL has no default.
type Config struct {
	// URL is the server's: redis://user:password@host:6379/0, rediss:// for TLS, or
	// unix:///path. It must be one server, or one address that leads to it.
	URL string

	// Fallback counts while the server is out of reach; nil is an
	// [httpapi.MemoryLimiter] of the default size.
	Fallback httpapi.Limiter

	// Logger is told when the server goes and comes; nil discards.
	Logger *slog.Logger
}

// A Limiter is an [httpapi.Limiter] on a server.
type Limiter struct {
	client   *redis.Client
	fallback httpapi.Limiter
	logger   *slog.Logger
	budget   time.Duration
	born     time.Time
	retryAt  atomic.Int64 // when to try the server again, in nanoseconds since born; 0 while it is in reach
}

// New returns a limiter that counts at the URL. It does not connect yet: a server that
// is away when a replica starts is like one that goes later.
func New(cfg Config) (*Limiter, error) { return newLimiter(cfg, budget) }

func newLimiter(cfg Config, budget time.Duration) (*Limiter, error) {
	opts, err := redis.ParseURL(cfg.URL)
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err // without the URL, which may have a password in it
		}
		return nil, fmt.Errorf("redislimit: URL must be as in redis://localhost:6379/0: %w", err)
	}
	// All waiting is bounded by the context. Trying again is not up to the client.
	opts.ContextTimeoutEnabled = true
	opts.DialTimeout, opts.PoolTimeout = budget, budget
	opts.MaxRetries, opts.DialerRetries = -1, 1
	opts.DisableIdentity = true
	opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}

	if cfg.Fallback == nil {
		if cfg.Fallback, err = httpapi.NewMemoryLimiter(0); err != nil {
			return nil, err
		}
	}
	return &Limiter{
		client:   redis.NewClient(opts),
		fallback: cfg.Fallback,
		logger:   cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
		budget:   budget,
		born:     time.Now(),
	}, nil
}

// Close closes the connections. A limiter that is closed counts in memory.
func (l *Limiter) Close() error { return l.client.Close() }

// Take counts a request at the server, or in memory while that is out of reach.
func (l *Limiter) Take(ctx context.Context, client netip.Addr, class httpapi.Class, limit int, now time.Time) httpapi.Decision {
	limit = min(limit, httpapi.MaxLimit)
	if resting, probing := l.resting(); !resting {
		d, err := l.ask(ctx, client, class, limit)
		if err == nil {
			if probing {
				l.retryAt.Store(0)
				l.logger.Info("request counters are in reach again")
			}
			return d
		}
		if l.retryAt.Swap(l.sinceBorn(retryEvery)) == 0 {
			l.logger.Warn("request counters are out of reach, so this replica counts alone", "cause", err)
		}
	}
	d := l.fallback.Take(ctx, client, class, limit, now)
	d.Fallback = true
	return d
}

// resting reports whether the server is left alone for now. After a failure one
// request in a second is to try it, and that one is probing.
func (l *Limiter) resting() (resting, probing bool) {
	at := l.retryAt.Load()
	if at == 0 {
		return false, false
	}
	probing = at <= l.sinceBorn(0) && l.retryAt.CompareAndSwap(at, l.sinceBorn(retryEvery))
	return !probing, probing
}

// sinceBorn returns the time after a delay, by the clock that nobody sets.
func (l *Limiter) sinceBorn(delay time.Duration) int64 {
	return int64(time.Since(l.born) + delay)
}

//go:embed take.lua
var takeSource string

var takeScript = redis.NewScript(takeSource)

// ask counts a request at the server. A client that goes away does not take the
// connection with it, for then clients could wear the connections out.
func (l *Limiter) ask(ctx context.Context, client netip.Addr, class httpapi.Class, limit int) (httpapi.Decision, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.budget)
	defer cancel()
	key := "hailmark:limit:" + class.String() + ":" + client.String()
	reply, err := takeScript.Run(ctx, l.client, []string{key}, limit, httpapi.LimitWindow.Milliseconds()).Int64Slice()
	if err != nil {
		return httpapi.Decision{}, err
	}
	if len(reply) != 4 {
		return httpapi.Decision{}, fmt.Errorf("the script gave %d values", len(reply))
	}
	allowed, count, left, ends := reply[0], reply[1], time.Duration(reply[2])*time.Millisecond, time.UnixMilli(reply[3])
	return httpapi.Decision{
		Allowed:   allowed == 1,
		Limit:     limit,
		Remaining: max(0, limit-int(count)), // a replica may have been given a lower limit than others
		ResetAt:   ends,
		ResetIn:   left,
	}, nil
}
