package chatlink_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
)

func TestKeyVectors(t *testing.T) {
	testVectors(t, "key_parse.json", func(s string) (string, error) {
		key, err := chatlink.ParseKey(s)
		return key.String(), err
	})
}

func TestKeyEdges(t *testing.T) {
	require.Equal(t, "09azAZ", chatlink.MustParseKey("09azAZ").String())
	for _, c := range "/:@[`{\xf4é" {
		_, err := chatlink.ParseKey("abc" + string(c))
		require.ErrorIs(t, err, chatlink.CodeInvalidKey)
		require.NotContains(t, err.Error(), "abc", "a key is secret")
	}
	_, err := chatlink.ParseKey("12\xf4")
	require.ErrorIs(t, err, chatlink.CodeInvalidKey)
	_, err = chatlink.ParseKey("a")
	require.EqualError(t, err, "key has 1 character; 4 to 8 letters or digits are allowed")
	_, err = chatlink.ParseKey("abc")
	require.EqualError(t, err, "key has 3 characters; 4 to 8 letters or digits are allowed")
	require.Panics(t, func() { chatlink.MustParseKey("abc") })
	for n, want := range map[int]bool{0: false, 3: false, 4: true, 8: true, 9: false} {
		_, err := chatlink.ParseKey(strings.Repeat("a", n))
		require.Equal(t, want, err == nil, n)
	}
}
