package qrprint

import "github.com/hailmark/hailmark/problem"

const (
	codeModuleTooSmall       problem.Code = "print_module_too_small"
	codeLogoTooLarge         problem.Code = "print_logo_too_large"
	codeTextDoesNotFit       problem.Code = "print_text_does_not_fit"
	codeUnsupportedCharacter problem.Code = "print_unsupported_character"
	codeInvalidDPI           problem.Code = "print_invalid_dpi"
	codeInvalidLabels        problem.Code = "print_invalid_labels"
	codeInvalidLength        problem.Code = "print_invalid_length"
	codeInvalidPaper         problem.Code = "print_invalid_paper"
	codeInvalidStart         problem.Code = "print_invalid_start"
	codeInvalidLogo          problem.Code = "print_invalid_logo"
	codeCodeDoesNotFit       problem.Code = "print_code_does_not_fit"
)

// Package qrcode reports these, too.
const (
	codeInvalidFormat problem.Code = "invalid_format"
	codeInvalidMargin problem.Code = "invalid_margin"
	codeMissingText   problem.Code = "missing_text"
)

const (
	codeSmallModule  problem.Code = "print_small_module"
	codeWeakContrast problem.Code = "print_weak_contrast"
	codeNoQuietZone  problem.Code = "print_no_quiet_zone"
	codeWidthRounded problem.Code = "print_width_rounded"
)

// Module limits in millimeters, below which a code is rejected or gets a warning. In simulated
// prints, zbar and zxing-cpp read modules of safeModule at every resolution from 203 dpi and
// ink spread up to 0.12 mm. With this ink spread, zbar reads two in nine symbols with modules
// of minModule. docs/print.md contains the figures.
const (
	minModule  = 0.25
	safeModule = 0.40
)

// minSymbolContrast is the minimum difference in reflectance without a warning. ISO/IEC 15415
// requires it for grade 2, and retailers require grade 1.5. The reflectances are estimated
// from sRGB, because printed colors look different.
const minSymbolContrast = 0.40
