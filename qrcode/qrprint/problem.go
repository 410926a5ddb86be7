package qrprint

import "github.com/hailmark/hailmark/problem"

// The codes of problems. The package also reports [qrcode.CodeInvalidFormat],
// [qrcode.CodeInvalidMargin], [qrcode.CodeInvalidLevel], [qrcode.CodeInvalidColor],
// [qrcode.CodeLowContrast], [qrcode.CodeMissingText] and [qrcode.CodeTextTooLong].
const (
	CodeInvalidLength        problem.Code = "print_invalid_length"        // a length in millimeters is outside its limits
	CodeInvalidDPI           problem.Code = "print_invalid_dpi"           // the resolution is outside its limits, or doesn't suit the page
	CodeModuleTooSmall       problem.Code = "print_module_too_small"      // the modules are smaller than MinModule
	CodeUnsupportedCharacter problem.Code = "print_unsupported_character" // the font doesn't have a character
	CodeTextDoesNotFit       problem.Code = "print_text_does_not_fit"     // a text is too long for the place that it has
	CodeCodeDoesNotFit       problem.Code = "print_code_does_not_fit"     // the code is larger than the place that it has
	CodeInvalidLogo          problem.Code = "print_invalid_logo"          // the logo can't be read
	CodeLogoTooLarge         problem.Code = "print_logo_too_large"        // no version has enough error correction
	CodeInvalidPaper         problem.Code = "print_invalid_paper"         // the paper is not A4, A5 or Letter
	CodeInvalidLabels        problem.Code = "print_invalid_labels"        // the label format is unknown, or doesn't fit the paper
	CodeInvalidStart         problem.Code = "print_invalid_start"         // the sheet doesn't have that label
)

// The codes of warnings, in addition to [qrcode.CodeLightOnDark].
const (
	CodeSmallModule  problem.Code = "print_small_module"  // the modules are smaller than SafeModule
	CodeNoQuietZone  problem.Code = "print_no_quiet_zone" // the code has no quiet zone of its own
	CodeWeakContrast problem.Code = "print_weak_contrast" // the reflectances differ by less than 0.40
	CodeWidthRounded problem.Code = "print_width_rounded" // whole dots change the width that was asked for
)

// Module limits in millimeters. In simulated prints, zbar and zxing-cpp read modules of SafeModule
// at every resolution from 203 dpi and ink spread up to 0.12 mm. With this ink spread, zbar reads
// two in nine symbols with modules of MinModule. docs/print.md contains the figures.
const (
	MinModule  = 0.25 // smaller modules are rejected
	SafeModule = 0.40 // smaller modules get a warning
)

// minSymbolContrast is the minimum difference in reflectance without [CodeWeakContrast].
// ISO/IEC 15415 requires it for grade 2, and retailers require grade 1.5. The reflectances
// are estimated from sRGB, because printed colors look different.
const minSymbolContrast = 0.40
