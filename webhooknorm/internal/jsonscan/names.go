package jsonscan

// An object is what is known of the names of an object while it is open.
type object struct {
	first  int                 // the index of its first name in Scanner.names
	filter uint64              // one bit for each name; a name whose bit is not set is new
	index  map[string]struct{} // its names, once there is no more room in Scanner.names
}

// room is how many names of open objects are compared one by one. Of a webhook,
// that is all, but a hostile text can have half a million in one object.
const room = 48

func (s *Scanner) newObject() object { return object{first: s.count} }

// enter adds a name. It reports false if the object has it already.
func (s *Scanner) enter(name string, o *object) bool {
	if o.index != nil {
		known := len(o.index)
		o.index[name] = struct{}{}
		return len(o.index) > known
	}
	own := s.names[o.first:s.count]
	if bit := bitOf(name); o.filter&bit == 0 {
		o.filter |= bit
	} else {
		for _, known := range own {
			if known == name {
				return false
			}
		}
	}
	if s.count == room {
		o.index = map[string]struct{}{name: {}}
		for _, known := range own {
			o.index[known] = struct{}{}
		}
		s.count = o.first
		return true
	}
	s.names[s.count] = name
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
	hash := n + int(name[0])*5 + int(name[n/2])*11 + int(name[n-1])*23
	return 1 << (hash % 64)
}
