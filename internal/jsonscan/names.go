package jsonscan

import (
	"bytes"
	"hash/maphash"
)

// An object is what is known of the names of an object while it is open.
//
// Its names are in one of two places. Until there is a list, they are
// Scanner.names[first:count], where the objects inside it, which are closed before its
// next name, leave none. From then on they are in the list, and count == first.
type object struct {
	first  int       // the index of its first name in Scanner.names
	filter uint64    // one bit for each name; a name whose bit is not set is new
	list   *nameList // its names, once there are too many for Scanner.names
}

// maxNames is how many names of open objects are kept without a list, and maxCompared how
// many of one object are compared one by one. That covers every real webhook; a hostile text
// can have half a million names in one object.
const (
	maxNames    = 32
	maxCompared = 16
)

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
// the name already. Names in a list are compared when the object ends.
func (s *Scanner) enter(name []byte, at int, escaped bool, o *object) bool {
	if o.list == nil && (escaped || s.count == maxNames || s.count-o.first >= maxCompared) {
		s.gather(o)
	}
	if o.list != nil {
		o.list.add(s, name, at)
		return true
	}
	for _, known := range s.names[o.first:s.count] { // none of them has escapes
		if end := known + len(name); s.text[end] == '"' && string(s.text[known:end]) == string(name) {
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
	for plainBytes[s.text[end]] { // plain stops early near the end of the text
		end++
	}
	if s.text[end] == '"' {
		return s.text[at:end]
	}
	name, _ := s.decodeName(at, s.specialString(at, end, false)-1)
	return name
}

// decodeName returns the name text[start:end], which has been read, and whether it has
// escapes.
func (s *Scanner) decodeName(start, end int) (name []byte, escaped bool) {
	name = s.text[start:end:end]
	if bytes.IndexByte(name, '\\') < 0 {
		return name, false
	}
	s.kept.begin()
	s.specialString(start, start, true)
	return []byte(s.kept.added()), true
}

// gather moves the names of an object to a list.
func (s *Scanner) gather(o *object) {
	if o.list = s.spare; o.list != nil {
		s.spare = o.list.next
	} else {
		o.list = &nameList{seed: maphash.MakeSeed()}
	}
	for _, at := range s.names[o.first:s.count] {
		o.list.add(s, s.nameAt(at), at)
	}
	s.count = o.first
	o.filter = ^uint64(0) // the filter proves nothing any more
}

// closeObject forgets the names of an object. The text after it begins at i, or nowhere if
// there is a fault.
func (s *Scanner) closeObject(o object, i int) (next int) {
	s.depth--
	s.count = o.first
	if o.list != nil {
		return s.closeList(o.list, i)
	}
	return i
}

// closeList reports the first name that is a duplicate, unless there is a fault before it.
func (s *Scanner) closeList(x *nameList, i int) (next int) {
	if at := x.duplicate(s); at > 0 && (!s.failed || at-1 < s.fault.At) {
		s.failed = false
		i = s.fail("a duplicate name", at-1)
	}
	x.names = x.names[:0]
	x.next, s.spare = s.spare, x
	return i
}

// hash returns a hash of the name text[start:end], which stands between quotes: an
// empty one is hashed with them.
func hash(text []byte, start, end int) uint {
	return uint(end-start) + 5*uint(text[start]) + 11*uint(text[end-1])
}

// bit returns the bit for a hash in the filter.
func bit(hash uint) uint64 { return 1 << (hash % 64) }
