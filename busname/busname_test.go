package busname_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
)

var (
	_ encoding.TextMarshaler   = busname.Username{}
	_ encoding.TextUnmarshaler = (*busname.Username)(nil)
)

func TestParseVectors(t *testing.T) {
	file, err := vectors.Load[string, string]("username_parse.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			u, err := busname.Parse(v.Input)
			require.Equal(t, v.Codes, busname.Validate(v.Input).Codes())
			if v.Output == nil {
				require.ErrorIs(t, err, v.Codes[0])
				require.Zero(t, u)
				return
			}
			require.NoError(t, err)
			require.NotZero(t, u)
			require.Equal(t, *v.Output, u.String())
		})
	}
}

func TestMessages(t *testing.T) {
	for input, want := range map[string]string{
		"ab":                   `username has 2 characters; the length must be 3-35 characters`,
		"a":                    `username has 1 character; the length must be 3-35 characters`,
		"Ann":                  `username contains "A"; only lowercase letters are allowed (did you mean ann?)`,
		"Zoe":                  `username contains "Z"; only lowercase letters are allowed (did you mean zoe?)`,
		"Jane":                 `username contains "J"; only lowercase letters are allowed (did you mean jane?)`,
		"@jane":                `username contains "@"; only a-z, 0-9, periods and underscores are allowed (did you mean jane?)`,
		"@Jane":                `username contains "@"; only a-z, 0-9, periods and underscores are allowed (did you mean jane?)`,
		"@@jane":               `username contains "@"; only a-z, 0-9, periods and underscores are allowed`,
		" jane":                `username contains white space (" "); only a-z, 0-9, periods and underscores are allowed (did you mean jane?)`,
		"jane\n":               `username contains white space ("\n"); only a-z, 0-9, periods and underscores are allowed (did you mean jane?)`,
		"\u200b@Jane\u00a0":    "username contains \"\\u200b\"; only a-z, 0-9, periods and underscores are allowed (did you mean jane?)",
		"https://jane":         `username contains ":"; only a-z, 0-9, periods and underscores are allowed`,
		"http://www.jane/":     `username contains ":"; only a-z, 0-9, periods and underscores are allowed`,
		"https://wa.me/jane":   `username contains ":"; only a-z, 0-9, periods and underscores are allowed (did you mean jane?)`,
		"http://www.wa.me/Jo.": `username contains ":"; only a-z, 0-9, periods and underscores are allowed`,
		"wa.me/jane?text=Hi#x": `username contains "/"; only a-z, 0-9, periods and underscores are allowed (did you mean jane?)`,
		"WA.me/jane/":          `username contains "W"; only lowercase letters are allowed (did you mean jane?)`,
		"jane doe":             `username contains white space (" "); only a-z, 0-9, periods and underscores are allowed`,
		"José":                 `username contains "J"; only lowercase letters are allowed`,
		"josé":                 `username contains "é"; the only letters allowed are a-z, without accents`,
		"jos\xe9":              `username contains "\xe9"; only a-z, 0-9, periods and underscores are allowed`,
		"\u212aelvin":          "username contains \"\u212a\"; the only letters allowed are a-z, without accents",
		"@1234":                `username contains "@"; only a-z, 0-9, periods and underscores are allowed`,
		"jane\x00":             `username contains "\x00"; only a-z, 0-9, periods and underscores are allowed`,
		"1234":                 `username has no letter; at least one is required`,
		"jane.":                `username begins or ends with a period; remove it`,
		"ja..ne":               `username has two periods in a row; only single ones are allowed`,
		"www.jane":             `username begins with "www.", like a web address; that is not allowed`,
		"jane.html":            `username ends with ".html", like a web address or file; that is not allowed`,
	} {
		require.Equal(t, want, busname.Validate(input)[0].Message, "%q", input)
	}
}

func TestReservedSuffixes(t *testing.T) {
	for _, suffix := range strings.Fields(".com .org .net .int .edu .gov .mil .us .in .html .arpa .htm .txt .xml") {
		require.ErrorIs(t, busname.Validate("jane"+suffix).Err(), busname.CodeReservedSuffix, suffix)
		require.ErrorIs(t, busname.Validate(suffix).Err(), busname.CodeReservedSuffix, suffix)
		require.Empty(t, busname.Validate("jane"+suffix[1:]), suffix)
	}
}

func TestWarnings(t *testing.T) {
	require.Empty(t, busname.Username{}.Warnings())
	require.Empty(t, busname.MustParse("jane.doe").Warnings())
	require.Equal(t, []problem.Code{"username_router_word"}, busname.MustParse("message").Warnings().Codes())
	require.Empty(t, busname.MustParse("message.jane").Warnings())
	for _, brand := range strings.Fields("whatsapp instagram facebook oculus") {
		require.Equal(t, []problem.Code{"username_brand_word"}, busname.MustParse("my."+brand).Warnings().Codes())
	}
	require.Len(t, busname.MustParse("whatsapp.oculus").Warnings(), 2)
	for _, name := range []string{"jane.io", "jane.ai"} {
		require.Equal(t, []problem.Code{"username_business_suffix"}, busname.MustParse(name).Warnings().Codes(), name)
	}
	require.Empty(t, busname.MustParse("jane_io").Warnings())
}

func TestZeroValueAndTextRoundTrip(t *testing.T) {
	var zero busname.Username
	require.Empty(t, zero.String())

	for _, name := range []string{"", "jane.doe"} {
		text, err := json.Marshal(name)
		require.NoError(t, err)
		var u busname.Username
		require.NoError(t, json.Unmarshal(text, &u))
		require.Equal(t, name, u.String())
		again, err := json.Marshal(u)
		require.NoError(t, err)
		require.Equal(t, text, again)
	}

	u := busname.MustParse("jane")
	require.ErrorIs(t, json.Unmarshal([]byte(`"@jane"`), &u), busname.CodeInvalidChars)
	require.Equal(t, "jane", u.String(), "a failed Unmarshal leaves the value alone")
	require.Panics(t, func() { busname.MustParse("@jane") })
}

func TestAllocations(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := busname.Parse("jane.doe_1990"); err != nil {
			t.Fail()
		}
	}))
}

// The second form of the rules, one regular expression each.
var rules = []struct {
	code   problem.Code
	broken *regexp.Regexp
}{
	{"username_no_letter", regexp.MustCompile(`\A[^a-zA-Z]*\z`)},
	{"username_edge_period", regexp.MustCompile(`\A\.|\.\z`)},
	{"username_double_period", regexp.MustCompile(`\.\.`)},
	{"username_starts_with_www", regexp.MustCompile(`\A[wW]{3}\.`)},
	{
		"username_reserved_suffix",
		regexp.MustCompile(`\.(?:[cC][oO][mM]|[oO][rR][gG]|[nN][eE][tT]|[iI][nN][tT]|[eE][dD][uU]|[gG][oO][vV]|[mM][iI][lL]|[uU][sS]|[iI][nN]|[hH][tT][mM][lL]?|[aA][rR][pP][aA]|[tT][xX][tT]|[xX][mM][lL])\z`),
	},
}

func FuzzUsername(f *testing.F) {
	for _, name := range []string{"username_parse.json", "username_reasons.json"} {
		file, err := vectors.Load[string, any](name)
		require.NoError(f, err)
		for _, v := range file.Vectors {
			f.Add(v.Input)
		}
	}
	f.Add("jos\xe9")
	valid := regexp.MustCompile(`\A[a-z0-9._]*\z`)
	f.Fuzz(func(t *testing.T, s string) {
		var want []problem.Code
		if n := utf8.RuneCountInString(s); n < 3 || n > 35 {
			want = append(want, "username_length")
		}
		if !valid.MatchString(s) {
			want = append(want, "username_invalid_chars")
		}
		for _, rule := range rules {
			if rule.broken.MatchString(s) {
				want = append(want, rule.code)
			}
		}
		list := busname.Validate(s)
		require.Equal(t, want, list.Codes())

		u, err := busname.Parse(s)
		require.Equal(t, len(list) == 0, err == nil)
		if err == nil {
			require.Equal(t, s, u.String())
		}
		for _, p := range list {
			require.Equal(t, "username", p.Field)
			require.True(t, utf8.ValidString(p.Message), "a message can always be put into JSON")
			if _, meant, ok := strings.Cut(p.Message, "did you mean "); ok {
				require.Empty(t, busname.Validate(strings.TrimSuffix(meant, "?)")), "a suggestion is valid")
			}
		}
	})
}

// The characters just outside and just inside of each range of the grammar.
func TestEdgesOfTheAlphabet(t *testing.T) {
	for c := range 128 {
		name := "ab" + string(rune(c))
		allowed := 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_'
		require.Equal(t, allowed, len(busname.Validate(name)) == 0, "%q", name)
		isLetter := 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		require.Equal(t, !isLetter, slices.Contains(busname.Validate("12"+string(rune(c))).Codes(), busname.CodeNoLetter), "%q", name)
	}
	require.Empty(t, busname.Validate("www"), "shorter than the refused beginning")
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = busname.Parse("jane.doe_1990")
	}
}

func ExampleParse() {
	_, err := busname.Parse("@Jane")
	fmt.Println(err)
	u, err := busname.Parse("jane")
	fmt.Println(u, err)
	// Output:
	// username contains "@"; only a-z, 0-9, periods and underscores are allowed (did you mean jane?)
	// jane <nil>
}

func ExampleValidate() {
	for _, p := range busname.Validate(".a") {
		fmt.Println(p.Code)
	}
	// Output:
	// username_length
	// username_edge_period
}

func ExampleUsername_Warnings() {
	for _, w := range busname.MustParse("whatsapp.fan").Warnings() {
		fmt.Println(w.Code, w.Message)
	}
	// Output: username_brand_word username contains "whatsapp", which WhatsApp may reject
}

func ExampleMustParse() {
	fmt.Println(busname.MustParse("jane.doe"))
	// Output: jane.doe
}

func TestParseHandle(t *testing.T) {
	for written, want := range map[string]string{
		"jane.doe": "jane.doe", "@Jane.Doe": "jane.doe", " @JANE\n": "jane", "\u2066@jane\u2069": "jane", "Zoe_Zed": "zoe_zed",
	} {
		u, err := busname.ParseHandle(written)
		require.NoError(t, err, written)
		require.Equal(t, want, u.String())
	}
	for _, written := range []string{"", "@", "@@jane", "@ jane", "Jané", "US.13491208655302741918", "@US.ENT.13491208655302741918", "\u212aate"} {
		u, err := busname.ParseHandle(written)
		require.Error(t, err, written)
		require.Zero(t, u)
	}
	require.NotContains(t, busname.Validate("US.13491208655302741918")[0].Message, "did you mean", "a BSUID in lowercase is somebody else's username")
}

func ExampleParseHandle() {
	u, err := busname.ParseHandle("@Jane.Doe") // as displayed, or from a webhook
	fmt.Println(u, err)
	// Output: jane.doe <nil>
}
