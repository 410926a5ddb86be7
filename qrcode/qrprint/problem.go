package qrprint

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
