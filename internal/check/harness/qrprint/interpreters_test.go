package qrprint

import (
	"fmt"
	"image"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// Every interpreter reads every file without a message. pdfcpu also compares the objects of
// a PDF with the specification.
func TestInterpretersAreSilent(t *testing.T) {
	testenv.Slow(t)
	needTools(t)
	dir := t.TempDir()
	for _, s := range samples(t) {
		pdf, eps := write(t, dir, s, qrprint.PDF), write(t, dir, s, qrprint.EPS)
		check := run(t, "qpdf", "--check", pdf)
		for line := range strings.Lines(check) {
			require.Regexp(t, `^checking |^PDF Version: 1\.6$|^File is not |^No syntax or stream encoding errors found|^errors that qpdf cannot detect$`,
				strings.TrimSpace(line), s.name)
		}
		require.NoError(t, api.ValidateFile(pdf, pdfcpu()), s.name)
		messages := run(t, "mutool", "draw", "-q", "-r", "72", "-o", filepath.Join(dir, "out.png"), pdf)
		require.Empty(t, strings.TrimPrefix(messages, "warning: ICC support is not available\n"), s.name) // which is about the program
		require.Empty(t, run(t, "pdftoppm", "-r", "72", "-png", pdf, filepath.Join(dir, "out")), s.name)
		require.Empty(t, run(t, "gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dPDFSTOPONERROR", "-sDEVICE=nullpage", pdf), s.name)
		require.Empty(t, run(t, "gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=nullpage", eps), s.name)
		require.Empty(t, run(t, "rsvg-convert", "-o", filepath.Join(dir, "out.png"), write(t, dir, s, qrcode.SVG)), s.name)

		width, height := s.page.Size()
		boxes := run(t, "pdfinfo", "-box", pdf)
		trim := numbers(t, regexp.MustCompile(`TrimBox: *(.*)`).FindStringSubmatch(boxes)[1])
		require.InDelta(t, float64(width), (trim[2]-trim[0])*25.4/72, 0.005, s.name)
		require.InDelta(t, float64(height), (trim[3]-trim[1])*25.4/72, 0.005, s.name)
		text := run(t, "pdftotext", pdf, "-")
		require.NotContains(t, text, "Error", s.name)
	}
}

// pdfcpu returns a configuration that reads no files and asks no servers about links.
func pdfcpu() *model.Configuration {
	api.DisableConfigDir()
	strict := model.NewDefaultConfiguration()
	strict.ValidationMode, strict.Offline = model.ValidationStrict, true
	return strict
}

// A file with several sheets, an image is valid as well.
func TestManyPages(t *testing.T) {
	testenv.Slow(t)
	needTools(t)
	pdf := filepath.Join(t.TempDir(), "all.pdf")
	f, err := os.Create(pdf)
	require.NoError(t, err)
	defer f.Close()
	labels, err := qrprint.ParseLabels("avery-5164")
	require.NoError(t, err)
	w, err := qrprint.NewSheetWriter(f, labels)
	require.NoError(t, err)
	logos := []*qrprint.Logo{nil, logo(t, disc(t))}
	for i := range 5 * labels.Columns * labels.Rows {
		_, err := w.Add(qrprint.Code{Text: text, Caption: fmt.Sprint("Grüße ", i), Logo: logos[i/6%2]})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, api.ValidateFile(pdf, pdfcpu()))
	require.Contains(t, run(t, "qpdf", "--check", pdf), "No syntax or stream encoding errors found")
	require.Contains(t, run(t, "pdfinfo", pdf), "Pages:           5\n")
}

func numbers(t *testing.T, s string) []float64 {
	t.Helper()
	var list []float64
	for field := range strings.FieldsSeq(s) {
		n, err := strconv.ParseFloat(field, 64)
		require.NoError(t, err)
		list = append(list, n)
	}
	return list
}

// The edges of every symbol are where the page says that they are: in a PDF as MuPDF traces
// it, and in an EPS as Ghostscript measures it.
func TestEdges(t *testing.T) {
	testenv.Slow(t)
	needTools(t)
	dir := t.TempDir()
	for _, c := range []struct {
		qrprint.Code
		bleed qrprint.Millimeters
	}{
		{qrprint.Code{Text: text}, 0},
		{qrprint.Code{Text: text, DPI: 300}, 0},
		{qrprint.Code{Text: text, DPI: 203, ModuleWidth: 0.4}, 0},
		{qrprint.Code{Text: text, DPI: 600, Width: 17.3}, 0},
		{qrprint.Code{Text: text, Width: 123.4}, 3},
		{qrprint.Code{Text: strings.Repeat(text, 20), Width: 80}, 0},
	} {
		c.Background = qrcode.Transparent() // a white area would count as marked
		c.Bleed = c.bleed
		page, err := c.Page()
		require.NoError(t, err)
		m := page.Codes()[0]
		left, top := float64(m.X+c.bleed), float64(m.Y+c.bleed) // from the edges of the media
		module, width := float64(m.ModuleWidth), float64(m.ModuleWidth)*float64(m.Symbol.Size())
		_, trimmed := page.Size()
		height := float64(trimmed + 2*c.bleed)
		s := sample{"edges", page, nil, true}
		want := []float64{left, height - top - width, left + width, height - top}
		pdf := write(t, dir, s, qrprint.PDF)
		require.InDeltaSlice(t, want, traced(t, pdf, height), 0.005)
		out := run(t, "gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=bbox", "-dDEVICEWIDTHPOINTS=400", "-dDEVICEHEIGHTPOINTS=400", "-r9600", "-dEPSCrop", write(t, dir, s, qrprint.EPS))
		box := numbers(t, regexp.MustCompile(`HiResBoundingBox: (.*)`).FindStringSubmatch(out)[1])
		for i := range box {
			box[i] *= 25.4 / 72
		}
		require.InDeltaSlice(t, want, box, 0.005)
		// Inside of the symbol, poppler finds the edges of the first finder pattern at 5080
		// dots per inch, where a pixel is 0.005 mm: dark from 0 to 1, 2 to 5 and 6 to 7
		// modules.
		const dpi = 5080
		px := func(mm float64) string { return strconv.Itoa(int(mm * dpi / 25.4)) }
		run(t, "pdftoppm", "-r", strconv.Itoa(dpi), "-x", "0", "-y", px(top+3.5*module), "-W", px(left+7.5*module), "-H", "1",
			"-png", "-singlefile", pdf, filepath.Join(dir, "row"))
		row := readImage(t, filepath.Join(dir, "row.png"))
		var edges []float64
		for x := 1; x < row.Rect.Dx(); x++ {
			if (row.Pix[x] < 128) != (row.Pix[x-1] < 128) {
				edges = append(edges, float64(x)*25.4/dpi)
			}
		}
		require.Len(t, edges, 6)
		for i, at := range []float64{0, 1, 2, 5, 6, 7} {
			require.InDelta(t, left+at*module, edges[i], 0.0051)
		}
	}
}

// traced returns the box in millimeters, from the lower left, that the only path of a page
// fills. MuPDF counts points from the upper left.
func traced(t *testing.T, pdf string, height float64) []float64 {
	t.Helper()
	out := run(t, "mutool", "trace", pdf)
	transform := numbers(t, regexp.MustCompile(`<fill_path .* transform="([^"]*)"`).FindStringSubmatch(out)[1])
	box := []float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, to := range regexp.MustCompile(`<(?:moveto|lineto) x="([^"]*)" y="([^"]*)"/>`).FindAllStringSubmatch(out, -1) {
		at := numbers(t, to[1]+" "+to[2])
		x := (at[0]*transform[0] + transform[4]) * 25.4 / 72
		y := height - (at[1]*transform[3]+transform[5])*25.4/72
		box = []float64{min(box[0], x), min(box[1], y), max(box[2], x), max(box[3], y)}
	}
	return box
}

func readImage(t *testing.T, name string) *image.Gray {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return grayOf(t, data)
}

// Black prints with the black plate alone.
func TestBlackInkAlone(t *testing.T) {
	testenv.Slow(t)
	needTools(t)
	dir := t.TempDir()
	for _, s := range samples(t) {
		for _, f := range []qrcode.Format{qrprint.PDF, qrprint.EPS} {
			out := run(t, "gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-sDEVICE=inkcov", "-r72", "-o", "-", write(t, dir, s, f))
			ink := numbers(t, regexp.MustCompile(`[\d. ]+`).FindString(out))
			require.Len(t, ink, 4)
			if s.gray {
				require.Equal(t, []float64{0, 0, 0}, ink[:3], s.name)
				require.Greater(t, ink[3], 0.01, s.name)
			} else {
				require.Greater(t, ink[0], 0.0, s.name)
			}
		}
	}
}

// Inside of dark areas three renderers draw black, without lines between modules.
func TestNoHairlines(t *testing.T) {
	testenv.Slow(t)
	needTools(t)
	dir := t.TempDir()
	for _, s := range samples(t) {
		if !s.gray || s.name == "gray" || !full && !slices.Contains([]string{"plain", "shop", "frame", "tent a5", "sheet avery-5160"}, s.name) {
			continue
		}
		pdf := write(t, dir, s, qrprint.PDF)
		for _, dpi := range []int{97, 150, 203, 300} {
			if len(s.texts) > 2 && dpi > 150 {
				continue // sheets repeat what single codes have
			}
			resolution := strconv.Itoa(dpi)
			run(t, "pdftoppm", "-r", resolution, "-gray", "-png", "-singlefile", pdf, filepath.Join(dir, "poppler"))
			run(t, "mutool", "draw", "-q", "-c", "gray", "-r", resolution, "-o", filepath.Join(dir, "mupdf.png"), pdf)
			run(t, "gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pnggray", "-dGraphicsAlphaBits=4", "-r"+resolution,
				"-o", filepath.Join(dir, "ghostscript.png"), pdf)
			for _, renderer := range []string{"poppler", "mupdf", "ghostscript"} {
				img := readImage(t, filepath.Join(dir, renderer+".png"))
				inside, lighter := 0, 0
				for i, m := range s.page.Codes() {
					turned := strings.HasPrefix(s.name, "tent") && i == 0
					in, off := compareInside(img, m, turned, float64(dpi)/25.4, bleedOf(s))
					inside, lighter = inside+in, lighter+off
				}
				require.Greater(t, inside, 100*len(s.texts), "%s %s %d", s.name, renderer, dpi)
				require.Zero(t, lighter, "%s: %s at %d dpi has %d of %d pixels inside of dark areas that differ", s.name, renderer, dpi, lighter, inside)
			}
		}
	}
}

func bleedOf(s sample) float64 {
	if s.name == "shop" {
		return 3
	}
	return 0
}

// compareInside counts the pixels that lie inside of dark areas, a pixel or more from
// their edges, and those of them that differ from the first one. On a printer black is
// one value; renderers show the black ink as 0 or as a dark gray.
func compareInside(img *image.Gray, m qrprint.Measure, turned bool, perMM, bleed float64) (inside, differ int) {
	black := -1
	n := m.Symbol.Size()
	dark := func(left, top, right, bottom float64) bool { // an area in modules
		for y := int(math.Floor(top)); y <= int(math.Ceil(bottom))-1; y++ {
			for x := int(math.Floor(left)); x <= int(math.Ceil(right))-1; x++ {
				sx, sy := x, y
				if turned {
					sx, sy = n-1-x, n-1-y
				}
				if !m.Symbol.Dark(sx, sy) {
					return false
				}
			}
		}
		return true
	}
	left, top := (float64(m.X)+bleed)*perMM, (float64(m.Y)+bleed)*perMM
	perModule := float64(m.ModuleWidth) * perMM
	for y := int(top); y < int(top+perModule*float64(n)); y++ {
		for x := int(left); x < int(left+perModule*float64(n)); x++ {
			const room = 0.8 // renderers place a page by up to a pixel differently
			u, v := (float64(x)-left)/perModule, (float64(y)-top)/perModule
			width := 1 / perModule
			if !dark(u-room*width, v-room*width, u+(1+room)*width, v+(1+room)*width) {
				continue
			}
			inside++
			value := int(img.GrayAt(x, y).Y)
			if black < 0 {
				black = value
			}
			if value != black || black > 60 {
				differ++
			}
		}
	}
	return inside, differ
}
