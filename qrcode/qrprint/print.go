// Package qrprint draws QR codes for paper, with captions, frames and logos, as PDF, EPS, SVG
// and PNG files. To print a single code, call [Code.Page]:
//
//	page, err := qrprint.Code{Text: "https://wa.me/janedoe", Width: 25, Caption: "@janedoe"}.Page()
//	pdf, err := page.Append(nil, qrprint.PDF)
//
// A [SheetWriter] prints labels, [Poster.Page] and [Poster.Tent] draw posters and table
// tents, and a [PDFWriter] writes several pages to one file.
//
// All formats look the same, because they contain the same shapes. Dark modules are a single
// path, grays only use black ink, and texts are outlines, so files don't need fonts. Files
// don't contain dates, so equal pages produce equal bytes. However, the standard library
// compresses PDF and PNG files, so their bytes may change with the Go release.
//
// # Checks
//
// Codes that scanners couldn't read reliably are rejected with a [problem.List]. If a larger
// size helps, the message specifies it:
//
//   - [CodeModuleTooSmall] for modules below [MinModule]
//   - [qrcode.CodeLowContrast] and [qrcode.CodeInvalidMargin], as in package qrcode
//   - [CodeLogoTooLarge] if no version keeps half its error correction under the logo
//   - [CodeTextDoesNotFit], [CodeCodeDoesNotFit] and [CodeUnsupportedCharacter]
//
// [Page.Warnings] reports codes that some scanners can't read, and rounded widths:
//
//   - [CodeSmallModule] for modules below [SafeModule]
//   - [CodeWeakContrast] if the reflectances differ by less than 0.40
//   - [CodeNoQuietZone] for a code without its own quiet zone
//   - [qrcode.CodeLightOnDark]
//   - [CodeWidthRounded] if whole dots per module change the requested width
//
// # Limits
//
// Color profiles, spot colors and compensation for ink spread aren't supported. Texts aren't
// shaped, so scripts with joined letters or from right to left are rejected.
package qrprint
