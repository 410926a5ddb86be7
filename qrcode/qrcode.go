// Package qrcode draws a text as a QR code that scans: a PNG of exactly the size
// asked for, or an SVG. For most uses [RenderQR] is all there is to know:
//
//	png, err := qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{})
//
// The text becomes a [Symbol] by these rules:
//
//   - Digits, capitals and all else are each written in the mode that is densest for
//     them, in the sequence of modes that takes the fewest bits. Text beyond ASCII is
//     marked as UTF-8.
//   - The smallest version (grid of modules) that holds the text at error
//     correction level M is taken, and then the highest level that still fits
//     that version. Level L is used only where M would mean refusing the text.
//   - The mask is the one with the lowest penalty by ISO/IEC 18004.
//   - The quiet zone is at least 4 modules on every side, in the background colour.
//
// In a PNG every module is a square of the same whole number of pixels; what is
// left of the size widens the quiet zone. So a text may fit a large picture and
// not a small one: that is [CodeTextTooLong], never a blurred picture. An SVG
// counts in modules and takes any text that fits a symbol.
//
// A text is any bytes but none: there is no such thing as a scan of an empty text,
// hence [CodeTextMissing]. Bytes that are not UTF-8 are drawn as they are, and it
// is the scanner that decides how they read.
//
// # Colours
//
// Scanners see shades of grey, so two colours that differ only in hue are one to
// them. RenderQR refuses a pair whose greys are too close, [CodeLowContrast]; see
// [MinContrast]. A transparent background is judged as white, the page it is made
// for; what lies behind the picture in the end is up to whoever places it.
package qrcode

import (
	"github.com/hailmark/hailmark/problem"
)

// The codes of this package's problems.
const (
	CodeFormat      problem.Code = "invalid_format" // neither png nor svg
	CodeSize        problem.Code = "invalid_size"   // not a number from MinSize to MaxSize
	CodeColor       problem.Code = "invalid_color"  // no foreground colour
	CodeBackground  problem.Code = "invalid_bg"     // no background colour
	CodeLowContrast problem.Code = "low_contrast"   // two colours that scanners cannot tell apart
	CodeTextTooLong problem.Code = "text_too_long"  // no symbol holds the text, or none of that size
	CodeTextMissing problem.Code = "missing_text"   // an empty text
)

// RendererVersion names the way of drawing. It changes whenever the same text and
// options give other bytes than before, so a cache key that holds it never names
// an old picture.
const RendererVersion = "1"

// RenderQR draws text as a QR code. Its error is a [problem.List] of all that is
// wrong with the options, or with the text if they are right.
func RenderQR(text string, opts Options) ([]byte, error) {
	return AppendQR(nil, text, opts)
}

// AppendQR is RenderQR for callers that reuse a buffer: it appends the picture to
// dst. On an error it returns dst as it was.
func AppendQR(dst []byte, text string, opts Options) ([]byte, error) {
	opts, err := opts.resolve()
	if err != nil {
		return dst, err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	s, err := e.encode(text, opts.maxModules())
	if err != nil {
		return dst, err
	}
	return e.draw(dst, s, opts), nil
}
