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

// enter adds a name, which stands at a place in the text. It reports false if the
// object has it already.
func (s *Scanner) enter(name string, at span, o *object) bool {
	if o.index == nil && (s.count == room || at.end-at.start != len(name)) { // the latter if it has escapes
		o.index = make(map[string]struct{})
		for _, known := range s.names[o.first:s.count] {
			o.index[s.text[known.start:known.end]] = struct{}{}
		}
		s.count = o.first
	}
	if o.index != nil {
		known := len(o.index)
		o.index[name] = struct{}{}
		return len(o.index) > known
	}
	if bit := bitOf(name); o.filter&bit == 0 {
		o.filter |= bit
	} else {
		for _, known := range s.names[o.first:s.count] {
			if s.text[known.start:known.end] == name {
				return false
			}
		}
	}
	s.names[s.count] = at
	s.count++
	return true
}

func (s *Scanner) closeObject(o object) {
	s.depth--
	s.count = o.first
}

// bitOf returns the bit of a name in the filter.
func bitOf(name string) uint64 {
	n := len(name)
	if n == 0 {
		return 1
	}
	return 1 << ((uint(n) + uint(name[0])*5 + uint(name[n-1])*11) % 64)
}
