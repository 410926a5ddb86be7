package httpapi

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/vectors"
)

func TestSizeVectors(t *testing.T) {
	type option struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	file, err := vectors.Load[option, string]("qr_options.json")
	require.NoError(t, err)
	sizes := 0
	for _, v := range file.Vectors {
		if v.Input.Name != "size" {
			continue // package qrcode reads the others
		}
		sizes++
		size, err := parseSize(v.Input.Value)
		if v.Output == nil {
			require.Equal(t, v.Codes, problem.All(err).Codes(), v.ID)
			continue
		}
		require.NoError(t, err, v.ID)
		require.Equal(t, *v.Output, strconv.Itoa(size), v.ID)
	}
	require.Positive(t, sizes)
}

func TestWarningHeader(t *testing.T) {
	require.Empty(t, qrWarning(qrcode.Options{}))
	require.Equal(t, "light-on-dark", qrWarning(qrcode.Options{Foreground: qrcode.RGB(255, 255, 255), Background: qrcode.RGB(0, 0, 0)}))
}

// The ETag of a QR code is the hash of the renderer's version and of everything that the
// picture depends on, each after a NUL byte, so that no two lists of values are the same.
func TestQRETagIdentity(t *testing.T) {
	opts := qrcode.Options{Format: qrcode.SVG, Size: 300, Foreground: qrcode.RGB(1, 2, 3), Background: qrcode.RGB(0xfd, 0xfe, 0xff)}
	identity := "qr " + qrcode.RendererVersion + "\x00https://wa.me/1\x00svg\x00300\x00010203\x00fdfeff"
	require.Equal(t, etagOf([]byte(identity)), etagOfQR("https://wa.me/1", opts))
}
