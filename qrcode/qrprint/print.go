// Package qrprint draws QR codes for paper: as PDF, EPS, SVG in millimetres and PNG with its
// resolution, with captions, frames and logos, on pages of their own, on sheets of labels
// and on posters. For one code call [Code.Page]:
//
//	page, err := qrprint.Code{Text: "https://wa.me/janedoe", Size: 25, Caption: "@janedoe"}.Page()
//	pdf, err := page.Append(nil, qrprint.PDF)
//
// For labels add codes to a [SheetWriter], and for posters and table tents call
// [Poster.Page] and [Poster.Tent]. A [PDFWriter] writes several pages to one file.
//
// All lengths are in millimetres. All formats are made from one list of shapes, so they
// look the same. All dark modules are one path, and greys are printed with black ink
// alone. Texts are outlines, so a file needs no fonts. The same page gives the same
// bytes: files have no date. PDF and PNG are compressed by the standard library, whose
// bytes may differ between releases of Go.
//
// # Checks
//
// A code that scanners could not read reliably is refused. The error is a problem.List,
// and where a larger size helps, the message names it:
//
//   - [CodeModuleTooSmall]: modules below [MinModule].
//   - [qrcode.CodeLowContrast] and [qrcode.CodeInvalidMargin], as in package qrcode.
//   - [CodeLogoTooLarge]: no version keeps half of its error correction under the logo.
//   - [CodeTextDoesNotFit], [CodeCodeDoesNotFit] and [CodeUnsupportedCharacter].
//
// [Page.Warnings] reports what some scanners may not read:
//
//   - [CodeSmallModule]: modules below [SafeModule].
//   - [CodeWeakContrast]: a contrast below [MinSymbolContrast].
//   - [CodeNoQuietZone]: a code without a quiet zone of its own.
//   - [qrcode.CodeLightOnDark].
//
// # What it does not do
//
// It does not embed colour profiles, set spot colours or compensate ink spread. Texts are
// not shaped: scripts that join letters or run from right to left are refused.
package qrprint
