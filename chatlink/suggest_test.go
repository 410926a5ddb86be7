package chatlink_test

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
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
		texts++
	}
	require.Greater(t, texts, 60)
}

func suggested(text, country string) (list []string) {
	for _, target := range chatlink.Suggest(text, country) {
		list = append(list, target.String())
	}
	return list
}
