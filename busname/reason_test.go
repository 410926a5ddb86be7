package busname_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/internal/check/vectors"
)

func TestReasonsVectors(t *testing.T) {
	file, err := vectors.Load[string, []busname.Reason]("username_reasons.json")
	require.NoError(t, err)
	given := map[busname.Reason]bool{}
	for _, v := range file.Vectors {
		require.Equal(t, *v.Output, busname.Reasons(v.Input), v.ID)
		for _, reason := range *v.Output {
			given[reason] = true
		}
	}
	require.Len(t, given, 9, "every reason occurs")
	require.Equal(t, []busname.Reason{"too_short", "uppercase_letter", "leading_or_trailing_dot"}, busname.Reasons("A."))
	require.Equal(t, []busname.Reason{"leading_www", "reserved_domain_suffix"}, busname.Reasons("www.jane.com"))
	require.Equal(t, []busname.Reason{"uppercase_letter", "leading_www"}, busname.Reasons("wWwjane"))
	require.Equal(t, []busname.Reason{"leading_www"}, busname.Reasons("www"))
	require.Empty(t, busname.Reasons("wwxjane"))
	require.Equal(t, []busname.Reason{"uppercase_letter"}, busname.Reasons("AZaz09"))
}

func TestValidateBusinessAddsOneProblemToValidate(t *testing.T) {
	for name, position := range map[string]int{"wwwjane": 0, "WWW": 1, "wwwjane..com": 1, "wwwjane.com": 0} {
		list, added := busname.Validate(name), busname.ValidateBusiness(name)
		require.Equal(t, busname.CodeLeadingWWW, added[position].Code, name)
		require.Equal(t, list.Codes(), slices.Delete(added, position, position+1).Codes(), name)
	}
	for _, name := range []string{"jane", "www.jane", "WWW.Jane.COM", "wwxjane", "ww", "..", ""} {
		require.Equal(t, busname.Validate(name), busname.ValidateBusiness(name), name)
	}
}

// The second form of the rules, one regular expression each.
var reasonRules = []struct {
	reason busname.Reason
	broken *regexp.Regexp
}{
	{"too_short", regexp.MustCompile(`(?s)\A.{0,2}\z`)},
	{"too_long", regexp.MustCompile(`(?s)\A.{36,}\z`)},
	{"invalid_character", regexp.MustCompile(`[^a-zA-Z0-9._]`)},
	{"uppercase_letter", regexp.MustCompile(`\A[a-zA-Z0-9._]*[A-Z][a-zA-Z0-9._]*\z`)},
	{"no_letter", regexp.MustCompile(`\A[^a-zA-Z]*\z`)},
	{"leading_or_trailing_dot", regexp.MustCompile(`\A\.|\.\z`)},
	{"consecutive_dots", regexp.MustCompile(`\.\.`)},
	{"leading_www", regexp.MustCompile(`\A[wW]{3}`)},
	{"reserved_domain_suffix", regexp.MustCompile(`\.(?i:com|org|net|int|edu|gov|mil|us|in|html?|arpa|txt|xml)\z`)},
}

func FuzzReasons(f *testing.F) {
	for _, s := range []string{"jane", "www.Jane.COM", "..", "a.\u212aom", "jos\xe9", "x.uſ", "WWW", "123[", "jane@Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := []busname.Reason{}
		for _, rule := range reasonRules {
			broken := rule.broken.MatchString(s)
			if rule.reason == "reserved_domain_suffix" {
				broken = broken && utf8.RuneCountInString(s[strings.LastIndexByte(s, '.'):]) == len(s)-strings.LastIndexByte(s, '.')
			}
			if broken {
				want = append(want, rule.reason)
			}
		}
		require.Equal(t, want, busname.Reasons(s))
	})
}

func ExampleValidateBusiness() {
	for _, p := range busname.ValidateBusiness("wwwjane") {
		fmt.Println(p)
	}
	// Output:
	// username begins with www, which isn't allowed for a business
}

func ExampleReasons() {
	fmt.Println(busname.Reasons("jane.doe"))
	fmt.Println(busname.Reasons("wwwjane..doe"))
	fmt.Println(slices.Contains(busname.Reasons("Jane"), busname.ReasonUpperCase))
	// Output:
	// []
	// [consecutive_dots leading_www]
	// true
}
