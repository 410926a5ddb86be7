package redislimit

import (
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

func TestReplyOfAnotherShape(t *testing.T) {
	for _, reply := range []any{[]any{int64(1)}, []any{}, "OK"} {
		r := &request{done: make(chan struct{}, 1)}
		r.finish(redis.NewCmdResult(reply, nil))
		require.Error(t, r.err)
		require.Zero(t, r.decision)
		require.Len(t, r.done, 1)
	}
}
