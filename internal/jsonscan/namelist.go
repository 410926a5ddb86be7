package jsonscan

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// A nameList is the names of an object that has many. They are compared when the object
// ends: entering each in one large hash table would miss the processor's cache each time.
// Instead they are distributed to buckets by their hashes, and each bucket has a small
// table. The hash is seeded, so that no text can aim at its collisions.
type nameList struct {
	seed  maphash.Seed
	names []listedName
	table []uint32 // the names of one bucket by their hashes: indices, plus 1

	next *nameList // while it is unused, the next unused list
}

type listedName struct {
	hash uint64
	at   int // the offset at which it begins in the text
}

const (
	// bucketSize is how many names a bucket has on average, at most.
	bucketSize = 1024

	// shortestMember is the size of a member with an empty name and a value of one byte,
	// and of the comma.
	shortestMember = len(`"":1,`)
)

func (x *nameList) add(s *Scanner, name []byte, at int) {
	if len(x.names) == cap(x.names) {
		// There can be no more names than fit into the rest of the text.
		more := min(max(2*maxNames, 3*len(x.names)), 1+(len(s.text)-at)/shortestMember)
		names := make([]listedName, len(x.names), len(x.names)+more)
		copy(names, x.names)
		x.names = names
	}
	x.names = append(x.names, listedName{maphash.Bytes(x.seed, name), at})
}

// duplicate returns the offset of the first name that stands in the list before, or 0.
func (x *nameList) duplicate(s *Scanner) (at int) {
	level := bits.Len(uint(len(x.names)-1) / bucketSize)
	names, starts := x.distribute(level)
	for bucket := range len(starts) - 1 {
		found := x.duplicateIn(names[starts[bucket]:starts[bucket+1]], s)
		if found > 0 && (at == 0 || found < at) {
			at = found
		}
	}
	return at
}

// distribute returns the names sorted by the upper bits of their hashes, so many bits, and
// otherwise in their order, and where the names of each bucket start and end.
func (x *nameList) distribute(level int) (names []listedName, starts []int) {
	if level == 0 {
		return x.names, []int{0, len(x.names)}
	}
	shift := 64 - level
	next := make([]int, 1<<level+1)
	for i := range x.names {
		next[x.names[i].hash>>shift+1]++
	}
	for i := range 1 << level {
		next[i+1] += next[i]
	}
	starts = append(starts, next...)
	names = make([]listedName, len(x.names))
	for i := range x.names {
		to := &next[x.names[i].hash>>shift]
		names[*to] = x.names[i]
		*to++
	}
	return names, starts
}

// duplicateIn is duplicate for the names of one bucket.
func (x *nameList) duplicateIn(names []listedName, s *Scanner) (at int) {
	size := 2 << bits.Len(uint(len(names)))
	if len(x.table) < size {
		x.table = make([]uint32, size)
	}
	table := x.table[:size]
	clear(table)
	mask := uint64(size - 1)
	for n, name := range names {
		i := name.hash & mask
		for ; table[i] != 0; i = (i + 1) & mask {
			if known := names[table[i]-1]; known.hash == name.hash && bytes.Equal(s.nameAt(known.at), s.nameAt(name.at)) {
				return name.at
			}
		}
		table[i] = uint32(n + 1)
	}
	return 0
}
