package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The committed file is what the command writes.
func TestTable(t *testing.T) {
	want, err := table()
	require.NoError(t, err)
	got, err := os.ReadFile("../../../../qrcode/qrprint/glyphs.bin")
	require.NoError(t, err)
	require.Equal(t, want, got)
}
