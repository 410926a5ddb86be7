package main

import "crypto/sha256"

// A memory knows the last keys that were added to it: at least size of them and at
// most twice as many, each in 32 bytes. It forgets the oldest half at once, which
// needs no list of their order.
type memory struct {
	size       int
	young, old map[[sha256.Size]byte]struct{}
}

func newMemory(size int) *memory {
	return &memory{size: size, young: make(map[[sha256.Size]byte]struct{}, size)}
}

// add adds a key. It reports false if the key is known.
func (m *memory) add(key string) bool {
	sum := sha256.Sum256([]byte(key))
	if _, ok := m.young[sum]; ok {
		return false
	}
	_, known := m.old[sum]
	if len(m.young) == m.size {
		m.young, m.old = m.old, m.young
		clear(m.young)
		if m.young == nil {
			m.young = make(map[[sha256.Size]byte]struct{}, m.size)
		}
	}
	m.young[sum] = struct{}{}
	return !known
}
