package qrprint

import (
	"encoding/ascii85"
	"fmt"
	"math"
	"strings"
)

// appendEPS appends the page, including its margin, as Encapsulated PostScript, level 3.
// PostScript doesn't support transparency, so images are blended with the background. Text
// can't be copied or searched.
func (p *Page) appendEPS(dst []byte) []byte {
	width, height := (p.width+2*p.margin)*pointsPerMM, (p.height+2*p.margin)*pointsPerMM
	dst = fmt.Appendf(dst, "%%!PS-Adobe-3.0 EPSF-3.0\n%%%%BoundingBox: 0 0 %.0f %.0f\n%%%%HiResBoundingBox: 0 0 %.5f %.5f\n",
		math.Ceil(width), math.Ceil(height), width, height)
	dst = fmt.Appendf(dst, "%%%%Title: %s\n%%%%Creator: Hailmark\n%%%%LanguageLevel: 3\n%%%%Pages: 1\n%%%%EndComments\n%%%%Page: 1 1\n", epsComment(p.title))
	dst = append(dst, "gsave\n/m{moveto}bind def/l{lineto}bind def/c{curveto}bind def/h{closepath}bind def\n"+
		"/re{4 2 roll moveto exch dup 0 rlineto exch 0 exch rlineto neg 0 rlineto closepath}bind def\n"...)
	dst = append(dst, '[')
	dst = appendNumbers(dst, scaleDecimals, pointsPerMM, 0, 0, -pointsPerMM)
	dst = appendNumbers(dst, lengthDecimals, p.margin*pointsPerMM, (p.margin+p.height)*pointsPerMM)
	dst = append(dst, "]concat\n"...)
	for _, s := range p.shapes {
		dst = append(dst, "gsave["...)
		dst = appendNumbers(dst, scaleDecimals, s.at.scaleX, 0, 0, s.at.scaleY)
		dst = appendNumbers(dst, lengthDecimals, s.at.x, s.at.y)
		dst = append(dst, "]concat\n"...)
		if s.bitmap != nil {
			dst = s.bitmap.on(s.fill.screen).appendEPS(dst)
		} else {
			dst = s.fill.append(dst, "setcmykcolor", "setrgbcolor")
			dst = append(dst, "newpath\n"...)
			s.path.each(func(c command, n []float64) {
				dst = appendNumbers(dst, pathDecimals, n...)
				dst = append(append(dst, pdfOperators[c]...), '\n')
			})
			dst = append(dst, "fill\n"...)
		}
		dst = append(dst, "grestore\n"...)
	}
	return append(dst, "grestore\nshowpage\n%%EOF\n"...)
}

// appendEPS draws an opaque image on the unit square.
func (p *bitmap) appendEPS(dst []byte) []byte {
	space, decode, data := "DeviceGray", "[0 1]", p.gray()
	if data == nil {
		space, decode, data = "DeviceRGB", "[0 1 0 1 0 1]", p.rgb()
	}
	dst = fmt.Appendf(dst, "/%s setcolorspace\n<</ImageType 1/Width %d/Height %d/BitsPerComponent 8/Decode%s/ImageMatrix[%d 0 0 %d 0 0]\n",
		space, p.width, p.height, decode, p.width, p.height)
	dst = append(dst, "/DataSource currentfile/ASCII85Decode filter/FlateDecode filter>>image\n"...)
	data = new(compressor).deflate(data)
	encoded := make([]byte, ascii85.MaxEncodedLen(len(data)))
	encoded = encoded[:ascii85.Encode(encoded, data)]
	const lineLength = 120 // EPS allows 255
	for len(encoded) > 0 {
		n := min(lineLength, len(encoded))
		dst = append(append(dst, encoded[:n]...), '\n')
		encoded = encoded[n:]
	}
	return append(dst, "~>\n"...)
}

// epsComment returns s as one line of ASCII.
func epsComment(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 200)]
}
