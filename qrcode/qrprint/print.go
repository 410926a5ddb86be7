// Package qrprint draws QR codes for paper: as PDF, EPS, SVG in millimeters and PNG with its
// resolution, with captions, frames and logos, on pages of their own, on sheets of labels
// and on posters. For one code call [Code.Page]:
//
//	page, err := qrprint.Code{Text: "https://wa.me/janedoe", Width: 25, Caption: "@janedoe"}.Page()
//	pdf, err := page.Append(nil, qrprint.PDF)
//
// For labels add codes to a [SheetWriter], and for posters and table tents call
// [Poster.Page] and [Poster.Tent]. A [PDFWriter] writes several pages to one file.
//
// All formats are made from one list of shapes, so they look the same. All dark modules are
// one path, and grays are printed with black ink alone. Texts are outlines, so a file needs
// no fonts. The same page gives the same bytes: files have no date. The standard library
// compresses PDF and PNG, so their bytes may differ between releases of Go.
//
// # Checks
//
// A code that scanners couldn't read reliably is rejected. The error is a problem.List, and
// where a larger size helps, the message says which:
//
//   - [CodeModuleTooSmall]: modules below [MinModule].
//   - [qrcode.CodeLowContrast] and [qrcode.CodeInvalidMargin], as in package qrcode.
//   - [CodeLogoTooLarge]: no version keeps half of its error correction under the logo.
//   - [CodeTextDoesNotFit], [CodeCodeDoesNotFit] and [CodeUnsupportedCharacter].
//
// [Page.Warnings] reports what some scanners may not read, and a rounded width:
//
//   - [CodeSmallModule]: modules below [SafeModule].
//   - [CodeWeakContrast]: reflectances that differ by less than 0.40.
//   - [CodeNoQuietZone]: a code without a quiet zone of its own.
//   - [qrcode.CodeLightOnDark].
//   - [CodeWidthRounded]: another width than requested, because modules are whole dots.
//
// # Limits
//
// It embeds no color profiles, sets no spot colors and compensates no ink spread. Texts
// aren't shaped: scripts that join letters or run from right to left are rejected.
package qrprint
