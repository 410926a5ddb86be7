package redislimit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/hailmark/hailmark/httpapi"
)

// poolSize is larger than the number of connections in use: after as many dial errors, a
// pool of go-redis stops dialing for a second.
const poolSize = 2 * workers

// clientsOf returns a function that returns new clients for a URL. They wait only as
// long as their contexts allow, and leave retries to the limiter.
func clientsOf(rawURL string) (func() redis.UniversalClient, error) {
	const form = "redislimit: URL must be as in redis://localhost:6379/0, or redis://host1:6379?addr=host2:6379 for a cluster: %w"
	noNotifications := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if u, err := url.Parse(rawURL); err == nil && u.Query().Has("addr") {
		opts, err := redis.ParseClusterURL(rawURL)
		if err != nil {
			return nil, fmt.Errorf(form, withoutURL(err))
		}
		opts.Dialer = checkedDialer(opts.TLSConfig)
		opts.ContextTimeoutEnabled = true
		opts.MaxRetries, opts.DialerRetries = -1, 1
		opts.PoolSize, opts.PipelinePoolSize = poolSize, -1
		opts.ConnMaxIdleTime = -1
		opts.DisableIdentity = true
		opts.MaintNotificationsConfig = noNotifications
		return func() redis.UniversalClient { return redis.NewClusterClient(opts) }, nil
	}
	opts, err := redis.ParseURL(rawURL)
	if err != nil {
		return nil, fmt.Errorf(form, withoutURL(err))
	}
	opts.Dialer = checkedDialer(opts.TLSConfig)
	opts.ContextTimeoutEnabled = true
	opts.MaxRetries, opts.DialerRetries = -1, 1
	opts.PoolSize, opts.PipelinePoolSize = poolSize, -1
	opts.ConnMaxIdleTime = -1
	opts.DisableIdentity = true
	opts.MaintNotificationsConfig = noNotifications
	return func() redis.UniversalClient { return redis.NewClient(opts) }, nil
}

// withoutURL returns err without the URL, which may contain a password.
func withoutURL(err error) error {
	var parse *url.Error
	if errors.As(err, &parse) {
		return parse.Err
	}
	return err
}

// stayConnected replaces a lost client until the limiter is closed. The client may be
// nil; if it is not, the limiter uses it already.
func (l *Limiter) stayConnected(client redis.UniversalClient) {
	attempt := time.Now() // the last one
	for {
		if client == nil {
			select {
			case <-l.ctx.Done():
				return
			case <-time.After(time.Until(attempt.Add(retryEvery))):
			}
			attempt = time.Now()
			connected, err := l.connect()
			if err != nil {
				continue
			}
			client = connected
			l.client.Store(&connected)
			l.logger.Info("request counters are in reach again")
		}
		select {
		case <-l.ctx.Done():
			l.discard(client)
			return
		case err := <-l.lost:
			l.warn(err)
			l.discard(client)
			client = nil
		}
	}
}

func (l *Limiter) warn(cause error) {
	l.logger.Warn("request counters are out of reach, so this replica counts alone", "cause", cause)
}

func (l *Limiter) discard(client redis.UniversalClient) {
	if l.ownClient {
		_ = client.Close()
	}
}

// connect returns a client that can count requests within their time, or nil and an
// error. Its connections are open. The pool of a client that has failed may contain
// broken connections, so each attempt takes a new one.
func (l *Limiter) connect() (redis.UniversalClient, error) {
	client := l.newClient()
	if err := l.try(client); err != nil {
		l.discard(client)
		return nil, err
	}
	return client, nil
}

// try opens the connections of a client, and counts requests that no client made.
func (l *Limiter) try(client redis.UniversalClient) error {
	ctx, cancel := context.WithTimeout(l.ctx, max(connectTimeout, l.timeout))
	defer cancel()
	var err error
	switch c := client.(type) {
	case *redis.ClusterClient:
		err = c.ForEachMaster(ctx, openConns)
	case *redis.Ring:
		err = c.ForEachShard(ctx, openConns)
	case *redis.Client:
		err = openConns(ctx, c)
	}
	if err != nil {
		return err
	}
	probe := []*question{{key: l.prefix + "probe", limit: httpapi.MaxLimit}}
	if err := run(ctx, client, probe, redis.Pipeliner.Eval, takeSource)[0].Err(); err != nil {
		return err
	}
	inTime, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	err = run(inTime, client, probe, redis.Pipeliner.EvalSha, takeScript.Hash())[0].Err()
	var netErr net.Error
	if errors.As(err, &netErr) && netErr.Timeout() {
		return fmt.Errorf("the server is connected, but no reply came within %v", l.timeout)
	}
	return err
}

// openConns opens a connection for each worker, as pipelines do.
func openConns(ctx context.Context, node *redis.Client) error {
	errs := make(chan error, workers)
	for range workers {
		go func() {
			pipe := node.Pipeline()
			pipe.Ping(ctx)
			_, err := pipe.Exec(ctx)
			errs <- err
		}()
	}
	var first error
	for range workers {
		if err := <-errs; first == nil {
			first = err
		}
	}
	return first
}
