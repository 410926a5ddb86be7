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
//	for name := range r.Members {
//		switch string(name) {
//		case "id":
//			id = r.String()
//		case "list":
//			for range r.Objects {
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

// Members yields the name of each member of the current value, if that's an object. The
// member's value is the current one inside the loop. A name without escapes is a part of
// the text.
func (r *Reader) Members(yield func(name []byte) bool) {
	if r.Peek() != '{' {
		return
	}
	object := r.at
	for i, end := object+1, r.nodes[object].next; uint32(i) < end; i = Position(r.nodes[i].next) {
		r.at = i
		if !yield(r.name(&r.nodes[i])) {
			break
		}
	}
	r.at = object
}

func (r *Reader) name(n *node) []byte {
	if r.text[n.name] == '"' {
		return decoded(r.text[n.name+1 : stringEnd(r.text, int(n.name)+1)])
	}
	end := n.start - 2
	if r.text[end] != '"' || r.text[end+1] != ':' { // there's white space around the colon
		end = n.name + uint32(bytes.IndexByte(r.text[n.name:], '"'))
	}
	return r.text[n.name:end]
}

// Objects yields for each object in the current value, if that's an array. The object is
// the current value inside the loop.
func (r *Reader) Objects(yield func() bool) {
	if r.Peek() != '[' {
		return
	}
	array := r.at
	for i, end := array+1, r.nodes[array].next; uint32(i) < end; i = Position(r.nodes[i].next) {
		if r.at = i; r.Peek() == '{' && !yield() {
			break
		}
	}
	r.at = array
}

// String returns the current value decoded, if that's a string.
func (r *Reader) String() string {
	if r.Peek() != '"' {
		return ""
	}
	text := r.Raw()
	text = text[1 : len(text)-1]
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
