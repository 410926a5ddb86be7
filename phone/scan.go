package phone

import (
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/problem"
)

// A text contains the parts of a number as somebody wrote it.
type text struct {
	digits  string   // in 0-9
	plus    bool     // there is a plus before the first digit
	zero    int      // the index of a 0 alone in brackets, -1 if there is none
	lead    int      // how many digits precede the first separator
	decimal int      // how many digits precede a final ".0", -1 if there is none
	whole   int      // how many of them stand together in front of it
	dash    int      // how many digits precede the last hyphen or dash
	doubts  []symbol // between the digits, in order
}

// A symbol may separate two numbers instead of the groups of one.
type symbol struct {
	char   rune
	before int // how many digits precede it
}

// scan reads the digits of s and drops everything that isn't part of a number. The rules are
// those of the package documentation. If s contains a character that can't be dropped, ok is
// false and bad is the first of them, at the index at.
func scan(s string) (t text, bad rune, at int, ok bool) {
	t.zero, t.decimal = -1, -1
	first, last := strings.IndexFunc(s, unicode.IsDigit), strings.LastIndexFunc(s, unicode.IsDigit)
	var buffer [2 + maxDigits]byte
	digits := buffer[:0]
	script := rune(0) // the digit zero of the digits
	opened := false   // there is an opening bracket before the next digit
	maybeZero := -1   // the index of a 0 after an opening bracket
	run := 0          // how many digits precede without a separator
	for i, r := range s {
		between := first < i && i < last
		switch zero, isDigit := zeroOf(r); {
		case isDigit:
			if script == 0 {
				script = zero
			}
			if zero != script {
				return t, r, i, false
			}
			maybeZero = -1
			if r == zero && opened {
				maybeZero = len(digits)
			}
			opened = false
			if r != zero {
				t.decimal = -1
			}
			digits = append(digits, byte('0'+r-zero))
			run++
			continue
		case strings.ContainsRune(dialCommands, r), r == unicode.ReplacementChar:
			return t, r, i, false
		case !between:
			if !isAround(r) {
				return t, r, i, false
			}
			t.plus = t.plus || i <= first && strings.ContainsRune(plusSigns, r)
		case strings.ContainsRune(plusSigns, r):
			return t, r, i, false
		case isIgnorable(r):
			continue
		case isSeparator(r):
			if unicode.Is(unicode.Pd, r) {
				t.dash = len(digits)
			}
			if isOpening(r) {
				t.doubts = append(t.doubts, symbol{r, len(digits)})
			}
		case isSymbol(r):
			t.doubts = append(t.doubts, symbol{r, len(digits)})
		default:
			return t, r, i, false
		}
		if between {
			t.decimal = -1
			if strings.ContainsRune(periods, r) && run > 0 {
				t.decimal, t.whole = len(digits), run
			}
		}
		if between && t.lead == 0 {
			t.lead = len(digits)
		}
		run = 0
		opened = opened || isOpening(r)
		if isClosing(r) && maybeZero >= 0 {
			t.zero = maybeZero
		}
	}
	if t.lead == 0 {
		t.lead = len(digits)
	}
	if len(digits) == len(s) && script == '0' {
		t.digits = s // nothing was dropped, so it need not be copied
	} else {
		t.digits = string(digits)
	}
	return t, 0, 0, true
}

const (
	plusSigns    = "+＋﹢➕⁺₊"
	dialCommands = ",;#*，；＃＊﹐﹔﹟﹡︐︔"

	periods = ".．"

	// U+202F and other spaces aren't here, but in category Zs.
	separators = "-‐‑‒–—―−－﹘﹣()（）" + periods
)

// zeroOf returns the digit zero of the script of a decimal digit. Unicode assigns the digits 0 to 9
// of a script in order, and the ranges of its table begin with a zero.
func zeroOf(digit rune) (zero rune, isDigit bool) {
	if digit <= unicode.MaxASCII {
		return '0', '0' <= digit && digit <= '9'
	}
	const digits = 10
	for _, r := range unicode.Nd.R16 {
		if lo := rune(r.Lo); lo <= digit && digit <= rune(r.Hi) {
			return digit - (digit-lo)%digits, true
		}
	}
	for _, r := range unicode.Nd.R32 {
		if lo := rune(r.Lo); lo <= digit && digit <= rune(r.Hi) {
			return digit - (digit-lo)%digits, true
		}
	}
	return 0, false
}

// isSymbol implements "any Unicode punctuation, symbol or format character".
func isSymbol(r rune) bool {
	return unicode.IsPunct(r) || unicode.IsSymbol(r) || unicode.Is(unicode.Cf, r)
}

// isIgnorable reports whether r is a Default_Ignorable_Code_Point, which is drawn as nothing.
func isIgnorable(r rune) bool {
	switch {
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return true
	case 0xfff9 <= r && r <= 0xfffb, 0x13430 <= r && r <= 0x1343f: // annotations and hieroglyphs
		return false
	default:
		return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
}

// isSeparator reports whether r separates the groups of one number.
func isSeparator(r rune) bool {
	return unicode.Is(unicode.Zs, r) || strings.ContainsRune(separators, r)
}

// isAround reports whether r is dropped before the first digit and after the last.
func isAround(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Z, r) || isSymbol(r) || isIgnorable(r)
}

func isOpening(r rune) bool { return r == '<' || unicode.In(r, unicode.Ps, unicode.Pi) }

func isClosing(r rune) bool { return r == '>' || unicode.In(r, unicode.Pe, unicode.Pf) }

// front returns t without the digits after the first n and what stands between them.
func (t text) front(n int) text {
	t.digits, t.lead, t.decimal, t.dash = t.digits[:n], min(t.lead, n), -1, 0
	if t.zero >= n {
		t.zero = -1
	}
	for len(t.doubts) > 0 && t.doubts[len(t.doubts)-1].before >= n {
		t.doubts = t.doubts[:len(t.doubts)-1]
	}
	return t
}

// A reader knows which digits are a number.
type reader interface {
	// complete reports whether digits are a possible number by themselves.
	complete(digits string) bool

	// suggest returns the number that a text contains, if it's possible and has no other reading.
	suggest(t text) problem.Suggestions
}

// checkEnd rejects a text whose end isn't part of the number in front of it, so that it never adds a
// digit to that number: a spreadsheet's ".0", a "(2)" in an address book, and "/68".
func (t text) checkEnd(r reader) error {
	const spreadsheet = 7 // with fewer digits, a period separates groups, as in French numbers
	if n := t.decimal; n >= 0 && (t.whole >= spreadsheet || r.complete(t.digits[:n])) {
		return reject("phone ends with %q, as spreadsheets write numbers; write it without", "."+t.digits[n:]).
			WithSuggestions(r.suggest(t.front(n)))
	}
	d, found := t.separatesNumbers(r.complete)
	if !found {
		return nil
	}
	e := rejectSymbol(d.char)
	if len(t.digits)-d.before <= maxExtra {
		e = e.WithSuggestions(r.suggest(t.front(d.before)))
	}
	return e
}

// maxExtra is how many digits after a symbol are probably no group of a number.
const maxExtra = 3

// separatesNumbers returns the first symbol that may separate two numbers, because complete
// reports that the digits before it are a number by themselves. If the same symbol also stands
// where no number ends, it separates groups, as in "+49/30/1234/5678", except before the last digits
// and if it's a bracket.
func (t text) separatesNumbers(complete func(digits string) bool) (symbol, bool) {
	groups := ""
	for _, d := range t.doubts {
		if strings.ContainsRune(groups, d.char) && len(t.digits)-d.before > maxExtra && !isOpening(d.char) {
			continue
		}
		if complete(t.digits[:d.before]) {
			return d, true
		}
		groups += string(d.char)
	}
	return symbol{}, false
}

// checkSymbols rejects symbols other than separators in an impossible number.
func (t text) checkSymbols(n Number) error {
	for _, d := range t.doubts {
		if !isSeparator(d.char) && len(n.Warnings()) > 0 {
			return rejectSymbol(d.char)
		}
	}
	return nil
}

// checkDash rejects an impossible number whose last digits follow a dash after a possible one, as in
// "+34 612 34 56 78 - 79". In a possible number, they are an extension that is dialed, as in Germany.
func (t text) checkDash(n Number) error {
	if len(t.digits)-t.dash > maxExtra || len(n.Warnings()) == 0 || !(international{}).complete(t.digits[:t.dash]) {
		return nil
	}
	return rejectSymbol('-').WithSuggestions(international{}.suggest(t.front(t.dash)))
}

func rejectSymbol(r rune) problem.Problem {
	return reject("phone contains %s, which can separate two numbers; write one number without it", show(r))
}
