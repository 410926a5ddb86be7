package qrcode_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

const link = "https://wa.me/16505551234"

// A rendering is the input of vectors/qr_render.json: a text, Repeat times over, and
// the options as they are on the wire, where "" is not given.
type rendering struct {
	Text   string `json:"text"`
	Repeat int    `json:"repeat,omitempty"`
	Format string `json:"format,omitempty"`
	Size   string `json:"size,omitempty"`
	Color  string `json:"color,omitempty"`
	BG     string `json:"bg,omitempty"`
}

type facts struct {
	Version int    `json:"version"`
	Level   string `json:"level"`
	Mask    int    `json:"mask"`
	Modules int    `json:"modules"`
	Grid    string `json:"grid"`
	Width   int    `json:"width,omitempty"`
}

func (p rendering) text() string { return strings.Repeat(p.Text, max(p.Repeat, 1)) }

func (p rendering) options() (qrcode.Options, error) {
	var o qrcode.Options
	var errs [4]error
	if p.Format != "" {
		o.Format, errs[0] = qrcode.ParseFormat(p.Format)
	}
	if p.Size != "" {
		o.Size, errs[1] = strconv.Atoi(p.Size)
	}
	if p.Color != "" {
		o.Foreground, errs[2] = qrcode.ParseColor(p.Color)
	}
	if p.BG != "" {
		o.Background, errs[3] = qrcode.ParseBackground(p.BG)
	}
	return o, errors.Join(errs[:]...)
}

func TestRenderVectors(t *testing.T) {
	file, err := vectors.Load[rendering, facts]("qr_render.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			opts, err := v.Input.options()
			require.NoError(t, err)
			img, err := qrcode.RenderQR(v.Input.text(), opts)
			if v.Output == nil {
				require.Equal(t, v.Codes, codes(t, err))
				require.Nil(t, img)
				return
			}
			require.NoError(t, err)
			s := drawn(t, img, opts)
			require.Equal(t, v.Input.text(), s.text)
			require.Equal(t, *v.Output, s.facts)
		})
	}
}

func codes(t *testing.T, err error) []problem.Code {
	for _, p := range problem.All(err) {
		require.NotEmpty(t, p.Field, p.Code)
	}
	return problem.All(err).Codes()
}

// A drawing contains the text and facts read from an image.
type drawing struct {
	text string
	facts
}

// drawn measures and reads an image.
func drawn(t *testing.T, img []byte, opts qrcode.Options) drawing {
	t.Helper()
	var dark func(x, y int) bool
	d := drawing{}
	if opts.Format == qrcode.SVG {
		d.Modules, dark = readSVG(t, img, opts)
	} else {
		d.Modules, dark = readPNG(t, img, opts)
		d.Width = max(opts.Size, 0)
		if opts.Size == 0 {
			d.Width = 512
		}
	}
	level, mask, err := readFormat(d.Modules, dark)
	require.NoError(t, err)
	d.Version, d.Level, d.Mask = (d.Modules-17)/4, qrcode.Level(level).String(), mask
	d.text, err = read(d.Modules, dark)
	require.NoError(t, err)
	d.Grid = gridHash(d.Modules, dark)
	return d
}

// gridHash hashes a row of 0 and 1 for each row of modules, each with a newline.
func gridHash(n int, dark func(x, y int) bool) string {
	var rows []byte
	for y := range n {
		for x := range n {
			c := byte('0')
			if dark(x, y) {
				c = '1'
			}
			rows = append(rows, c)
		}
		rows = append(rows, '\n')
	}
	hash := sha256.Sum256(rows)
	return hex.EncodeToString(hash[:])
}

// readPNG asserts all that is promised of a PNG and returns its symbol.
func readPNG(t *testing.T, data []byte, opts qrcode.Options) (int, func(x, y int) bool) {
	t.Helper()
	const bitDepth, colorType = 24, 25 // in the header chunk
	require.EqualValues(t, 1, data[bitDepth])
	require.EqualValues(t, 3, data[colorType])
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	p, ok := img.(*image.Paletted)
	require.True(t, ok)
	require.Equal(t, color.Palette{rgba(opts.Background, "ffffff"), rgba(opts.Foreground, "000000")}, p.Palette)
	size := opts.Size
	if size == 0 {
		size = 512
	}
	require.Equal(t, image.Rect(0, 0, size, size), p.Rect)

	// The dark modules of a symbol touch its upper, left and lower edge, and the
	// finder pattern in the upper left corner is seven modules wide.
	left, top := size, size
	bottom := 0
	for y := range size {
		for x := range size {
			if p.ColorIndexAt(x, y) == 1 {
				left, top, bottom = min(left, x), min(top, y), max(bottom, y)
			}
		}
	}
	finder := 0
	for p.ColorIndexAt(left+finder, top) == 1 {
		finder++
	}
	require.Zero(t, finder%7)
	scale := finder / 7
	modules := (bottom + 1 - top) / scale
	require.Zero(t, (bottom+1-top)%scale)
	require.Equal(t, left, top)
	margin := marginOf(opts)
	require.GreaterOrEqual(t, left, margin*scale)
	require.GreaterOrEqual(t, size-left-modules*scale, margin*scale)
	if scale == 1 {
		require.Equal(t, 1, left%2, "zbar needs an odd offset")
		require.InDelta(t, left, size-left-modules*scale, 2, "nearly centred")
	} else {
		require.InDelta(t, left, size-left-modules*scale, 1, "centred")
	}
	require.Less(t, size, (scale+1)*(modules+2*margin), "modules are as large as they can be")
	for y := range size {
		for x := range size {
			mx, my := floorDiv(x-left, scale), floorDiv(y-top, scale)
			want := mx >= 0 && my >= 0 && mx < modules && my < modules && p.ColorIndexAt(left+mx*scale, top+my*scale) == 1
			if want != (p.ColorIndexAt(x, y) == 1) {
				require.FailNow(t, "a module is not one square of one color", "pixel %d,%d", x, y)
			}
		}
	}
	return modules, func(x, y int) bool { return p.ColorIndexAt(left+x*scale, top+y*scale) == 1 }
}

// marginOf returns the modules of quiet zone that the options ask for.
func marginOf(opts qrcode.Options) int {
	switch opts.Margin {
	case qrcode.NoMargin:
		return 0
	case 0:
		return 4
	}
	return opts.Margin
}

func floorDiv(a, b int) int {
	if a < 0 {
		return (a - b + 1) / b
	}
	return a / b
}

func rgba(c qrcode.Color, byDefault string) color.Color {
	switch c {
	case qrcode.Transparent():
		return color.NRGBA{255, 255, 255, 0}
	case qrcode.Color{}:
		c, _ = qrcode.ParseColor(byDefault)
	}
	n, _ := strconv.ParseUint(c.String(), 16, 32)
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
}

// readSVG asserts all that is promised of an SVG and returns its symbol.
func readSVG(t *testing.T, data []byte, opts qrcode.Options) (int, func(x, y int) bool) {
	t.Helper()
	type element struct {
		XMLName xml.Name
		Attrs   []xml.Attr `xml:",any,attr"`
		Text    string     `xml:",chardata"`
		Inner   []element  `xml:",any"`
	}
	var root element
	require.NoError(t, xml.Unmarshal(data, &root))
	attrs := func(e element) map[string]string {
		m := map[string]string{}
		for _, a := range e.Attrs {
			m[a.Name.Local] = a.Value
		}
		return m
	}
	size, margin := strconv.Itoa(opts.Size), marginOf(opts)
	if opts.Size == 0 {
		size = "512"
	}
	require.Equal(t, xml.Name{Space: "http://www.w3.org/2000/svg", Local: "svg"}, root.XMLName)
	var x0, y0, side, height int
	_, err := fmt.Sscanf(attrs(root)["viewBox"], "%d %d %d %d", &x0, &y0, &side, &height)
	require.NoError(t, err)
	require.Equal(t, [3]int{-margin, -margin, side}, [3]int{x0, y0, height})
	require.Equal(t, map[string]string{
		"xmlns": "http://www.w3.org/2000/svg", "width": size, "height": size, "viewBox": attrs(root)["viewBox"], "role": "img",
		"shape-rendering": "crispEdges", "fill-rule": "evenodd", "fill": attrs(root)["fill"],
	}, attrs(root))
	require.Equal(t, rgba(opts.Foreground, "000000"), cssColor(t, attrs(root)["fill"]))

	inner := root.Inner
	if opts.Title != "" {
		require.Equal(t, "title", inner[0].XMLName.Local)
		require.Equal(t, opts.Title, inner[0].Text)
		inner = inner[1:]
	}
	if opts.Background != qrcode.Transparent() {
		require.Equal(t, "path", inner[0].XMLName.Local)
		require.Equal(t, rgba(opts.Background, "ffffff"), cssColor(t, attrs(inner[0])["fill"]))
		require.Equal(t, fmt.Sprintf("M%d %dh%dv%dh-%d", -margin, -margin, side, side, side), attrs(inner[0])["d"])
		inner = inner[1:]
	}
	require.Len(t, inner, 1)
	require.Equal(t, "path", inner[0].XMLName.Local)
	require.Len(t, inner[0].Attrs, 1)
	n := side - 2*margin
	grid := fillPath(t, n, attrs(inner[0])["d"])
	return n, func(x, y int) bool { return grid[y][x] }
}

var pathStep = regexp.MustCompile(`([Mm])(-?\d+) ?(-?\d+)|([HhVv])(-?\d+)`)

// fillPath fills a path of horizontal and vertical steps by the even-odd rule: a module is
// dark if a ray from it to the left crosses an odd number of vertical steps.
func fillPath(t *testing.T, n int, d string) [][]bool {
	t.Helper()
	grid := make([][]bool, n)
	for y := range grid {
		grid[y] = make([]bool, n)
	}
	x, y, startX, startY, length := 0, 0, 0, 0, 0
	vertical := func(x, from, to int) {
		for row := min(from, to); row < max(from, to); row++ {
			for column := x; column < n; column++ {
				grid[row][column] = !grid[row][column]
			}
		}
	}
	closePath := func() {
		require.True(t, x == startX || y == startY, "the closing step is horizontal or vertical")
		vertical(x, y, startY)
	}
	for _, m := range pathStep.FindAllStringSubmatch(d, -1) {
		length += len(m[0])
		first, _ := strconv.Atoi(m[2] + m[5])
		second, _ := strconv.Atoi(m[3])
		switch command := m[1] + m[4]; command {
		case "M", "m":
			closePath()
			if command == "m" {
				first, second = x+first, y+second
			}
			x, y, startX, startY = first, second, first, second
		case "h":
			x += first
		case "H":
			x = first
		case "v", "V":
			to := first
			if command == "v" {
				to += y
			}
			vertical(x, y, to)
			y = to
		}
	}
	closePath()
	require.Len(t, d, length, "nothing but steps")
	return grid
}

func cssColor(t *testing.T, s string) color.Color {
	t.Helper()
	hex, ok := strings.CutPrefix(s, "#")
	require.True(t, ok)
	c, err := qrcode.ParseColor(hex)
	require.NoError(t, err)
	return rgba(c, "")
}

// TestRendererVersion fails when an image changes. If the change is intended, raise
// rendererVersion and record the new hash: caches rely on it.
func TestRendererVersion(t *testing.T) {
	h := sha256.New()
	for _, text := range []string{link, "https://wa.me/hailmark?text=Gr%C3%BC%C3%9Fe", "Olá, tudo bem?", strings.Repeat(link, 20), strings.Repeat("0123456789", 260)} {
		for _, opts := range []qrcode.Options{
			{},
			{Size: 200, Style: qrcode.Style{Foreground: qrcode.RGB(0x25, 0xD3, 0x66), Background: qrcode.Transparent()}},
			{Format: qrcode.SVG},
			{Format: qrcode.SVG, Style: qrcode.Style{Foreground: qrcode.RGB(255, 255, 255), Background: qrcode.RGB(0, 0, 0)}},
		} {
			img, err := qrcode.RenderQR(text, opts)
			require.NoError(t, err)
			h.Write(img)
		}
	}
	require.Equal(t, map[string]string{"3": "35b20edfe0141c52453b6b72a26baa81f659d3a9b9f1d659b19810c9e0971c65"},
		map[string]string{strings.Fields(qrcode.Options{}.CacheKey(link))[0]: hex.EncodeToString(h.Sum(nil))})
}

func TestEverythingWrongIsReported(t *testing.T) {
	_, err := qrcode.RenderQR("", qrcode.Options{Format: "gif", Size: 16385, Style: qrcode.Style{MinLevel: 4, Margin: 3, Foreground: qrcode.Transparent()}})
	require.Equal(t, []problem.Code{"invalid_format", "invalid_size", "invalid_level", "invalid_margin", "invalid_color"}, codes(t, err), "the text is checked last")

	_, err = qrcode.RenderQR(link, qrcode.Options{Size: -1, Style: qrcode.Style{Foreground: qrcode.RGB(255, 255, 255)}})
	require.Equal(t, []problem.Code{"invalid_size", "low_contrast"}, codes(t, err))
}

func TestTooLongNamesTheSmallestSize(t *testing.T) {
	text := strings.Repeat("a", 2000)
	_, err := qrcode.RenderQR(text, qrcode.Options{Size: 128})
	require.ErrorIs(t, err, problem.Code("text_too_long"))
	found := regexp.MustCompile(`a size of (\d+) or more`).FindStringSubmatch(err.Error())
	require.NotNil(t, found, err.Error())
	smallest, err := strconv.Atoi(found[1])
	require.NoError(t, err)

	_, err = qrcode.RenderQR(text, qrcode.Options{Size: smallest})
	require.NoError(t, err)
	_, err = qrcode.RenderQR(text, qrcode.Options{Size: smallest - 1})
	require.ErrorIs(t, err, problem.Code("text_too_long"))
}

func TestSymbol(t *testing.T) {
	s, err := qrcode.Encode(link, qrcode.EncodeOptions{})
	require.NoError(t, err)
	require.Equal(t, 17+4*s.Version(), s.Size())
	requireReads(t, link, s)
	for i := -1; i <= s.Size(); i++ {
		for _, out := range []int{-1, s.Size()} {
			require.False(t, s.Dark(out, i))
			require.False(t, s.Dark(i, out))
		}
	}
}

func TestTerminal(t *testing.T) {
	for _, text := range []string{"A", link, strings.Repeat(link, 20)} {
		s, err := qrcode.Encode(text, qrcode.EncodeOptions{})
		require.NoError(t, err)
		lines := strings.Split(string(s.AppendTerminal(nil)), "\n")
		require.Len(t, lines, (s.Size()+8+1)/2+1)
		require.Empty(t, lines[len(lines)-1])
		light := func(x, y int) bool {
			return strings.ContainsRune([]string{"█▀", "█▄"}[y%2], []rune(lines[y/2])[x])
		}
		got, err := read(s.Size(), func(x, y int) bool { return !light(x+4, y+4) })
		require.NoError(t, err)
		require.Equal(t, text, got)
		for i := range s.Size() + 8 {
			for j := range 4 {
				far := s.Size() + 7 - j
				require.True(t, light(i, j) && light(i, far) && light(j, i) && light(far, i), "the quiet zone is light")
			}
		}
	}
}

func TestZeroSymbol(t *testing.T) {
	var s qrcode.Symbol
	require.Zero(t, s.Size())
	require.Zero(t, s.Version())
	require.False(t, s.Dark(0, 0))
	require.Empty(t, s.AppendTerminal(nil))
}

func TestAllocations(t *testing.T) {
	if testenv.RaceEnabled {
		t.Skip("skipped: counts differ under the race detector")
	}
	for _, text := range []string{link, strings.Repeat(link, 24)} {
		require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
			if _, err := qrcode.RenderQR(text, qrcode.Options{}); err != nil {
				t.Fail()
			}
		}), 2.0, "the plan and the image")
		require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
			if _, err := qrcode.RenderQR(text, qrcode.Options{Format: qrcode.SVG}); err != nil {
				t.Fail()
			}
		}), 5.0, "the plan, the SVG, and what svgo takes")
		require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
			if _, err := qrcode.Encode(text, qrcode.EncodeOptions{}); err != nil {
				t.Fail()
			}
		}), 2.0, "the plan and the rows of the symbol")
	}
}

// TestManyGoroutines draws the same images concurrently and one by one, with
// tables that are made on first use.
func TestManyGoroutines(t *testing.T) {
	draw := func(i int) []byte {
		img, err := qrcode.RenderQR(strings.Repeat("Wa", 7*i+1), qrcode.Options{Size: 128 + 8*i, Format: []qrcode.Format{qrcode.PNG, qrcode.SVG}[i%2]})
		require.NoError(t, err)
		return img
	}
	const images = 24
	var all sync.WaitGroup
	var drawn [4][images][]byte
	for g := range drawn {
		all.Go(func() {
			for i := range images {
				drawn[g][i] = draw(i)
			}
		})
	}
	all.Wait()
	for i := range images {
		want := draw(i)
		for g := range drawn {
			require.Equal(t, want, drawn[g][i])
		}
	}
}

func TestLevelIsAsHighAsTheVersionAllows(t *testing.T) {
	const most = 2330 // bytes that version 40-M holds, marked as UTF-8
	for n := 1; n < 2953; n += 17 {
		text := strings.Repeat("é", n)[:n]
		s, err := qrcode.Encode(text, qrcode.EncodeOptions{})
		require.NoError(t, err)
		requireReads(t, text, s)
		require.Equal(t, n > most, s.Level() == qrcode.LevelL)
		if n >= most {
			continue
		}
		longer, err := qrcode.Encode(text+"a", qrcode.EncodeOptions{})
		require.NoError(t, err)
		require.GreaterOrEqual(t, longer.Version(), s.Version())
		if longer.Version() == s.Version() {
			require.LessOrEqual(t, longer.Level(), s.Level())
		}
	}
}

// FuzzRenderQR reads what it drew.
func FuzzRenderQR(f *testing.F) {
	file, err := vectors.Load[rendering, facts]("qr_render.json")
	require.NoError(f, err)
	for _, v := range file.Vectors {
		opts, err := v.Input.options()
		require.NoError(f, err)
		f.Add(v.Input.text(), opts.Size, opts.Format == qrcode.SVG, uint32(0), uint32(0xFFFFFF), opts.Margin, uint8(opts.MinLevel))
	}
	f.Add("\xff\x00 not UTF-8", 200, false, uint32(0xFF0000), uint32(0xFFFF00), 7, uint8(qrcode.LevelQ))
	f.Add(strings.Repeat("0123456789", 260), 200, false, uint32(0), uint32(0xFFFFFF), 0, uint8(qrcode.LevelL))
	f.Fuzz(func(t *testing.T, text string, size int, svg bool, fg, bg uint32, margin int, level uint8) {
		opts := qrcode.Options{
			Size:  size,
			Style: qrcode.Style{Margin: margin, MinLevel: qrcode.Level(level), Foreground: qrcode.RGB(uint8(fg>>16), uint8(fg>>8), uint8(fg)), Background: qrcode.RGB(uint8(bg>>16), uint8(bg>>8), uint8(bg))},
		}
		if svg {
			opts.Format = qrcode.SVG
		}
		if bg > 0xFFFFFF {
			opts.Background = qrcode.Transparent()
		}
		img, err := qrcode.RenderQR(text, opts)
		if err != nil {
			for _, code := range codes(t, err) {
				require.Contains(t, []problem.Code{"invalid_size", "invalid_margin", "invalid_level", "low_contrast", "text_too_long", "missing_text"}, code)
			}
			require.Equal(t, margin != 0 && (margin < 4 || margin > 100), errors.Is(err, problem.Code("invalid_margin")))
			require.Equal(t, level > uint8(qrcode.LevelH), errors.Is(err, problem.Code("invalid_level")))
			require.NotEmpty(t, codes(t, err))
			require.Equal(t, size != 0 && (size < qrcode.MinSize || size > qrcode.MaxSize), errors.Is(err, problem.Code("invalid_size")))
			return
		}
		require.Equal(t, text, drawn(t, img, opts).text)
	})
}

// TestLongestTextFits draws the longest text that the message for a longer one names, with and
// without the mark of UTF-8.
func TestLongestTextFits(t *testing.T) {
	for _, letter := range []string{"", "é", "\xff"} {
		text := func(length int) string { return letter + strings.Repeat("a", length-len(letter)) }
		_, err := qrcode.Encode(text(2990), qrcode.EncodeOptions{})
		require.ErrorIs(t, err, problem.Code("text_too_long"))
		most := 0
		var length int
		_, scanned := fmt.Sscanf(err.Error(), "text has %d bytes; a QR code holds at most %d bytes", &length, &most)
		require.NoError(t, scanned)
		_, err = qrcode.Encode(text(most), qrcode.EncodeOptions{})
		require.NoError(t, err, letter)
		_, err = qrcode.Encode(text(most+1), qrcode.EncodeOptions{})
		require.ErrorIs(t, err, problem.Code("text_too_long"))
	}
}
