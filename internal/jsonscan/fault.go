package jsonscan

import (
	"fmt"
	"unicode/utf8"
)

// A Fault is the first thing that is wrong with a text.
type Fault struct {
	Found string // what there is, such as "the end of the text"
	At    int    // the offset of it in bytes
}

func (f Fault) Error() string { return fmt.Sprintf("%s at byte %d", f.Found, f.At) }

// fail remembers a fault unless there is one already, and returns the end of the
// text as the place to go on: there every loop ends.
func (s *Scanner) fail(found string, at int) (end int) {
	if !s.failed {
		s.fault, s.failed = Fault{found, at}, true
	}
	return len(s.text)
}

// failAt is fail with what stands at a place: a byte, or the end of the text.
func (s *Scanner) failAt(at int, where string) (end int) {
	if at >= len(s.text) {
		return s.fail("the end of the text", len(s.text))
	}
	if c := s.text[at]; c >= utf8.RuneSelf {
		return s.fail(fmt.Sprintf("invalid byte 0x%x %s", c, where), at)
	}
	return s.fail(fmt.Sprintf("invalid character %q %s", s.text[at], where), at)
}
