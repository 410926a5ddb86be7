package redislimit

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	gatherTime = time.Millisecond // by which a far server's round trip hardly grows
	mostCalls  = 128              // whose replies take less than half of maxReply
)

// A call asks Redis to count the wanted number of a client's requests, or fewer.
type call struct {
	key           windowKey
	limit, wanted int
	began         time.Time
	reply         chan reply // has room for it, since nobody may be waiting
}

// A batcher sends calls together, because a round trip costs more than what Redis does for it. While
// no batch is on its way, a call is sent at once, and otherwise when a batch returns, but after
// gatherTime at the latest. So calls don't wait for a server that's far away.
type batcher struct {
	send func([]*call) // returns when they have their replies

	mu      sync.Mutex
	waiting []*call
	senders int
}

func (b *batcher) add(c *call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, c)
	switch {
	case b.senders == 0:
		b.start()
	case len(b.waiting) == 1:
		time.AfterFunc(gatherTime, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.start()
		})
	}
}

// start starts a sender if a call waits. b.mu must be locked.
func (b *batcher) start() {
	if len(b.waiting) > 0 {
		b.senders++
		go b.run()
	}
}

// run sends batches while calls wait.
func (b *batcher) run() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.waiting) > 0 {
		n := min(len(b.waiting), mostCalls)
		batch := b.waiting[:n:n]
		if b.waiting = b.waiting[n:]; len(b.waiting) == 0 {
			b.waiting = nil // the batch has its array
		}
		b.start() // the others, without waiting for this batch
		b.mu.Unlock()
		b.send(batch)
		b.mu.Lock()
	}
	b.senders--
}

// send sends calls to Redis and passes the replies on.
func (l *Limiter) send(calls []*call) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout(l.timeout))
	defer cancel()
	commands := l.runScript(ctx, takeScript.EvalSha, calls)
	var again []*call // Redis has lost the script
	for i, c := range calls {
		if redis.HasErrorPrefix(commands[i].Err(), "NOSCRIPT") {
			again = append(again, c)
			continue
		}
		l.answer(c, commands[i])
	}
	for i, command := range l.runScript(ctx, takeScript.Eval, again) {
		l.answer(again[i], command)
	}
}

// runScript runs the script for each call by a method of takeScript.
func (l *Limiter) runScript(ctx context.Context, run func(context.Context, redis.Scripter, []string, ...any) *redis.Cmd, calls []*call) []*redis.Cmd {
	commands := make([]*redis.Cmd, len(calls))
	_, _ = l.client.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its error
		for i, c := range calls {
			commands[i] = run(ctx, p, []string{keyPrefix + c.key.class + ":" + c.key.addr.String()}, c.limit, window.Milliseconds(), c.wanted)
		}
		return nil
	})
	return commands
}
