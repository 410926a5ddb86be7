package jsonscan

import (
	"bytes"
	"encoding/binary"
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
	c := checker{text: text}
	i := space(text, 0)
	if end := space(text, c.element(0, i)); end < len(text) {
		c.fail("something after the first value", end)
	}
	if len(text) > math.MaxUint32 {
		c.fail("more than 4 GiB", math.MaxUint32)
	}
	if c.err != nil {
		return Reader{}, c.err
	}
	return Reader{text: text, nodes: c.nodes}, nil
}

// A node is the value of a member, or an object in an array, or the value of the whole text. The nodes are in the order of the text. Each one is followed by the nodes
// inside it.
type node struct {
	name  uint32 // where the name of a member starts; if it's empty or isn't plain, the quote before it
	start uint32
	end   uint32
	next  uint32 // the index of the first node after it and its own
}

// A checker walks through a text from front to back. Each method takes the offset at
// which it starts and returns the offset of what follows. After an error that's the end of
// the text, where every loop ends.
type checker struct {
	text  []byte
	nodes []node
	depth int
	table []uint64 // see repeatedName
	err   *Error   // the first one
}

// grow makes room for the node of a value at i and for more, if the rest of the text is like
// the part that has been read.
func (c *checker) grow(i int) {
	n := len(c.nodes)
	expected := 1.02 * float64(n) * float64(len(c.text)) / float64(i+1)
	nodes := make([]node, n, max(40+len(c.text)/256, n+n/4, int(expected)))
	copy(nodes, c.nodes)
	c.nodes = nodes
}

// element checks the value at i, which has a node, and so may have a name.
func (c *checker) element(name, i int) (end int) {
	index := len(c.nodes)
	if index == cap(c.nodes) {
		c.grow(i)
	}
	c.nodes = c.nodes[:index+1]
	if !isAt(c.text, i, '"') {
		end = c.value(i)
	} else if end = plain(c.text, i+1) + 1; !isAt(c.text, end-1, '"') {
		end = c.string(i + 1)
	}
	c.nodes[index] = node{uint32(name), uint32(i), uint32(end), uint32(len(c.nodes))}
	return end
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
	i, more := c.open(i, ']')
	for more {
		if isAt(c.text, i, '{') {
			i = c.element(0, i)
		} else {
			n := len(c.nodes)
			i = c.value(i)
			c.nodes = c.nodes[:n] // nobody reads an array in an array
		}
		i = space(c.text, i)
		if !isAt(c.text, i, ',') {
			i = c.close(i, ']')
			break
		}
		i = space(c.text, i+1)
	}
	c.depth--
	return i
}

// maxCompared is how many names of an object are compared one by one.
const maxCompared = 16

// object checks an object. A name is compared with the others at once if it may be one of
// a few, and at the end of the object if there are many, or if one has escapes.
func (c *checker) object(i int) int {
	first, count := len(c.nodes), 0
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
		if i = end + 1; !isAt(c.text, end, '"') {
			if i = c.string(start); c.err != nil {
				break
			}
			start, end = start-1, i-1 // from the quote
			late = true
		} else if start == end {
			start--
		}
		count++
		bit := uint64(1) << (hash(c.text, start, end) % 64)
		if seen&bit != 0 && !late && count <= maxCompared && c.isKnown(c.text[start:end], first) {
			i = c.fail("a duplicate name", c.quoteBefore(start))
			break
		}
		seen |= bit
		if !isAt(c.text, i, ':') {
			if i = space(c.text, i); !isAt(c.text, i, ':') {
				i = c.failAt(i, "after a name")
				break
			}
		}
		i = space(c.text, i+1)
		i = space(c.text, c.element(start, i))
		if !isAt(c.text, i, ',') {
			i = c.close(i, '}')
			break
		}
		i = space(c.text, i+1)
	}
	if count > maxCompared || late && count > 1 {
		if index := c.repeatedName(first, count); index > 0 {
			if at := c.quoteBefore(int(c.nodes[index].name)); c.err == nil || at < c.err.At {
				c.err = nil
				i = c.fail("a duplicate name", at)
			}
		}
	}
	c.depth--
	return i
}

// hash returns a number that few names of an object have in common. An empty name starts at
// its quote here and in isKnown.
func hash(text []byte, start, end int) uint {
	return uint(end-start) + 5*uint(text[start]) + 11*uint(text[end-1])
}

// isKnown reports whether a name of the innermost object, whose first node has an index, is
// equal to name. No name has escapes.
func (c *checker) isKnown(name []byte, first int) bool {
	for i := first; i < len(c.nodes); i = int(c.nodes[i].next) {
		start := int(c.nodes[i].name)
		if end := start + len(name); c.text[end] == '"' && string(c.text[start:end]) == string(name) {
			return true
		}
	}
	return false
}

// seed makes hashes unpredictable, so that no text can aim at collisions.
var seed = maphash.MakeSeed()

// repeatedName returns the index of the first node with a name that's equal to an earlier
// one, or 0. The object has so many names, and its first node has an index.
func (c *checker) repeatedName(first, count int) (index int) {
	size := 2 << bits.Len(uint(count))
	if size > len(c.table) {
		c.table = make([]uint64, size)
	}
	// A slot holds the index of a node, plus 1, and the upper half of the hash.
	const low = 1<<32 - 1
	table, mask := c.table[:size], uint64(size-1)
	clear(table)
	for i := first; i < len(c.nodes); i = int(c.nodes[i].next) {
		name := c.nameAt(i)
		sum := maphash.Bytes(seed, name)
		slot := sum
		for ; table[slot&mask] != 0; slot++ {
			known := table[slot&mask]
			if known&^low == sum&^low && bytes.Equal(c.nameAt(int(known&low-1)), name) {
				return i
			}
		}
		table[slot&mask] = sum&^low | uint64(i+1)
	}
	return 0
}

// quoteBefore returns the offset of the quote before the name of a node that starts there.
func (c *checker) quoteBefore(start int) int {
	if c.text[start] == '"' {
		return start
	}
	return start - 1
}

// nameAt returns the name of a node.
func (c *checker) nameAt(i int) []byte {
	start := c.quoteBefore(int(c.nodes[i].name)) + 1
	return decoded(c.text[start:stringEnd(c.text, start)])
}

// open skips the bracket at i, and the closing one if it follows. It reports whether there
// is an element.
func (c *checker) open(i int, closing byte) (next int, more bool) {
	if c.depth++; c.depth > MaxDepth {
		return c.fail("deeper nesting", i), false
	}
	i = space(c.text, i+1)
	if isAt(c.text, i, closing) {
		return i + 1, false
	}
	return i, true
}

// close skips the closing bracket of an array or object.
func (c *checker) close(i int, closing byte) int {
	if !isAt(c.text, i, closing) {
		return c.failAt(i, "after an element")
	}
	return i + 1
}

// string checks the rest of a string, whose text starts at an offset.
func (c *checker) string(start int) int {
	text := c.text
	ascii := true
	for i := plain(text, start); i < len(text); i = plain(text, i) {
		switch b := text[i]; {
		case b == '\\':
			start := i
			for i < len(text)-7 && isUnicodeEscape(binary.LittleEndian.Uint64(text[i:i+8:i+8])) {
				i += unicodeEscape
			}
			if i == start {
				if i++; i < len(text) && shortEscapes[text[i]] != 0 {
					i++
				} else {
					i = c.unicodeEscape(i)
				}
			}
		case b == '"':
			if !ascii && !utf8.Valid(text[start:i]) {
				return c.fail("bytes that are not UTF-8", start+invalidUTF8(text[start:i]))
			}
			return i + 1
		case b < ' ':
			return c.failAt(i, "in a string")
		default: // beyond ASCII, or near the end of the text
			for i < len(text) && text[i] >= utf8.RuneSelf {
				ascii = false
				i++
			}
			if b < utf8.RuneSelf {
				i++
			}
		}
	}
	return c.failAt(len(text), "in a string")
}

// unicodeEscape checks an escape whose second byte is at i.
func (c *checker) unicodeEscape(i int) int {
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
