package qrcode

import "github.com/hailmark/hailmark/problem"

// The codes of errors, each with its remedy.
const (
	// CodeMissingText means that the text is empty. Scanners can't read a code without text.
	CodeMissingText problem.Code = "missing_text"

	// CodeTextTooLong means that the text doesn't fit the largest allowed symbol, or that the symbol
	// doesn't fit the size. Shorten the text, or use the size that the error names.
	CodeTextTooLong problem.Code = "text_too_long" // as in package chatlink

	// CodeInvalidFormat means that a format isn't png or svg. Use one of these.
	CodeInvalidFormat problem.Code = "invalid_format"

	// CodeInvalidSize means that a size is out of range. Use [MinSize] to [MaxSize] pixels.
	CodeInvalidSize problem.Code = "invalid_size"

	// CodeInvalidMargin means that a margin is out of range. Use 4 to 100 modules, or [NoMargin].
	CodeInvalidMargin problem.Code = "invalid_margin"

	// CodeInvalidLevel means that an error correction level isn't L, M, Q or H. Use one of these.
	CodeInvalidLevel problem.Code = "invalid_level"

	// CodeInvalidVersion means that a symbol version is out of range. Use 1 to 40, with the minimum
	// not above the maximum.
	CodeInvalidVersion problem.Code = "invalid_version"

	// CodeInvalidColor means that a color isn't three or six hexadecimal digits, or that the
	// foreground isn't opaque. Correct it.
	CodeInvalidColor problem.Code = "invalid_color"

	// CodeInvalidBackground means that a background isn't a color or "transparent". Correct it.
	CodeInvalidBackground problem.Code = "invalid_bg"

	// CodeLowContrast means that scanners can't tell the colors apart. Use a darker foreground or a
	// lighter background.
	CodeLowContrast problem.Code = "low_contrast"
)

// The codes of warnings that some scanners may not read a code, each with its remedy.
const (
	// CodeLightOnDark warns that the foreground is lighter than the background, which many scanners
	// can't read. Swap the colors.
	CodeLightOnDark problem.Code = "light_on_dark"

	// CodeWeakContrast warns that the foreground is too pale for some scanners. Use the darker color
	// that the warning suggests.
	CodeWeakContrast problem.Code = "weak_contrast"

	// CodeSmallModule warns that the modules are smaller than 4 pixels, or 0.40 mm on paper. Make the
	// image larger, or shorten its text.
	CodeSmallModule problem.Code = "small_module"

	// CodeNoQuietZone warns that the image doesn't contain its quiet zone. Leave 4 modules on every
	// side light.
	CodeNoQuietZone problem.Code = "no_quiet_zone"
)
