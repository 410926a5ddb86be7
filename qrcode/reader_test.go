package qrcode_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
)

// read is a scanner that forgives nothing: it reads the text of a symbol that has no
// damaged module and fails at whatever ISO/IEC 18004 does not allow. It is written
// from the standard, module by module, and shares nothing with the encoder.
func read(size int, dark func(x, y int) bool) (string, error) {
	version := (size - 17) / 4
	level, mask, err := readFormat(size, dark)
	if err != nil {
		return "", err
	}
	var codewords []byte
	bits, n := byte(0), 0
	function := functionModules(size)
	upwards := true
	for right := size - 1; right > 0; right -= 2 {
		if right == 6 {
			right-- // the column of the vertical timing pattern
		}
		for i := range size {
			y := i
			if upwards {
				y = size - 1 - i
			}
			for _, x := range []int{right, right - 1} {
				if function[y][x] {
					continue
				}
				bits <<= 1
				if dark(x, y) != masked(mask, y, x) {
					bits |= 1
				}
				if n++; n%8 == 0 {
					codewords = append(codewords, bits)
				}
			}
		}
		upwards = !upwards
	}
	data, err := deinterleave(version, level, codewords)
	if err != nil {
		return "", err
	}
	return readSegments(version, data)
}

func readFormat(size int, dark func(x, y int) bool) (level, mask int, err error) {
	var first, second uint
	add := func(bits *uint, x, y int) {
		*bits <<= 1
		if dark(x, y) {
			*bits |= 1
		}
	}
	for x := range 6 {
		add(&first, x, 8)
	}
	add(&first, 7, 8)
	add(&first, 8, 8)
	add(&first, 8, 7)
	for y := 5; y >= 0; y-- {
		add(&first, 8, y)
	}
	for y := size - 1; y >= size-7; y-- {
		add(&second, 8, y)
	}
	for x := size - 8; x < size; x++ {
		add(&second, x, 8)
	}
	if first != second {
		return 0, 0, fmt.Errorf("the copies of the format information differ: %015b, %015b", first, second)
	}
	if !dark(8, size-8) {
		return 0, 0, errors.New("the dark module is light")
	}
	first ^= 0b101010000010010
	rest := first
	for i := 14; i >= 10; i-- {
		if rest>>i&1 == 1 {
			rest ^= 0b10100110111 << (i - 10)
		}
	}
	if rest != 0 {
		return 0, 0, fmt.Errorf("wrong check bits of the format information %015b", first)
	}
	return []int{1, 0, 3, 2}[first>>13], int(first >> 10 & 7), nil
}

func functionModules(size int) [][]bool {
	f := make([][]bool, size)
	for y := range f {
		f[y] = make([]bool, size)
	}
	mark := func(x0, y0, w, h int) {
		for y := y0; y < y0+h; y++ {
			for x := x0; x < x0+w; x++ {
				f[y][x] = true
			}
		}
	}
	mark(0, 0, 9, 9)
	mark(size-8, 0, 8, 9)
	mark(0, size-8, 9, 8)
	mark(6, 0, 1, size)
	mark(0, 6, size, 1)
	version := (size - 17) / 4
	if version >= 7 {
		mark(0, size-11, 6, 3)
		mark(size-11, 0, 3, 6)
	}
	centers := alignmentCenters(version)
	for i, y := range centers {
		for j, x := range centers {
			last := len(centers) - 1
			if i == 0 && j == 0 || i == 0 && j == last || i == last && j == 0 {
				continue
			}
			mark(x-2, y-2, 5, 5)
		}
	}
	return f
}

func alignmentCenters(version int) []int {
	if version == 1 {
		return nil
	}
	count := version/7 + 2
	step := (version*4 + count*2 + 1) / (count*2 - 2) * 2
	if version == 32 {
		step = 26 // the one place where the standard's table follows no formula
	}
	centers := make([]int, count)
	centers[0] = 6
	for i, c := count-1, 4*version+10; i > 0; i, c = i-1, c-step {
		centers[i] = c
	}
	return centers
}

func masked(mask, i, j int) bool {
	switch mask {
	case 0:
		return (i+j)%2 == 0
	case 1:
		return i%2 == 0
	case 2:
		return j%3 == 0
	case 3:
		return (i+j)%3 == 0
	case 4:
		return (i/2+j/3)%2 == 0
	case 5:
		return i*j%2+i*j%3 == 0
	case 6:
		return (i*j%2+i*j%3)%2 == 0
	default:
		return ((i+j)%2+i*j%3)%2 == 0
	}
}

// blockCounts and checkCodewords are columns of ISO/IEC 18004, table 9, for versions 1 to 40
// at each level: the blocks of error correction, and the error correction codewords of each.
var (
	blockCounts = [4][40]int{
		{1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25},
		{1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49},
		{1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68},
		{1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81},
	}
	checkCodewords = [4][40]int{
		{7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30},
		{10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28},
		{13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30},
		{17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30},
	}
)

func deinterleave(version, level int, codewords []byte) ([]byte, error) {
	count, check := blockCounts[level][version-1], checkCodewords[level][version-1]
	dataCodewords := len(codewords) - count*check
	blocks := make([][]byte, count)
	short := dataCodewords / count
	shortBlocks := count - dataCodewords%count
	for i := range short + 1 {
		for b := range blocks {
			if i < short || b >= shortBlocks {
				blocks[b], codewords = append(blocks[b], codewords[0]), codewords[1:]
			}
		}
	}
	var data []byte
	for _, b := range blocks {
		data = append(data, b...)
	}
	for range check {
		for b := range blocks {
			blocks[b], codewords = append(blocks[b], codewords[0]), codewords[1:]
		}
	}
	for b, block := range blocks {
		for root, i := byte(1), 0; i < check; root, i = times(root, 2), i+1 {
			value := byte(0)
			for _, c := range block {
				value = times(value, root) ^ c
			}
			if value != 0 {
				return nil, fmt.Errorf("block %d is no Reed-Solomon codeword", b)
			}
		}
	}
	return data, nil
}

func times(a, b byte) byte {
	product := 0
	for i := 7; i >= 0; i-- {
		if product <<= 1; product&0x100 != 0 {
			product ^= 0x11d
		}
		if b>>i&1 == 1 {
			product ^= int(a)
		}
	}
	return byte(product)
}

func readSegments(version int, data []byte) (string, error) {
	pos := 0
	take := func(n int) int {
		v := 0
		for ; n > 0; n-- {
			v <<= 1
			if pos < 8*len(data) {
				v |= int(data[pos/8] >> (7 - pos%8) & 1)
			}
			pos++
		}
		return v
	}
	class := 0
	if version > 26 {
		class = 2
	} else if version > 9 {
		class = 1
	}
	var text strings.Builder
	for pos+4 <= 8*len(data) {
		switch mode := take(4); mode {
		case 0:
			return text.String(), checkPadding(data, pos)
		case 1:
			for n := take([]int{10, 12, 14}[class]); n > 0; n -= 3 {
				digits := min(n, 3)
				fmt.Fprintf(&text, "%0*d", digits, take([]int{0, 4, 7, 10}[digits]))
			}
		case 2:
			const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
			for n := take([]int{9, 11, 13}[class]); n > 0; n -= 2 {
				if n == 1 {
					text.WriteByte(alphabet[take(6)])
					break
				}
				pair := take(11)
				text.WriteByte(alphabet[pair/45])
				text.WriteByte(alphabet[pair%45])
			}
		case 4:
			for n := take([]int{8, 16, 16}[class]); n > 0; n-- {
				text.WriteByte(byte(take(8)))
			}
		case 7:
			if assignment := take(8); assignment != 26 {
				return "", fmt.Errorf("assignment %d is not UTF-8", assignment)
			}
		default:
			return "", fmt.Errorf("unknown mode %04b", mode)
		}
		if pos > 8*len(data) {
			return "", errors.New("a segment runs over the end of the data")
		}
	}
	return text.String(), nil
}

func checkPadding(data []byte, pos int) error {
	for ; pos%8 != 0; pos++ {
		if data[pos/8]>>(7-pos%8)&1 == 1 {
			return errors.New("padding bits must be 0")
		}
	}
	for i, pad := range data[pos/8:] {
		if want := []byte{0xEC, 0x11}[i%2]; pad != want {
			return fmt.Errorf("padding codeword %d is %#x, not %#x", i, pad, want)
		}
	}
	return nil
}

func requireReads(t *testing.T, text string, s qrcode.Symbol) {
	t.Helper()
	got, err := read(s.Size(), s.Dark)
	require.NoError(t, err)
	require.Equal(t, text, got)
}
