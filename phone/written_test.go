package phone_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// testdata/written.json contains texts from forms, chats and exports. What a careful person expects of
// each was written before it was tried: the digits, nothing for a text that must be rejected, or "warning
// or error" where a number without a plus may lack its country code.
func TestWrittenByPeople(t *testing.T) {
	data, err := os.ReadFile("testdata/written.json")
	require.NoError(t, err)
	var list []struct{ Text, Country, Expect, Suggest string }
	require.NoError(t, json.Unmarshal(data, &list))
	require.Greater(t, len(list), 60+36)
	for _, w := range list {
		var warnings problem.List
		n, err := phone.ParseIn(w.Text, w.Country)
		if w.Country == "" {
			n, warnings, err = phone.Inspect(w.Text)
		}
		if w.Expect == "warning or error" {
			require.True(t, err != nil || len(warnings) > 0, "%q", w.Text)
		} else {
			require.Equal(t, w.Expect, n.String(), "%q in %q: %v", w.Text, w.Country, err)
			require.Equal(t, w.Expect == "", err != nil, "%q", w.Text)
		}
		if w.Suggest != "" {
			require.Error(t, err, "%q", w.Text)
			require.Equal(t, []string{w.Suggest}, problem.All(err)[0].Suggestions.All(), "%q: %v", w.Text, err)
		}
	}
}
