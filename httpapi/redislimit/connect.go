package redislimit

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	defaultTimeout = 100 * time.Millisecond
	connectTimeout = 2 * time.Second // of a dial, which continues after its request

	// A connection carries one batch at a time, which begins at most gatherTime after its first call came.
	// go-redis's default, 10 connections per processor, would let batches queue at a round trip of 90 ms.
	// Small buffers keep each below 10 kB.
	defaultPoolSize = 256
	bufferSize      = 2 << 10
	warmConns       = 16
)

// errURL contains nothing from the URL, because any part may belong to a password without escapes.
var errURL = errors.New("redislimit: URL can't be parsed; it must be as in redis://user:password@localhost:6379/0, or " +
	"redis://host1:6379?addr=host2:6379 for a cluster, and characters other than letters and digits in a password must be percent-encoded")

// newClient returns a client that obeys contexts, and the URL's read_timeout or its default.
//
// The client repeats a command whose connection was lost. If Redis has executed it already, the request
// counts twice. That's the smaller harm: a client gets one request less, whereas requests counted in
// memory would give it more than its limit.
func newClient(rawURL string) (_ redis.UniversalClient, timeout time.Duration, err error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Fragment != "" || u.Host == "" && u.Scheme != "unix" {
		return nil, 0, errURL
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		if o, err := redis.ParseFailoverURL(rawURL); err == nil {
			timeout = setTimeouts(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
			setRetries(&o.MaxRetries, &o.DialerRetries, &o.MinRetryBackoff, &o.MaxRetryBackoff)
			setPool(&o.PoolSize, &o.PipelinePoolSize, &o.ReadBufferSize, &o.WriteBufferSize, &o.ConnMaxIdleTime)
			o.ContextTimeoutEnabled, o.DisableIdentity = true, true
			o.Dialer = dialer(maxReply, &redis.Options{DialTimeout: o.DialTimeout, TLSConfig: o.TLSConfig})
			return redis.NewFailoverClient(o), timeout, nil
		}
	case query.Has("addr"):
		if o, err := redis.ParseClusterURL(rawURL); err == nil {
			timeout = setTimeouts(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
			setRetries(&o.MaxRetries, &o.DialerRetries, &o.MinRetryBackoff, &o.MaxRetryBackoff)
			setPool(&o.PoolSize, &o.PipelinePoolSize, &o.ReadBufferSize, &o.WriteBufferSize, &o.ConnMaxIdleTime)
			o.ContextTimeoutEnabled, o.DisableIdentity = true, true
			o.MaintNotificationsConfig = noNotifications()
			o.Dialer = dialer(maxClusterReply, &redis.Options{DialTimeout: o.DialTimeout, TLSConfig: o.TLSConfig})
			return redis.NewClusterClient(o), timeout, nil
		}
	default:
		if o, err := redis.ParseURL(rawURL); err == nil {
			timeout = setTimeouts(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
			setRetries(&o.MaxRetries, &o.DialerRetries, &o.MinRetryBackoff, &o.MaxRetryBackoff)
			setPool(&o.PoolSize, &o.PipelinePoolSize, &o.ReadBufferSize, &o.WriteBufferSize, &o.ConnMaxIdleTime)
			o.ContextTimeoutEnabled, o.DisableIdentity = true, true
			o.MaintNotificationsConfig = noNotifications()
			o.Dialer = dialer(maxReply, o)
			return redis.NewClient(o), timeout, nil
		}
	}
	return nil, 0, errURL
}

// setTimeouts returns the URL's read_timeout, which is ours. The client's own timeouts are those of a
// command, which may outlive its request.
func setTimeouts(dial, read, write, pool *time.Duration) (timeout time.Duration) {
	timeout = *read
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	*dial, *read, *write, *pool = connectTimeout, commandTimeout(timeout), commandTimeout(timeout), commandTimeout(timeout)
	return timeout
}

// setRetries lets a command find a connection that works while Redis closes the others. Those that it
// closed first are known within milliseconds.
func setRetries(commands, dials *int, minBackoff, maxBackoff *time.Duration) {
	*commands, *dials, *minBackoff, *maxBackoff = 3, 1, 5*time.Millisecond, 20*time.Millisecond
}

// setPool lets connections stay open while nobody needs them, so that they're ready when somebody
// does. TCP's keepalive finds those that are lost. Batches use the same connections, of which warm has
// opened some, instead of others with large buffers.
func setPool(size, pipelines, readBuffer, writeBuffer *int, maxIdleTime *time.Duration) {
	if *size == 0 {
		*size = defaultPoolSize
	}
	*pipelines, *readBuffer, *writeBuffer = -1, bufferSize, bufferSize
	*maxIdleTime = -1
}

func noNotifications() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// warm loads the script and opens connections, so that the first requests need one round trip.
func warm(ctx context.Context, client redis.UniversalClient) error {
	if err := takeScript.Load(ctx, client).Err(); err != nil {
		return err
	}
	var group sync.WaitGroup
	for n := range warmConns {
		group.Go(func() {
			// Each command needs a connection of its own while the others wait for their replies. In a
			// cluster, the keys belong to different nodes. A failure shows itself to the first request.
			_ = client.Exists(ctx, fmt.Sprint(keyPrefix, "warm:", n)).Err()
		})
	}
	group.Wait()
	return nil
}
