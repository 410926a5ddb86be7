package qrprint

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math"

	"github.com/hailmark/hailmark/problem"
)

// maxPixels limits PNG files. A4 at 600 dots per inch needs 35 million pixels.
const maxPixels = 40_000_000

// appendPNG appends the page, including its margin, at its resolution.
func (p *Page) appendPNG(dst []byte) ([]byte, error) {
	if p.dpi == 0 {
		return dst, problem.List{problem.New("dpi", CodeInvalidDPI, "a PNG needs a resolution, so that its modules are whole pixels: set DPI, for example to 300")}.Err()
	}
	perMM := float64(p.dpi) / inch
	width, height := math.Round((p.width+2*p.margin)*perMM), math.Round((p.height+2*p.margin)*perMM)
	if width*height > maxPixels {
		return dst, problem.List{problem.New("dpi", CodeInvalidDPI,
			"page has %.0f million pixels at %d dpi; a PNG may have at most %d million: choose a lower resolution, or a PDF", width*height/1e6, p.dpi, maxPixels/1_000_000)}.Err()
	}
	r := newRaster(int(width), int(height))
	toPixels := scale(perMM, p.margin*perMM, p.margin*perMM)
	for _, s := range p.shapes {
		at := s.at.then(toPixels)
		if s.bitmap != nil {
			r.bitmap(s.bitmap, at)
			continue
		}
		r.fill(&s.path, at, s.fill.screen)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, reduced(r.image)); err != nil {
		return dst, err
	}
	return appendWithResolution(dst, out.Bytes(), p.dpi), nil
}

// appendWithResolution inserts a chunk pHYs, which must precede IDAT, after the header.
func appendWithResolution(dst, file []byte, dpi int) []byte {
	const header = 8 + 12 + 13 // the signature, and the chunk IHDR
	dst = append(dst, file[:header]...)
	perMeter := uint32(math.Round(float64(dpi) / inch * 1000))
	dst = binary.BigEndian.AppendUint32(dst, 9)
	start := len(dst)
	dst = append(dst, "pHYs"...)
	dst = binary.BigEndian.AppendUint32(dst, perMeter)
	dst = binary.BigEndian.AppendUint32(dst, perMeter)
	dst = append(dst, 1) // the unit is the meter
	dst = binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
	return append(dst, file[header:]...)
}

// reduced returns an image with a palette if at most 256 colors occur. Two colors take one
// bit per pixel.
func reduced(img *image.RGBA) image.Image {
	indexes := map[color.RGBA]uint8{}
	var palette color.Palette
	out := image.NewPaletted(img.Rect, nil)
	var last color.RGBA
	lastIndex := -1
	for i := range out.Pix {
		pixel := img.Pix[4*i : 4*i+4]
		c := color.RGBA{pixel[0], pixel[1], pixel[2], pixel[3]}
		if lastIndex < 0 || c != last {
			index, known := indexes[c]
			if !known {
				if len(palette) == 256 {
					return img
				}
				index = uint8(len(palette))
				indexes[c] = index
				palette = append(palette, c)
			}
			last, lastIndex = c, int(index)
		}
		out.Pix[i] = uint8(lastIndex)
	}
	out.Palette = palette
	return out
}
