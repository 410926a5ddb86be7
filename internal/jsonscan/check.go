package jsonscan

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"unicode/utf8"
)

// MaxDepth is how many arrays and objects may be open at once.
const MaxDepth = 128

// An Error is the first thing in a text that is wrong, and its offset in bytes.
type Error struct {
	Found string // such as "the end of the text"
	At    int
}

func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.Found, e.At) }

// Parse checks a text and returns a reader of its value. The error is an [*Error]. The text
// must not change while it's read.
func Parse(text []byte) (Reader, error) {
	c := checker{text: text, names: make([]int, 0, 32), containers: make([]container, 0, 1+len(text)/48)}
	start := c.space(0)
	end := c.space(c.value(start))
	if end < len(text) {
		c.fail("something after the first value", end)
	}
	if len(text) > math.MaxUint32 {
		c.fail("more than 4 GiB", math.MaxUint32)
	}
	if c.err != nil {
		return Reader{}, c.err
	}
	return Reader{text: text, containers: c.containers, at: Position{uint32(start), 0}}, nil
}

// A container is an array or object of the text. They're in the order of their starts.
type container struct {
	end  uint32 // the offset after it
	next uint32 // the index of the first container after it
}

// A checker walks through a text from front to back. Each method takes the offset at
// which it starts and returns the offset of what follows. After an error that's the end of
// the text, where every loop ends.
type checker struct {
	text       []byte
	depth      int
	containers []container
	names      []int    // the offsets of the names in the open objects, the innermost object's last
	table      []uint64 // see repeatedName
	err        *Error   // the first one
}

func (c *checker) fail(found string, at int) (end int) {
	if c.err == nil {
		c.err = &Error{found, at}
	}
	return len(c.text)
}

// failAt is fail with the byte at an offset, or the end of the text.
func (c *checker) failAt(at int, where string) (end int) {
	if at >= len(c.text) {
		return c.fail("the end of the text", len(c.text))
	}
	if b := c.text[at]; b >= utf8.RuneSelf {
		return c.fail(fmt.Sprintf("invalid byte 0x%x %s", b, where), at)
	}
	return c.fail(fmt.Sprintf("invalid character %q %s", c.text[at], where), at)
}

// isAt reports whether b is at i, which may be the end of the text.
func isAt(text []byte, i int, b byte) bool { return uint(i) < uint(len(text)) && text[i] == b }

func (c *checker) value(i int) int {
	if i == len(c.text) {
		return c.failAt(i, "")
	}
	switch b := c.text[i]; b {
	case '"':
		end := plain(c.text, i+1)
		if isAt(c.text, end, '"') {
			return end + 1
		}
		return c.string(i + 1)
	case '{':
		return c.object(i)
	case '[':
		return c.array(i)
	case 't':
		return c.word(i, "true")
	case 'f':
		return c.word(i, "false")
	case 'n':
		return c.word(i, "null")
	default:
		if b != '-' && !isDigit(b) {
			return c.failAt(i, "at start of value")
		}
		return c.number(i)
	}
}

func (c *checker) array(i int) int {
	index := len(c.containers)
	i, more := c.open(i, ']')
	for more {
		i, more = c.comma(c.value(i), ']')
	}
	return c.close(index, i)
}

// maxCompared is how many names of an object are compared one by one.
const maxCompared = 16

// object checks an object. A name is compared with the others at once if it may be one of
// a few, and at the end of the object if there are many, or if one has escapes.
func (c *checker) object(i int) int {
	index, first := len(c.containers), len(c.names)
	seen := uint64(0) // one bit for each name; a name with an unset bit is new
	late := false
	i, more := c.open(i, '}')
	for more {
		if !isAt(c.text, i, '"') {
			i = c.failAt(i, "at start of name")
			break
		}
		start := i + 1
		end := plain(c.text, start)
		if isAt(c.text, end, '"') {
			i = end + 1
		} else {
			i = c.string(start)
			if c.err != nil {
				break
			}
			end = i - 1
			late = true
		}
		name := c.text[start:end]
		bit := uint64(1) << (hash(c.text, start, end) % 64)
		if seen&bit != 0 && !late && c.isKnown(name, first) {
			i = c.fail("a duplicate name", start-1)
			break
		}
		seen |= bit
		c.names = append(c.names, start)
		late = late || len(c.names)-first > maxCompared
		if !isAt(c.text, i, ':') {
			if i = c.space(i); !isAt(c.text, i, ':') {
				i = c.failAt(i, "after a name")
				break
			}
		}
		i, more = c.comma(c.value(c.space(i+1)), '}')
	}
	if late {
		if at := c.repeatedName(c.names[first:]); at > 0 && (c.err == nil || at-1 < c.err.At) {
			c.err = nil
			i = c.fail("a duplicate name", at-1)
		}
	}
	c.names = c.names[:first]
	return c.close(index, i)
}

// hash returns a number that few names of an object have in common. An empty name is
// hashed with the quotes around it.
func hash(text []byte, start, end int) uint {
	return uint(end-start) + 5*uint(text[start]) + 11*uint(text[end-1])
}

// isKnown reports whether a name of the innermost object, whose names start at an index,
// is equal to name. No name has escapes.
func (c *checker) isKnown(name []byte, first int) bool {
	for _, start := range c.names[first:] {
		if end := start + len(name); c.text[end] == '"' && string(c.text[start:end]) == string(name) {
			return true
		}
	}
	return false
}

// seed makes hashes unpredictable, so that no text can aim at collisions.
var seed = maphash.MakeSeed()

// repeatedName returns the offset of the first name that's equal to an earlier one, or 0.
func (c *checker) repeatedName(names []int) (at int) {
	size := 2 << bits.Len(uint(len(names)))
	if size > len(c.table) {
		c.table = make([]uint64, size)
	}
	// A slot holds an index, plus 1, and the upper half of the hash.
	const index = 1<<32 - 1
	table, mask := c.table[:size], uint64(size-1)
	clear(table)
	for n, start := range names {
		name := c.nameAt(start)
		sum := maphash.Bytes(seed, name)
		slot := sum
		for ; table[slot&mask] != 0; slot++ {
			known := table[slot&mask]
			if known&^index == sum&^index && bytes.Equal(c.nameAt(names[known&index-1]), name) {
				return start
			}
		}
		table[slot&mask] = sum&^index | uint64(n+1)
	}
	return 0
}

// nameAt returns the checked name at an offset.
func (c *checker) nameAt(start int) []byte {
	return decoded(c.text[start:stringEnd(c.text, start)])
}

// open skips the bracket at i, and the closing one if it follows. It reports whether there
// is an element.
func (c *checker) open(i int, closing byte) (next int, more bool) {
	if c.depth++; c.depth > MaxDepth {
		return c.fail("deeper nesting", i), false
	}
	c.containers = append(c.containers, container{})
	i = c.space(i + 1)
	if isAt(c.text, i, closing) {
		return i + 1, false
	}
	return i, true
}

// close completes the container with an index, which ends before i.
func (c *checker) close(index, i int) int {
	c.depth--
	if index < len(c.containers) { // it isn't nested too deeply
		c.containers[index] = container{uint32(i), uint32(len(c.containers))}
	}
	return i
}

// comma skips what follows an element: a comma, after which there's another element, or
// the closing bracket.
func (c *checker) comma(i int, closing byte) (next int, more bool) {
	if i = c.space(i); isAt(c.text, i, ',') {
		return c.space(i + 1), true
	}
	if isAt(c.text, i, closing) {
		return i + 1, false
	}
	return c.failAt(i, "after an element"), false
}

// string checks the rest of a string, whose text starts at an offset.
func (c *checker) string(start int) int {
	i := plain(c.text, start)
	if isAt(c.text, i, '"') {
		return i + 1
	}
	ascii := true
	for ; i < len(c.text); i = plain(c.text, i) {
		switch b := c.text[i]; {
		case b == '"':
			if !ascii && !utf8.Valid(c.text[start:i]) {
				return c.fail("bytes that are not UTF-8", start+invalidUTF8(c.text[start:i]))
			}
			return i + 1
		case b == '\\':
			if end := i + unicodeEscape; end <= len(c.text) && c.text[i+1] == 'u' && hex4(c.text[i:end]) >= 0 {
				i = end
			} else {
				i = c.escape(i)
			}
		case b < ' ':
			return c.failAt(i, "in a string")
		default: // beyond ASCII, or near the end of the text
			for i < len(c.text) && c.text[i] >= utf8.RuneSelf {
				ascii = false
				i++
			}
			if b < utf8.RuneSelf {
				i++
			}
		}
	}
	return c.failAt(i, "in a string")
}

func (c *checker) escape(i int) int {
	i++
	if i < len(c.text) && shortEscapes[c.text[i]] != 0 {
		return i + 1
	}
	if !isAt(c.text, i, 'u') {
		return c.failAt(i, "in an escape")
	}
	end := i - 1 + unicodeEscape
	for i++; i < end; i++ {
		if i == len(c.text) || fromHex[c.text[i]] < 0 {
			return c.failAt(i, "in an escape")
		}
	}
	return end
}

// invalidUTF8 returns the offset of the first byte that isn't UTF-8.
func invalidUTF8(text []byte) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

func (c *checker) word(i int, word string) int {
	for j := range len(word) {
		if !isAt(c.text, i+j, word[j]) {
			return c.failAt(i+j, "in "+word)
		}
	}
	return i + len(word)
}

// number checks a number.
//
//	number   = [ "-" ] ( "0" | digit1-9 *digit ) [ "." 1*digit ] [ ( "e" | "E" ) [ "+" | "-" ] 1*digit ]
func (c *checker) number(i int) int {
	if c.text[i] == '-' {
		i++
	}
	if isAt(c.text, i, '0') {
		i++
	} else {
		i = c.digits(i)
	}
	if isAt(c.text, i, '.') {
		i = c.digits(i + 1)
	}
	if isAt(c.text, i, 'e') || isAt(c.text, i, 'E') {
		i++
		if isAt(c.text, i, '+') || isAt(c.text, i, '-') {
			i++
		}
		i = c.digits(i)
	}
	return i
}

// digits skips one or more digits.
func (c *checker) digits(i int) int {
	start := i
	for i < len(c.text) && isDigit(c.text[i]) {
		i++
	}
	if i == start {
		return c.failAt(i, "in a number")
	}
	return i
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func (c *checker) space(i int) int { return space(c.text, i) }
