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
	c := checker{text: text}
	i := space(text, 0)
	if end := space(text, c.element(0, i)); end < len(text) {
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
	name  uint32 // the offset of a member's name in the text, or with escaped in the decoded names
	start uint32
	end   uint32 // with escaped
	next  uint32 // the index of the first node that isn't inside
}

// escaped marks text with escapes or beyond ASCII.
const escaped = 1 << 31

func (n *node) nameIn(text, names []byte) []byte {
	end := byte('"')
	if n.name&escaped != 0 {
		text, end = names, nameEnd
	} else if text[n.start-2] == '"' { // no space around the colon
		return text[n.name : n.start-2]
	}
	text = text[n.name&^escaped:]
	return text[:bytes.IndexByte(text, end)]
}

// nameEnd follows each decoded name. UTF-8 never contains it.
const nameEnd = 0xff

// A checker's methods accept a value's offset and return the offset behind it. After an error
// that's the text's end, so that every loop ends.
type checker struct {
	text  []byte
	nodes []node
	depth int
	names []byte   // decoded names
	table []uint32 // see repeatedName
	err   *Error   // the first one
}

// element checks a value that gets a node.
func (c *checker) element(name uint32, i int) (end int) {
	index := len(c.nodes)
	if index == cap(c.nodes) {
		c.grow(i)
	}
	c.nodes = c.nodes[:index+1]
	marks := uint32(0)
	if !isAt(c.text, i, '"') {
		end = c.value(i)
	} else if end = plain(c.text, i+1) + 1; !isAt(c.text, end-1, '"') {
		end, marks = c.string(end-1), escaped
	}
	c.nodes[index] = node{name, uint32(i), uint32(end) | marks, uint32(len(c.nodes))}
	return end
}

// grow makes room for the nodes expected from the text before i.
func (c *checker) grow(i int) {
	n := len(c.nodes)
	expected := 1.02 * float64(n) * float64(len(c.text)) / float64(i+1)
	c.nodes = append(make([]node, 0, max(40+len(c.text)/1024, n+n/4, int(expected))), c.nodes...)
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
	for more {
		if isAt(c.text, i, '{') {
			i = c.element(0, i)
		} else {
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
	return i
}

// maxCompared is the maximum number of comparisons in an object before it needs a table.
const maxCompared = 32

func (c *checker) object(i int) int {
	first, count, compared := len(c.nodes), 0, 0
	seen := uint64(0) // a bit for each name; a name with an unset bit is new
	i, more := c.open(i, '}')
	for more {
		if !isAt(c.text, i, '"') {
			return c.failAt(i, "at start of name")
		}
		start := i + 1
		at, end := uint32(start), plain(c.text, start)
		name := c.text[start:end]
		if i = end + 1; !isAt(c.text, end, '"') {
			if i = c.string(end); c.err != nil {
				return i
			}
			decoded := len(c.names)
			if size := i - start; size > cap(c.names)-decoded {
				c.names = slices.Grow(c.names, size+2*decoded)
			}
			at = uint32(decoded) | escaped
			c.names = appendDecoded(c.names, c.text[start:i-1])
			name = c.names[decoded:]
			c.names = append(c.names, nameEnd)
		}
		count++
		bit := uint64(1) << (hash(name) % 64)
		if seen&bit != 0 {
			if compared += count - 1; compared <= maxCompared && c.isKnown(name, first) {
				return c.fail("a duplicate name", start-1)
			}
		}
		seen |= bit
		if !isAt(c.text, i, ':') {
			if i = space(c.text, i); !isAt(c.text, i, ':') {
				return c.failAt(i, "after a name")
			}
		}
		i = space(c.text, c.element(at, space(c.text, i+1)))
		if !isAt(c.text, i, ',') {
			i = c.close(i, '}')
			break
		}
		i = space(c.text, i+1)
	}
	if compared > maxCompared && c.err == nil {
		if end := c.repeatedName(first, count); end > 0 {
			i = c.fail("a duplicate name", end+bytes.IndexByte(c.text[end:], '"'))
		}
	}
	c.depth--
	return i
}

// hash returns a number that rarely repeats in an object.
func hash(name []byte) uint {
	if len(name) == 0 {
		return 0
	}
	return uint(len(name)) + 5*uint(name[0]) + 11*uint(name[len(name)-1])
}

// isKnown reports whether the innermost object, whose first node is at an index, has a name.
func (c *checker) isKnown(name []byte, first int) bool {
	for i := first; i < len(c.nodes); i = int(c.nodes[i].next) {
		if bytes.Equal(c.nodes[i].nameIn(c.text, c.names), name) {
			return true
		}
	}
	return false
}

// seed makes hashes unpredictable, so that no text can aim at collisions.
var seed = maphash.MakeSeed()

// repeatedName returns the end of the value before the first repeated name, or 0.
// Each table slot contains a node's index, plus 1, and upper bits of its hash.
func (c *checker) repeatedName(first, count int) (end int) {
	size := 1 << bits.Len(uint(count+count/2))
	if size > len(c.table) {
		c.table = make([]uint32, size)
	} else {
		clear(c.table[:size])
	}
	table, mask := c.table[:size], uint64(size-1)
	low := uint32(1)<<bits.Len(uint(len(c.nodes))) - 1
	for i := first; i < len(c.nodes); i = int(c.nodes[i].next) {
		name := c.nodes[i].nameIn(c.text, c.names)
		sum := maphash.Bytes(seed, name)
		slot, upper := sum, uint32(sum>>32)&^low
		for ; table[slot&mask] != 0; slot++ {
			known := table[slot&mask]
			if known&^low == upper && bytes.Equal(c.nodes[known&low-1].nameIn(c.text, c.names), name) {
				return end
			}
		}
		table[slot&mask] = upper | uint32(i+1)
		end = int(c.nodes[i].end &^ escaped)
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
