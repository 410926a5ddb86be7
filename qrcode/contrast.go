package qrcode

import "github.com/hailmark/hailmark/problem"

// minContrast is twice the difference that decoders need: zbar, ZXing's C++ port 2 and gozxing
// with its global binarizer read every test image with a difference above 23. TestContrast in
// internal/check/harness/bench/scan repeats the measurement.
const minContrast = 48

// grays contains the weights of red, green and blue in thousandths, as specified by ITU-R
// BT.601 and BT.709 and implemented by ZXing.
var grays = [3][3]int{{299, 587, 114}, {213, 715, 72}, {250, 500, 250}}

// contrast returns the smallest difference by any weights.
func contrast(fg, bg Color) int {
	least := 255
	for _, w := range grays {
		d := lightness(fg, w) - lightness(bg, w)
		least = min(least, max(d, -d)/1000)
	}
	return least
}

// lightness returns a gray in thousandths. Transparent colors are treated as white.
func lightness(c Color, weights [3]int) int {
	if c == Transparent() {
		c = white
	}
	return weights[0]*int(c.r) + weights[1]*int(c.g) + weights[2]*int(c.b)
}

// warnings requires valid options. All weights then agree, because they differ by less than
// twice minContrast.
func (s Style) warnings() problem.List {
	if lightness(s.Foreground, grays[0]) > lightness(s.Background, grays[0]) {
		return problem.List{problem.New("color", CodeLightOnDark,
			"foreground is lighter than background: many scanners read only dark codes on a light ground")}
	}
	return nil
}
