package batch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGuessColumns(t *testing.T) {
	type columns = map[string]int
	for text, want := range map[string]Guess{
		"username,phone\njane.doe,\n":                          {columns{"username": 1, "phone": 2}, false, true},
		"Handle\njane.doe\n":                                   {columns{"username": 1}, false, false},
		"Name;Mobil;Nachricht\njane.doe;;Hi\n;0171 1234567;\n": {columns{"username": 1, "phone": 2, "text": 3}, false, false},
		"Vorname\tNummer\nJane\t+49 171 1234567\n":             {columns{"phone": 2}, false, false},
		"Vorname,Ort\nJane,1\n":                                {columns{}, false, false}, // a code for @jane would be wrong
		"jane.doe,\n@Mario,\n,+49 171 1234567\n":               {columns{"username": 1, "phone": 2}, true, false},
		"A\nhttps://wa.me/jane.doe\nJane.Doe\n":                {columns{"username": 1}, false, false},
		"phone\n0171 1234567\n":                                {columns{"phone": 1}, false, true},
		"0171 1234567\n0171 1234568\n":                         {columns{"phone": 1}, true, false},
		"":                                                     {columns{}, false, false},
		strings.Repeat("x,", 60) + "\n" + strings.Repeat("jane.doe,", 60): {columns{"username": 1}, false, false},
	} {
		got, err := GuessColumns([]byte(text), "DE")
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

// Corrections replace what the table contains, and a suggestion is one.
func TestCorrections(t *testing.T) {
	const text = "username,phone\nJane.Doe,\n,tel: 0049 (0)171 1234567\n"
	rows := func(corrections map[Cell]string) (all []Result) {
		_, err := Run(strings.NewReader(text), Config{Corrections: corrections, Each: func(r Result) { all = append(all, r) }})
		require.NoError(t, err)
		return all
	}
	before := rows(nil)
	require.Equal(t, []string{"jane.doe", "+491711234567"}, []string{before[0].Suggestion, before[1].Suggestion})
	corrections := map[Cell]string{}
	for _, r := range before {
		corrections[Cell{r.Row, r.Column}] = r.Suggestion
	}
	after := rows(corrections)
	require.Equal(t, []string{"https://wa.me/jane.doe", "https://wa.me/491711234567"}, []string{after[0].Link, after[1].Link})
}
