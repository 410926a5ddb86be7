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

// A slot holds a name, or nothing if its offset is 0: no name begins there.
type slot struct {
	hash uint64
	at   int
}

// enter adds a name that begins at an offset. It reports false if the index has it already.
func (x *nameIndex) enter(s *Scanner, name []byte, at int) bool {
	hash := maphash.Bytes(x.seed, name)
	mask := uint64(len(x.slots) - 1)
	i := hash & mask
	for x.slots[i].at != 0 {
		if known := x.slots[i]; known.hash == hash && bytes.Equal(s.nameAt(known.at), name) {
			return false
		}
		i = (i + 1) & mask
	}
	x.slots[i] = slot{hash, at}
	if x.count++; 4*x.count > 3*len(x.slots) {
		x.grow()
	}
	return true
}

// grow makes the table twice as large.
func (x *nameIndex) grow() {
	old := x.slots
	x.slots = make([]slot, 2*len(old))
	mask := uint64(len(x.slots) - 1)
	for _, known := range old {
		if known.at == 0 {
			continue
		}
		i := known.hash & mask
		for x.slots[i].at != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = known
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
