package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

func TestPoster(t *testing.T) {
	dir := t.TempDir()
	const link = "https://wa.me/jane.doe"
	for file, tt := range map[string]struct {
		args   []string
		poster qrprint.Poster
		tent   bool
	}{
		"a.pdf": {nil, qrprint.Poster{}, false},
		"b.eps": {[]string{"--paper", "A5", "--heading", "Questions?"}, qrprint.Poster{Paper: qrprint.A5, Heading: "Questions?"}, false},
		"c.svg": {[]string{"--footer", "We answer\nsoon.", "--bleed", "3"}, qrprint.Poster{Text: "We answer\nsoon.", Code: qrprint.Code{Bleed: 3}}, false},
		"d.png": {[]string{"--tent", "--paper", "a5"}, qrprint.Poster{Paper: qrprint.A5, Code: qrprint.Code{DPI: 300}}, true},
		"e.pdf": {
			[]string{"--tent", "--paper=letter", "--caption", "@jane.doe", "--frame", "Scan", "--mm", "40", "--color", "000080", "--level", "q"},
			qrprint.Poster{Paper: qrprint.Letter, Code: qrprint.Code{Width: 40, Caption: "@jane.doe", Frame: "Scan", Style: qrcode.Style{Foreground: qrcode.RGB(0, 0, 0x80), MinLevel: qrcode.LevelQ}}},
			true,
		},
	} {
		tt.poster.Code.Text = link
		draw := tt.poster.Page
		if tt.tent {
			draw = tt.poster.Tent
		}
		page, err := draw()
		require.NoError(t, err)
		for i, target := range []string{"jane.doe", link} {
			requirePrinted(t, page, filepath.Join(dir, strconv.Itoa(i)+file), append([]string{"poster", target}, tt.args...)...)
		}
	}
}

func TestPosterRejected(t *testing.T) {
	output := filepath.Join(t.TempDir(), "a.pdf")
	for args, want := range map[string]string{
		"jane.doe":                       "--output is required",
		"jane.doe -o a.gif":              "doesn't end in .png, .svg, .pdf or .eps",
		"jane.doe -o a.pdf --paper a3":   "--paper: paper isn't a4, a5 or letter",
		"jane.doe -o a.pdf --size 200":   "unknown flag: --size",
		"jane.doe -o a.pdf --mm x":       "--mm: length isn't",
		"jane.doe -o a.pdf --format png": "doesn't match the extension",
		"":                               "got 0 arguments",
	} {
		status, stdout, stderr := runTool(t, "", append([]string{"poster"}, strings.Fields(args)...)...)
		require.Equal(t, 2, status, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, want)
	}
	for args, want := range map[string]string{
		"x":                     "(username_length)",
		"jane.doe --mm 300":     "(print_code_does_not_fit)",
		"jane.doe --bleed 30":   "hailmark: bleed is 30 mm; 0 to 20 mm are allowed (print_invalid_length)\n",
		"jane.doe --heading 日本": "(print_unsupported_character)",
		"jane.doe --footer " + strings.Repeat("x", 301): "(print_text_does_not_fit)",
		"jane.doe --color ff0":                          "(low_contrast)",
		"jane.doe -o no-such-folder/poster.pdf":         "create no-such-folder/poster.pdf: no such file or directory",
	} {
		status, stdout, stderr := runTool(t, "", append([]string{"poster", "-o", output}, strings.Fields(args)...)...)
		require.Equal(t, 1, status, args)
		require.Empty(t, stdout, args)
		require.Contains(t, stderr, want, args)
		require.Equal(t, 1, strings.Count(stderr, "hailmark: "), args)
		require.NoFileExists(t, output, args)
	}
	a := &app{stderr: new(strings.Builder), getenv: os.Getenv, isTerminal: func(any) bool { return true }}
	require.Equal(t, 1, a.run([]string{"poster", "jane.doe", "-o", "-"}))
}
