package jsonscan

// An object is what is known of the names of an object while it is open.
type object struct {
	first  int                 // the index of its first name in Scanner.names
	filter uint64              // one bit for each name; a name whose bit is not set is new
	index  map[string]struct{} // its names instead, where Scanner.names does not do
}

// A span is a part of the text. Names are kept as spans, not as strings, to keep the
// garbage collector out of it.
type span struct{ start, end int }

// room is how many names of open objects are compared one by one. Of a webhook,
// that is all, but a hostile text can have half a million in one object.
const room = 32

func (s *Scanner) newObject() object { return object{first: s.count} }

// enterNew adds a name, which stands at a place in the text, if one look is enough to
// see that it is new, as nearly always.
func (s *Scanner) enterNew(bit uint64, at span, o *object) bool {
	if o.filter&bit != 0 || s.count >= room || o.index != nil {
		return false
	}
	o.filter |= bit
	s.names[s.count] = at
	s.count++
	return true
}

// enter adds a name for which that was not enough, or which has escapes. It reports
// false if the object has it already.
func (s *Scanner) enter(name []byte, at span, o *object) bool {
	if o.index != nil || s.count == room || at.end-at.start != len(name) { // the latter if it has escapes
		return s.enterIndex(name, o)
	}
	if s.has(name, o) {
		return false
	}
	s.names[s.count] = at
	s.count++
	return true
}

// has reports whether a name is one of the object in Scanner.names.
func (s *Scanner) has(name []byte, o *object) bool {
	for _, known := range s.names[o.first:s.count] {
		if string(s.text[known.start:known.end]) == string(name) {
			return true
		}
	}
	return false
}

// enterIndex is enter for an object that has an index, or gets one now.
func (s *Scanner) enterIndex(name []byte, o *object) bool {
	if o.index == nil {
		o.index = make(map[string]struct{})
		for _, known := range s.names[o.first:s.count] {
			o.index[string(s.text[known.start:known.end])] = struct{}{}
		}
		s.count = o.first
	}
	known := len(o.index)
	o.index[string(name)] = struct{}{}
	return len(o.index) > known
}

func (s *Scanner) closeObject(o object) {
	s.depth--
	s.count = o.first
}

// bitOf returns the bit of a name in the filter.
func bitOf(name []byte) uint64 {
	n := len(name)
	if n == 0 {
		return 1
	}
	return 1 << ((uint(n) + uint(name[0])*5 + uint(name[n-1])*11) % 64)
}
