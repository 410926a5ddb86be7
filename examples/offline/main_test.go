package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
)

func TestDraw(t *testing.T) {
	file := filepath.Join(t.TempDir(), "card.png")
	link, err := draw("jane.doe", "Hi!", file)
	require.NoError(t, err)
	require.Equal(t, "https://wa.me/jane.doe?text=Hi!", link)

	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	require.Equal(t, 512, img.Bounds().Dx())

	_, err = draw("@jane", "", file)
	require.ErrorIs(t, err, busname.CodeInvalidChars)
}
