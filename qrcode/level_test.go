package qrcode

import (
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"
)

func TestLevelsMatchCoding(t *testing.T) {
	for level, want := range map[Level]coding.Level{LevelL: coding.L, LevelM: coding.M, LevelQ: coding.Q, LevelH: coding.H} {
		require.Equal(t, want, level.coding())
		require.Equal(t, level.String(), want.String())
	}
}
