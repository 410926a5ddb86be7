package phone_test

import (
	"regexp"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/phone"
)

// slashed contains texts with symbols, with the digits of the numbers read off by hand.
var slashed = map[string]string{
	"+1/650/5551234":           "16505551234",
	"+1_650_5551234":           "16505551234",
	"+1~6505551234":            "16505551234",
	"+1&6505551234":            "16505551234",
	"+1$6505551234":            "16505551234",
	`"16505551234"`:            "16505551234",
	"'+1 650 555 1234'":        "16505551234",
	"“+1 650 555 1234”":        "16505551234",
	"<+1·650|555:1234>":        "16505551234",
	`+1\650\5551234`:           "16505551234",
	"☎ +1 650 555 1234":        "16505551234",
	"☎\ufe0f +1 650 555 1234":  "16505551234",
	"📱+49 171 1234567!":        "491711234567",
	"+49/30/1234/5678":         "493012345678",
	"+49 171\u200b1234567":     "491711234567",
	"00/49 171 1234567":        "491711234567",
	"++49 171 1234567":         "491711234567",
	"+49 {171} 1234567":        "491711234567",
	"+376 312 345/346":         "",
	"+1 650 555 1234 ~ 99":     "",
	"+1 650 555 1234 & 5":      "",
	"+49 30 1234567/68":        "",
	"+49 30 1234567 | 1234568": "",
	"+49 {0} 171 1234567":      "",
	"+49 <0> 171 1234567":      "",
	"+49/0/171 1234567":        "",
	"49/0/171 1234567":         "",
	"650/555/1234":             "",
	"+999/12345678":            "",
	"+1 650 555 1234,":         "",
	"*+1 650 555 1234":         "",
	"+1 650\u2028555 1234":     "",
	"+1 650 555 123\xff4":      "",
	"+1 650 555 1234\u0301":    "",
}

func TestSymbols(t *testing.T) {
	for text, want := range slashed {
		n, err := phone.ParseDigits(text)
		require.Equal(t, want, n.String(), "%q: %v", text, err)
		require.Equal(t, want == "", err != nil, "%q", text)
	}
}

var invisible = regexp.MustCompile(`\A[` + ignorable + `]\z`)

// Every character between the digits of a number, before them and after them, by its Unicode
// category.
func TestEveryCharacter(t *testing.T) {
	const number = "16505551234" // possible, and no part of it is
	refused := func(r rune) bool {
		for _, bad := range ",;#*，；＃＊﹐﹔﹟﹡︐︔" { // NFKC gives , ; # or * for each
			if r == bad {
				return true
			}
		}
		return r == unicode.ReplacementChar
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.Is(unicode.Cs, r) || unicode.IsDigit(r) {
			continue
		}
		if r > 0x3100 && !unicode.In(r, unicode.P, unicode.S, unicode.Cf, unicode.Z, unicode.N) && r%97 != 0 {
			continue // a sample of the letters and of what isn't assigned
		}
		ignorable := invisible.MatchString(string(r))
		symbol := (unicode.In(r, unicode.P, unicode.S, unicode.Cf) || ignorable) && !refused(r)
		plus := symbol && unicode.Is(unicode.Sm, r) && (r == '+' || r == '＋' || r == '﹢' || r == '⁺' || r == '₊') || r == '➕'
		around := symbol || unicode.IsSpace(r) || unicode.Is(unicode.Z, r)
		for text, allowed := range map[string]bool{
			"+1650" + string(r) + "5551234": (symbol || unicode.Is(unicode.Zs, r)) && !plus,
			string(r) + "+" + number:        around,
			"+" + number + string(r):        around,
		} {
			n, err := phone.Parse(text)
			require.Equal(t, allowed, err == nil, "%U %q: %v", r, text, err)
			if allowed {
				require.Equal(t, number, n.String(), "%U", r)
			}
		}
	}
}
