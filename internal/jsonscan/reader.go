// Package jsonscan parses JSON texts strictly, and reads what the caller asks for.
//
// [Parse] checks the whole text (RFC 8259):
//
//   - it's one value, in UTF-8, with nothing but white space around it;
//   - no object has two members with the same name, compared after decoding;
//   - at most [MaxDepth] arrays and objects are open at once.
//
// It accepts one thing that some parsers reject: the escape of half a surrogate pair, as
// in "\ud83d", which decodes to U+FFFD.
//
// A [Reader] then walks through the value. It can't fail, because the text is valid, and
// it never yields a name twice:
//
//	r, err := jsonscan.Parse(text)
//	if err != nil {
//		return err
//	}
//	for it := r.Members(); it.Next(); {
//		switch string(r.Name()) {
//		case "id":
//			id = r.String()
//		case "list":
//			for it := r.Objects(); it.Next(); {
//				…
//			}
//		}
//	}
package jsonscan

import (
	"bytes"
	"strings"
)

// A Reader reads the values of a text. It starts at the value of the whole text. It must not
// be copied after its first use.
type Reader struct {
	text    []byte
	nodes   []node
	at      Position
	kept    strings.Builder // strings share blocks of memory, which are only appended to
	scratch []byte
}

// A Position identifies a value: that of a member, or an object in an array. The value of
// the whole text is 0.
type Position uint32

// Position returns the position of the current value.
func (r *Reader) Position() Position { return r.at }

// Seek makes a value the current one.
func (r *Reader) Seek(p Position) { r.at = p }

// Progress returns the share of the text up to the start of the current value, above 0.
func (r *Reader) Progress() float64 { return float64(r.at+1) / float64(len(r.nodes)) }

// Raw returns the current value as written, without spare capacity.
func (r *Reader) Raw() []byte {
	n := &r.nodes[r.at]
	return r.text[n.start:n.end:n.end]
}

// Peek returns the first byte of the current value, which shows its kind: one of
//
//	{ [ " t f n - 0 1 2 3 4 5 6 7 8 9
func (r *Reader) Peek() byte { return r.text[r.nodes[r.at].start] }

// An Iterator goes through the members of an object, or the objects of an array. Next moves
// the reader to the next one. After the last it moves the reader back and returns false. A
// loop that ends early leaves the reader where it is.
type Iterator struct {
	r                 *Reader
	parent, next, end Position
}

// Next reports whether there's another member or object.
func (it *Iterator) Next() bool {
	if it.next >= it.end {
		it.r.at = it.parent
		return false
	}
	it.r.at = it.next
	it.next = Position(it.r.nodes[it.next].next)
	return true
}

// Members goes through the members of the current value, if that's an object. The current
// value is then that of a member: see [Reader.Name].
func (r *Reader) Members() Iterator { return r.inside('{') }

// Objects goes through the objects in the current value, if that's an array. The current
// value is then such an object.
func (r *Reader) Objects() Iterator { return r.inside('[') }

func (r *Reader) inside(bracket byte) Iterator {
	it := Iterator{r: r, parent: r.at}
	if r.Peek() == bracket {
		it.next, it.end = r.at+1, Position(r.nodes[r.at].next)
	}
	return it
}

// Name returns the name of the current member. One without escapes is a part of the text.
func (r *Reader) Name() []byte {
	text, n := r.text, &r.nodes[r.at]
	start, end := n.name, n.start-2
	if text[start] == '"' {
		return decoded(text[start+1 : stringEnd(text, int(start)+1)])
	}
	if text[end] != '"' { // there's white space around the colon
		end = start + uint32(bytes.IndexByte(text[start:], '"'))
	}
	return text[start:end]
}

// String returns the current value decoded, if that's a string.
func (r *Reader) String() string {
	if r.Peek() != '"' {
		return ""
	}
	n := &r.nodes[r.at]
	text := r.text[n.start+1 : n.end-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		r.scratch = appendDecoded(r.scratch[:0], text)
		text = r.scratch
	}
	return r.keep(text)
}

// Number returns the current value as written, if that's a number.
func (r *Reader) Number() string {
	if b := r.Peek(); b != '-' && !isDigit(b) {
		return ""
	}
	return r.keep(r.Raw())
}

// Blocks grow with the number of strings, up to a size that one stored string may keep in
// memory without harm.
const (
	smallestBlock = 160
	largestBlock  = 8 << 10
)

func (r *Reader) keep(text []byte) string {
	if r.kept.Cap()-r.kept.Len() < len(text) {
		size := min(max(2*r.kept.Cap(), smallestBlock), largestBlock)
		r.kept = strings.Builder{}
		r.kept.Grow(max(size, len(text)))
	}
	r.kept.Write(text)
	all := r.kept.String()
	return all[len(all)-len(text):]
}
