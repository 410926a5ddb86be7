package qrprint

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"sync"

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
	page := func() *raster {
		return newRaster(int(width), int(height), p.shapes, scale(perMM, p.margin*perMM, p.margin*perMM))
	}
	resolution := appendResolution(nil, p.dpi)
	if i, ok := index(page()); ok {
		return i.append(dst, resolution), nil
	}
	img := image.NewRGBA(image.Rect(0, 0, int(width), int(height)))
	rest := img.Pix
	for pixels := range page().rows {
		rest = rest[copy(rest, pixels):]
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return dst, err
	}
	const header = 8 + 12 + 13 // the signature, and the chunk IHDR, which precedes the resolution
	return slices.Concat(dst, out.Bytes()[:header], resolution, out.Bytes()[header:]), nil
}

func appendResolution(dst []byte, dpi int) []byte {
	perMeter := uint32(math.Round(float64(dpi) / inch * 1000))
	data := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, perMeter), perMeter)
	return appendChunk(dst, "pHYs", append(data, 1)) // the unit is the meter
}

func appendChunk(dst []byte, name string, data []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(data)))
	start := len(dst)
	dst = append(append(dst, name...), data...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}

// An indexed image has a palette. It needs little memory and time, because most rows of a code repeat
// the row above, which package image/png can't know.
type indexed struct {
	width  int
	colors [][4]uint8 // with premultiplied alpha
	rows   [][]uint8  // indexes of colors
}

// index returns false if more than 256 colors occur.
func index(r *raster) (i indexed, ok bool) {
	i.width = r.width
	indexes := map[[4]uint8]int{}
	for pixels, isRepeated := range r.rows {
		if isRepeated {
			i.rows = append(i.rows, i.rows[len(i.rows)-1])
			continue
		}
		row := make([]uint8, r.width)
		var last [4]uint8
		lastIndex := -1
		for x := range row {
			if c := [4]uint8(pixels[4*x:]); lastIndex < 0 || c != last {
				n, known := indexes[c]
				if !known {
					n = len(i.colors)
					i.colors = append(i.colors, c)
					indexes[c] = n
				}
				last, lastIndex = c, n
			}
			row[x] = uint8(lastIndex)
		}
		if len(i.colors) > 256 {
			return i, false
		}
		i.rows = append(i.rows, row)
	}
	return i, true
}

var compressors = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// append appends a PNG with the fewest bits per pixel.
func (i *indexed) append(dst, resolution []byte) []byte {
	bits := 8
	for _, fewer := range []int{4, 2, 1} {
		if len(i.colors) <= 1<<fewer {
			bits = fewer
		}
	}
	var header, palette, alpha []byte
	header = binary.BigEndian.AppendUint32(header, uint32(i.width))
	header = binary.BigEndian.AppendUint32(header, uint32(len(i.rows)))
	header = append(header, byte(bits), 3, 0, 0, 0) // with a palette
	for n, c := range i.colors {
		opaque := color.NRGBAModel.Convert(color.RGBA{c[0], c[1], c[2], c[3]}).(color.NRGBA)
		palette = append(palette, opaque.R, opaque.G, opaque.B)
		if c[3] < 255 {
			for len(alpha) < n {
				alpha = append(alpha, 255)
			}
			alpha = append(alpha, c[3])
		}
	}
	var data bytes.Buffer
	compressor := compressors.Get().(*zlib.Writer)
	defer compressors.Put(compressor)
	compressor.Reset(&data)
	packed := make([]byte, 1+(i.width*bits+7)/8) // no filter, and the pixels
	for y, row := range i.rows {
		if y == 0 || &row[0] != &i.rows[y-1][0] {
			clear(packed)
			for x, n := range row {
				packed[1+x*bits/8] |= n << (8 - bits - x*bits%8)
			}
		}
		_, _ = compressor.Write(packed) // a buffer never fails
	}
	_ = compressor.Close()

	dst = appendChunk(append(dst, "\x89PNG\r\n\x1a\n"...), "IHDR", header)
	dst = appendChunk(append(dst, resolution...), "PLTE", palette)
	if alpha != nil {
		dst = appendChunk(dst, "tRNS", alpha)
	}
	return appendChunk(appendChunk(dst, "IDAT", data.Bytes()), "IEND", nil)
}
