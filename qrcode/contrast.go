package qrcode

// MinContrast is the least difference in grey, of 255, between foreground and
// background.
//
// It is twice what decoders need. In pictures of greys and of random colours, 128 to
// 512 pixels wide, zbar, ZXing's C++ port and gozxing with its global binarizer failed
// at differences up to 23 and read every picture above, dark on light: TestContrast in
// bench/scan repeats the measurement. WhatsApp's green 25d366 on white is at 89.
//
// Some decoders take a large plain area for white, whatever its grey, and so want far
// more: gozxing's hybrid binarizer 100 on white, jsQR 124, which is why both miss the
// green on white in a large picture. Where you choose the colours, choose a dark
// foreground.
//
// Light on dark is accepted, since the standard knows it as reflectance reversal, but
// fewer scanners do: ZXing's C++ port reads it just as well, jsQR above a difference of
// 160, zbar and gozxing only if told to look for it.
const MinContrast = 48

// greys are the weights in thousandths of red, green and blue in the grey that
// scanners see: those of ITU-R BT.601 and BT.709, and those of ZXing.
var greys = [3][3]int{{299, 587, 114}, {213, 715, 72}, {250, 500, 250}}

// contrast returns the difference in grey for the scanner that sees the least of it.
func contrast(fg, bg Color) int {
	if bg == Transparent() {
		bg = white
	}
	least := 255
	for _, w := range greys {
		d := w[0]*(int(fg.r)-int(bg.r)) + w[1]*(int(fg.g)-int(bg.g)) + w[2]*(int(fg.b)-int(bg.b))
		least = min(least, max(d, -d)/1000)
	}
	return least
}
