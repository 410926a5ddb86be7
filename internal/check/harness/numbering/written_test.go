package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/nyaruka/phonenumbers"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// An example number of each country and type with what spreadsheets, address books and people write
// after it is never read as another number, and none is suggested.
func TestEndings(t *testing.T) {
	testenv.Slow(t)
	endings := []string{".0", ".00", " (2)", "(12)", "E+11", " ext 5", " x12", ";ext=5", ";5", "/2", " / 23", " [1]", "#5", ",,5", ",0"}
	tried, suggested := 0, 0
	for region := range phonenumbers.GetSupportedRegions() {
		for _, kind := range numberTypes {
			example := phonenumbers.GetExampleNumberForType(region, kind)
			if example == nil {
				continue
			}
			for _, text := range forms(example, region) {
				want, err := phone.ParseIn(text, region)
				if err != nil || len(want.Warnings()) > 0 {
					continue
				}
				for _, ending := range endings {
					tried++
					n, err := phone.ParseIn(text+ending, region)
					if err == nil {
						require.Equal(t, want, n, "%s %q", region, text+ending)
						continue
					}
					for _, s := range problem.All(err)[0].Suggestions.All() {
						suggested++
						require.Equal(t, want.E164(), s, "%s %q", region, text+ending)
					}
				}
			}
		}
	}
	t.Logf("%d texts, %d suggestions", tried, suggested)
	require.Greater(t, suggested, 10_000)
}

// What people wrote is never read as another valid number than phonenumbers reads.
func TestWrittenByPeople(t *testing.T) {
	testenv.Slow(t)
	data, err := os.ReadFile("../../../../phone/testdata/written.json")
	require.NoError(t, err)
	var list []struct{ Text, Country string }
	require.NoError(t, json.Unmarshal(data, &list))
	same := 0
	for _, w := range list {
		n, err := phone.ParseIn(w.Text, w.Country)
		if w.Country == "" {
			n, err = phone.Parse(w.Text)
		}
		if err != nil {
			continue
		}
		foreign, err := phonenumbers.Parse(w.Text, w.Country)
		if err != nil || !phonenumbers.IsValidNumber(foreign) {
			t.Logf("phonenumbers doesn't read %q in %q (%s): %v", w.Text, w.Country, n.E164(), err)
			continue
		}
		same++
		require.Equal(t, phonenumbers.Format(foreign, phonenumbers.E164), n.E164(), "%q in %q", w.Text, w.Country)
	}
	t.Log(same, "of", len(list), "read by both, as the same numbers")
	require.Greater(t, same, 40)
}
