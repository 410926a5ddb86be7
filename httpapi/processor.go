package httpapi

import (
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

// take waits for a processor.
func (p *processors) take(client netip.Addr) {
	p.mu.Lock()
	if p.free > 0 {
		p.free--
		p.mu.Unlock()
		return
	}
	p.waitLocked(client)
}

// waitLocked stands in line. It unlocks p.
func (p *processors) waitLocked(client netip.Addr) {
	w := &waiter{reservation: &reservation{client: client}, ready: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()
	<-w.ready
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
// one in line, and then waits for another.
func (p *processors) yield(client netip.Addr) {
	p.mu.Lock()
	if len(p.waiting) == 0 {
		p.mu.Unlock()
		return
	}
	p.memory.mu.Lock()
	first := p.memory.first(p.waiting)
	less := p.memory.byClient[p.waiting[first].client] < p.memory.byClient[client]
	p.memory.mu.Unlock()
	if !less {
		p.mu.Unlock()
		return
	}
	p.handOver(first)
	p.waitLocked(client)
}

func (p *processors) handOver(i int) {
	close(p.waiting[i].ready)
	p.waiting = slices.Delete(p.waiting, i, i+1)
}
