// Package qrcode draws text as QR codes in PNG and SVG images. Most programs only call
// [RenderQR]:
//
//	png, err := qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{})
//
// A QR code consists of a [Symbol] and the light quiet zone around it. A symbol is a square of
// modules, which are small dark or light squares. Its version, from 1 to 40, specifies their
// number, and its error correction level, from L to H, how much of it may be damaged.
//
// The encoder chooses as follows:
//
//   - The sequence of numeric, alphanumeric and byte modes takes the fewest bits. Text beyond
//     ASCII is marked as UTF-8.
//   - The version is the smallest that fits the text at level M. The level is then the highest
//     that fits this version. Level L is used only if the text doesn't fit at level M, or if
//     level M would leave a PNG only one pixel per module.
//   - The mask has the lowest penalty by ISO/IEC 18004.
//   - The quiet zone contains at least 4 modules on every side, in the background color.
//
// The modules of a PNG are squares of the same whole number of pixels, and remaining pixels
// widen the quiet zone. Text that would need smaller modules is rejected with
// the code text_too_long; the message contains the smallest possible size. An SVG scales, so text of
// any length that fits into a symbol fits into any size.
//
// Text may contain any bytes. Invalid UTF-8 is encoded unchanged, so its meaning depends on
// the scanner. Empty text is rejected.
//
// # Scanners
//
// Common decoders read every dark-on-light PNG at its original size, as tests with every version and
// number of pixels per module show; some miss large symbols. If possible, choose a size with at
// least three pixels per module. The documentation's page on benchmarks names the decoders.
//
// # Colors
//
// Scanners see shades of gray. [RenderQR] therefore rejects two colors whose grays differ by
// less than 48 on a scale from 0 to 255. Some decoders need more: two don't read WhatsApp's green
// 25d366 on white, whose difference is 89, in a large image. All that were tested read colors whose
// grays differ by 53 % of the lighter one. [Options.Check] warns
// below that, and suggests the nearest darker color, and of a foreground lighter than the
// background. [VerdictOf] says in a sentence whether a code will scan. A transparent
// background is treated as white, so place the image on a light page.
//
// # Errors
//
// A [problem.List] contains these codes:
//
//	text_too_long    the text doesn't fit into a symbol, or into a PNG of the size
//	missing_text     the text is empty
//	low_contrast     scanners can't distinguish the colors
//	invalid_format   the format isn't png or svg
//	invalid_size     the size isn't from MinSize to MaxSize
//	invalid_margin   the margin is neither from 4 to 100 nor NoMargin
//	invalid_level    the level isn't L, M, Q or H
//	invalid_version  the versions aren't a range within 1 to 40
//	invalid_color    the foreground isn't a color
//	invalid_bg       the background isn't a color or transparent
package qrcode

// rendererVersion changes whenever the same text and options produce other bytes.
const rendererVersion = "3"

// RenderQR draws text as a QR code and returns the image file, a PNG unless opts.Format is [SVG].
// Its error contains all problems with the options, or otherwise with the text.
func RenderQR(text string, opts Options) ([]byte, error) {
	opts, err := opts.resolve()
	if err != nil {
		return nil, err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	s, err := e.encode(text, demand{1, maxVersion, opts.MinLevel, false, opts.canvas()})
	if err != nil {
		return nil, err
	}
	return e.draw(&s, &opts), nil
}
