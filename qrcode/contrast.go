package qrcode

import "github.com/hailmark/hailmark/problem"

// MinContrast is the minimum difference between the gray values (0 to 255) of foreground
// and background.
//
// It is twice what decoders need. In images of grays and of random colors, 128 to 512
// pixels wide and dark on light, zbar, ZXing's C++ port 2 and gozxing with its global
// binarizer failed at differences up to 23 and read every image above. TestContrast in
// internal/harness/bench/scan repeats the measurement. WhatsApp's green 25d366 on white
// has 89.
//
// Some decoders treat a large plain area as white, whatever its gray, and need a far
// larger difference: gozxing's hybrid binarizer 100 on white, jsQR 124. Both fail to read
// that green on white in a large image. ZXing's C++ port 1.4 reads it, but missed images of
// other colors with differences up to 93. If you choose the colors, choose a dark
// foreground.
//
// Light on dark is drawn, because ISO/IEC 18004 allows it as reflectance reversal, but
// fewer scanners read it: see [Warnings].
const MinContrast = 48

// grays are the weights, in thousandths, of red, green and blue in the gray that scanners
// compute: those of ITU-R BT.601 and BT.709, and those of ZXing.
var grays = [3][3]int{{299, 587, 114}, {213, 715, 72}, {250, 500, 250}}

// contrast returns the smallest difference in gray by any of the weights.
func contrast(fg, bg Color) int {
	least := 255
	for _, w := range grays {
		d := lightness(fg, w) - lightness(bg, w)
		least = min(least, max(d, -d)/1000)
	}
	return least
}

// lightness returns the gray of c in thousandths. A transparent color counts as white.
func lightness(c Color, weights [3]int) int {
	if c == Transparent() {
		c = white
	}
	return weights[0]*int(c.r) + weights[1]*int(c.g) + weights[2]*int(c.b)
}

// Warnings returns what makes the image of these options harder to scan, although
// [RenderQR] draws it. The only warning is [CodeLightOnDark].
func Warnings(opts Options) problem.List {
	opts = opts.withColors()
	if opts.Foreground == Transparent() {
		return nil
	}
	for _, w := range grays {
		if lightness(opts.Foreground, w) > lightness(opts.Background, w) {
			return problem.List{problem.New(CodeLightOnDark,
				"foreground is lighter than background: many scanners read only dark codes on a light ground")}
		}
	}
	return nil
}
