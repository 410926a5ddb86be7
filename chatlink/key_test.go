package chatlink_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
)

func TestKeyVectors(t *testing.T) {
	testVectors(t, "key_parse.json", func(s string) (string, error) {
		key, err := chatlink.ParseKey(s)
		return key.Text(), err
	})
}

func TestKeyEdges(t *testing.T) {
	require.Equal(t, "09azAZ", chatlink.MustParseKey("09azAZ").Text())
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

// A key is in no text that a program prints or logs without asking for it.
func TestKeyIsSecret(t *testing.T) {
	const secret = "aB3dWxYz"
	key := chatlink.MustParseKey(secret)
	row := struct {
		Key     chatlink.Key
		Pointer *chatlink.Key
	}{key, &key}
	var printed strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		fmt.Fprintf(&printed, verb+"\n"+verb+"\n", key, row)
	}
	fmt.Fprintln(&printed, key, []chatlink.Key{key}, map[chatlink.Key]int{key: 1})
	for _, handler := range []slog.Handler{slog.NewTextHandler(&printed, nil), slog.NewJSONHandler(&printed, nil)} {
		slog.New(handler).Info("key", "key", key, "row", row, "pointer", &key)
	}
	_, err := json.Marshal(row)
	require.Error(t, err)
	fmt.Fprintln(&printed, err)
	require.NotContains(t, printed.String(), secret)
	require.NotContains(t, printed.String(), hex.EncodeToString([]byte(secret)))
	require.NotContains(t, printed.String(), "97 66 51 68", "the bytes of the key")
	require.Contains(t, printed.String(), "(key)")

	require.Empty(t, chatlink.Key{}.String()+chatlink.Key{}.Text())
	empty, err := json.Marshal(chatlink.Key{})
	require.NoError(t, err)
	require.Equal(t, `""`, string(empty))
	var read chatlink.Key
	require.NoError(t, json.Unmarshal([]byte(`"`+secret+`"`), &read))
	require.Equal(t, key, read)
	require.Error(t, json.Unmarshal([]byte(`"abc"`), &read))
	require.Equal(t, key, read, "unchanged")
	stored, err := key.Value()
	require.NoError(t, err)
	require.Equal(t, secret, stored)
	read = chatlink.Key{}
	require.NoError(t, read.Scan([]byte(secret)))
	require.Equal(t, key, read)
	require.NoError(t, read.Scan(nil))
	require.Zero(t, read)
}
