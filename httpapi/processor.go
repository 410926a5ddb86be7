package httpapi

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// processors lets a few requests at a time decode or encode a large body, so that small
// requests always find another processor. The others wait in line, where the client
// that holds the least memory comes first.
type processors struct {
	memory *memoryPool

	mu      sync.Mutex
	free    int
	waiting []*waiter // in the order of arrival
}

// quickWrite is how long a write to the client may take without giving up the processor.
const quickWrite = time.Millisecond

func newProcessors(n int, memory *memoryPool) *processors {
	return &processors{memory: memory, free: n}
}

// take waits for a processor. Its error is that of ctx.
func (p *processors) take(ctx context.Context, client netip.Addr) error {
	p.mu.Lock()
	if p.free > 0 {
		p.free--
		p.mu.Unlock()
		return nil
	}
	return p.waitLocked(ctx, client)
}

// waitLocked stands in line. It unlocks p.
func (p *processors) waitLocked(ctx context.Context, client netip.Addr) error {
	w := &waiter{reservation: &reservation{client: client}, ready: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, w); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return ctx.Err()
	}
	return nil // at the last moment
}

// release gives a processor to the first in line.
func (p *processors) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		p.free++
		return
	}
	p.memory.mu.Lock()
	first := p.memory.first(p.waiting)
	p.memory.mu.Unlock()
	p.handOver(first)
}

// yield gives the processor to a client that holds less memory than this one, if there is
// one in line, and then waits for another. Its error is that of ctx.
func (p *processors) yield(ctx context.Context, client netip.Addr) error {
	p.mu.Lock()
	if len(p.waiting) == 0 {
		p.mu.Unlock()
		return nil
	}
	p.memory.mu.Lock()
	first := p.memory.first(p.waiting)
	less := p.memory.byClient[p.waiting[first].client] < p.memory.byClient[client]
	p.memory.mu.Unlock()
	if !less {
		p.mu.Unlock()
		return nil
	}
	p.handOver(first)
	return p.waitLocked(ctx, client)
}

func (p *processors) handOver(i int) {
	close(p.waiting[i].ready)
	p.waiting = slices.Delete(p.waiting, i, i+1)
}
