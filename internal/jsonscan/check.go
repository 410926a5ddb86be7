package jsonscan

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// MaxDepth is the maximum number of nested arrays and objects.
const MaxDepth = 128

// An Error describes invalid text and its offset in bytes.
type Error struct {
	Found string // such as "the end of the text"
	At    int
}

func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.Found, e.At) }

// Parse returns a reader for a valid text. The error is an [*Error]. The text must not change
// while it's read.
func Parse(text []byte) (Reader, error) {
	c := checker{text: text, nodes: make([]node, 0, 40+len(text)/1024)}
	i := space(text, 0)
	if end := space(text, c.element(name{}, i)); end < len(text) {
		c.fail("something after the first value", end)
	}
	if len(text) > escaped {
		c.fail("more than 2 GiB", escaped)
	}
	if c.err != nil {
		return Reader{}, c.err
	}
	return Reader{text: text, names: c.names, nodes: c.nodes}, nil
}

// A node describes the outermost value, a member's value or an array's object. The nodes
// inside it follow it.
type node struct {
	name  name   // of a member
	start uint32 // of the value
	end   uint32 // with escaped if it's a string, or mixed if it's an array
	next  uint32 // the index of the first node that isn't inside
}

// A name is a part of the text, or with escaped of the decoded names.
type name struct{ start, size uint32 }

const (
	escaped = 1 << 31 // marks text with escapes or beyond ASCII
	mixed   = escaped // marks an array with other elements than objects, which is never text
)

func (n name) in(text, names []byte) []byte {
	if n.start&escaped != 0 {
		text = names
	}
	return text[n.start&^escaped:][:n.size]
}

// A checker's methods accept a value's offset and return the offset behind it. After an error
// that's the text's end, so that every loop ends.
type checker struct {
	text  []byte
	nodes []node
	depth int
	names []byte   // decoded names
	table []uint32 // see repeatedIn
	mixed bool     // the previous array contains other elements than objects
	err   *Error   // the first one
}

// element checks a value that gets a node.
func (c *checker) element(name name, i int) (end int) {
	index := len(c.nodes)
	if index == cap(c.nodes) {
		// Webhooks repeat themselves, so the rest needs as many nodes per byte, and few are copied.
		c.nodes = slices.Grow(c.nodes, index*(len(c.text)/(i+1))+1)
	}
	c.nodes = c.nodes[:index+1]
	marks := uint32(0)
	if !isAt(c.text, i, '"') {
		if end = c.value(i); c.mixed && isAt(c.text, i, '[') {
			marks = mixed
		}
	} else if end = plain(c.text, i+1) + 1; !isAt(c.text, end-1, '"') {
		end, marks = c.string(end-1), escaped
	}
	c.nodes[index] = node{name, uint32(i), uint32(end) | marks, uint32(len(c.nodes))}
	return end
}

func (c *checker) fail(found string, at int) (end int) {
	if c.err == nil {
		c.err = &Error{found, at}
	}
	return len(c.text)
}

// failAt reports the byte at an offset, or the text's end.
func (c *checker) failAt(at int, where string) (end int) {
	if at >= len(c.text) {
		return c.fail("the end of the text", len(c.text))
	}
	if b := c.text[at]; b >= utf8.RuneSelf {
		return c.fail(fmt.Sprintf("invalid byte 0x%x %s", b, where), at)
	}
	return c.fail(fmt.Sprintf("invalid character %q %s", c.text[at], where), at)
}

// isAt reports whether b is at i, which may be the text's end.
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
	isMixed := false
	for more {
		if isAt(c.text, i, '{') {
			i = c.element(name{}, i)
		} else {
			isMixed = true
			n := len(c.nodes)
			i = c.value(i)
			c.nodes = c.nodes[:n] // an array in an array is never read
		}
		if i = space(c.text, i); !isAt(c.text, i, ',') {
			i = c.close(i, ']')
			break
		}
		i = space(c.text, i+1)
	}
	c.depth--
	c.mixed = isMixed
	return i
}

func (c *checker) object(i int) int {
	first, count := len(c.nodes), 0
	i, more := c.open(i, '}')
	for more {
		if !isAt(c.text, i, '"') {
			return c.failAt(i, "at start of name")
		}
		start := i
		var n name
		end := plain(c.text, i+1)
		if isAt(c.text, end, '"') {
			n, i = name{uint32(start + 1), uint32(end - start - 1)}, end+1
		} else if n, i = c.escapedName(start+1, end); c.err != nil {
			return i
		}
		if count++; count <= maxCompared && c.isKnown(n, first) {
			return c.fail("a duplicate name", start)
		}
		if !isAt(c.text, i, ':') {
			if i = space(c.text, i); !isAt(c.text, i, ':') {
				return c.failAt(i, "after a name")
			}
		}
		i = space(c.text, c.element(n, space(c.text, i+1)))
		if !isAt(c.text, i, ',') {
			i = c.close(i, '}')
			break
		}
		i = space(c.text, i+1)
	}
	if count > maxCompared && c.err == nil {
		if repeated := c.repeatedIn(first, count); repeated > 0 {
			i = c.fail("a duplicate name", repeated)
		}
	}
	c.depth--
	return i
}

// escapedName checks the rest of a name with escapes or beyond ASCII.
func (c *checker) escapedName(start, i int) (n name, end int) {
	if end = c.string(i); c.err != nil {
		return name{}, end
	}
	decoded := len(c.names)
	c.names = appendDecoded(c.names, c.text[start:end-1])
	return name{uint32(decoded) | escaped, uint32(len(c.names) - decoded)}, end
}

// maxCompared is the maximum number of names in an object that are compared with each other.
// More need a table.
const maxCompared = 12

// isKnown reports whether the innermost object, whose first node is at an index, has a name.
func (c *checker) isKnown(n name, first int) bool {
	for i := first; i < len(c.nodes); {
		known := &c.nodes[i]
		if known.name.size == n.size && bytes.Equal(known.name.in(c.text, c.names), n.in(c.text, c.names)) {
			return true
		}
		i = int(known.next)
	}
	return false
}

// seed makes hashes unpredictable, so that no text can aim at collisions.
var seed = maphash.MakeSeed()

// repeatedIn returns the offset of the first repeated name's quote in an object, or 0. A table's
// slots contain nodes' indexes, plus 1.
func (c *checker) repeatedIn(first, count int) (at int) {
	size := 1 << bits.Len(uint(count+count/2))
	if size > len(c.table) {
		c.table = make([]uint32, size)
	}
	table, mask := c.table[:size], uint64(size-1)
	clear(table)
	end := uint32(0) // of the previous value
	for i := first; i < len(c.nodes); i = int(c.nodes[i].next) {
		n := &c.nodes[i]
		text := n.name.in(c.text, c.names)
		slot := maphash.Bytes(seed, text)
		for ; table[slot&mask] != 0; slot++ {
			if string(c.nodes[table[slot&mask]-1].name.in(c.text, c.names)) == string(text) {
				return int(end) + bytes.IndexByte(c.text[end:], '"')
			}
		}
		table[slot&mask] = uint32(i + 1)
		end = n.end &^ escaped
	}
	return 0
}

// open skips a bracket, and the closing one if it follows; it reports whether it doesn't.
func (c *checker) open(i int, closing byte) (next int, more bool) {
	if c.depth++; c.depth > MaxDepth {
		return c.fail("deeper nesting", i), false
	}
	if i = space(c.text, i+1); isAt(c.text, i, closing) {
		return i + 1, false
	}
	return i, true
}

// close skips the closing bracket after the last element.
func (c *checker) close(i int, closing byte) int {
	if !isAt(c.text, i, closing) {
		return c.failAt(i, "after an element")
	}
	return i + 1
}

// string checks a string, whose text starts at an offset.
func (c *checker) string(i int) int {
	for text := c.text; ; {
		i = plain(text, i)
		switch {
		case i == len(text):
			return c.failAt(i, "in a string")
		case text[i] == '"':
			return i + 1
		case text[i] == '\\' && isUnicode(text[i:]):
			i += unicodeEscape
		case text[i] == '\\':
			i = c.escape(i)
		case text[i] < ' ':
			return c.failAt(i, "in a string")
		default: // beyond ASCII, or near the end of the text
			r, size := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && size == 1 {
				return c.fail("bytes that are not UTF-8", i)
			}
			i += size
		}
	}
}

// isUnicode reports whether text, after its backslash, continues a Unicode escape.
func isUnicode(text []byte) bool {
	return len(text) >= unicodeEscape && text[1] == 'u' &&
		fromHex[text[2]]|fromHex[text[3]]|fromHex[text[4]]|fromHex[text[5]] >= 0
}

// escape checks a short escape.
func (c *checker) escape(i int) int {
	text := c.text
	if i++; i < len(text) && shortEscapes[text[i]] != 0 {
		return i + 1
	}
	if isAt(text, i, 'u') {
		for i++; i < len(text) && fromHex[text[i]] >= 0; {
			i++
		}
	}
	return c.failAt(i, "in an escape")
}

func (c *checker) word(i int, word string) int {
	for j := range len(word) {
		if !isAt(c.text, i+j, word[j]) {
			return c.failAt(i+j, "in "+word)
		}
	}
	return i + len(word)
}

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

func (c *checker) digits(i int) int {
	if i == len(c.text) || !isDigit(c.text[i]) {
		return c.failAt(i, "in a number")
	}
	for i < len(c.text) && isDigit(c.text[i]) {
		i++
	}
	return i
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
