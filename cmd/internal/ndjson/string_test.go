package ndjson

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzAppendString(f *testing.F) {
	all := ""
	for c := range rune(0x300) {
		all += string(c)
	}
	for _, s := range []string{"", all, "\u2028 \u2029 \uFFFD 😀 <&>", "\xFF\xED\xA0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(s))
		got := string(AppendString([]byte("x"), s)[1:]) + "\n"
		if bytes.Contains(want.Bytes(), []byte(`\ufffd`)) { // encoding/json escapes bytes that are not UTF-8
			var decoded string
			require.NoError(t, json.Unmarshal([]byte(got), &decoded))
			require.Equal(t, string([]rune(s)), decoded)
			return
		}
		require.Equal(t, want.String(), got)
	})
}
