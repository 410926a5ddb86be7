package jsonscan

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A keeper copies texts into strings. Many strings share one block of memory, which
// is only appended to, and left alone once it is full, so the strings stay valid.
type keeper struct {
	block strings.Builder
	size  int // the size of the last block
}

// Blocks grow with the number of texts, up to a size that one stored string may keep
// in memory without harm.
const (
	smallestBlock = 192
	largestBlock  = 8 << 10
)

// free returns how many more bytes fit into the block.
func (k *keeper) free() int { return k.block.Cap() - k.block.Len() }

// renew begins another block, with room for n bytes.
func (k *keeper) renew(n int) {
	k.size = min(max(2*k.size, smallestBlock), largestBlock)
	k.block = strings.Builder{}
	k.block.Grow(max(n, k.size))
}

func (k *keeper) keep(text []byte) string {
	if k.free() < len(text) {
		k.renew(len(text))
	}
	k.block.Write(text)
	all := k.block.String()
	return all[len(all)-len(text):]
}

// decode keeps what a string with escapes says. The escapes have been checked.
func (k *keeper) decode(escaped []byte) string {
	if k.free() < len(escaped) { // no text is longer than its escaped form
		k.renew(len(escaped))
	}
	start := k.block.Len()
	for len(escaped) > 0 {
		if escaped[0] != '\\' {
			end := bytes.IndexByte(escaped, '\\')
			if end < 0 {
				end = len(escaped)
			}
			k.block.Write(escaped[:end])
			escaped = escaped[end:]
			continue
		}
		var run [64]byte // escapes that follow each other
		n := 0
		for n <= len(run)-utf8.UTFMax && len(escaped) > 0 && escaped[0] == '\\' {
			if c := escaped[1]; c != 'u' {
				run[n] = shortEscapes[c]
				n++
				escaped = escaped[len(`\n`):]
				continue
			}
			c, size := decodeUnicode(escaped)
			n += utf8.EncodeRune(run[n:], c)
			escaped = escaped[size:]
		}
		k.block.Write(run[:n])
	}
	return k.block.String()[start:]
}

// decodeUnicode reads an escape with a \u. Half a surrogate pair without the other half
// reads U+FFFD.
func decodeUnicode(text []byte) (c rune, size int) {
	const escape = len(`\u0000`)
	c = hex4(text[2:])
	if !utf16.IsSurrogate(c) {
		return c, escape
	}
	if rest := text[escape:]; bytes.HasPrefix(rest, []byte(`\u`)) {
		if pair := utf16.DecodeRune(c, hex4(rest[2:])); pair != utf8.RuneError {
			return pair, 2 * escape
		}
	}
	return utf8.RuneError, escape
}
