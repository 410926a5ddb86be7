package chatlink_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
)

// A forbidden character counts at any place, the first included.
func TestControlCharacterAnywhere(t *testing.T) {
	for _, text := range []string{"\x01ab", "a\x01b", "ab\x01", "\x7fab", "a\u0085b"} {
		_, err := chatlink.ParseText(text)
		require.ErrorIs(t, err, problem.Code("text_invalid"), "%q", text)
	}
	for _, text := range []string{"a\tb", "\ta", "a\nb", "\na"} {
		parsed, err := chatlink.ParseText(text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, text, parsed)
	}
}
