// Package qrprint tests qrcode/qrprint with programs of other projects: PDF and PostScript
// interpreters that must read its files without a message and draw the same, and decoders
// that read simulated prints. These commands install all of them:
//
//	apt-get install qpdf mupdf-tools ghostscript poppler-utils librsvg2-bin zbar-tools zxing-cpp-tools
package qrprint
