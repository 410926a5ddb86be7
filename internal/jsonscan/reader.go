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
//			for range r.Elements {
//				…
//			}
//		}
//	}
package jsonscan

import (
	"bytes"
	"strings"
)

// A Reader reads the values of a text. It must not be copied after its first use.
type Reader struct {
	text       []byte
	containers []container
	at         Position
	kept       strings.Builder // strings share blocks of memory, which are only appended to
	scratch    []byte
}

// A Position is the start of a value or, once it has been read, its end. The zero Position
// is that of no member and no element.
type Position struct {
	offset    uint32
	container uint32 // the index of the first container that starts there or later
}

// Position returns the current position.
func (r *Reader) Position() Position { return r.at }

// Seek goes to a position that Position has returned.
func (r *Reader) Seek(p Position) { r.at = p }

// Since returns the text from a position to the current one, without spare capacity.
func (r *Reader) Since(p Position) []byte { return r.text[p.offset:r.at.offset:r.at.offset] }

// Progress returns how much of the text has been read, from 0 to 1.
func (r *Reader) Progress() float64 { return float64(r.at.offset) / float64(len(r.text)) }

// Peek returns the first byte of the next value, which shows its kind: one of
//
//	{ [ " t f n - 0 1 2 3 4 5 6 7 8 9
func (r *Reader) Peek() byte { return r.text[r.at.offset] }

// Members reads the next value if it's an object: it yields the name of each member, and
// then skips the value unless the body of the loop has read it. It leaves any other value
// unread. A loop that ends early skips the remaining members. A name without escapes is a
// part of the text.
func (r *Reader) Members(yield func(name []byte) bool) {
	if r.Peek() != '{' {
		return
	}
	wanted := true
	for i, more := r.open('}'); more; i, more = r.comma('}') {
		start := i + 1
		i = plain(r.text, start)
		name := r.text[start:i]
		if r.text[i] != '"' {
			i = stringEnd(r.text, start)
			name = decoded(r.text[start:i])
		}
		if i++; r.text[i] != ':' {
			i = space(r.text, i)
		}
		i = space(r.text, i+1)
		r.at.offset = uint32(i)
		wanted = wanted && yield(name)
		if r.at.offset == uint32(i) {
			r.Skip()
		}
	}
}

// Elements is [Reader.Members] for an array.
func (r *Reader) Elements(yield func() bool) {
	if r.Peek() != '[' {
		return
	}
	wanted := true
	for i, more := r.open(']'); more; i, more = r.comma(']') {
		r.at.offset = uint32(i)
		wanted = wanted && yield()
		if r.at.offset == uint32(i) {
			r.Skip()
		}
	}
}

// open goes into the next container and returns the offset of the first member or element.
func (r *Reader) open(closing byte) (i int, more bool) {
	r.at.container++
	i = space(r.text, int(r.at.offset)+1)
	if r.text[i] == closing {
		r.at.offset = uint32(i + 1)
		return i, false
	}
	return i, true
}

// comma returns the offset of the next member or element, or goes to the container's end.
func (r *Reader) comma(closing byte) (i int, more bool) {
	i = space(r.text, int(r.at.offset))
	if r.text[i] == closing {
		r.at.offset = uint32(i + 1)
		return i, false
	}
	return space(r.text, i+1), true
}

// Skip skips the next value.
func (r *Reader) Skip() {
	i := int(r.at.offset)
	switch r.text[i] {
	case '"':
		i = stringEnd(r.text, i+1) + 1
	case '{', '[':
		c := r.containers[r.at.container]
		r.at = Position{c.end, c.next}
		return
	default: // a number or a word
		for i < len(r.text) && r.text[i] != ',' && r.text[i] != '}' && r.text[i] != ']' && r.text[i] > ' ' {
			i++
		}
	}
	r.at.offset = uint32(i)
}

// String reads the next value if it's a string, and returns it decoded. It leaves any
// other value unread.
func (r *Reader) String() string {
	if r.Peek() != '"' {
		return ""
	}
	start := int(r.at.offset) + 1
	end := plain(r.text, start)
	if r.text[end] != '"' {
		end = stringEnd(r.text, start)
	}
	r.at.offset = uint32(end + 1)
	text := r.text[start:end]
	if bytes.IndexByte(text, '\\') >= 0 {
		r.scratch = appendDecoded(r.scratch[:0], text)
		text = r.scratch
	}
	return r.keep(text)
}

// Number reads the next value if it's a number, and returns it as written. It leaves any
// other value unread.
func (r *Reader) Number() string {
	if b := r.Peek(); b != '-' && !isDigit(b) {
		return ""
	}
	start := r.at
	r.Skip()
	return r.keep(r.Since(start))
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
