package redislimit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/hailmark/hailmark/httpapi"
)

//go:embed take.lua
var takeSource string

var takeScript = redis.NewScript(takeSource)

const (
	// workers is the number of round trips that can be under way. Requests that arrive
	// meanwhile share the next one. More workers mean a shorter wait for a distant
	// server, and fewer requests per round trip.
	workers = 4

	// maxBatch is how many requests share a round trip at most.
	maxBatch = 256
)

// A question is one request to count.
type question struct {
	key   string
	limit int
	done  chan struct{} // has room for one value

	decision httpapi.Decision
	err      error
}

// A queue holds the questions that no worker has taken yet.
type queue struct {
	mu        sync.Mutex
	questions []*question
	wake      chan struct{} // has room for one value: there may be questions
}

func newQueue() queue { return queue{wake: make(chan struct{}, 1)} }

func (q *queue) add(question *question) {
	q.mu.Lock()
	q.questions = append(q.questions, question)
	q.mu.Unlock()
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take moves questions to a batch, whose memory it uses.
func (q *queue) take(batch []*question) []*question {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.questions), maxBatch)
	batch = append(batch[:0], q.questions[:n]...)
	rest := copy(q.questions, q.questions[n:])
	clear(q.questions[rest:])
	q.questions = q.questions[:rest]
	if rest > 0 {
		q.signal()
	}
	return batch
}

var (
	errLate = errors.New("no reply in time")
	errLost = errors.New("another request has lost the server")
)

// count counts one request at the server. It does not end with the request's context:
// clients that go away must not cost connections.
func (l *Limiter) count(key string, limit int) (httpapi.Decision, error) {
	q := &question{key: key, limit: limit, done: make(chan struct{}, 1)}
	l.queue.add(q)
	late := time.NewTimer(l.timeout)
	defer late.Stop()
	select {
	case <-q.done:
		return q.decision, q.err
	case <-late.C:
		return httpapi.Decision{}, errLate
	}
}

// work sends batches of questions until the limiter is closed.
func (l *Limiter) work() {
	var batch []*question
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-l.queue.wake:
		}
		// Requests that are about to be counted join the batch.
		runtime.Gosched()
		if batch = l.queue.take(batch); len(batch) > 0 {
			l.send(batch)
			clear(batch)
		}
	}
}

// send decides the questions of a batch in one round trip, or in two if the server does
// not know the script.
func (l *Limiter) send(batch []*question) {
	server := l.client.Load()
	if server == nil {
		for _, q := range batch {
			q.end(errLost)
		}
		return
	}
	ctx, cancel := context.WithTimeout(l.ctx, l.timeout)
	defer cancel()
	replies := run(ctx, *server, batch, redis.Pipeliner.EvalSha, takeScript.Hash())
	var unknown []*question
	for i, q := range batch {
		if redis.HasErrorPrefix(replies[i].Err(), "NOSCRIPT") {
			unknown = append(unknown, q)
			continue
		}
		q.finish(replies[i])
	}
	if unknown == nil {
		return
	}
	for i, reply := range run(ctx, *server, unknown, redis.Pipeliner.Eval, takeSource) {
		unknown[i].finish(reply)
	}
}

// eval is the EVAL or the EVALSHA of a pipeline.
type eval func(p redis.Pipeliner, ctx context.Context, script string, keys []string, args ...any) *redis.Cmd

func run(ctx context.Context, client redis.UniversalClient, batch []*question, eval eval, script string) []*redis.Cmd {
	pipe := client.Pipeline()
	replies := make([]*redis.Cmd, len(batch))
	for i, q := range batch {
		replies[i] = eval(pipe, ctx, script, []string{q.key}, q.limit, httpapi.LimitWindow.Milliseconds())
	}
	_, _ = pipe.Exec(ctx) // each reply has its error
	return replies
}

// finish reads the reply of the script.
func (q *question) finish(reply *redis.Cmd) {
	values, err := reply.Int64Slice()
	if err == nil && len(values) != 4 {
		err = fmt.Errorf("the script returned %d values", len(values))
	}
	if err == nil {
		q.decision = httpapi.Decision{
			Allowed:   values[0] == 1,
			Limit:     q.limit,
			Remaining: max(0, q.limit-int(values[1])), // a replica may have a lower limit than others
			ResetIn:   time.Duration(values[2]) * time.Millisecond,
			ResetAt:   time.UnixMilli(values[3]),
		}
	}
	q.end(err)
}

func (q *question) end(err error) {
	q.err = err
	q.done <- struct{}{}
}
