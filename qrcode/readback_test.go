package qrcode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
)

// TestOnePixelReadsBack draws texts whose segments change with the range of versions, at
// sizes where levels M and L lie in different ranges and both have one pixel per module.
func TestOnePixelReadsBack(t *testing.T) {
	type input struct {
		text string
		opts qrcode.Options
	}
	inputs := []input{
		{strings.Repeat("0123456789", 260), qrcode.Options{Size: 200}},
		{strings.Repeat("HELLO WORLD $", 120), qrcode.Options{Size: 200}},
		{link + "?text=" + strings.Repeat("a", 170), qrcode.Options{Size: 128, Margin: 12}},
	}
	for letters := 234; letters <= 300; letters += 11 {
		text := link + "?text=" + strings.Repeat("%D0%BF", letters)
		for size := 150; size <= 220; size += 35 {
			inputs = append(inputs, input{text, qrcode.Options{Size: size}})
		}
		inputs = append(inputs, input{text, qrcode.Options{Size: 256}})
	}
	read := 0
	for _, in := range inputs {
		img, err := qrcode.RenderQR(in.text, in.opts)
		if err != nil {
			require.ErrorIs(t, err, qrcode.CodeTextTooLong)
			continue
		}
		name := fmt.Sprintf("%.30s… of %d bytes at %d pixels", in.text, len(in.text), in.opts.Size)
		require.Equal(t, in.text, drawn(t, img, in.opts).text, name)
		read++
	}
	require.Greater(t, read, len(inputs)/2)
}
