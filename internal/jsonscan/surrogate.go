package jsonscan

import (
	"bytes"
	"unicode/utf16"
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
			i += len(`\n`)
			continue
		}
		const size = len(`\ud83d`)
		if r := hex4(text[i+2:]); utf16.IsSurrogate(r) {
			rest := text[i+size:]
			if len(rest) < size || rest[0] != '\\' || rest[1] != 'u' || utf16.DecodeRune(r, hex4(rest[2:])) == '\uFFFD' {
				return i
			}
			i += size
		}
		i += size
	}
}
