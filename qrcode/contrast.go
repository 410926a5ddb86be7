package qrcode

// MinContrast is the least difference in grey, of 255, between foreground and
// background.
//
// It is twice what decoders need. Of 4,375 pictures in grey and random colours, of
// 128 to 512 pixels, three decoders (zbar, gozxing with its global binarizer and
// zxing-cpp) failed at differences up to 23 and read every one above, dark on light.
// WhatsApp's green 25d366 on white is at 89. Decoders that assume large plain areas
// to be white, as gozxing's hybrid binarizer and jsQR do, want far more, 100 to 130
// on white: choose a dark foreground where you can.
//
// Light on dark is accepted, as it is in the standard's edition of 2006 and later,
// but fewer scanners know it: zxing-cpp reads it just as well, jsQR above a difference
// of 160, gozxing only if told to invert the picture, and zbar not at all.
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
