package bsuid_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every byte in every part, so that the edges of the ranges of letters and digits count.
func TestEveryByte(t *testing.T) {
	const (
		capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		others   = "abcdefghijklmnopqrstuvwxyz0123456789"
	)
	in := func(set string, c byte) bool {
		for i := range len(set) {
			if set[i] == c {
				return true
			}
		}
		return false
	}
	for i := range 256 {
		c := byte(i)
		require.Equal(t, in(capitals, c), isBSUID(string([]byte{c, 'S', '.', '1'})), "%q first", c)
		require.Equal(t, in(capitals, c), isBSUID(string([]byte{'U', c, '.', '1'})), "%q second", c)
		require.Equal(t, c == '.', isBSUID(string([]byte{'U', 'S', c, '1'})), "%q third", c)
		require.Equal(t, in(capitals+others, c), isBSUID(string([]byte{'U', 'S', '.', c})), "%q in the identifier", c)
	}
	require.False(t, isBSUID("US"))
	require.False(t, isBSUID("US."))
}
