package qrprint

import "github.com/hailmark/hailmark/problem"

// The codes of this package's problems. A code of package qrcode is reported where its
// meaning is the same: [qrcode.CodeInvalidFormat], [qrcode.CodeInvalidMargin],
// [qrcode.CodeInvalidLevel], [qrcode.CodeInvalidColor], [qrcode.CodeLowContrast],
// [qrcode.CodeMissingText] and [qrcode.CodeTextTooLong].
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

// The codes of warnings. [qrcode.CodeLightOnDark] is a warning, too.
const (
	CodeSmallModule  problem.Code = "print_small_module"  // the modules are smaller than SafeModule
	CodeNoQuietZone  problem.Code = "print_no_quiet_zone" // the code has no quiet zone of its own
	CodeWeakContrast problem.Code = "print_weak_contrast" // the reflectances differ by less than 0.40
	CodeWidthRounded problem.Code = "print_width_rounded" // whole dots change the width that was asked for
)

// The limits of modules in millimeters. In simulated prints, modules of SafeModule were
// read by zbar and zxing-cpp at every resolution from 203 dpi and every ink spread up to
// 0.12 mm. With that ink spread, zbar read two in nine symbols with modules of MinModule.
// docs/print.md has the figures.
const (
	MinModule  = 0.25 // smaller modules are rejected
	SafeModule = 0.40 // smaller modules get a warning
)

// minSymbolContrast is the difference in reflectance of the two colors below which
// [CodeWeakContrast] warns. It is the limit of grade 2 of ISO/IEC 15415; retailers ask for
// at least grade 1.5. Colors that are printed differ from those of a screen, so this is
// an estimate from sRGB.
const minSymbolContrast = 0.40
