package scan

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	skip2 "github.com/skip2/go-qrcode"
	"github.com/stretchr/testify/require"
	"rsc.io/qr"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
)

// libraries are what draws the images of TestDistorted, all at level M or higher.
var libraries = []string{"hailmark", "skip2", "rsc.io/qr", "nayuki", "npm qrcode"}

// A distortion makes an image harder to read. The same random numbers give the same
// distortion.
type distortion struct {
	name  string
	apply func(img *image.Gray, random *rand.Rand) *image.Gray
}

var distortions = []distortion{
	{"blur", func(img *image.Gray, random *rand.Rand) *image.Gray {
		return blurred(img, float64(img.Rect.Dx())*(0.004+0.006*random.Float64()))
	}},
	{"perspective", func(img *image.Gray, random *rand.Rand) *image.Gray { return warped(img, random, 0.14, 1) }},
	{"downscale", func(img *image.Gray, random *rand.Rand) *image.Gray {
		return warped(img, random, 0, 0.35+0.4*random.Float64())
	}},
	{"spot", spotted},
	{"camera", func(img *image.Gray, random *rand.Rand) *image.Gray {
		img = warped(img, random, 0.07, 0.7+0.4*random.Float64())
		return noisy(blurred(img, float64(img.Rect.Dx())*0.003), random)
	}},
}

// TestDistorted has the images of several libraries, distorted in the same way, read by
// five decoders. The log is two tables of the share that is read.
//
// In the first, the size of the image is a whole number of pixels for each module, so
// that all libraries draw modules of the same size. In the second, it is any size: skip2
// and npm's qrcode then draw some modules a pixel wider than others to fill the image.
//
// This package must not be behind in any cell by more than chance.
func TestDistorted(t *testing.T) {
	testenv.Slow(t)
	if !full {
		t.Skip("skipped: the tables are drawn with HAILMARK_SCAN=full")
	}
	decoders := append(decoders(t), jsqrAndQuirc(t)...)
	random := rand.New(rand.NewPCG(9, 10))
	var equalModules, equalPictures []job
	for range 20 {
		for range 5 {
			text := randomLink(random, 25+random.IntN(176))
			symbol, err := qrcode.Encode(text, qrcode.EncodeOptions{})
			require.NoError(t, err)
			side := symbol.Size() + 8
			equalModules = append(equalModules, job{text, side * max(2+random.IntN(4), (127+side)/side)})
			equalPictures = append(equalPictures, job{text, 128 + random.IntN(257)})
		}
	}
	for _, set := range []struct {
		name string
		jobs []job
	}{{"Modules of the same size", equalModules}, {"Pictures of the same size", equalPictures}} {
		t.Run(set.name, func(t *testing.T) { compareDistorted(t, decoders, set.jobs) })
	}
}

// A job is an image to draw.
type job struct {
	Text string `json:"text"`
	Size int    `json:"size"`
}

// compareDistorted logs a table of the share of the jobs that is read.
func compareDistorted(t *testing.T, decoders []decoder, jobs []job) {
	t.Helper()
	type cell struct{ library, distortion, decoder string }
	read := map[cell]int{}
	var files, texts []string
	var cells []cell
	dir := t.TempDir()
	for i, images := range drawAll(t, jobs) {
		for _, library := range libraries {
			for k, d := range distortions {
				out := d.apply(images[library], rand.New(rand.NewPCG(uint64(i), uint64(k))))
				file := filepath.Join(dir, temporary()+".png")
				require.NoError(t, os.WriteFile(file, encode(t, out), 0o600))
				files, texts = append(files, file), append(texts, jobs[i].Text)
				cells = append(cells, cell{library: library, distortion: d.name})
			}
		}
	}
	for _, d := range decoders {
		for i, got := range d.read(t, files) {
			if got == texts[i] {
				c := cells[i]
				c.decoder = d.name
				read[c]++
			}
		}
	}

	var table strings.Builder
	fmt.Fprintf(&table, "%d images per cell\n\n| distortion | decoder | %s |\n|---|---|%s\n", len(jobs), strings.Join(libraries, " | "), strings.Repeat("---|", len(libraries)))
	for _, d := range distortions {
		for _, decoder := range decoders {
			fmt.Fprintf(&table, "| %s | %s |", d.name, decoder.name)
			ours := read[cell{"hailmark", d.name, decoder.name}]
			for _, library := range libraries {
				n := read[cell{library, d.name, decoder.name}]
				fmt.Fprintf(&table, " %.3f |", float64(n)/float64(len(jobs)))
				requireNoFewer(t, ours, n, len(jobs), "%s, %s, %s", d.name, decoder.name, library)
			}
			table.WriteByte('\n')
		}
	}
	t.Log(table.String())
}

// requireNoFewer fails if ours is less than theirs by more than chance. Two counts of the
// same chance differ by more than three deviations once in 400 times.
func requireNoFewer(t *testing.T, ours, theirs, of int, format string, args ...any) {
	t.Helper()
	p := float64(ours+theirs) / float64(2*of)
	require.GreaterOrEqual(t, float64(ours), float64(theirs)-3*math.Sqrt(2*float64(of)*p*(1-p)), append([]any{format}, args...)...)
}

// randomLink returns a link of n bytes.
func randomLink(random *rand.Rand, n int) string {
	return ("https://wa.me/" + randomWords(random, n))[:n]
}

// TestCleanImages has undistorted images of any size read, with texts of up to 1,200
// bytes. All five decoders must read each of this package that one of them can read from
// another library. The log is a table of the share that is read.
func TestCleanImages(t *testing.T) {
	testenv.Slow(t)
	decoders := append(decoders(t), jsqrAndQuirc(t)...)
	n := 10
	if full {
		n = 300
	}
	random := rand.New(rand.NewPCG(23, 24))
	var jobs []job
	for range n {
		text := randomLink(random, 25+random.IntN(1176))
		symbol, err := qrcode.Encode(text, qrcode.EncodeOptions{})
		require.NoError(t, err)
		side := symbol.Size() + 8
		jobs = append(jobs, job{text, max(128, 2*side+random.IntN(3*side))})
	}
	dir := t.TempDir()
	files := map[string][]string{}
	for _, images := range drawAll(t, jobs) {
		for _, library := range libraries {
			file := filepath.Join(dir, temporary()+".png")
			require.NoError(t, os.WriteFile(file, encode(t, images[library]), 0o600))
			files[library] = append(files[library], file)
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%d images per cell\n\n| decoder | %s |\n|---|%s\n", len(jobs), strings.Join(libraries, " | "), strings.Repeat("---|", len(libraries)))
	for _, decoder := range decoders {
		fmt.Fprintf(&table, "| %s |", decoder.name)
		for _, library := range libraries {
			read := 0
			for i, got := range decoder.read(t, files[library]) {
				switch {
				case got == jobs[i].Text:
					read++
				case library == "hailmark" && decoder.name != "quirc":
					t.Errorf("%s missed %d bytes at %d pixels", decoder.name, len(jobs[i].Text), jobs[i].Size)
				}
			}
			fmt.Fprintf(&table, " %.3f |", float64(read)/float64(len(jobs)))
		}
		table.WriteByte('\n')
	}
	t.Log(table.String())
}

// drawAll draws each job with each of the libraries.
func drawAll(t *testing.T, jobs []job) []map[string]*image.Gray {
	t.Helper()
	list := make([]map[string]*image.Gray, len(jobs))
	for i, line := range runNode(t, "encoders.mjs", jobs) {
		var foreign struct {
			Rows [][]bool `json:"rows"` // of nayuki's symbol
			PNG  string   `json:"png"`  // of npm's qrcode
		}
		require.NoError(t, json.Unmarshal([]byte(line), &foreign))
		npm, err := base64.StdEncoding.DecodeString(foreign.PNG)
		require.NoError(t, err)
		list[i] = map[string]*image.Gray{}
		for _, library := range libraries {
			list[i][library] = drawWith(t, library, jobs[i].Text, jobs[i].Size, foreign.Rows, npm)
		}
	}
	return list
}

// drawWith draws a text with one of the libraries.
func drawWith(t *testing.T, library, text string, size int, nayuki [][]bool, npm []byte) *image.Gray {
	t.Helper()
	var data []byte
	var err error
	switch library {
	case "hailmark":
		data, err = qrcode.RenderQR(text, qrcode.Options{Size: size})
	case "skip2":
		data, err = skip2.Encode(text, skip2.Medium, size)
	case "npm qrcode":
		data = npm
	case "nayuki":
		return centered(size, len(nayuki), func(x, y int) bool { return nayuki[y][x] })
	case "rsc.io/qr":
		code, err := qr.Encode(text, qr.M)
		require.NoError(t, err)
		return centered(size, code.Size, code.Black)
	}
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	require.InDelta(t, size, img.Bounds().Dx(), 1, "npm's qrcode sometimes draws a pixel less")
	gray := image.NewGray(image.Rect(0, 0, size, size))
	draw.Draw(gray, gray.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(gray, gray.Rect, img, img.Bounds().Min, draw.Src)
	return gray
}

// centered draws modules as large as whole pixels allow, with a quiet zone of four modules.
func centered(size, n int, dark func(x, y int) bool) *image.Gray {
	scale := max(1, size/(n+8))
	offset := (size - n*scale) / 2
	img := image.NewGray(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			mx, my := floorDiv(x-offset, scale), floorDiv(y-offset, scale)
			if mx < 0 || my < 0 || mx >= n || my >= n || !dark(mx, my) {
				img.SetGray(x, y, color.Gray{255})
			}
		}
	}
	return img
}

func floorDiv(a, b int) int { return int(math.Floor(float64(a) / float64(b))) }

// sample returns the gray at a point by bilinear interpolation, white outside.
func sample(img *image.Gray, x, y float64) float64 {
	x0, y0 := math.Floor(x), math.Floor(y)
	at := func(x, y int) float64 {
		if !(image.Point{x, y}).In(img.Rect) {
			return 255
		}
		return float64(img.GrayAt(x, y).Y)
	}
	fx, fy := x-x0, y-y0
	i, j := int(x0), int(y0)
	return (at(i, j)*(1-fx)+at(i+1, j)*fx)*(1-fy) + (at(i, j+1)*(1-fx)+at(i+1, j+1)*fx)*fy
}

func blurred(img *image.Gray, sigma float64) *image.Gray {
	radius := int(3*sigma) + 1
	kernel := make([]float64, 2*radius+1)
	total := 0.0
	for i := range kernel {
		d := float64(i - radius)
		kernel[i] = math.Exp(-d * d / (2 * sigma * sigma))
		total += kernel[i]
	}
	pass := func(in *image.Gray, dx, dy int) *image.Gray {
		out := image.NewGray(in.Rect)
		for y := range in.Rect.Dy() {
			for x := range in.Rect.Dx() {
				sum := 0.0
				for i, k := range kernel {
					p := image.Pt(x+(i-radius)*dx, y+(i-radius)*dy)
					v := 255.0
					if p.In(in.Rect) {
						v = float64(in.GrayAt(p.X, p.Y).Y)
					}
					sum += v * k / total
				}
				out.SetGray(x, y, color.Gray{uint8(sum + 0.5)})
			}
		}
		return out
	}
	return pass(pass(img, 1, 0), 0, 1)
}

// warped moves the corners of an image inwards by up to a share of its size, and scales
// it. Each pixel is the mean of nine samples.
func warped(img *image.Gray, random *rand.Rand, share, scale float64) *image.Gray {
	in := float64(img.Rect.Dx())
	size := int(in * scale)
	var corners [4][2]float64 // in the source: upper left, upper right, lower right, lower left
	for i, c := range [4][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
		corners[i] = [2]float64{
			in * (c[0] - (1-2*c[0])*share*random.Float64()),
			in * (c[1] - (1-2*c[1])*share*random.Float64()),
		}
	}
	// The projective map of the unit square to the corners (Heckbert, 1989).
	x, y := func(i int) float64 { return corners[i][0] }, func(i int) float64 { return corners[i][1] }
	dx1, dx2, sx := x(1)-x(2), x(3)-x(2), x(0)-x(1)+x(2)-x(3)
	dy1, dy2, sy := y(1)-y(2), y(3)-y(2), y(0)-y(1)+y(2)-y(3)
	det := dx1*dy2 - dx2*dy1
	g, h := (sx*dy2-dx2*sy)/det, (dx1*sy-sx*dy1)/det
	a, b := x(1)-x(0)+g*x(1), x(3)-x(0)+h*x(3)
	d, e := y(1)-y(0)+g*y(1), y(3)-y(0)+h*y(3)

	out := image.NewGray(image.Rect(0, 0, size, size))
	for py := range size {
		for px := range size {
			sum := 0.0
			for i := range 9 {
				u := (float64(px) + (float64(i%3)+0.5)/3) / float64(size)
				v := (float64(py) + (float64(i/3)+0.5)/3) / float64(size)
				w := g*u + h*v + 1
				sum += sample(img, (a*u+b*v+x(0))/w-0.5, (d*u+e*v+y(0))/w-0.5)
			}
			out.SetGray(px, py, color.Gray{uint8(sum/9 + 0.5)})
		}
	}
	return out
}

// spotted puts a gray disc on the middle of an image.
func spotted(img *image.Gray, random *rand.Rand) *image.Gray {
	size := float64(img.Rect.Dx())
	x, y := size*(0.35+0.3*random.Float64()), size*(0.35+0.3*random.Float64())
	radius, gray := size*(0.05+0.08*random.Float64()), uint8(random.IntN(256))
	out := image.NewGray(img.Rect)
	copy(out.Pix, img.Pix)
	for py := range img.Rect.Dy() {
		for px := range img.Rect.Dx() {
			if math.Hypot(float64(px)-x, float64(py)-y) < radius {
				out.SetGray(px, py, color.Gray{gray})
			}
		}
	}
	return out
}

// noisy adds noise and a gradient of light.
func noisy(img *image.Gray, random *rand.Rand) *image.Gray {
	gradient := 0.25 + 0.35*random.Float64()
	for i, v := range img.Pix {
		light := 1 - gradient*float64(i%img.Stride)/float64(img.Stride)
		img.Pix[i] = uint8(min(255, max(0, (30+0.75*float64(v))*light+8*random.NormFloat64())))
	}
	return img
}

// jsqrAndQuirc returns two decoders more.
func jsqrAndQuirc(t *testing.T) []decoder {
	t.Helper()
	if _, err := os.Stat("node_modules/quirc"); err != nil {
		testenv.Missing(t, "quirc", "npm ci --prefix internal/check/harness/bench/scan")
	}
	column := func(i int) func(t *testing.T, files []string) []string {
		return func(t *testing.T, files []string) []string {
			t.Helper()
			var texts []string
			for _, line := range runLines(t, "jsqr-quirc.mjs", files) {
				var pair [2]string
				require.NoError(t, json.Unmarshal([]byte(line), &pair))
				texts = append(texts, pair[i])
			}
			return texts
		}
	}
	return []decoder{{name: "jsQR", read: column(0)}, {name: "quirc", read: column(1)}}
}

// runNode runs a script with each item as a line of JSON, and returns its lines.
func runNode[T any](t *testing.T, script string, items []T) []string {
	t.Helper()
	lines := make([]string, len(items))
	for i, item := range items {
		line, err := json.Marshal(item)
		require.NoError(t, err)
		lines[i] = string(line)
	}
	return runLines(t, script, lines)
}

// runLines runs a script with these lines as its input, and returns a line for each.
func runLines(t *testing.T, script string, lines []string) []string {
	t.Helper()
	var messages bytes.Buffer
	cmd := exec.Command("node", script)
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(lines, "\n")), &messages
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &messages)
	results := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, results, len(lines))
	return results
}

// TestSVGIsSmallerThanThatOfNPM compares with npm's package qrcode.
func TestSVGIsSmallerThanThatOfNPM(t *testing.T) {
	testenv.Slow(t)
	jsqrAndQuirc(t)
	random := rand.New(rand.NewPCG(11, 12))
	var jobs []job
	for _, n := range []int{25, 40, 60, 100, 160, 250, 400, 800, 1500, 2300} {
		jobs = append(jobs, job{randomLink(random, n), 512})
	}
	for i, line := range runNode(t, "encoders.mjs", jobs) {
		var theirs struct {
			SVG string `json:"svg"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &theirs))
		ours, err := qrcode.RenderQR(jobs[i].Text, qrcode.Options{Format: qrcode.SVG})
		require.NoError(t, err)
		t.Logf("%d bytes: %d, npm qrcode %d, ratio %.2f", len(jobs[i].Text), len(ours), len(theirs.SVG), float64(len(ours))/float64(len(theirs.SVG)))
		require.Less(t, len(ours), len(theirs.SVG))
	}
}
