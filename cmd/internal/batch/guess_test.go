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
		"Kontakt\n+49 171 1234567\n@jane.doe\n":                {columns{"target": 1}, false, false},
		"Phone\n0171 1234567\njane.doe\nwa.me/max\n":           {columns{"target": 1}, false, false},
		"@name,Ort\n@jane,Berlin\n+49 171 1234567,Rom\n":       {columns{"target": 1}, false, false},
		"target\njane.doe\n":                                   {columns{"target": 1}, false, true},
		"+49 171 1234567\n@jane.doe\n0171 1234567\n":           {columns{"target": 1}, true, false},
		"Contact,Nr\nJane,0171 1234567\nMax,0171 1234568\n":    {columns{"phone": 2}, false, false},
		"": {columns{}, false, false},
		strings.Repeat("x,", 60) + "\n" + strings.Repeat("jane.doe,", 60): {columns{"username": 1}, false, false},
	} {
		got, err := GuessColumns([]byte(text), "DE")
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

// A column may contain numbers, names and links, and each cell tells what it is.
func TestMixedColumn(t *testing.T) {
	cells := []string{"+49 171 1234567", "@jane.doe", "jane.doe", "https://wa.me/jane.doe?text=Hi", "0171 1234567", "unknown", "Max <+49 171 1234567>", "US.13491208655302741918", ""}
	for header, column := range map[string]string{"target": "target", "Kontakt": "target", "WhatsApp": "target", "@name": "target", "phone": "phone", "Handy": "phone", "username": "username"} {
		var got []string
		text := header + ",Ort\n\"" + strings.Join(cells, "\",x\n\"") + "\",x\n"
		_, err := Run(strings.NewReader(text), Config{Country: "DE", Each: func(r Result) {
			if r.Link == "" && r.Status == Failed && r.Value != "" {
				require.Equal(t, column, r.Column)
			}
			got = append(got, r.Link+r.Suggestion)
		}})
		require.NoError(t, err)
		const max, jane = "https://wa.me/491711234567", "https://wa.me/jane.doe"
		want := []string{max, jane, jane, jane + "?text=Hi", max, "", "+491711234567", "", ""}
		switch column {
		case "phone":
			want[2] = "" // a word isn't a number
			want[5] = ""
		case "username":
			want[4] = "+491711234567" // a number without a plus is only suggested
			want[5] = jane[:len("https://wa.me/")] + "unknown"
		}
		require.Equal(t, want, got, header)
	}
	var got []string
	_, err := Run(strings.NewReader("WhatsApp,phone\nJane,+49 171 1234567\n"), Config{Each: func(r Result) { got = append(got, r.Link) }})
	require.NoError(t, err)
	require.Equal(t, []string{"https://wa.me/491711234567"}, got, "the column for numbers counts")
	_, err = Run(strings.NewReader("target,phone\n@jane,+49 171 1234567\n"), Config{Each: func(r Result) { got = append(got, r.Problem.Message) }})
	require.NoError(t, err)
	require.Equal(t, "the row has a phone and a target; a code opens one chat", got[1])
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
