package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
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

// A strict reader accepts a text exactly if there is no lone surrogate in it, and does
// so once each is replaced.
func FuzzLoneSurrogate(f *testing.F) {
	f.Add([]byte(`"\ud83d\ude00 \ud83d \\ud83d \n"`))
	f.Add([]byte(`{"\ude00":["\udbff\udfff",1]}`))
	f.Add([]byte(strings.Repeat("6", 400))) // larger than a float64
	f.Fuzz(func(t *testing.T, text []byte) {
		if check(string(text)) != nil {
			return
		}
		isStrict := func(text []byte) bool {
			dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
			_, err := dec.ReadValue()
			return err == nil
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
