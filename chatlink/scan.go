package chatlink

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isNumeric reports whether s contains a plus with digits, or six digits in all.
func isNumeric(s string) bool {
	const enough = 6
	digits, plus := 0, false
	for _, r := range s {
		switch {
		case isDigit(r):
			if digits++; plus || digits == enough {
				return true
			}
		case isPlus(r):
			plus = true
		case unicode.IsLetter(r), r == '\n':
			plus = false
		}
	}
	return false
}

func isDigit(r rune) bool { return unicode.Is(unicode.Nd, r) }

func isPlus(r rune) bool { return strings.ContainsRune("+＋﹢➕⁺₊", r) }

func isFormat(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || isFormat(r) }

func isAlphanumericRune(r rune) bool { return unicode.IsLetter(r) || isDigit(r) || r == '_' }

// isInToken reports whether a link or a word can contain r.
func isInToken(r rune) bool {
	return !unicode.IsSpace(r) && !strings.ContainsRune("\"<>`|\\“”„«»‹›[]{}", r)
}

// isAroundNumber reports whether r around a number says nothing.
func isAroundNumber(r rune) bool {
	return isBlank(r) || !isPlus(r) && (unicode.IsPunct(r) || unicode.IsSymbol(r)) && !strings.ContainsRune("@#%/\\", r) && !unicode.Is(unicode.Sc, r)
}

// numberSpan returns the length of the digits at the beginning of s with what separates their groups.
func numberSpan(s string) int {
	for i, r := range s {
		switch {
		case i == 0, isDigit(r), isFormat(r), unicode.Is(unicode.Zs, r), unicode.Is(unicode.Pd, r), strings.ContainsRune("-.()．（）−\u00ad", r):
		case r == '/' && isDigit(first(s[i+1:], nil)) && !strings.HasSuffix(s[:i], " "):
		default:
			return i
		}
	}
	return len(s)
}

// touchesNext reports whether digits belong to what follows them.
func touchesNext(after string) bool {
	r := first(after, isFormat)
	if r == 0 {
		return false
	}
	_, size := utf8.DecodeRuneInString(after)
	next := first(after[size:], nil)
	switch r {
	case ':', '.', ',', '\'', '’':
		return isDigit(next)
	case '?', '&', ';', ' ':
		return false
	}
	return isAlphanumericRune(r) || isPlus(r) || strings.ContainsRune("@%°/=#*\\", r) && r != '*' || unicode.Is(unicode.Sc, r)
}

// startsWithWord reports whether a word follows a space.
func startsWithWord(after string) bool {
	rest := strings.TrimLeft(after, " \u00a0")
	return len(rest) < len(after) && unicode.IsLetter(first(rest, nil)) || touchesNext(after)
}

// isDate reports whether s is written like a date: two numbers of at most two digits and a year, in
// any order, with one kind of symbol between them.
func isDate(s string) bool {
	for _, separator := range []string{".", "-", "/"} {
		parts := strings.Split(s, separator)
		if len(parts) != 3 {
			continue
		}
		years := 0
		for _, p := range parts {
			switch {
			case !isDigitsOnly(p), len(p) == 3, len(p) > 4:
				return false
			case len(p) == 4:
				years++
			}
		}
		return years <= 1
	}
	return false
}

func isDigitsOnly(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !isDigit(r) })
}

// digitsOf returns the ASCII digits of s.
func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// span returns the length of the characters at the beginning of s that are in a set.
func span(s string, in func(rune) bool) int {
	if i := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); i >= 0 {
		return i
	}
	return len(s)
}

// first returns the first character that isn't skipped, or 0.
func first(s string, skip func(rune) bool) rune {
	for _, r := range s {
		if skip == nil || !skip(r) {
			return r
		}
	}
	return 0
}

// accents lists letters with the accents that people leave out, after the letter without them.
var accents = strings.Fields("aàáâãäåāăą cçćĉċč dď eèéêëēĕėęě gĝğġģ hĥ iìíîïĩīĭį jĵ kķ lĺļľ nñńņň oòóôõöōŏő rŕŗř sśŝşšș tţťț uùúûüũūŭůűų wŵ yýÿŷ zźżž")

// withoutAccents returns s in small letters and without accents. Other letters stay as they are.
func withoutAccents(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		r = unicode.ToLower(r)
		for _, group := range accents {
			if r > unicode.MaxASCII && strings.ContainsRune(group, r) {
				return rune(group[0])
			}
		}
		return r
	}, s)
}
