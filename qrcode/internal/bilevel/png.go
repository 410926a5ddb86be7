// Package bilevel writes PNG files of square modules in two colors, each some pixels wide,
// with a margin in the first color. It is far faster than a general encoder, because most
// pixel rows repeat the previous row.
package bilevel

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// An Image describes a symbol in two colors.
type Image struct {
	Size        int // width and height in pixels
	Modules     *bitmap.Bitmap
	Scale       int      // pixels on a side of a module
	Offset      int      // pixels left of the modules, and above them
	Light, Dark [3]uint8 // red, green and blue of the colors of 0 and 1
	Transparent bool     // the light color is transparent
}

// A Writer writes images. It reuses its memory.
type Writer struct {
	tokens  tokenizer
	deflate deflater
}

// Append appends p as a PNG file (ISO/IEC 15948) with one bit per pixel, a palette, and alpha
// if the light color is transparent.
func (w *Writer) Append(dst []byte, p Image) []byte {
	w.tokens.tokenize(&p)
	n := w.deflate.plan(&w.tokens)

	const signature = "\x89PNG\r\n\x1a\n"
	const chunk = 4 + 4 + 4 // length, type and CRC
	total := len(signature) + chunk + 13 + chunk + 6 + chunk + n + chunk
	if p.Transparent {
		total += chunk + 1
	}
	dst = slices.Grow(dst, total)

	dst = append(dst, signature...)
	dst, start := beginChunk(dst, 13, "IHDR")
	dst = binary.BigEndian.AppendUint32(dst, uint32(p.Size))
	dst = binary.BigEndian.AppendUint32(dst, uint32(p.Size))
	const depth, palette = 1, 3
	dst = append(dst, depth, palette, 0, 0, 0)
	dst = endChunk(dst, start)

	dst, start = beginChunk(dst, 6, "PLTE")
	dst = append(dst, p.Light[0], p.Light[1], p.Light[2], p.Dark[0], p.Dark[1], p.Dark[2])
	dst = endChunk(dst, start)

	if p.Transparent {
		dst, start = beginChunk(dst, 1, "tRNS")
		dst = append(dst, 0)
		dst = endChunk(dst, start)
	}

	dst, start = beginChunk(dst, n, "IDAT")
	dst = w.deflate.append(dst, &w.tokens)
	dst = endChunk(dst, start)

	dst, start = beginChunk(dst, 0, "IEND")
	return endChunk(dst, start)
}

func beginChunk(dst []byte, length int, name string) (_ []byte, start int) {
	dst = binary.BigEndian.AppendUint32(dst, uint32(length))
	return append(dst, name...), len(dst)
}

func endChunk(dst []byte, start int) []byte {
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}
