package qrprint_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// The images in docs/print.md are pages of package qrprint.
func TestPrintImages(t *testing.T) {
	code := qrprint.Code{Text: "https://wa.me/jane.doe", Caption: "@jane.doe", Frame: "Chat with us", DPI: 300}
	pages := map[string]*qrprint.Page{}
	var err error
	pages["code"], err = code.Page()
	require.NoError(t, err)
	poster := qrprint.Poster{
		Paper: qrprint.A5, Heading: "Questions?\nWrite to us!", Text: "We answer from Monday to Friday, 9 to 17.",
		Code: qrprint.Code{Text: "https://wa.me/jane.doe", Caption: "@jane.doe", Frame: "Scan to chat", DPI: 300},
	}
	pages["poster"], err = poster.Page()
	require.NoError(t, err)

	labels, err := qrprint.ParseLabels("avery-l7163")
	require.NoError(t, err)
	labels.Start, labels.Borders = 3, true
	var codes []qrprint.Code
	for _, name := range []string{"jane.doe", "john.smith", "the.corner_shop", "maria.lopez", "hailmark"} {
		codes = append(codes, qrprint.Code{Text: "https://wa.me/" + name, Caption: "@" + name, DPI: 300})
	}
	pages["sheet"], err = labels.Page(codes...)
	require.NoError(t, err)
	require.Empty(t, pages["sheet"].Warnings())

	for name, page := range pages {
		picture, err := page.Append(nil, qrcode.SVG)
		require.NoError(t, err)
		require.Less(t, len(picture), 60_000, name)
		file := fmt.Sprintf("../../docs/images/print-%s.svg", name)
		if *update {
			require.NoError(t, os.WriteFile(file, picture, 0o600))
		}
		committed, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(committed), string(picture), "go test ./qrcode/qrprint -run TestPrintImages -update writes it")
	}
}
