package jsonscan

import (
	"bytes"
	"hash/maphash"
)

// An object is what is known of the names of an object while it is open.
//
// Its names are in one of two places. Until there is an index, they are
// Scanner.names[first:count], where the objects inside it, which are closed before its
// next name, leave none. From then on they are in the index, and count == first.
type object struct {
	first  int        // the index of its first name in Scanner.names
	filter uint64     // one bit for each name; a name whose bit is not set is new
	index  *nameIndex // its names, once there are too many for Scanner.names
}

// maxNames is how many names of open objects are compared one by one. That covers
// every real webhook; a hostile text can have half a million names in one object.
const maxNames = 32

func (s *Scanner) newObject() object { return object{first: s.count} }

// enterNew adds the name that stands at an offset in the text, if the filter alone
// proves that it is new, which is the common case.
func (s *Scanner) enterNew(hash uint, at int, o *object) bool {
	n := s.count
	if o.filter&bit(hash) != 0 || uint(n) >= maxNames {
		return false
	}
	o.filter |= bit(hash)
	s.names[n] = at
	s.count = n + 1
	return true
}

// enter adds a name for which the filter was not enough. Its text begins at an offset,
// and escaped says whether name is that text decoded. It reports false if the object has
// the name already.
func (s *Scanner) enter(name []byte, at int, escaped bool, o *object) bool {
	if o.index == nil && (escaped || s.count == maxNames) {
		s.buildIndex(o)
	}
	if o.index != nil {
		return o.index.enter(s, name, at)
	}
	for _, known := range s.names[o.first:s.count] {
		if string(s.nameAt(known)) == string(name) {
			return false
		}
	}
	o.filter |= bit(hash(s.text, at, at+len(name)))
	s.names[s.count] = at
	s.count++
	return true
}

// nameAt returns the name that begins at an offset, decoded.
func (s *Scanner) nameAt(at int) []byte {
	end := plain(s.text, at)
	for isPlainByte(s.text[end]) { // plain stops early near the end of the text
		end++
	}
	if s.text[end] == '"' {
		return s.text[at:end]
	}
	end, escaped := s.specialString(at, end)
	name := s.text[at : end-1]
	if escaped {
		var k keeper
		return []byte(k.decode(name))
	}
	return name
}

// buildIndex moves the names of an object to an index.
func (s *Scanner) buildIndex(o *object) {
	o.index = &nameIndex{seed: maphash.MakeSeed(), slots: make([]slot, 4*maxNames)}
	for _, at := range s.names[o.first:s.count] {
		o.index.enter(s, s.nameAt(at), at)
	}
	s.count = o.first
	o.filter = ^uint64(0) // the filter proves nothing any more
}

// A nameIndex is the names of one object: a hash table of the offsets at which they begin
// in the text. The hash is seeded, so that no text can aim at its collisions.
type nameIndex struct {
	seed  maphash.Seed
	slots []slot // a power of two of them, at most three quarters of them used
	count int
}

// A slot is the offset of a name and, below it, the upper bits of its hash. It is 0 if it is
// free: no name begins at offset 0. It is this small because a table of half a million
// slots does not fit into a processor's cache otherwise.
type slot uint64

const hashBits = 24 // which leaves offsets up to 1 TiB

func newSlot(hash uint64, at int) slot { return slot(at)<<hashBits | slot(hash>>(64-hashBits)) }

func (x slot) at() int { return int(x >> hashBits) }

// mayBe reports whether the upper bits of the hashes are equal.
func (x slot) mayBe(hash uint64) bool { return uint64(x)&(1<<hashBits-1) == hash>>(64-hashBits) }

// enter adds a name that begins at an offset. It reports false if the index has it already.
func (x *nameIndex) enter(s *Scanner, name []byte, at int) bool {
	hash := maphash.Bytes(x.seed, name)
	mask := uint64(len(x.slots) - 1)
	i := hash & mask
	for x.slots[i&mask] != 0 {
		if known := x.slots[i&mask]; known.mayBe(hash) && bytes.Equal(s.nameAt(known.at()), name) {
			return false
		}
		i++
	}
	x.slots[i&mask] = newSlot(hash, at)
	if x.count++; 4*x.count > 3*len(x.slots) {
		x.grow(s, len(s.text)-at)
	}
	return true
}

// shortestMember is the size of a member with an empty name and a value of one byte, and of
// the comma.
const shortestMember = len(`"":1,`)

// grow makes the table larger. The object can have no more names than fit into the rest of
// the text. To enter names anew takes longer than to clear memory, so the table becomes
// eight times as large where there may be that many.
func (x *nameIndex) grow(s *Scanner, rest int) {
	size := 2 * len(x.slots)
	for size < 8*len(x.slots) && 3*size < 4*(x.count+rest/shortestMember) {
		size *= 2
	}
	old := x.slots
	x.slots = make([]slot, size)
	mask := uint64(size - 1)
	for _, known := range old {
		if known == 0 {
			continue
		}
		i := maphash.Bytes(x.seed, s.nameAt(known.at()))
		for x.slots[i&mask] != 0 {
			i++
		}
		x.slots[i&mask] = known
	}
}

func (s *Scanner) closeObject(o object) {
	s.depth--
	s.count = o.first
}

// hash returns a hash of the name text[start:end], which stands between quotes: an
// empty one is hashed with them.
func hash(text []byte, start, end int) uint {
	return uint(end-start) + 5*uint(text[start]) + 11*uint(text[end-1])
}

// bit returns the bit for a hash in the filter.
func bit(hash uint) uint64 { return 1 << (hash % 64) }
