package qrprint

import "github.com/hailmark/hailmark/problem"

// The codes of errors, each with its remedy. Errors about the text, format, level, colors and margin
// have the codes of package qrcode.
const (
	// CodeModuleTooSmall means that the modules would be smaller than 0.25 mm. Make the code wider,
	// or shorten its text.
	CodeModuleTooSmall problem.Code = "print_module_too_small"

	// CodeLogoTooLarge means that the code wouldn't stay readable under the logo, or that
	// [Code].LogoShare is out of range. Reduce LogoShare.
	CodeLogoTooLarge problem.Code = "print_logo_too_large"

	// CodeTextDoesNotFit means that a caption or frame has too many characters or lines, or is wider
	// than its place. Shorten it, or use a larger label or paper.
	CodeTextDoesNotFit problem.Code = "print_text_does_not_fit"

	// CodeDoesNotFit means that the code is larger than its label or paper. Make it narrower, or use
	// a larger label or paper.
	CodeDoesNotFit problem.Code = "print_code_does_not_fit"

	// CodeUnsupportedCharacter means that a text isn't UTF-8, or contains a character that the font
	// lacks. Replace the character that the error names.
	CodeUnsupportedCharacter problem.Code = "print_unsupported_character"

	// CodeInvalidLength means that a length is out of range or contradicts another field. Use the
	// limits that the error names.
	CodeInvalidLength problem.Code = "print_invalid_length"

	// CodeInvalidDPI means that the resolution is out of range or that a PNG has none. Set
	// [Code].DPI to the printer's.
	CodeInvalidDPI problem.Code = "print_invalid_dpi"

	// CodeInvalidLogo means that [ParseLogo] can't read a logo. Save it as PNG.
	CodeInvalidLogo problem.Code = "print_invalid_logo"

	// CodeInvalidPaper means that a paper isn't A4, A5 or Letter. Use one of these.
	CodeInvalidPaper problem.Code = "print_invalid_paper"

	// CodeInvalidLabels means that a product is unknown, or that the labels don't fit the paper. Use
	// one of [LabelNames], or measure the sheet again.
	CodeInvalidLabels problem.Code = "print_invalid_labels"

	// CodeInvalidStart means that a sheet doesn't contain the first label, or that many. Begin with
	// an earlier label, or use several sheets.
	CodeInvalidStart problem.Code = "print_invalid_start"
)

// CodeWidthRounded warns that whole printer dots changed the width. Choose the width that the
// warning names, or a higher resolution. The warnings that some scanners may not read a code have
// codes of package qrcode.
const CodeWidthRounded problem.Code = "print_width_rounded"
