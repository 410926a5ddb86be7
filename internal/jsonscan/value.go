package jsonscan

// MaxDepth is how many arrays and objects may be open at once.
const MaxDepth = 128

// The functions of this file take the offset at which to read and return the offset
// of what follows, so that the compiler can keep it in a register.

// skipValue reads a value. White space around it is for the others to read.
func (s *Scanner) skipValue(i int) int {
	if i == len(s.text) {
		return s.failAt(i, "")
	}
	switch c := s.text[i]; c {
	case '"':
		end := plain(s.text, i+1)
		if isAt(s.text, end, '"') {
			return end + 1
		}
		return s.specialString(i+1, end, false)
	case '{':
		return s.object(i)
	case '[':
		return s.array(i)
	case 't':
		return s.word(i, "true")
	case 'f':
		return s.word(i, "false")
	case 'n':
		return s.word(i, "null")
	default:
		if c != '-' && !isDigit(c) {
			return s.failAt(i, "at start of value")
		}
		return s.number(i)
	}
}

func (s *Scanner) object(i int) int {
	object := s.newObject()
	i, more := s.open(i, '}')
	for more {
		_, i = s.name(i, &object)
		i, more = s.comma(s.skipValue(i), '}')
	}
	return s.closeObject(object, i)
}

// array reads an array. Arrays directly inside it need no call each.
func (s *Scanner) array(i int) int {
	outside := s.depth
	for {
		var more bool
		if isAt(s.text, i, '[') {
			i, more = s.open(i, ']')
		} else {
			i, more = s.comma(s.skipValue(i), ']')
		}
		for !more {
			if s.depth--; s.depth == outside || s.failed {
				return i
			}
			i, more = s.comma(i, ']')
		}
	}
}

// open reads the bracket at i, and the closing one if it follows at once. It reports
// whether there is an element to read.
func (s *Scanner) open(i int, closing byte) (next int, more bool) {
	if s.depth++; s.depth > MaxDepth {
		return s.fail("deeper nesting", i), false
	}
	i = s.space(i + 1)
	if isAt(s.text, i, closing) {
		return i + 1, false
	}
	return i, true
}

// comma reads what follows an element: a comma, after which there is another, or the
// closing bracket.
func (s *Scanner) comma(i int, closing byte) (next int, more bool) {
	if isAt(s.text, i, ',') {
		return s.space(i + 1), true
	}
	if isAt(s.text, i, closing) {
		return i + 1, false
	}
	if next := s.space(i); next > i {
		return s.comma(next, closing)
	}
	return s.failAt(i, "after an element"), false
}

// name reads the name of a member, up to its value. It enters it in the object.
func (s *Scanner) name(i int, o *object) (name []byte, next int) {
	if text := s.text; isAt(text, i, '"') {
		start := i + 1
		end := plain(text, start)
		if isAt(text, end, '"') && isAt(text, end+1, ':') {
			name := text[start:end:end]
			if !s.enterNew(hash(text, start, end), start, o) && !s.enter(name, start, false, o) {
				return nil, s.fail("a duplicate name", i)
			}
			return name, s.space(end + 2)
		}
	}
	return s.specialName(i, o) // hardly ever
}

// specialName is name for all names.
func (s *Scanner) specialName(i int, o *object) (name []byte, next int) {
	if !isAt(s.text, i, '"') {
		return nil, s.failAt(i, "at start of name")
	}
	next = s.specialString(i+1, i+1, false)
	if s.failed {
		return nil, next
	}
	name, escaped := s.decodeName(i+1, next-1)
	if !s.enter(name, i+1, escaped, o) {
		return nil, s.fail("a duplicate name", i)
	}
	if next = s.space(next); !isAt(s.text, next, ':') {
		return nil, s.failAt(next, "after a name")
	}
	return name, s.space(next + 1)
}

func (s *Scanner) word(i int, word string) int {
	for j := range len(word) {
		if i+j == len(s.text) || s.text[i+j] != word[j] {
			return s.failAt(i+j, "in "+word)
		}
	}
	return i + len(word)
}

// number reads a number.
//
//	number   = [ "-" ] ( "0" | digit1-9 *digit ) [ "." 1*digit ] [ ( "e" | "E" ) [ "+" | "-" ] 1*digit ]
func (s *Scanner) number(i int) int {
	text := s.text
	if text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else {
		i = s.digits(i)
	}
	if i < len(text) && text[i] == '.' {
		i = s.digits(i + 1)
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		i = s.digits(i)
	}
	return i
}

// digits reads one or more digits.
func (s *Scanner) digits(i int) int {
	start := i
	for i < len(s.text) && isDigit(s.text[i]) {
		i++
	}
	if i == start {
		return s.failAt(i, "in a number")
	}
	return i
}

// space skips white space.
func (s *Scanner) space(i int) int {
	if uint(i) < uint(len(s.text)) && s.text[i] > ' ' {
		return i
	}
	return s.spaces(i)
}

func (s *Scanner) spaces(i int) int {
	for i < len(s.text) {
		switch s.text[i] {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
