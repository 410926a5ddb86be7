package qrprint

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"

	"github.com/hailmark/hailmark/qrcode"
)

// appendSVG appends the page, including its margin, as an SVG in millimeters. The origin is
// the trimmed page's upper left corner.
func (p *Page) appendSVG(dst []byte) []byte {
	width, height := p.width+2*p.margin, p.height+2*p.margin
	dst = append(dst, `<svg xmlns="http://www.w3.org/2000/svg" width="`...)
	dst = appendNumber(dst, width, lengthDecimals)
	dst = append(dst, `mm" height="`...)
	dst = appendNumber(dst, height, lengthDecimals)
	dst = append(dst, `mm" viewBox="`...)
	dst = appendNumbers(dst, lengthDecimals, -p.margin, -p.margin, width)
	dst = appendNumber(dst, height, lengthDecimals)
	dst = append(dst, "\" role=\"img\">\n"...)
	if p.title != "" {
		dst = append(appendEscaped(append(dst, "<title>"...), p.title), "</title>\n"...)
	}
	for _, s := range p.shapes {
		if s.bitmap != nil {
			dst = append(dst, `<image width="1" height="1" preserveAspectRatio="none" transform="`...)
			dst = appendSVGTransform(dst, s.at)
			dst = append(dst, `" href="data:image/png;base64,`...)
			dst = base64.StdEncoding.AppendEncode(dst, s.bitmap.png)
			dst = append(dst, "\"/>\n"...)
			continue
		}
		dst = append(dst, `<path fill="`...)
		dst = appendSVGColor(dst, s.fill.screen)
		dst = append(dst, `" transform="`...)
		dst = appendSVGTransform(dst, s.at)
		if s.text != "" {
			dst = append(appendEscaped(append(dst, `" aria-label="`...), s.text), `" role="img`...)
		}
		dst = append(dst, `" d="`...)
		dst = s.path.appendSVG(dst)
		dst = append(dst, "\"/>\n"...)
	}
	return append(dst, "</svg>\n"...)
}

func (p *path) appendSVG(dst []byte) []byte {
	list := func(command byte, n ...float64) {
		dst = append(dst, command)
		for i, v := range n {
			if i > 0 && v >= 0 { // a minus separates by itself
				dst = append(dst, ' ')
			}
			dst = appendNumber(dst, v, pathDecimals)
		}
	}
	p.each(func(c command, n []float64) {
		switch c {
		case moveTo:
			list('M', n...)
		case lineTo:
			list('L', n...)
		case curveTo:
			list('C', n...)
		case closePath:
			list('Z')
		case rectangle:
			list('M', n[0], n[1])
			list('h', n[2])
			list('v', n[3])
			list('h', -n[2])
			list('z')
		}
	})
	return dst
}

func appendSVGTransform(dst []byte, t transform) []byte {
	dst = append(dst, "translate("...)
	dst = appendNumbers(dst, lengthDecimals, t.x)
	dst = appendNumber(dst, t.y, lengthDecimals)
	dst = append(dst, ")scale("...)
	dst = appendNumber(dst, t.scaleX, scaleDecimals)
	if t.scaleY != t.scaleX {
		dst = appendNumber(append(dst, ' '), t.scaleY, scaleDecimals)
	}
	return append(dst, ')')
}

func appendSVGColor(dst []byte, c qrcode.Color) []byte {
	r, g, b, _ := c.RGBA()
	return fmt.Appendf(dst, "#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func appendEscaped(dst []byte, s string) []byte {
	out := bytes.NewBuffer(dst)
	_ = xml.EscapeText(out, []byte(s)) // a Buffer returns no error
	return out.Bytes()
}
