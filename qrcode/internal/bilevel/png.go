// Package bilevel writes PNG files of one kind of picture only: squares in two
// colours, each some whole number of pixels wide, with a margin in the first colour
// around. For such pictures it is far faster than a general encoder, since nearly all
// it has to say is "the row before, again".
package bilevel

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// A Picture is what to draw.
type Picture struct {
	Size        int      // width and height in pixels
	Modules     int      // squares on a side
	Scale       int      // pixels on a side of a square
	Rows        []uint64 // for each 64 columns the rows from the top, the leftmost square in the highest bit
	Light, Dark [3]uint8 // red, green and blue of 0 and 1
	Transparent bool     // no light colour at all
}

// A Writer holds the memory that writing takes, to be used again and again.
type Writer struct{ deflater }

// Append appends p as a PNG file to dst (ISO/IEC 15948): one bit a pixel, a palette,
// and the alpha of the light colour if that is transparent.
func (w *Writer) Append(dst []byte, p Picture) []byte {
	w.tokenize(&p)
	n := w.plan()

	const signature = "\x89PNG\r\n\x1a\n"
	const chunk = 4 + 4 + 4 // length, type and check sum
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
	dst = w.encode(dst)
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
