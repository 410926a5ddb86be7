package batch

import (
	"strings"
	"unicode"
)

// fold returns a text that is equal for texts that differ only in case, by the full case
// folding of Unicode. It is not a text to show.
func fold(s string) string {
	var b strings.Builder
	for _, c := range s {
		if long, ok := longFolds[c]; ok {
			for _, c := range long {
				b.WriteRune(simpleFold(c))
			}
		} else {
			b.WriteRune(simpleFold(c))
		}
	}
	return b.String()
}

// simpleFold returns the least of the characters that differ from c only in case.
func simpleFold(c rune) rune {
	least := c
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}

// longFolds are the characters that fold to several characters (status F in Unicode's
// CaseFolding.txt).
var longFolds = map[rune]string{
	'ß': "ss", 'İ': "i\u0307", 'ŉ': "\u02bcn", 'ǰ': "j\u030c", 'ΐ': "\u03b9\u0308\u0301",
	'ΰ': "\u03c5\u0308\u0301", 'և': "\u0565\u0582", 'ẖ': "h\u0331", 'ẗ': "t\u0308",
	'ẘ': "w\u030a", 'ẙ': "y\u030a", 'ẚ': "a\u02be", 'ẞ': "ss", 'ὐ': "\u03c5\u0313",
	'ὒ': "\u03c5\u0313\u0300", 'ὔ': "\u03c5\u0313\u0301", 'ὖ': "\u03c5\u0313\u0342",
	'ᾀ': "\u1f00\u03b9", 'ᾁ': "\u1f01\u03b9", 'ᾂ': "\u1f02\u03b9", 'ᾃ': "\u1f03\u03b9",
	'ᾄ': "\u1f04\u03b9", 'ᾅ': "\u1f05\u03b9", 'ᾆ': "\u1f06\u03b9", 'ᾇ': "\u1f07\u03b9",
	'ᾈ': "\u1f00\u03b9", 'ᾉ': "\u1f01\u03b9", 'ᾊ': "\u1f02\u03b9", 'ᾋ': "\u1f03\u03b9",
	'ᾌ': "\u1f04\u03b9", 'ᾍ': "\u1f05\u03b9", 'ᾎ': "\u1f06\u03b9", 'ᾏ': "\u1f07\u03b9",
	'ᾐ': "\u1f20\u03b9", 'ᾑ': "\u1f21\u03b9", 'ᾒ': "\u1f22\u03b9", 'ᾓ': "\u1f23\u03b9",
	'ᾔ': "\u1f24\u03b9", 'ᾕ': "\u1f25\u03b9", 'ᾖ': "\u1f26\u03b9", 'ᾗ': "\u1f27\u03b9",
	'ᾘ': "\u1f20\u03b9", 'ᾙ': "\u1f21\u03b9", 'ᾚ': "\u1f22\u03b9", 'ᾛ': "\u1f23\u03b9",
	'ᾜ': "\u1f24\u03b9", 'ᾝ': "\u1f25\u03b9", 'ᾞ': "\u1f26\u03b9", 'ᾟ': "\u1f27\u03b9",
	'ᾠ': "\u1f60\u03b9", 'ᾡ': "\u1f61\u03b9", 'ᾢ': "\u1f62\u03b9", 'ᾣ': "\u1f63\u03b9",
	'ᾤ': "\u1f64\u03b9", 'ᾥ': "\u1f65\u03b9", 'ᾦ': "\u1f66\u03b9", 'ᾧ': "\u1f67\u03b9",
	'ᾨ': "\u1f60\u03b9", 'ᾩ': "\u1f61\u03b9", 'ᾪ': "\u1f62\u03b9", 'ᾫ': "\u1f63\u03b9",
	'ᾬ': "\u1f64\u03b9", 'ᾭ': "\u1f65\u03b9", 'ᾮ': "\u1f66\u03b9", 'ᾯ': "\u1f67\u03b9",
	'ᾲ': "\u1f70\u03b9", 'ᾳ': "\u03b1\u03b9", 'ᾴ': "\u03ac\u03b9", 'ᾶ': "\u03b1\u0342",
	'ᾷ': "\u03b1\u0342\u03b9", 'ᾼ': "\u03b1\u03b9", 'ῂ': "\u1f74\u03b9", 'ῃ': "\u03b7\u03b9",
	'ῄ': "\u03ae\u03b9", 'ῆ': "\u03b7\u0342", 'ῇ': "\u03b7\u0342\u03b9", 'ῌ': "\u03b7\u03b9",
	'ῒ': "\u03b9\u0308\u0300", 'ΐ': "\u03b9\u0308\u0301", 'ῖ': "\u03b9\u0342",
	'ῗ': "\u03b9\u0308\u0342", 'ῢ': "\u03c5\u0308\u0300", 'ΰ': "\u03c5\u0308\u0301",
	'ῤ': "\u03c1\u0313", 'ῦ': "\u03c5\u0342", 'ῧ': "\u03c5\u0308\u0342", 'ῲ': "\u1f7c\u03b9",
	'ῳ': "\u03c9\u03b9", 'ῴ': "\u03ce\u03b9", 'ῶ': "\u03c9\u0342", 'ῷ': "\u03c9\u0342\u03b9",
	'ῼ': "\u03c9\u03b9", 'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st",
	'ﬆ': "st", 'ﬓ': "\u0574\u0576", 'ﬔ': "\u0574\u0565", 'ﬕ': "\u0574\u056b", 'ﬖ': "\u057e\u0576",
	'ﬗ': "\u0574\u056d",
}
