package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/ndjson"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		stdin  string
		status int
		stdout string
		stderr string
	}{
		{[]string{"link", "jane.doe", "--text", "Hi there"}, "", 0, "https://wa.me/jane.doe?text=Hi%20there\n", ""},
		{[]string{"link", "jane.doe", "--text", "-json"}, "", 0, "https://wa.me/jane.doe?text=-json\n", ""},
		{[]string{"link", "Max <+49 171 1234567>"}, "", 1, "", "hailmark: username contains \"M\"; only lowercase letters are allowed (did you mean +491711234567?) (username_invalid_chars)\n"},
		{[]string{"link", "[12.03.24, 10:15] Max: 0171 1234567", "--country", "DE", "--json"}, "", 1, "", `{"errors":[{"code":"username_invalid_chars","message":"username contains \"[\"; only a-z, 0-9, periods and underscores are allowed (did you mean +491711234567?)","suggestions":["+491711234567"]}]}` + "\n"},
		{[]string{"parse", "Join <https://wa.me/jane.doe>"}, "", 1, "", "hailmark: link has an unknown scheme; begin it with https://, http:// or whatsapp://, or omit the scheme (did you mean https://wa.me/jane.doe?) (link_unrecognized)\nHint: hailmark parse --help lists the known links.\n"},
		{[]string{"link", "--json", "+1 650 555 1234"}, "", 0, `{"phone":"16505551234","link":"https://wa.me/16505551234"}` + "\n", ""},
		{[]string{"link", "98765 43210"}, "", 0, "https://wa.me/9876543210\n", "hailmark: 98765 43210: warning: phone has no plus in front, so it is read as +98 (Iran); if that is wrong, begin with + and the country code (phone_missing_plus)\nhailmark: 98765 43210: warning: phone has 8 digits after +98 (Iran); numbers that begin with 765 have 10 (phone_impossible_length)\n"},
		{[]string{"validate", "phone", "+99912345678"}, "", 0, "+99912345678: valid\n+99912345678: warning: phone begins with +999; no country has that calling code (phone_unassigned_country_code)\n", ""},
		{[]string{"link", "-"}, "jane.doe\n\nx\n", 1, "https://wa.me/jane.doe\n", "hailmark: line 3: username has 1 character; the length must be 3-35 characters (username_length)\n"},
		{[]string{"link", "@Jane.Doe", "https://wa.me/jane?text=Old", "tel:+1-650-555-1234", "--text", "New"}, "", 0, "https://wa.me/jane.doe?text=New\nhttps://wa.me/jane?text=New\nhttps://wa.me/16505551234?text=New\n", ""},
		{[]string{"link", "0171 1234567", "tel:0171-1234567", "+1 650 555 1234", "@jane", "--country", "de"}, "", 0, "https://wa.me/491711234567\nhttps://wa.me/491711234567\nhttps://wa.me/16505551234\nhttps://wa.me/jane\n", ""},
		{[]string{"link", "jane", "--country", "XX"}, "", 2, "", "hailmark: --country: country \"XX\" is unknown; use an ISO 3166-1 code of two letters, such as DE\nSee 'hailmark link --help'.\n"},
		{[]string{"qr", "chat.whatsapp.com/AbC", "--text", "x"}, "", 1, "", "hailmark: a link of the kind group can't contain a text; leave the text out (text_not_supported)\n"},
		{[]string{"link", "US.13491208655302741918"}, "", 1, "", "hailmark: target is a business-scoped user ID, which no link can open; enter the person's username or phone number, or reply through the Cloud API (target_is_bsuid)\n"},
		{[]string{"link", "-"}, "\ufeffjane\r\n\ufeffjo\n", 1, "https://wa.me/jane\n", "hailmark: line 2: username has 2 characters; the length must be 3-35 characters (username_length)\n"},
		{[]string{"link", "-"}, "jane\n" + strings.Repeat("9", 1<<16), 1, "https://wa.me/jane\n", "hailmark: line 2 has more than 64 KiB; write one value per line\n"},
		{[]string{"link", "jane", "x"}, "", 1, "https://wa.me/jane\n", "hailmark: x: username has 1 character; the length must be 3-35 characters (username_length)\n"},
		{[]string{"link", "555123456789012345"}, "", 1, "", "hailmark: phone has 18 digits; 8 to 15 are allowed, including the country code (phone_invalid_format)\n"},
		{[]string{"link", "jane", "--json", "--text", "\x01"}, "", 1, "", `{"errors":[{"code":"text_invalid","message":"text contains the control character U+0001 at character 1; only newline and tab are allowed"}]}` + "\n"},
		{[]string{"parse", "wa.me/qr/AB12", "--json"}, "", 0, `{"kind":"qr","code":"AB12","link":"https://wa.me/qr/AB12"}` + "\n", ""},
		{[]string{"parse", "wa.me/16505551234?text=a%0Ab"}, "", 0, "kind:     phone\nphone:    16505551234\ntext:     a\n          b\nlink:     https://wa.me/16505551234?text=a%0Ab\n", ""},
		{[]string{"validate", "username", "jane", "message"}, "", 0, "jane: valid\nmessage: valid\nmessage: warning: wa.me uses \"message\" for business links, so a link to this username may not open a chat (username_router_word)\n", ""},
		{[]string{"validate", "business-username", "wwwjane", "--json"}, "", 1, `{"kind":"business-username","value":"wwwjane","valid":false,"errors":[{"code":"username_starts_with_www","message":"username begins with www, which isn't allowed for a business"}],"reasons":["leading_www"]}` + "\n", ""},
		{[]string{"validate", "phone", "0171 123"}, "", 1, "0171 123: phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567 (phone_invalid_format)\n", ""},
		{[]string{"validate", "bsuid", "XX.ENT.12", "--json"}, "", 0, `{"kind":"bsuid","value":"XX.ENT.12","valid":true,"errors":[],"isParent":true,"countryCode":"XX","countryKnown":false,"id":"12"}` + "\n", ""},
		{[]string{"validate", "identifier", "US.12", "--json"}, "", 0, `{"kind":"identifier","value":"US.12","valid":true,"errors":[],"type":"bsuid","id":"US.12"}` + "\n", ""},
		{[]string{"validate", "identifier", "+1 650 555 1234"}, "", 0, "+1 650 555 1234: valid: phone 16505551234\n", ""},
		{[]string{"parse", "wa.me/9175551234", "--json"}, "", 0, `{"kind":"phone","phone":"9175551234","link":"https://wa.me/9175551234"}` + "\n", "hailmark: wa.me/9175551234: warning: phone has 8 digits after +91 (India); numbers that begin with 755 have 10 (phone_impossible_length)\n"},
		{[]string{"normalize"}, "", 0, "", ""},
		{[]string{"normalize"}, "{}\n", 1, "", "hailmark: line 1: webhook payload isn't a webhook; it must be an object with an array entry that contains at least one change, or an object with an array messages, statuses or contacts and no entry (webhook_unrecognized_shape)\nHint: pass the body of the request as it arrived.\n"},
	} {
		status, stdout, stderr := runTool(t, tt.stdin, tt.args...)
		require.Equal(t, tt.stdout, stdout, tt.args)
		require.Equal(t, tt.stderr, stderr, tt.args)
		require.Equal(t, tt.status, status, tt.args)
	}
}

// A webhook can span several lines, and an invalid line doesn't hide later ones.
func TestNormalize(t *testing.T) {
	line, pretty := exampleFiles["webhooks.ndjson"], exampleFiles["webhook.json"]
	status, one, _ := runTool(t, line, "normalize")
	require.Zero(t, status)
	require.Contains(t, one, `"bsuid":"US.1","displayName":"Jane"`)
	for input, count := range map[string]int{"\n\n" + pretty: 1, "\ufeff" + pretty: 1, "\ufeff" + line: 1, line + line: 2, line + "[1\n" + line: 2, "[1\n" + line: 1, strings.TrimSpace(line): 1} {
		status, stdout, stderr := runTool(t, input, "normalize", "-")
		require.Equal(t, count, strings.Count(stdout, `"kind":"message"`), input)
		require.Equal(t, strings.Contains(input, "[1\n"), status == 1, stderr)
	}
	status, stdout, _ := runTool(t, `{"entry":[{"changes":[{"value":{"messages":[{"from":"16505551234","id":"1","timestamp":"1786000000","type":"system","system":{"type":"user_changed_number","wa_id":"16505559999"}}]}}]}]}`, "normalize", "--all")
	require.Zero(t, status)
	require.Regexp(t, `^\{"kind":"message".*"change":\{"previous":\{"phone":"16505551234"\},"current":\{"phone":"16505559999"\}\}.*\}\n$`, stdout)
}

// The line limit includes the first line, and empty lines are numbered.
func TestNormalizeLongLine(t *testing.T) {
	read := 0
	endless := readerFunc(func(p []byte) (int, error) {
		if read += len(p); read > 20<<20 {
			return 0, errors.New("read too much")
		}
		return copy(p, bytes.Repeat([]byte("x"), len(p))), nil
	})
	text, err := wholeWebhook(endless)
	require.NoError(t, err)
	require.LessOrEqual(t, read, ndjson.MaxLine)
	start, err := io.ReadAll(io.LimitReader(text, ndjson.MaxLine+100))
	require.NoError(t, err)
	require.Len(t, start, ndjson.MaxLine+100)
	status, _, stderr := runTool(t, "\n \r\n[1\n{}\n", "normalize")
	require.Equal(t, 1, status)
	require.Regexp(t, `line 3: (.|\n)*line 4: `, stderr)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Events appear while the input is still open, as with tail -f.
func TestNormalizeStreams(t *testing.T) {
	stdin, input := io.Pipe()
	output, stdout := io.Pipe()
	a := &app{stdin: stdin, stdout: stdout, stderr: io.Discard, getenv: os.Getenv, isTerminal: func(any) bool { return false }}
	ended := make(chan int)
	go func() { ended <- a.run([]string{"normalize"}) }()
	for range 3 {
		_, err := io.WriteString(input, exampleFiles["webhooks.ndjson"])
		require.NoError(t, err)
		buf := make([]byte, 64<<10)
		n, err := output.Read(buf)
		require.NoError(t, err)
		require.Contains(t, string(buf[:n]), "US.1")
	}
	require.NoError(t, input.Close())
	require.Zero(t, <-ended)
}

func TestQRImages(t *testing.T) {
	dir := t.TempDir()
	const link = "https://wa.me/jane.doe"
	for file, opts := range map[string]qrcode.Options{
		"a.png": {Title: link},
		"b.svg": {Format: qrcode.SVG, Title: link, Style: qrcode.Style{Foreground: qrcode.RGB(0, 0, 0x80)}, Size: 200},
	} {
		args := []string{"qr", "jane.doe", "-o", filepath.Join(dir, file)}
		if opts.Size != 0 {
			args = append(args, "--color", "#000080", "--size", "200")
		}
		status, stdout, stderr := runTool(t, "", args...)
		require.Zero(t, status, stderr)
		require.Empty(t, stdout)
		want, err := qrcode.RenderQR(link, opts)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for args, want := range map[string]string{
		"qr jane.doe -o a":                        "doesn't end in .png, .svg, .pdf or .eps",
		"qr jane.doe --mm 25":                     "need --output",
		"qr jane.doe -o a.pdf --size 200":         "--size is in pixels",
		"qr jane.doe -o a.pdf --mm 25mm":          "--mm: length isn't a number of millimeters",
		"qr jane.doe -o a.pdf --mm NaN":           "--mm: length isn't a number of millimeters",
		"qr jane.doe -o a.pdf --module 0":         "--module: length isn't",
		"qr jane.doe -o a.pdf --dpi 1.5":          "--dpi: resolution isn't",
		"qr jane.doe -o a.pdf --logo-share x":     "--logo-share: share isn't",
		"qr jane.doe -o a.pdf --mm 9 --module 1":  "--mm, --module and --outer are mutually exclusive",
		"qr jane.doe -o - --format gif --mm 9":    "--format: format isn't pdf, eps, svg or png",
		"qr jane.doe -o a.png --format svg":       "doesn't match the extension",
		"qr jane.doe --size 200":                  "need --output",
		"qr jane.doe -o - --size 2":               "--size: size isn't a whole number of pixels from 128 to 16384",
		"qr jane.doe -o - --size +200":            "--size: size isn't",
		"qr jane.doe -o - --color red":            "--color: ",
		"qr jane.doe -o - --light":                "--light is for codes in the terminal",
		"qr jane.doe -o - --level X --format gif": "--level: level isn't L, M, Q or H",
	} {
		status, stdout, stderr := runTool(t, "", strings.Fields(args)...)
		require.Equal(t, 2, status, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, want)
	}
	status, _, stderr := runTool(t, "", "qr", "jane.doe", "-o", "-", "--color", "fff", "--background", "000")
	require.Zero(t, status)
	require.Contains(t, stderr, "(light_on_dark)")
}

func TestQRForPaper(t *testing.T) {
	dir := t.TempDir()
	logoFile := write(t, dir, "logo.png", exampleFiles["logo.png"])
	logo, err := qrprint.ParseLogo([]byte(exampleFiles["logo.png"]))
	require.NoError(t, err)
	for file, tt := range map[string]struct {
		args  []string
		code  qrprint.Code
		bleed qrprint.Millimeters
	}{
		"a.pdf":     {nil, qrprint.Code{}, 0},
		"b.eps":     {[]string{"--module", "0.5"}, qrprint.Code{ModuleWidth: 0.5}, 0},
		"c.svg":     {[]string{"--mm", "30", "--color", "#000080", "--margin", "6"}, qrprint.Code{Width: 30, Style: qrcode.Style{Foreground: qrcode.RGB(0, 0, 0x80), Margin: 6}}, 0},
		"d.png":     {[]string{"--mm", "25"}, qrprint.Code{Width: 25, DPI: 300}, 0},
		"e.png":     {[]string{"--dpi", "600", "--level", "h"}, qrprint.Code{DPI: 600, Style: qrcode.Style{MinLevel: qrcode.LevelH}}, 0},
		"f.svg":     {[]string{"--caption", "@jane.doe"}, qrprint.Code{Caption: "@jane.doe"}, 0},
		"g.pdf":     {[]string{"--frame", "Chat with us", "--bleed", "3"}, qrprint.Code{Frame: "Chat with us"}, 3},
		"h.PDF":     {[]string{"--logo", logoFile, "--logo-share", "0.2"}, qrprint.Code{Logo: logo, LogoShare: 0.2}, 0},
		"i.pdf":     {[]string{"--outer", "40", "--crop-marks", "--bleed", "3"}, qrprint.Code{OuterWidth: 40, CropMarks: true}, 3},
		"j.pdf":     {[]string{"--color", "cmyk:100,72,0,18", "--background", "cmyk:0,0,7,0"}, qrprint.Code{ForegroundCMYK: qrprint.CMYK{C: 100, M: 72, K: 18}, BackgroundCMYK: qrprint.CMYK{Y: 7}}, 0},
		"k.eps":     {[]string{"--color", "cmyk:0,0,0,100"}, qrprint.Code{ForegroundCMYK: qrprint.CMYK{K: 100}}, 0},
		"large.pdf": {[]string{"--mm", "25", "--dpi", "300", "--caption", "@jane.doe", "--logo", logoFile}, qrprint.Code{Width: 25, DPI: 300, Caption: "@jane.doe", Logo: logo}, 0},
	} {
		tt.code.Text = "https://wa.me/jane.doe"
		tt.code.Bleed = tt.bleed
		page, err := tt.code.Page()
		require.NoError(t, err)
		requirePrinted(t, page, filepath.Join(dir, file), append([]string{"qr", "jane.doe"}, tt.args...)...)
	}
}

// Whole dots change the width, with a warning.
func TestQRSaysItsWidth(t *testing.T) {
	output := filepath.Join(t.TempDir(), "a.pdf")
	status, _, stderr := runTool(t, "", "qr", "jane.doe", "-o", output, "--mm", "25", "--dpi", "300")
	require.Zero(t, status)
	require.Equal(t, "hailmark: warning: the code is 25.4 mm wide instead of 25.0 mm, because each module has 12 whole dots at 300 dpi (print_width_rounded)\n", stderr)
	status, _, stderr = runTool(t, "", "qr", "jane.doe", "-o", output, "--mm", "25.4", "--dpi", "300", "--force")
	require.Zero(t, status)
	require.Empty(t, stderr)
}

// Inks need a format that has them.
func TestInksNeedPDFOrEPS(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "table.csv", "username\njane.doe\n")
	for _, args := range []string{
		"qr jane.doe -o a.png", "qr jane.doe -o a.svg --mm 30", "poster jane.doe -o a.png", "batch table.csv -o out", "check table.csv --format svg",
	} {
		for _, color := range []string{"--color", "--background"} {
			status, _, stderr := runTool(t, "", append(strings.Fields(args), color, "cmyk:0,0,0,100")...)
			require.Equal(t, 2, status, args)
			require.Contains(t, stderr, "--color and --background with cmyk: need PDF or EPS", args)
		}
	}
	status, _, stderr := runTool(t, "", "qr", "jane.doe", "-o", "a.pdf", "--color", "cmyk:0,0,0")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "hailmark: --color: color isn't cmyk: and four percentages from 0 to 100, as in cmyk:0,0,0,100\n")
	status, _, stderr = runTool(t, "", "qr", "jane.doe", "-o", "a.pdf", "--mm", "20", "--outer", "30")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "--mm, --module and --outer are mutually exclusive")
	require.Equal(t, []string{"table.csv"}, slices.Collect(maps.Keys(tree(t, "."))))
}

// A row's own color replaces the inks of the command line.
func TestInksInTables(t *testing.T) {
	dir := t.TempDir()
	table := write(t, dir, "table.csv", "username,color\njane.doe,\njohn.doe,#800000\n")
	status, _, stderr := runTool(t, "", "batch", table, "-o", filepath.Join(dir, "out"), "--format", "eps", "--color", "cmyk:100,72,0,18")
	require.Zero(t, status, stderr)
	files := tree(t, filepath.Join(dir, "out"))
	require.Contains(t, files["jane.doe.eps"], "1 0.72 0 0.18 setcmykcolor")
	require.NotContains(t, files["john.doe.eps"], "1 0.72 0 0.18 setcmykcolor")
	require.Contains(t, files["john.doe.eps"], "0.502 0 0 setrgbcolor")
	status, _, stderr = runTool(t, "", "sheet", table, "-o", filepath.Join(dir, "sheet.pdf"), "--labels", "Avery L7160", "--color", "cmyk:100,72,0,18")
	require.Zero(t, status, stderr)
}

// A code that can't be printed well is rejected.
func TestQRForPaperRejected(t *testing.T) {
	dir := t.TempDir()
	badLogo := write(t, dir, "bad.svg", "<svg/>")
	output := filepath.Join(dir, "a.pdf")
	for args, want := range map[string]string{
		"--mm 5":                       "(print_module_too_small)\nHint: set the width of the code with --mm",
		"--mm 2000":                    "(print_invalid_length)",
		"--mm 20 --dpi 10":             "(print_invalid_dpi)\nHint: ",
		"--margin 0 --frame a":         "(invalid_margin)",
		"--color ffff00":               "(low_contrast)\nHint: ",
		"--caption 日本":                 "(print_unsupported_character)",
		"--logo " + badLogo:            "(print_invalid_logo)",
		"--logo no-such-file":          "open no-such-file: ",
		"--caption a\x01":              "(print_unsupported_character)",
		"--mm 300 --dpi 4800 -o a.png": "(print_invalid_dpi)",
	} {
		status, stdout, stderr := runTool(t, "", append([]string{"qr", "jane.doe", "-o", output}, strings.Fields(args)...)...)
		require.Equal(t, 1, status, args)
		require.Empty(t, stdout, args)
		require.Contains(t, stderr, want, args)
		require.NoFileExists(t, output, args)
	}
	status, _, stderr := runTool(t, "", "qr", "jane.doe", "-o", output, "--mm", "8", "--color", "fff", "--background", "000", "--margin", "0")
	require.Zero(t, status)
	for _, code := range []string{"small_module", "light_on_dark", "no_quiet_zone"} {
		require.Regexp(t, "(?m)^hailmark: warning: .* \\("+code+"\\)$", stderr)
	}
	require.FileExists(t, output)
}

// A terminal gets black and white text, and never an image.
func TestQRTerminal(t *testing.T) {
	run := func(noColor string, args ...string) (int, string, string) {
		var out, err strings.Builder
		a := &app{
			stdout: &out, stderr: &err, isTerminal: func(any) bool { return true },
			getenv: func(name string) string { return map[string]string{"NO_COLOR": noColor}[name] },
		}
		return a.run(append([]string{"qr", "jane.doe"}, args...)), out.String(), err.String()
	}
	_, plain, _ := runTool(t, "", "qr", "jane.doe")
	status, colored, _ := run("")
	require.Zero(t, status)
	const on, off = "\x1b[38;5;231m\x1b[48;5;16m", "\x1b[0m"
	require.Equal(t, strings.Count(plain, "\n"), strings.Count(colored, on))
	require.Equal(t, plain, strings.NewReplacer(on, "", off, "").Replace(colored))
	_, text, _ := run("1")
	require.Equal(t, plain, text)

	status, stdout, stderr := run("", "-o", "-")
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "the terminal can't show PNG; write it to a file with -o file.png")
	status, stdout, stderr = run("", "-o", "-", "--format", "pdf")
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "the terminal can't show PDF; write it to a file with -o file.pdf")

	_, light, _ := run("", "--light")
	dark, lightRows := strings.Split(plain, "\n"), strings.Split(light, "\n")
	require.Len(t, lightRows, len(dark))
	for i, row := range lightRows[:len(dark)-2] {
		require.Equal(t, dark[i], strings.NewReplacer("█", " ", " ", "█", "▀", "▄", "▄", "▀").Replace(row))
	}
}
