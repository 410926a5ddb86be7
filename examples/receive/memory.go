package receive

import (
	"crypto/sha256"
	"sync"
)

// A Memory is a [Deduplicator] for one process. It knows the last keys that were added
// to it: at least size of them and at most twice as many, each in 32 bytes. It forgets
// the oldest half at once, so it needs no list of their order.
type Memory struct {
	size int

	mu         sync.Mutex
	young, old map[[sha256.Size]byte]struct{}
}

// NewMemory returns a memory of at least size keys.
func NewMemory(size int) *Memory {
	return &Memory{size: size, young: map[[sha256.Size]byte]struct{}{}}
}

// Add adds a key. It reports whether the key was new, and never fails.
func (m *Memory) Add(key string) (isNew bool, err error) {
	sum := sha256.Sum256([]byte(key))
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.young[sum]; ok {
		return false, nil
	}
	_, known := m.old[sum]
	if len(m.young) == m.size {
		m.young, m.old = m.old, m.young
		clear(m.young)
		if m.young == nil {
			m.young = map[[sha256.Size]byte]struct{}{}
		}
	}
	m.young[sum] = struct{}{}
	return !known, nil
}
