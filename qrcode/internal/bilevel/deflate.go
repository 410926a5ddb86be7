package bilevel

import "encoding/binary"

// A deflater writes tokens as one block with dynamic codes (RFC 1951, 3.2.7).
type deflater struct {
	code   huffman      // for literals and lengths
	header []headerItem // the lengths of the codes
	hcode  huffman      // for the header
	counts struct{ lengths, distances, header int }
	steps  [stepsLen]step
}

// A step contains a token's bits above their number, which takes lengthBits. The bits are the
// code, and a match's extra bits for length and distance.
type step uint64

const lengthBits = 6

// stepsLen is a power of two, so that the compiler omits bounds checks.
const stepsLen = 1024

func newStep(bits uint32, length uint8) step { return step(bits)<<lengthBits | step(length) }

func (s step) bits() uint64 { return uint64(s >> lengthBits) }

func (s step) length() uint8 { return uint8(s & (1<<lengthBits - 1)) }

// A headerItem is a code length or a repetition.
type headerItem struct{ symbol, value, extra uint8 }

// headerOrder is the order of the header's own code lengths.
var headerOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

const (
	zlibHeaderBytes = 2
	adlerBytes      = 4
)

// plan chooses the codes and returns the number of bytes to append.
func (d *deflater) plan(t *tokenizer) int {
	d.code.build(t.weights[:], 15)
	distance, distanceExtra := distanceCode(t.stride)
	lengths := d.code.lengths
	for d.code.lengths[len(lengths)-1] == 0 {
		lengths = lengths[:len(lengths)-1]
	}
	// Both distances have a code of one bit: 0 for 1 byte, 1 for the stride.
	var distances [30]uint8
	distances[0], distances[distance] = 1, 1
	d.counts.lengths, d.counts.distances = len(lengths), distance+1
	d.describe(lengths, distances[:distance+1])
	d.counts.header = len(headerOrder)
	for d.counts.header > 4 && d.hcode.lengths[headerOrder[d.counts.header-1]] == 0 {
		d.counts.header--
	}

	size := 3 + 5 + 5 + 4 + 3*d.counts.header
	for _, item := range d.header {
		size += int(d.hcode.lengths[item.symbol] + item.extra)
	}
	for _, symbol := range d.code.used {
		bits := d.code.lengths[symbol]
		if symbol >= firstLength {
			_, extra := lengthRange(int(symbol) - firstLength)
			bits += extra
		}
		size += int(t.weights[symbol]) * int(bits)
	}
	size += t.matches[0] + t.matches[1]*int(1+distanceExtra)
	return zlibHeaderBytes + (size+7)/8 + adlerBytes
}

// describe fills the header with code lengths and repetitions.
func (d *deflater) describe(lengths, distances []uint8) {
	const previous, zeros, manyZeros = 16, 17, 18
	d.header = d.header[:0]
	var weights [19]uint32
	add := func(symbol uint8, value int, extra uint8) {
		d.header = append(d.header, headerItem{symbol, uint8(value), extra})
		weights[symbol]++
	}
	var all [literalCodes + 30]uint8
	rest := append(append(all[:0], lengths...), distances...)
	for len(rest) > 0 {
		length, n := rest[0], 1
		for n+8 <= len(rest) && binary.LittleEndian.Uint64(rest[n:]) == uint64(length)*0x0101010101010101 {
			n += 8
		}
		for n < len(rest) && rest[n] == length {
			n++
		}
		rest = rest[n:]
		if length > 0 {
			add(length, 0, 0)
			n--
		}
		for n > 0 {
			k := 1
			switch {
			case n < 3:
				add(length, 0, 0)
			case length > 0:
				k = min(n, 6)
				add(previous, k-3, 2)
			case n < 11:
				k = n
				add(zeros, k-3, 3)
			default:
				k = min(n, 138)
				add(manyZeros, k-11, 7)
			}
			n -= k
		}
	}
	d.hcode.build(weights[:], 7)
}

// append appends the zlib stream (RFC 1950). dst must have room for the planned bytes.
func (d *deflater) append(dst []byte, t *tokenizer) []byte {
	const deflate32K, best = 0x78, 0xDA
	dst = append(dst, deflate32K, best)
	w := bitWriter{out: dst[:cap(dst)], pos: len(dst)}

	const last, dynamic = 1, 2
	w.write(last|dynamic<<1, 3)
	w.write(uint32(d.counts.lengths-firstLength), 5)
	w.write(uint32(d.counts.distances-1), 5)
	w.write(uint32(d.counts.header-4), 4)
	for _, symbol := range headerOrder[:d.counts.header] {
		w.write(uint32(d.hcode.lengths[symbol]), 3)
	}
	for _, item := range d.header {
		w.write(uint32(d.hcode.bits[item.symbol]), d.hcode.lengths[item.symbol])
		w.write(uint32(item.value), item.extra)
	}
	d.prepareSteps(t.stride)
	w.writeAll(t.list, &d.steps)
	w.write(uint32(d.code.bits[endOfBlock]), d.code.lengths[endOfBlock])
	return binary.BigEndian.AppendUint32(w.finish(), t.adler.sum())
}

// prepareSteps computes the bits for each token.
func (d *deflater) prepareSteps(stride int) {
	_, distanceExtra := distanceCode(stride)
	distance := uint32(stride-1) & (1<<distanceExtra - 1)
	for _, symbol := range d.code.used {
		bits, length := uint32(d.code.bits[symbol]), d.code.lengths[symbol]
		if symbol < firstLength {
			d.steps[symbol] = newStep(bits, length)
			continue
		}
		first, extra := lengthRange(int(symbol) - firstLength)
		for i := range 1 << extra {
			bits, length := bits|uint32(i)<<length, length+extra
			d.steps[int(matchByte)+first+i] = newStep(bits, length+1)
			d.steps[int(matchRow)+first+i] = newStep(bits|1<<length|distance<<(length+1), length+1+distanceExtra)
		}
	}
}

// A bitWriter writes the lowest bits first, four bytes at a time. It may write up to overrun
// bytes after the last bit.
type bitWriter struct {
	out  []byte
	pos  int
	bits uint64
	n    uint8
}

// The Adler-32 checksum follows, so overrun bytes are still within the stream.
const overrun = adlerBytes

func (w *bitWriter) write(v uint32, n uint8) {
	w.bits |= uint64(v) << (w.n & 63)
	w.n += n
	if w.n >= 32 {
		binary.LittleEndian.PutUint32(w.out[w.pos:], uint32(w.bits))
		w.pos += 4
		w.bits >>= 32
		w.n -= 32
	}
}

func (w *bitWriter) writeAll(list []token, steps *[stepsLen]step) {
	out, pos, bits, n := w.out, w.pos, w.bits, w.n
	for _, t := range list {
		s := steps[t%stepsLen]
		bits |= s.bits() << (n & 63)
		n += s.length()
		if n >= 32 {
			binary.LittleEndian.PutUint32(out[pos:], uint32(bits))
			pos += 4
			bits >>= 32
			n -= 32
		}
	}
	w.pos, w.bits, w.n = pos, bits, n
}

// finish writes the remaining bits, padded with zeros.
func (w *bitWriter) finish() []byte {
	binary.LittleEndian.PutUint32(w.out[w.pos:][:overrun], uint32(w.bits))
	return w.out[:w.pos+int(w.n+7)/8]
}
