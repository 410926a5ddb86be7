package contact

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/bsuid"
)

// A Person holds the known ids and names of one person, such as those in a webhook or in
// a customer database. Each of them may be missing. The strings are not normalized.
type Person struct {
	IDs
	Username    string `json:"username,omitempty"` // a leading "@" makes no difference
	DisplayName string `json:"displayName,omitempty"`
}

// labelTail is the number of characters at the end of a BSUID that its label shows.
const labelTail = 4

// Label returns a name of p to display: the display name, otherwise the username with
// "@", otherwise the phone number with "+", otherwise the BSUID's country and last four
// characters, as in "US…1918". Names without a visible character are skipped, and control
// characters that would change the direction of the text around the label are removed.
//
// Label returns "" if none of them is known. A group ID in Phone is ignored; other text in
// the fields of [IDs] is the label of last resort. Different people can have the same
// label, so don't use it as a key.
func (p Person) Label() string {
	if name := visible(p.DisplayName); name != "" {
		return name
	}
	if name := visible(strings.TrimPrefix(visible(p.Username), "@")); name != "" {
		return "@" + name
	}
	if address, ok := p.PhoneAddress(); ok {
		return "+" + address.Value
	}
	ids := []string{p.BSUID, p.Phone, p.ParentBSUID}
	if i := slices.IndexFunc(ids, bsuid.IsBSUID); i >= 0 {
		return shortBSUID(ids[i])
	}
	for _, id := range ids {
		if label := visible(id); label != "" && !strings.HasSuffix(label, "@g.us") {
			return label
		}
	}
	return ""
}

// visible returns s without white space around it and without bidirectional controls, or
// "" if nothing of it can be seen.
func visible(s string) string {
	if !strings.ContainsFunc(s, isVisible) {
		return ""
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.IsControl(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		default:
			return r
		}
	}, s))
}

// isVisible reports whether r has ink of its own. The Hangul fillers are letters, but blank.
func isVisible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && !strings.ContainsRune(blanks, r)
}

// blanks are letters and symbols without ink: the blank Braille pattern, the place of an
// embedded object, the null notehead, and the blanks between hieroglyphs.
const blanks = "\u2800\ufffc\U0001D159\U00013441\U00013442"

// shortBSUID returns the country and the last characters of a BSUID, or the whole BSUID
// if it is short.
func shortBSUID(id string) string {
	b, err := bsuid.ParseAlphanumeric(id)
	if err != nil || len(b.ID()) <= 2*labelTail {
		return id
	}
	return b.CountryCode() + "…" + id[len(id)-labelTail:]
}
