package batch

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/cases"
)

// Two characters are folded to the same text exactly if package cases does so. It does
// not fold the Cherokee letters, which have two cases since Unicode 8.
func TestFold(t *testing.T) {
	reference := cases.Fold()
	folded, original := make(map[string]string), make(map[string]string)
	for c := range rune(0x20000) { // no character above it has cases
		if unicode.Is(unicode.Cs, c) || unicode.Is(unicode.Cherokee, c) {
			continue
		}
		want, got := reference.String(string(c)), fold(string(c))
		if _, seen := folded[want]; !seen {
			folded[want] = got
		}
		require.Equal(t, folded[want], got, "%U", c)
		if _, seen := original[got]; !seen {
			original[got] = want
		}
		require.Equal(t, original[got], want, "%U", c)
	}
	require.Equal(t, fold("\u13A0"), fold("\uAB70"))
	require.Equal(t, fold("Straße"), fold("STRASSE"))
}
