package jsonscan

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// LoneSurrogate returns the offset of the first escape of half a surrogate pair, such
// as \ud83d without \ude00 behind it, or -1. The text must be valid JSON. Every such
// escape is six bytes long.
func LoneSurrogate(text []byte) int {
	for i := 0; ; {
		next := bytes.IndexByte(text[i:], '\\')
		if next < 0 {
			return -1
		}
		i += next
		if text[i+1] != 'u' {
			i += shortEscape
			continue
		}
		first := hex4((*[unicodeEscape]byte)(text[i:]))
		i += unicodeEscape
		if utf16.IsSurrogate(first) {
			if _, ok := secondHalf(first, text[i:]); !ok {
				return i - unicodeEscape
			}
			i += unicodeEscape
		}
	}
}

// secondHalf returns the character of a surrogate pair with this first half, if the rest of
// the text begins with the other half.
func secondHalf(first rune, rest []byte) (c rune, ok bool) {
	if len(rest) < unicodeEscape || rest[0] != '\\' || rest[1] != 'u' {
		return utf8.RuneError, false
	}
	c = utf16.DecodeRune(first, hex4((*[unicodeEscape]byte)(rest)))
	return c, c != utf8.RuneError
}
