// Package jsonscan reads one JSON text, once, and hands out only what is asked for.
//
// It is strict about the whole text (RFC 8259), including the parts that are not read:
//
//   - the text is one value, in UTF-8, with nothing but white space around it;
//   - no object has two members of one name, compared after decoding;
//   - at most [MaxDepth] arrays and objects are open at once.
//
// One thing is allowed that some readers refuse: the escape of half a surrogate
// pair, as in "\ud83d", which reads U+FFFD.
//
// A caller walks down to the values that it wants:
//
//	var s jsonscan.Scanner
//	s.Init(text)
//	for name := range s.Members {
//		switch string(name) {
//		case "id":
//			id = s.ReadString()
//		case "list":
//			for range s.Elements {
//				…
//			}
//		}
//	}
//	err := s.Finish()
//
// Whatever a loop body leaves unread is skipped. The first fault is remembered, and
// from there on the text seems to end: loops end, strings are empty. So only the
// error of Finish needs to be looked at, and nothing read before counts if there is one.
//
// The text is read in place and never changed. Strings are copies, and do
// not change if the text is overwritten later.
package jsonscan

import "bytes"

// A Scanner reads the values of a text from front to back. It must not be copied
// after its first use.
type Scanner struct {
	text   []byte
	pos    int           // everything before it has been read
	depth  int           // how many arrays and objects are open
	names  [maxNames]int // where those of the open objects begin, the innermost last
	count  int           // how many names there are
	spare  *nameList     // a list of those that can be used for other objects
	kept   keeper
	fault  Fault // if there is one, failed is true
	failed bool
}

// Init begins to read a text. It is called once, before all else.
func (s *Scanner) Init(text []byte) {
	s.text = text
	s.pos = s.space(0)
}

// Peek returns the first byte of the next value, which shows its kind: one of
//
//	{ [ " t f n - 0 1 2 3 4 5 6 7 8 9
//
// or an unspecified byte if there is no next value.
func (s *Scanner) Peek() byte {
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

// Offset returns where the next value begins or, once it has been read, where it ends.
func (s *Scanner) Offset() int { return s.pos }

// Seek makes the value at an offset the next one. The offset is one that Offset returned
// before a value or after it, and everything up to it has been read before.
func (s *Scanner) Seek(offset int) {
	if !s.failed {
		s.pos = offset
	}
}

// Skip reads the next value, whatever it is.
func (s *Scanner) Skip() { s.pos = s.skipValue(s.pos) }

// ReadString reads the next value if it is a string, and returns it decoded. Any other
// value stays unread.
func (s *Scanner) ReadString() string {
	text, start := s.text, s.pos+1
	if !isAt(text, s.pos, '"') {
		return ""
	}
	if end := plain(text, start); isAt(text, end, '"') {
		s.pos = end + 1
		return s.kept.keep(text[start:end])
	}
	return s.specialText()
}

// SkipRepeat skips the next value if it is written exactly as value: a string, or an object
// or array that was read before at the same depth. Any other value stays unread.
func (s *Scanner) SkipRepeat(value []byte) bool {
	if len(value) == 0 || !bytes.HasPrefix(s.text[s.pos:], value) {
		return false
	}
	s.pos += len(value)
	return true
}

// SkipString skips the next value if it is a string that is written exactly as text between
// quotes. The text is one that was read before from a string that was written so, and is
// not empty. Any other value stays unread.
func (s *Scanner) SkipString(text string) bool {
	start := s.pos + 1
	end := start + len(text)
	if text == "" || end >= len(s.text) || s.text[s.pos] != '"' || s.text[end] != '"' || string(s.text[start:end]) != text {
		return false
	}
	s.pos = end + 1
	return true
}

// specialText is ReadString for all strings.
func (s *Scanner) specialText() string {
	s.kept.begin()
	s.pos = s.specialString(s.pos+1, s.pos+1, true)
	if s.failed {
		return ""
	}
	return s.kept.added()
}

// ReadNumber reads the next value if it is a number, and returns it as it is written.
// Any other value stays unread.
func (s *Scanner) ReadNumber() string {
	if c := s.Peek(); c != '-' && !isDigit(c) {
		return ""
	}
	start := s.pos
	s.pos = s.number(start)
	if s.failed {
		return ""
	}
	return s.kept.keep(s.text[start:s.pos])
}

// Members reads the next value if it is an object, and yields the name of each
// member before its value. Any other value stays unread. To break out of the loop
// is to skip the other members. A name without escapes is a slice of the text.
func (s *Scanner) Members(yield func(name []byte) bool) {
	if s.Peek() != '{' {
		return
	}
	var (
		object  = s.newObject()
		wanted  = true
		i, more = s.open(s.pos, '}')
	)
	for more {
		var name []byte
		name, i = s.name(i, &object)
		if s.failed {
			break
		}
		s.pos = i
		wanted = wanted && yield(name)
		if s.pos == i {
			s.Skip()
		}
		i, more = s.comma(s.pos, '}')
	}
	s.pos = s.closeObject(object, i)
}

// Elements reads the next value if it is an array, and yields before each element.
// Any other value stays unread. To break out of the loop is to skip the other
// elements.
func (s *Scanner) Elements(yield func() bool) {
	if s.Peek() != '[' {
		return
	}
	wanted := true
	i, more := s.open(s.pos, ']')
	for more {
		s.pos = i
		wanted = wanted && yield()
		if s.pos == i {
			s.Skip()
		}
		i, more = s.comma(s.pos, ']')
	}
	s.depth--
	s.pos = i
}

// Finish reads the value of the text, unless it has been read, and returns the first fault of
// the whole text, which is a [Fault].
func (s *Scanner) Finish() error {
	if s.pos == s.space(0) {
		s.Skip()
	}
	if s.pos = s.space(s.pos); s.pos < len(s.text) {
		s.fail("something after the first value", s.pos)
	}
	if s.failed {
		return s.fault
	}
	return nil
}
