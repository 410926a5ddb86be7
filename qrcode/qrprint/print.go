// Package qrprint draws QR codes for paper, with captions, frames and logos, as PDF, EPS, SVG
// and PNG files. To print a single code, call [Code.Page]:
//
//	page, err := qrprint.Code{Text: "https://wa.me/janedoe", Width: 25, Caption: "@janedoe"}.Page()
//	pdf, err := page.Append(nil, qrprint.PDF)
//
// [Poster.Page] and [Poster.Tent] draw posters and table tents, [Labels.Page] draws a sheet of
// labels, and a [SheetWriter] writes several sheets to one file.
//
// All formats look the same, because they contain the same shapes. Dark modules are a single
// path, grays only use black ink, and texts are outlines, so files don't need fonts. Files
// don't contain dates, so equal pages produce equal bytes. However, the standard library
// compresses PDF and PNG files, so their bytes may change with the Go release.
//
// Package qrcode describes what symbols, modules and quiet zones are.
//
// # Checks
//
// QR codes that scanners couldn't read reliably are rejected with coded problems. If a larger
// size helps, the message specifies it. The problems' codes are those of package qrcode and these:
//
//	print_module_too_small       the modules are smaller than 0.25 mm
//	print_logo_too_large         no version keeps half its error correction under the logo, or
//	                             LogoShare is outside its limits
//	print_text_does_not_fit      a text is too long
//	print_code_does_not_fit      the code is larger than its label or paper
//	print_unsupported_character  the font doesn't contain a character
//	print_invalid_length         a length is outside its limits or conflicts with another field
//	print_invalid_dpi            the resolution is outside its limits, or doesn't suit the page
//	print_invalid_logo           the logo can't be parsed
//	print_invalid_paper          the paper isn't A4, A5 or Letter
//	print_invalid_labels         the product is unknown, or the labels don't fit the paper
//	print_invalid_start          the sheet doesn't contain that label, or that many
//
// [Page.Warnings] reports codes that some scanners can't read, and rounded widths:
//
//	small_module         the modules are smaller than 0.40 mm
//	weak_contrast        the foreground is too pale for some decoders, or the reflectances differ by
//	                     less than 0.40
//	no_quiet_zone        the code doesn't contain its own quiet zone
//	print_width_rounded  whole dots per module change the requested width
//	light_on_dark        the foreground is lighter than the background
//
// # Limits
//
// Color profiles, spot colors and compensation for ink spread aren't supported. Texts aren't
// shaped, so scripts with joined letters or from right to left are rejected.
package qrprint
