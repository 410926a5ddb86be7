// Package jsonscan parses JSON texts strictly and reads only the requested values.
//
// [Parse] accepts exactly one value (RFC 8259) in UTF-8. It rejects an object that contains
// a name twice, compared after decoding, and more than [MaxDepth] nested arrays and objects.
// An unpaired surrogate such as "\ud83d" is accepted and decodes to U+FFFD.
//
// A [Reader] then walks through the valid text, so it can't fail:
//
//	for it := r.Members(); it.Next(); {
//		if string(r.Name()) == "id" {
//			id = r.String()
//		}
//	}
package jsonscan

import (
	"bytes"
	"strings"
)

// A Reader reads a text's values, starting at the outermost. It must not be copied after its
// first use.
type Reader struct {
	text    []byte
	names   []byte // decoded names
	nodes   []node
	at      Position
	kept    strings.Builder // the current block of returned strings
	scratch []byte
}

// A Position identifies a member's value or an array's object. The outermost value is at 0.
type Position uint32

// Position returns the current value's position.
func (r *Reader) Position() Position { return r.at }

// Seek makes the value at p the current value.
func (r *Reader) Seek(p Position) { r.at = p }

// Find moves to the member at a path below the value at p, and reports whether it exists.
func (r *Reader) Find(p Position, path ...string) bool {
	r.at = p
next:
	for _, name := range path {
		for it := r.Members(); it.Next(); {
			if string(r.Name()) == name {
				continue next
			}
		}
		return false
	}
	return true
}

// Raw returns the current value as written, without spare capacity.
func (r *Reader) Raw() []byte {
	n := &r.nodes[r.at]
	end := n.end &^ escaped
	return r.text[n.start:end:end]
}

// Peek returns the current value's first byte, one of {["tfn-0123456789.
func (r *Reader) Peek() byte { return r.text[r.nodes[r.at].start] }

// An Iterator moves a reader through an object's members or an array's objects.
type Iterator struct {
	r                 *Reader
	parent, next, end Position
}

// Next moves to the next member or object. After the last it moves back to where the
// iterator started and returns false.
func (it *Iterator) Next() bool {
	if it.next >= it.end {
		it.r.at = it.parent
		return false
	}
	it.r.at = it.next
	it.next = Position(it.r.nodes[it.next].next)
	return true
}

// Members iterates over the current value's members. Only an object contains any.
func (r *Reader) Members() Iterator { return r.inside('{') }

// Objects iterates over the objects in the current value. Only an array contains any.
func (r *Reader) Objects() Iterator { return r.inside('[') }

// IsMixed reports whether the current value is an array with other elements than objects, which
// no iterator visits.
func (r *Reader) IsMixed() bool { return r.Peek() == '[' && r.nodes[r.at].end&mixed != 0 }

func (r *Reader) inside(bracket byte) Iterator {
	it := Iterator{r: r, parent: r.at}
	if r.Peek() == bracket {
		it.next, it.end = r.at+1, Position(r.nodes[r.at].next)
	}
	return it
}

// Name returns the current member's decoded name, which should be copied to retain it.
func (r *Reader) Name() []byte { return r.nodes[r.at].name.in(r.text, r.names) }

// String returns the current value decoded. Values other than strings are empty.
func (r *Reader) String() string {
	n := &r.nodes[r.at]
	if r.text[n.start] != '"' {
		return ""
	}
	text := r.text[n.start+1 : n.end&^escaped-1]
	if n.end&escaped != 0 && bytes.IndexByte(text, '\\') >= 0 {
		r.scratch = appendDecoded(r.scratch[:0], text)
		text = r.scratch
	}
	return r.keep(text)
}

// Number returns the current value as written. Values other than numbers are empty.
func (r *Reader) Number() string {
	if b := r.Peek(); b != '-' && !isDigit(b) {
		return ""
	}
	return r.keep(r.Raw())
}

// keep copies text to a block that grows with the number of strings, up to 8 KiB.
func (r *Reader) keep(text []byte) string {
	if r.kept.Cap()-r.kept.Len() < len(text) {
		size := min(max(2*r.kept.Cap(), 256), 8<<10)
		r.kept = strings.Builder{}
		r.kept.Grow(max(size, len(text)))
	}
	r.kept.Write(text)
	all := r.kept.String()
	return all[len(all)-len(text):]
}
