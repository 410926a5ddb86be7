package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

func TestLoneSurrogate(t *testing.T) {
	for text, want := range map[string]int{
		`"plain"`:               -1,
		`"\ud83d\ude00"`:        -1,
		`"\uD83D\uDE00 \n"`:     -1,
		`"\\ud83d"`:             -1,
		`"\u00e9\ufffd\ud7ff"`:  -1,
		`"\ue000"`:              -1,
		`"\ud83d"`:              1,
		`"\ude00"`:              1,
		`"\ude00\ud83d"`:        1,
		`"\ud83d\ud83d\ude00"`:  1,
		`"\ud83d\ude00\ud83d"`:  13,
		`"\ud83d\n"`:            1,
		`"\ud83d\\ude00"`:       1,
		`"\ud83dude00"`:         1,
		`"\ud83d","\ude00"`:     1,
		`["\n","\\","\udc00"]`:  12,
		`{"\ud83d\u0041":"x"}`:  2,
		`"\ud83d\ud83d"`:        1,
		`"\\\ud83d"`:            3,
		`"\\\\ud83d"`:           -1,
		`"\ud83d\ude00\udbff" `: 13,
	} {
		require.Equal(t, want, jsonscan.LoneSurrogate([]byte(text)), text)
	}
}

// A text without its escaped characters and surrogate pairs has an escaped surrogate
// exactly if there's a lone one.
func FuzzLoneSurrogate(f *testing.F) {
	others := regexp.MustCompile(`(?i)\\[^u]|\\u(?:[0-9abcef]...|d[0-7]..)|\\ud[89ab]..\\ud[c-f]..`)
	surrogate := regexp.MustCompile(`(?i)\\ud[89a-f]..`)

	f.Add([]byte(`"\ud83d\ude00 \ud83d \\ud83d \n"`))
	f.Add([]byte(`{"\ude00":["\udbff\udfff",1]}`))
	f.Add([]byte(strings.Repeat("6", 400))) // larger than a float64
	f.Fuzz(func(t *testing.T, text []byte) {
		if check(string(text)) != nil {
			return
		}
		isStrict := func(text []byte) bool {
			return !surrogate.Match(others.ReplaceAll(text, []byte("x")))
		}
		require.Equal(t, isStrict(text), jsonscan.LoneSurrogate(text) < 0)
		replaced := text
		for {
			i := jsonscan.LoneSurrogate(replaced)
			if i < 0 {
				break
			}
			replaced = []byte(string(replaced[:i]) + `\ufffd` + string(replaced[i+6:]))
		}
		require.True(t, isStrict(replaced), "%s", strings.ToValidUTF8(string(replaced), "?"))
		before, after := decode(t, text), decode(t, replaced)
		if len(text) < 1000 {
			require.Equal(t, before, after, "encoding/json reads both alike")
		}
	})
}

// decode reads a text with encoding/json. A number may be too large for a float64.
func decode(t *testing.T, text []byte) (value any) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&value))
	return value
}
