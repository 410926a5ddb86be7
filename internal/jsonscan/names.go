package jsonscan

import "bytes"

// An object is what is known of the names of an object while it is open.
type object struct {
	first  int                 // the index of its first name in Scanner.names
	filter uint64              // one bit for each name; a name whose bit is not set is new
	index  map[string]struct{} // its names instead, where Scanner.names does not do
}

// room is how many names of open objects are compared one by one. Of a webhook,
// that is all, but a hostile text can have half a million in one object.
const room = 32

func (s *Scanner) newObject() object { return object{first: s.count} }

// enterNew adds the name that stands at a place in the text, if a look at its hash is
// enough to see that it is new, as nearly always.
func (s *Scanner) enterNew(hash uint, at int, o *object) bool {
	n := s.count
	if o.filter&bit(hash) != 0 || uint(n) >= room {
		return false
	}
	o.filter |= bit(hash)
	s.names[n] = at
	s.count = n + 1
	return true
}

// enter adds a name without escapes for which that was not enough. It reports false if
// the object has it already.
func (s *Scanner) enter(name []byte, at int, o *object) bool {
	if o.index != nil || s.count == room {
		return s.enterIndex(name, o)
	}
	if s.has(name, o) {
		return false
	}
	o.filter |= bit(hash(s.text, at, at+len(name)))
	s.names[s.count] = at
	s.count++
	return true
}

// has reports whether a name is one of the object in Scanner.names.
func (s *Scanner) has(name []byte, o *object) bool {
	for _, at := range s.names[o.first:s.count] {
		if string(s.nameAt(at)) == string(name) {
			return true
		}
	}
	return false
}

// nameAt returns a name that begins at a place in the text and has no escapes.
func (s *Scanner) nameAt(at int) []byte {
	return s.text[at : at+bytes.IndexByte(s.text[at:], '"')]
}

// enterIndex is enter for any name of an object that has an index, or gets one now.
func (s *Scanner) enterIndex(name []byte, o *object) bool {
	if o.index == nil {
		o.index = make(map[string]struct{})
		for _, at := range s.names[o.first:s.count] {
			o.index[string(s.nameAt(at))] = struct{}{}
		}
		s.count = o.first
		o.filter = ^uint64(0) // no name is new at first sight any more
	}
	known := len(o.index)
	o.index[string(name)] = struct{}{}
	return len(o.index) > known
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
