// Package phonetext scans phone numbers as people write them.
package phonetext

import (
	"strings"
	"unicode"
)

// NotClosed indicates an open bracket instead of an invalid character.
const NotClosed rune = -1

// A Text contains the parts of a phone number.
type Text struct {
	Digits []byte
	Plus   bool // there is a plus before the digits
	Slash  int  // how many digits are before the slash, -1 if there is none
	Zero   int  // the index of a 0 alone in brackets, -1 if there is none
}

// Scan scans s and stores its digits in buffer if they fit. The grammar lists what's allowed,
// so that nothing else can merge two numbers:
//
//	number    = [ plus ] 1*( DIGIT / separator / "/" )
//	plus      = "+" / U+FF0B           ; brackets and spaces can be before it
//	separator = space / hyphen / "." / bracket
//
// Spaces are the characters in category Zs. Hyphens are "-", U+2010 to U+2015, U+2212 and
// U+FF0D. Brackets are ( ) [ ] U+FF08 U+FF09 in pairs around digits; they don't nest. White
// space and format characters around the number are ignored, because address books add
// direction marks.
//
// For other text, ok is false and bad is the first invalid character or [NotClosed].
func Scan(buffer []byte, s string) (text Text, bad rune, ok bool) {
	text = Text{Digits: buffer[:0], Slash: -1, Zero: -1}
	closing, opened := rune(0), 0
	for _, r := range strings.TrimFunc(s, isAround) {
		n := len(text.Digits)
		switch {
		case '0' <= r && r <= '9':
			text.Digits = append(text.Digits, byte(r))
		case (r == '+' || r == '＋') && n == 0 && !text.Plus:
			text.Plus = true
		case closing == 0 && closingOf(r) != 0:
			closing, opened = closingOf(r), n
		case closing != 0 && r == closing && n > opened:
			if n == opened+1 && text.Digits[opened] == '0' {
				text.Zero = opened
			}
			closing = 0
		case unicode.Is(unicode.Zs, r):
		case n > 0 && strings.ContainsRune("-.‐‑‒–—―−－", r):
		case n > 0 && r == '/' && text.Slash < 0 && closing == 0:
			text.Slash = n
		default:
			return text, r, false
		}
	}
	return text, NotClosed, closing == 0
}

func isAround(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

func closingOf(r rune) rune {
	switch r {
	case '(':
		return ')'
	case '[':
		return ']'
	case '（':
		return '）'
	default:
		return 0
	}
}
