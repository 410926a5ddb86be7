package qrcode

import "github.com/hailmark/hailmark/problem"

// minContrast is what no decoder of a measurement reads below: twice the difference that zbar,
// ZXing's C++ port 2 and gozxing with its global binarizer need.
//
// safeContrast is what all of them read, in percent of the lighter color, because decoders compare a
// module with the light around it: in modules of 16 and 31 pixels, jsQR misses dark gray that differs
// by 50 % from c0c0c0, and ZXing's C++ port 1.4 by 42 % from white. TestSafeContrast in
// internal/check/harness/bench/scan contains the table.
const (
	minContrast  = 48
	safeContrast = 53
)

// safePixels is the smallest width of a module that stays readable when an image is shown smaller,
// or sent by an application that compresses it.
const safePixels = 4

// grays contains the weights of red, green and blue in thousandths, as specified by ITU-R
// BT.601 and BT.709 and implemented by ZXing.
var grays = [3][3]int{{299, 587, 114}, {213, 715, 72}, {250, 500, 250}}

// contrast returns the smallest difference by any weights, in shades and in percent of the lighter color.
func contrast(fg, bg Color) (shades, share int) {
	shades, share = 255, 100
	for _, w := range grays {
		a, b := lightness(fg, w), lightness(bg, w)
		d := max(a-b, b-a)
		shades, share = min(shades, d/1000), min(share, 100*d/max(a, b, 1))
	}
	return shades, share
}

// lightness returns a gray in thousandths. Transparent colors are treated as white.
func lightness(c Color, weights [3]int) int {
	if c == Transparent() {
		c = white
	}
	return weights[0]*int(c.r) + weights[1]*int(c.g) + weights[2]*int(c.b)
}

func isSafe(fg, bg Color) bool {
	shades, share := contrast(fg, bg)
	return shades >= minContrast && share >= safeContrast
}

// saferForeground returns the nearest darker shade of the foreground that every decoder reads, if
// there is one.
func (s Style) saferForeground() problem.Suggestions {
	fg := s.Foreground
	for left := 255; left >= 0; left-- {
		shade := func(v uint8) uint8 { return uint8(int(v) * left / 255) }
		c := RGB(shade(fg.r), shade(fg.g), shade(fg.b))
		if isSafe(c, s.Background) && lightness(c, grays[0]) < lightness(s.Background, grays[0]) {
			return problem.NewSuggestions(c.String())
		}
	}
	return problem.Suggestions{}
}

// warnings requires valid options. All weights agree which color is lighter, because they differ by
// less than twice minContrast.
func (s Style) warnings() problem.List {
	var list problem.List
	if lightness(s.Foreground, grays[0]) > lightness(s.Background, grays[0]) {
		list = append(list, problem.New("color", CodeLightOnDark,
			"foreground is lighter than background: many scanners read only dark codes on a light ground"))
	}
	if !isSafe(s.Foreground, s.Background) {
		list = append(list, problem.New("color", CodeWeakContrast,
			"the color is too pale for some scanners; choose a darker one").WithSuggestions(s.saferForeground()))
	}
	if s.Margin == 0 {
		list = append(list, problem.New("margin", CodeNoQuietZone, "the code has no quiet zone: leave 4 modules on every side light"))
	}
	return list
}

// densityWarnings warns of an image whose modules have few pixels.
func (o Options) densityWarnings(c candidate) problem.List {
	if o.Format == SVG || c.scale >= safePixels {
		return nil // an SVG scales
	}
	return problem.List{problem.New("size", CodeSmallModule,
		"modules are %d pixels wide; some scanners need %d: make the image at least %d pixels wide, or shorten the text",
		c.scale, safePixels, safePixels*(modules(c.version)+2*o.Margin))}
}
