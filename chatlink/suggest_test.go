package chatlink_test

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
)

// suggestTexts contains texts as people write and export them, with what a careful person finds in each.
//
//go:embed testdata/suggest.txt
var suggestTexts string

func TestSuggest(t *testing.T) {
	texts := 0
	for line := range strings.Lines(suggestTexts) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " |", 3)
		require.Len(t, parts, 3, line)
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.TrimPrefix(parts[2], " "), `"`, `\"`) + `"`)
		require.NoError(t, err, line)
		country, want := strings.Trim(parts[0], "-"), strings.Trim(parts[1], " -")
		assert.Equal(t, want, strings.Join(suggested(text, country), " "), line)
		parse := chatlink.ParseTarget
		if country != "" {
			parse = func(s string) (chatlink.Target, error) { return chatlink.ParseTargetIn(s, country) }
		}
		if _, err := parse(text); err != nil {
			p := problem.All(err)[0]
			var named []string // a problem may write a username without @
			for _, value := range p.Suggestions.All() {
				target, err := chatlink.ParseTarget(value)
				require.NoError(t, err, line)
				named = append(named, target.String())
				require.Contains(t, p.Message, value)
			}
			assert.Equal(t, want, strings.Join(named, " "), "the error has the same suggestions")
		}
		texts++
	}
	require.Greater(t, texts, 60)
}

// Parentheses around a link don't belong to it, and those in it do.
func TestSuggestLinkInParentheses(t *testing.T) {
	for _, text := range []string{"a", "(a)", "a(b)", "(a)(b)", "((a))", "(a)b"} {
		link := "https://wa.me/491711234567?text=" + text
		want, err := chatlink.ParseTarget(link)
		require.NoError(t, err)
		for _, written := range []string{link, "(" + link + ")", "((" + link + "))", "see (" + link + ").", "(see " + link + ")"} {
			require.Equal(t, []chatlink.Target{want}, chatlink.Suggest(written, ""), written)
		}
	}
}

func ExampleSuggest() {
	for _, text := range []string{
		"Max <+49 171 1234567>",
		"Jane: write to @jane.doe",
		"Tel. 030 12345678, Mobil 0171 1234567",
		"491711234567",
	} {
		fmt.Println(chatlink.Suggest(text, "DE"))
	}
	// Output:
	// [+491711234567]
	// [@jane.doe]
	// [+491711234567 +493012345678]
	// [+491711234567 +49491711234567]
}

func suggested(text, country string) (list []string) {
	for _, target := range chatlink.Suggest(text, country) {
		list = append(list, target.String())
	}
	return list
}
