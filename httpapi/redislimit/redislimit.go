// Package redislimit limits requests across several replicas of package httpapi, which count them
// together in a Redis (6.2 or later) or Valkey server:
//
//	shared, err := redislimit.New("redis://localhost:6379/0", httpapi.Limits{}, logger)
//	…
//	defer shared.Close()
//	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", Limiter: shared})
//
// Counting a client's first request in a window takes one round trip. With the next one, the replica
// counts up to 16 requests at once, at most a quarter of those that are left, and lets these pass
// without asking Redis. So replicas never let more pass than the limit. A client that reaches its limit
// at one replica can have a few requests left at another. Requests of many clients go to Redis
// together, at most 1 ms after they came.
//
// A script uses the Redis server's clock, so replicas share the windows that
// [httpapi.NewMemoryLimiter] describes. Once a client has used up its limit, a replica usually rejects
// it without asking Redis until the window ends. If the server's clock is set back, a current window
// ends within 60 seconds. Keys such as hailmark:limit:qr:192.0.2.1 expire with their windows.
//
// # Far and failing servers
//
// Requests don't fail because of Redis. The URL's parameter read_timeout, 100 ms by default, is how
// long Redis may take to reply. Keep the round trip between a replica and Redis below it: with the
// default, two replicas let exactly their common limit pass at round trips of 20, 60 and 90 ms.
//
// An outage begins when three tries in a row have got no reply within a second, or none in time within
// five. The replica then counts in memory, so a client has its full limit at each replica, and no
// request waits for Redis. Every half second, one request is also counted in Redis, and the outage
// ends when that reply comes in time. The log records when an outage begins and ends.
//
// Before an outage begins, a request waits for its count for up to five times read_timeout, since
// over a new connection it can take five round trips: for TCP, for TLS, to log in, to select the
// database, and to count. After that, or if Redis returns an error, this one request is counted in
// memory. Its command continues for 2 seconds at least, so that Redis knows about it and the
// connection can be used again. A reply of more than 64 KiB, or 1 MiB from a cluster, is an error, even
// if it only announces that much.
package redislimit

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/hailmark/hailmark/httpapi"
)

var (
	//go:embed take.lua
	takeSource string
	takeScript = redis.NewScript(takeSource)
)

const (
	keyPrefix = "hailmark:limit:"
	window    = time.Minute // as in package httpapi
	atOnce    = 16          // the most requests that a replica counts in one round trip
)

// A Limiter is an [httpapi.Limiter] that counts in Redis. It must be closed after use.
type Limiter struct {
	client    redis.UniversalClient
	password  string // of the URL
	limits    httpapi.Limits
	timeout   time.Duration // read_timeout
	logger    *slog.Logger
	memory    httpapi.Limiter // counts during an outage
	fallbacks atomic.Uint64
	windows   *windowTable
	breaker   *breaker
	batcher   batcher
	cause     atomic.Pointer[string] // the kind of failure that was logged last, or nil
}

// New connects to Redis and returns a limiter. It returns an error only if an argument is invalid.
// If Redis is unreachable, New returns after at most 2 seconds, or five times read_timeout if that's
// longer, and the limiter counts in memory. logger receives the beginning and the end of each outage; nil discards
// them.
//
// The URL is redis://user:password@host:6379/0, rediss:// for TLS with a CA that the system trusts,
// unix:///path, redis://host1:6379?addr=host2:6379 for a cluster, or
// redis://sentinel:26379?master_name=counters for Sentinel. The parameter read_timeout=200ms lets
// Redis reply later than after 100 ms.
func New(rawURL string, limits httpapi.Limits, logger *slog.Logger) (*Limiter, error) {
	memory, err := httpapi.NewMemoryLimiter(limits)
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
		limits:   limits,
		password: password,
		timeout:  timeout,
		logger:   cmp.Or(logger, slog.New(slog.DiscardHandler)),
		memory:   memory,
		windows:  &windowTable{windows: map[windowKey]*knownWindow{}},
		breaker:  &breaker{},
	}
	l.batcher.send = l.send
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout(timeout))
	defer cancel()
	if err := warm(ctx, client); err != nil {
		l.breaker.begin()
		l.logOutage(err)
	}
	return l, nil
}

// Close closes the connections. A closed limiter counts in memory.
func (l *Limiter) Close() error {
	l.breaker.close()
	return l.client.Close()
}

// Take counts a request in Redis, or in memory during an outage. It doesn't stop when ctx ends: the
// request of a client that has left counts, too.
func (l *Limiter) Take(ctx context.Context, client netip.Addr, route string) httpapi.Decision {
	class, limit := l.limits.For(route)
	key := windowKey{client, class}
	if limit < 0 {
		return httpapi.Decision{Allowed: true}
	}
	d, decided, known := l.windows.decide(key)
	if decided {
		return d
	}
	wanted := 1
	if known {
		wanted = atOnce
	}
	switch l.breaker.permit() {
	case askRedis:
		began := time.Now()
		enough := time.NewTimer(patience(l.timeout))
		defer enough.Stop()
		select {
		case r := <-l.count(key, limit, wanted):
			l.record(askRedis, began, r)
			if r.err == nil {
				return r.decision
			}
		case <-enough.C:
			l.record(askRedis, began, reply{err: fmt.Errorf("no reply within %v", patience(l.timeout))})
		}
		if d, decided, _ := l.windows.decide(key); decided { // another request got a reply
			return d
		}
	case probe:
		go func() {
			began := time.Now()
			l.record(probe, began, <-l.count(key, limit, 1))
		}()
	case stayAway:
	}
	l.fallbacks.Add(1)
	return l.memory.Take(ctx, client, route)
}

// Fallbacks returns how many requests were counted in memory since New, for metrics.
func (l *Limiter) Fallbacks() uint64 { return l.fallbacks.Load() }

// patience is how long a request waits for its count. Over a new connection it may take five round
// trips: for TCP, for TLS, to log in, to select the database, and to count.
func patience(timeout time.Duration) time.Duration { return 5 * timeout }

// commandTimeout is how long a command may take. It goes on while its request doesn't wait anymore,
// so that its connection can be used again, even if connections take longer than requests wait.
func commandTimeout(timeout time.Duration) time.Duration {
	return max(connectTimeout, patience(timeout))
}

type reply struct {
	decision httpapi.Decision
	took     time.Duration
	err      error
}

// count counts the wanted number of requests in Redis, or fewer, and sends the reply when it has come.
func (l *Limiter) count(key windowKey, limit, wanted int) <-chan reply {
	c := &call{key, limit, wanted, time.Now(), make(chan reply, 1)}
	l.batcher.add(c)
	return c.reply
}

// A grant is what Redis says about a client's window.
type grant struct {
	requests int // that are counted now
	shared   int // that may still be counted
	resetIn  time.Duration
}

// errGarbage tells that Redis executed another script than ours.
var errGarbage = errors.New("the script returned other values than a number of requests, a count and a time")

// answer passes the result of a call's command on.
func (l *Limiter) answer(c *call, command *redis.Cmd) {
	g, err := grantOf(c, command)
	if err == nil {
		l.windows.add(c.key, c.began, c.limit, g)
	}
	d := httpapi.Decision{Allowed: g.requests > 0, Limit: c.limit, Remaining: g.shared + max(0, g.requests-1), ResetIn: g.resetIn}
	c.reply <- reply{d, time.Since(c.began), err}
}

func grantOf(c *call, command *redis.Cmd) (grant, error) {
	values, err := command.Int64Slice()
	if err != nil {
		return grant{}, err
	}
	if len(values) != 3 || values[0] < 0 || values[0] > int64(c.wanted) || values[1] < values[0] || values[1] > math.MaxInt32 ||
		values[2] < 0 || values[2] > window.Milliseconds() {
		return grant{}, errGarbage
	}
	return grant{
		requests: int(values[0]),
		shared:   max(0, c.limit-int(values[1])), // a replica may have a lower limit than others
		resetIn:  time.Duration(values[2]) * time.Millisecond,
	}, nil
}

// record tells the breaker about a try, and logs when an outage begins and ends.
func (l *Limiter) record(p permission, began time.Time, r reply) {
	o, err := inTime, r.err
	switch {
	case err != nil:
		o = silent
	case r.took > l.timeout:
		o = late
		err = fmt.Errorf("replies take longer than %v, such as %v; set read_timeout to more than the round trip", l.timeout, r.took.Round(time.Millisecond))
	}
	switch l.breaker.record(p, began, o) {
	case outageEnded:
		l.cause.Store(nil)
		l.logger.Info("Redis counts again, so replicas count requests together")
	case outageBegan, outageGoesOn:
		l.logOutage(err)
	case nothing:
	}
}

// logOutage logs the cause of an outage when it begins, and when the cause becomes another one.
func (l *Limiter) logOutage(err error) {
	var reply redis.Error // which Redis sent
	line, kind := "Redis is out of reach", "silent"
	switch {
	case errors.As(err, &reply):
		kind, _, _ = strings.Cut(reply.Error(), " ") // such as OOM or READONLY
		line = "Redis answers but can't count"
	case errors.Is(err, errGarbage), errors.Is(err, errLong):
		line, kind = "Redis answers but can't count", "garbage"
	}
	if old := l.cause.Swap(&kind); old != nil && *old == kind {
		return
	}
	if l.password != "" && strings.Contains(err.Error(), l.password) {
		err = errors.New("the server's error contains the password") // old servers repeat unknown commands
	}
	l.logger.Warn(line+", so this replica counts requests alone", "cause", withoutAddress(err))
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
