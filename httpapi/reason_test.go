package httpapi_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
)

func TestReasonsVectors(t *testing.T) {
	file, err := vectors.Load[string, []httpapi.Reason]("username_reasons.json")
	require.NoError(t, err)
	given := map[httpapi.Reason]bool{}
	for _, v := range file.Vectors {
		require.Equal(t, *v.Output, httpapi.Reasons(v.Input), v.ID)
		for _, reason := range *v.Output {
			given[reason] = true
		}
	}
	require.Len(t, given, 9, "every reason occurs")
	require.Equal(t, []httpapi.Reason{"too_short", "uppercase_letter", "leading_or_trailing_dot"}, httpapi.Reasons("A."))
	require.Equal(t, []httpapi.Reason{"leading_www", "reserved_domain_suffix"}, httpapi.Reasons("www.jane.com"))
	require.Equal(t, []httpapi.Reason{"uppercase_letter", "leading_www"}, httpapi.Reasons("wWwjane"))
	require.Equal(t, []httpapi.Reason{"leading_www"}, httpapi.Reasons("www"))
	require.Empty(t, httpapi.Reasons("wwxjane"))
	require.Equal(t, []httpapi.Reason{"uppercase_letter"}, httpapi.Reasons("AZaz09"))
}

// Each rule has reasons of its own, so that a new one can't be reported as another.
func TestEachRuleHasReasonsOfItsOwn(t *testing.T) {
	file, err := vectors.Load[string, []httpapi.Reason]("username_reasons.json")
	require.NoError(t, err)
	byRule := map[problem.Code]map[httpapi.Reason]bool{}
	ruleOf := map[httpapi.Reason]problem.Code{}
	for _, v := range file.Vectors {
		codes := busname.ValidateBusiness(v.Input).Codes()
		require.Len(t, *v.Output, len(codes), "%s: each problem has one reason", v.ID)
		for i, reason := range *v.Output {
			if byRule[codes[i]] == nil {
				byRule[codes[i]] = map[httpapi.Reason]bool{}
			}
			byRule[codes[i]][reason] = true
			require.Contains(t, []problem.Code{"", codes[i]}, ruleOf[reason], "%s: %s stands for one rule", v.ID, reason)
			ruleOf[reason] = codes[i]
		}
	}
	for _, rule := range busname.Rules() {
		require.NotEmpty(t, byRule[rule.Code], "add a line for %s to httpapi/reason.go and a vector to vectors/username_reasons.json", rule.Code)
	}
	require.Len(t, byRule, len(busname.Rules()))
}

// The second form of the rules, one regular expression each.
var reasonRules = []struct {
	reason httpapi.Reason
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
		want := []httpapi.Reason{}
		for _, rule := range reasonRules {
			broken := rule.broken.MatchString(s)
			if rule.reason == "reserved_domain_suffix" {
				broken = broken && utf8.RuneCountInString(s[strings.LastIndexByte(s, '.'):]) == len(s)-strings.LastIndexByte(s, '.')
			}
			if broken {
				want = append(want, rule.reason)
			}
		}
		require.Equal(t, want, httpapi.Reasons(s))
	})
}

func ExampleReasons() {
	fmt.Println(httpapi.Reasons("jane.doe"))
	fmt.Println(httpapi.Reasons("wwwjane..doe"))
	fmt.Println(slices.Contains(httpapi.Reasons("Jane"), httpapi.ReasonUpperCase))
	// Output:
	// []
	// [consecutive_dots leading_www]
	// true
}
