package qrprint

import (
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// full repeats every case of the simulation, including smaller modules, and prints the
// table in docs/benchmarks.md.
var full = os.Getenv("HAILMARK_PRINT") == "full"

// A simulated printer sets whole dots, ink spreads over the edges of dark areas, and a
// camera takes a blurred and noisy photo at an angle.
type simulation struct {
	dpi    int
	spread float64 // millimeters that a dark line grows by, half of it on each side
}

// The camera: the length of a pixel and the deviation of its blur in millimeters, the
// deviation of its noise in grays of 255, and the angle between it and the code.
const (
	cameraPixel = 0.1
	cameraBlur  = 0.05
	cameraNoise = 4
	cameraAngle = 15 // degrees, in either direction
)

// finePixel is the resolution of the simulated paper in millimeters.
const finePixel = 0.02

// paper returns the share of light that each point of the printed area reflects.
func (s simulation) paper(dots *image.Gray) (pixels []float64, width, height int) {
	perMM := float64(s.dpi) / 25.4
	width, height = int(float64(dots.Rect.Dx())/perMM/finePixel), int(float64(dots.Rect.Dy())/perMM/finePixel)
	dark := make([]bool, width*height)
	for y := range height {
		for x := range width {
			dot := dots.GrayAt(int((float64(x)+0.5)*finePixel*perMM), int((float64(y)+0.5)*finePixel*perMM))
			dark[y*width+x] = dot.Y < 128
		}
	}
	radius := s.spread / 2 / finePixel
	var disc []image.Point
	for dy := -int(radius); dy <= int(radius); dy++ {
		for dx := -int(radius); dx <= int(radius); dx++ {
			if math.Hypot(float64(dx), float64(dy)) <= radius+1e-9 {
				disc = append(disc, image.Pt(dx, dy))
			}
		}
	}
	const ink, white = 0.05, 0.85
	pixels = slices.Repeat([]float64{white}, width*height)
	for y := range height {
		for x := range width {
			if !dark[y*width+x] {
				continue
			}
			for _, d := range disc {
				if u, v := x+d.X, y+d.Y; 0 <= u && u < width && 0 <= v && v < height {
					pixels[v*width+u] = ink
				}
			}
		}
	}
	return pixels, width, height
}

// photo returns what the camera sees of the printed area, with white paper around it.
func (s simulation) photo(dots *image.Gray, random *rand.Rand) *image.Gray {
	pixels, width, height := s.paper(dots)
	angle := (2*random.Float64() - 1) * cameraAngle * math.Pi / 180
	sin, cos := math.Sincos(angle)
	shiftX, shiftY := random.Float64(), random.Float64() // of the sensor, in pixels
	diagonal := math.Hypot(float64(width), float64(height)) * finePixel
	side := int(diagonal/cameraPixel) + 4
	sharp := make([]float64, side*side)
	const samples = 5 // on a side of a pixel
	for y := range side {
		for x := range side {
			sum := 0.0
			for i := range samples * samples {
				u := (float64(x) + shiftX + (float64(i%samples)+0.5)/samples - float64(side)/2) * cameraPixel
				v := (float64(y) + shiftY + (float64(i/samples)+0.5)/samples - float64(side)/2) * cameraPixel
				px := int(math.Floor((u*cos-v*sin)/finePixel + float64(width)/2))
				py := int(math.Floor((u*sin+v*cos)/finePixel + float64(height)/2))
				light := 0.85
				if 0 <= px && px < width && 0 <= py && py < height {
					light = pixels[py*width+px]
				}
				sum += light
			}
			sharp[y*side+x] = sum / (samples * samples)
		}
	}
	blurred := blur(blur(sharp, side, 1), side, side)
	img := image.NewGray(image.Rect(0, 0, side, side))
	for i, light := range blurred {
		img.Pix[i] = uint8(min(255, max(0, math.Round(255*light+cameraNoise*random.NormFloat64()))))
	}
	return img
}

// blur convolves rows, with step 1, or columns, with step side, with a normal distribution.
func blur(pixels []float64, side, step int) []float64 {
	const sigma, reach = cameraBlur / cameraPixel, 2
	out := make([]float64, len(pixels))
	for i := range pixels {
		sum, weights := 0.0, 0.0
		position := i / step % side
		for d := -reach; d <= reach; d++ {
			if p := position + d; 0 <= p && p < side {
				w := math.Exp(-float64(d*d) / (2 * sigma * sigma))
				sum += w * pixels[i+d*step]
				weights += w
			}
		}
		out[i] = sum / weights
	}
	return out
}

// TestSimulatedPrints reads simulated prints of codes, captions, frames and labels with
// zbar and zxing-cpp. Modules of 0.40 mm are read in every case.
//
// HAILMARK_PRINT=full go test -v -run TestSimulatedPrints -timeout 60m prints the table in
// docs/benchmarks.md.
func TestSimulatedPrints(t *testing.T) {
	testenv.Slow(t)
	needTools(t)
	dir := t.TempDir()
	const safeModule = 0.40
	trials, modules := 2, []float64{safeModule}
	if full {
		trials, modules = 8, []float64{safeModule, 0.33, 0.25}
	}
	random := rand.New(rand.NewPCG(15, 16))
	for _, module := range modules {
		for _, dpi := range []int{203, 300, 600} {
			for _, spread := range []float64{0, 0.06, 0.12} {
				s := simulation{dpi, spread}
				read := [2]int{}
				n := 0
				for kind, c := range []qrprint.Code{
					{Text: text},
					{Text: text, Caption: "@jane.doe"},
					{Text: text, Caption: "@jane.doe", Frame: "Chat with us"},
				} {
					c.ModuleWidth, c.DPI = qrprint.Millimeters(module), dpi
					dots := printed(t, c, kind == 1)
					for range trials {
						file := filepath.Join(dir, "photo.png")
						photo := s.photo(dots, random)
						writeImage(t, file, photo)
						n++
						for i, texts := range [][]string{zbar(file), zxing(file)} {
							if slices.Equal(texts, []string{text}) {
								read[i]++
							} else if module == safeModule {
								keep := filepath.Join(os.TempDir(), fmt.Sprintf("unread-%d-%g-%d-%d.png", dpi, spread, kind, i))
								writeImage(t, keep, photo)
								t.Errorf("code %d with modules of %g mm at %d dpi and %g mm ink spread is not read: see %s", kind, module, dpi, spread, keep)
							}
						}
					}
				}
				t.Logf("module %.2f mm, %d dpi, ink %.2f mm: of %d, zbar reads %d, zxing-cpp %d", module, dpi, spread, n, read[0], read[1])
			}
		}
	}
}

// printed returns the dots of a code, alone or on a label.
func printed(t *testing.T, c qrprint.Code, label bool) *image.Gray {
	t.Helper()
	var page *qrprint.Page
	var err error
	if label {
		labels := qrprint.Labels{Paper: qrprint.A5, Columns: 1, Rows: 1, Width: 63.5, Height: 38.1, Left: 10, Top: 10, Padding: 1.5, Borders: true}
		page, err = labels.Page(c)
		require.NoError(t, err)
	} else {
		page, err = c.Page()
		require.NoError(t, err)
	}
	file, err := page.Append(nil, qrcode.PNG)
	require.NoError(t, err)
	dots := grayOf(t, file)
	if label { // the camera looks at the label
		perMM := float64(c.DPI) / 25.4
		part := image.Rect(int(8*perMM), int(8*perMM), int(75*perMM), int(50*perMM))
		img, _ := dots.SubImage(part).(*image.Gray)
		moved := image.NewGray(image.Rect(0, 0, part.Dx(), part.Dy()))
		for y := range part.Dy() {
			copy(moved.Pix[y*moved.Stride:][:part.Dx()], img.Pix[y*img.Stride:])
		}
		return moved
	}
	return dots
}

func writeImage(t *testing.T, name string, img image.Image) {
	t.Helper()
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, png.Encode(f, img))
}
