package redislimit

import (
	"context"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// A worker wakes another one only while requests are waiting, so that idle workers sleep.
func TestQueue(t *testing.T) {
	q := newQueue()
	added := make([]*request, maxBatch+1)
	for i := range added {
		added[i] = &request{limit: i}
		q.add(added[i])
	}
	require.Len(t, q.wake, 1)

	<-q.wake
	require.Equal(t, added[:maxBatch], q.take(nil))
	require.Len(t, q.wake, 1, "one request is waiting")

	<-q.wake
	require.Equal(t, added[maxBatch:], q.take(make([]*request, 3)))
	require.Empty(t, q.wake)
	require.Empty(t, q.take(nil))
	require.Empty(t, q.wake)
}

// Both forms of a URL give connections that the limiter can rely on, whatever their
// parameters are: they obey contexts, never repeat a command, which would count a request
// twice, stay open while nothing is counted, and check replies.
func TestConnectionsOfURL(t *testing.T) {
	const parameters = "max_retries=5&pool_size=1&conn_max_idle_time=1s"
	clients, err := clientsOf("redis://localhost?" + parameters)
	require.NoError(t, err)
	one := clients()
	defer func() { _ = one.Close() }()
	clients, err = clientsOf("redis://localhost?addr=localhost:1&" + parameters)
	require.NoError(t, err)
	cluster := clients()
	defer func() { _ = cluster.Close() }()

	a, b := one.(*redis.Client).Options(), cluster.(*redis.ClusterClient).Options()
	require.True(t, a.ContextTimeoutEnabled)
	require.True(t, b.ContextTimeoutEnabled)
	require.Zero(t, a.MaxRetries)
	require.Equal(t, -1, b.MaxRetries, "the clients of its nodes make 0 of it")
	require.Equal(t, 1, a.DialerRetries)
	require.Equal(t, 1, b.DialerRetries)
	require.GreaterOrEqual(t, a.PoolSize, workers)
	require.GreaterOrEqual(t, b.PoolSize, workers)
	require.Negative(t, a.ConnMaxIdleTime)
	require.Negative(t, b.ConnMaxIdleTime)
	require.True(t, a.DisableIdentity, "a command that an access list may refuse")
	require.True(t, b.DisableIdentity)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	for _, dial := range []func(context.Context, string, string) (net.Conn, error){a.Dialer, b.Dialer} {
		conn, err := dial(t.Context(), "tcp", l.Addr().String())
		require.NoError(t, err)
		require.IsType(t, &checkedConn{}, conn)
		require.NoError(t, conn.Close())
	}
}

func TestReplyOfAnotherShape(t *testing.T) {
	for _, reply := range []any{[]any{int64(1)}, []any{}, "OK"} {
		r := &request{done: make(chan struct{}, 1)}
		r.finish(redis.NewCmdResult(reply, nil))
		require.Error(t, r.err)
		require.Zero(t, r.decision)
		require.Len(t, r.done, 1)
	}
}
