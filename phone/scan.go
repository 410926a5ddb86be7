package phone

import (
	"strings"
	"unicode"
)

// A text contains the parts of a number as somebody wrote it.
type text struct {
	digits string
	plus   bool     // there is a plus before the first digit
	zero   int      // the index of a 0 alone in brackets, -1 if there is none
	doubts []symbol // between the digits, in order
}

// A symbol may separate two numbers instead of the groups of one.
type symbol struct {
	char   rune
	before int // how many digits precede it
}

// scan reads the digits of s and drops everything that isn't part of a number. The rules are
// those of the package documentation. If s contains a character that can't be dropped, ok is
// false and bad is the first of them.
func scan(s string) (t text, bad rune, ok bool) {
	t.zero = -1
	first, last := strings.IndexFunc(s, isDigit), strings.LastIndexFunc(s, isDigit)
	var buffer [2 + maxDigits]byte
	digits := buffer[:0]
	opened := false // there is an opening bracket before the next digit
	maybeZero := -1 // the index of a 0 after an opening bracket
	for i, r := range s {
		between := first < i && i < last
		switch {
		case isDigit(r):
			maybeZero = -1
			if r == '0' && opened {
				maybeZero = len(digits)
			}
			opened = false
			digits = append(digits, byte(r))
			continue
		case strings.ContainsRune(dialCommands, r), r == unicode.ReplacementChar:
			return t, r, false
		case !between:
			if !isAround(r) {
				return t, r, false
			}
			t.plus = t.plus || i <= first && strings.ContainsRune(plusSigns, r)
		case strings.ContainsRune(plusSigns, r):
			return t, r, false
		case isSeparator(r):
		case isSymbol(r):
			t.doubts = append(t.doubts, symbol{r, len(digits)})
		default:
			return t, r, false
		}
		opened = opened || isOpening(r)
		if isClosing(r) && maybeZero >= 0 {
			t.zero = maybeZero
		}
	}
	if len(digits) == len(s) {
		t.digits = s // nothing was dropped, so it need not be copied
	} else {
		t.digits = string(digits)
	}
	return t, 0, true
}

const (
	plusSigns    = "+＋﹢➕⁺₊"
	dialCommands = ",;#*，；＃＊﹐﹔﹟﹡︐︔"

	// U+202F and other spaces aren't here, but in category Zs.
	separators = "-\u00ad‐‑‒–—―−－﹘﹣.．()（）"

	// Emoji such as U+260E are often followed by one of these.
	variationSelectors = "\ufe0e\ufe0f"
)

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// isSymbol implements "any Unicode punctuation, symbol or format character".
func isSymbol(r rune) bool {
	return unicode.IsPunct(r) || unicode.IsSymbol(r) || unicode.Is(unicode.Cf, r)
}

// isSeparator reports whether r separates the groups of one number.
func isSeparator(r rune) bool {
	return unicode.Is(unicode.Zs, r) || strings.ContainsRune(separators, r) || unicode.Is(unicode.Bidi_Control, r)
}

// isAround reports whether r is dropped before the first digit and after the last.
func isAround(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Z, r) || isSymbol(r) || strings.ContainsRune(variationSelectors, r)
}

func isOpening(r rune) bool { return r == '<' || unicode.In(r, unicode.Ps, unicode.Pi) }

func isClosing(r rune) bool { return r == '>' || unicode.In(r, unicode.Pe, unicode.Pf) }

// separatesNumbers returns the first symbol that may separate two numbers, because complete
// reports that the digits before it are a number by themselves. If the same symbol also stands
// where no number ends, it separates groups, as in "+49/30/1234/5678".
func (t text) separatesNumbers(complete func(digits string) bool) (rune, bool) {
	groups := ""
	for _, d := range t.doubts {
		if strings.ContainsRune(groups, d.char) {
			continue
		}
		if complete(t.digits[:d.before]) {
			return d.char, true
		}
		groups += string(d.char)
	}
	return 0, false
}
