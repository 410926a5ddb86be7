// Package qrcode draws a text as a QR code that scans: a PNG of exactly the requested
// size, or an SVG. For most uses call [RenderQR]:
//
//	png, err := qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{})
//
// The text becomes a [Symbol] by these rules:
//
//   - Digits, capitals and other bytes are each written in the densest mode, in the
//     sequence of modes that takes the fewest bits. Text beyond ASCII is marked as UTF-8.
//   - The symbol has the smallest version (grid of modules) that holds the text at error
//     correction level M, and then the highest level that still fits that version. Level
//     L is used only if the text does not fit at level M, or if a PNG has one pixel per
//     module at level M and two at level L.
//   - The mask is the one with the lowest penalty by ISO/IEC 18004.
//   - The quiet zone is at least 4 modules on every side, in the background color.
//
// In a PNG every module is a square of the same whole number of pixels. The rest of the
// size widens the quiet zone. A text that needs smaller modules is rejected with
// [CodeTextTooLong], and the message names the smallest size that works. An SVG counts in
// modules and holds any text that fits a symbol.
//
// The text may be any bytes. Bytes that are not UTF-8 are encoded unchanged, and their
// meaning depends on the scanner. An empty text is rejected with [CodeMissingText], because
// an empty QR code cannot be scanned.
//
// # What scanners read
//
// zbar, ZXing's C++ port and gozxing read every dark-on-light PNG that this package
// draws, undamaged and at its own size; the tests in internal/harness/bench/scan draw
// every version and every number of pixels per module, and 5,000 random images. The oldest
// of these decoders, ZXing's C++ port 1.4, finds one symbol in 300 only as a pure barcode.
// At one pixel per module the symbol may be one pixel off the center, and three versions may
// have a mask with a higher penalty, because zbar misses symbols otherwise. Other decoders
// read less: quirc misses symbols with some masks from version 22 up, and nearly all from
// version 28 up, at any size. If you can, choose a size with at least three pixels per module.
//
// # Colors
//
// Scanners see shades of gray, so colors that differ only in hue look the same to
// them. RenderQR rejects a pair of similar grays with [CodeLowContrast]; see
// [MinContrast]. A foreground lighter than the background is drawn, but [Warnings]
// reports it. A transparent background is checked as white: place it on a light page.
package qrcode

import (
	"github.com/hailmark/hailmark/problem"
)

// The codes of this package's problems. CodeTextTooLong is the same code as
// chatlink.CodeTextTooLong: both mean that the text is too long for the request.
const (
	CodeInvalidFormat     problem.Code = "invalid_format"  // the format is not png or svg
	CodeInvalidSize       problem.Code = "invalid_size"    // the size is not from MinSize to MaxSize
	CodeInvalidMargin     problem.Code = "invalid_margin"  // the margin is not from 4 to MaxMargin
	CodeInvalidLevel      problem.Code = "invalid_level"   // the level is not L, M, Q or H
	CodeInvalidVersion    problem.Code = "invalid_version" // the versions are not a range within 1-40
	CodeInvalidColor      problem.Code = "invalid_color"   // the foreground is not a color
	CodeInvalidBackground problem.Code = "invalid_bg"      // the background is not a color or transparent
	CodeLowContrast       problem.Code = "low_contrast"    // scanners cannot tell the colors apart
	CodeTextTooLong       problem.Code = "text_too_long"   // no symbol holds the text, or none of that size
	CodeMissingText       problem.Code = "missing_text"    // the text is empty
)

// CodeLightOnDark is the code of a warning: the foreground is lighter than the
// background. Two of six decoders tried, zxing-cpp and jsQR, read such a code.
const CodeLightOnDark problem.Code = "light_on_dark"

// RendererVersion identifies the bytes that the same text and options give. It changes
// whenever they change, so put it into cache keys.
const RendererVersion = "3"

// RenderQR draws text as a QR code. Its error is a [problem.List] of everything that is
// wrong with the options, or with the text if the options are valid.
func RenderQR(text string, opts Options) ([]byte, error) {
	return AppendQR(nil, text, opts)
}

// AppendQR is RenderQR for callers that reuse a buffer: it appends the image to dst. On
// an error it returns dst unchanged.
func AppendQR(dst []byte, text string, opts Options) ([]byte, error) {
	opts, err := opts.resolve()
	if err != nil {
		return dst, err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	s, err := e.encode(text, demand{1, maxVersion, opts.MinLevel, false, opts.canvas()})
	if err != nil {
		return dst, err
	}
	return e.draw(dst, &s, &opts), nil
}
