package grid

import "rsc.io/qr/coding"

// A Codeword is the position of eight bits in a symbol.
type Codeword struct {
	Block   int         // the block of error correction that it belongs to
	Modules [8][2]uint8 // column and row of each bit, the highest first
}

// Codewords returns the data codewords and then the error correction codewords, block by
// block. restores is the number of damaged codewords that each block can restore. A logo may
// therefore touch as many codewords in each block.
func Codewords(version int, level coding.Level) (list []Codeword, restores int) {
	l := For(version, level)
	for block := range l.Blocks {
		for range l.dataCodewords(block) {
			list = append(list, Codeword{Block: block})
		}
	}
	for i := range l.Blocks * l.ECCodewords {
		list = append(list, Codeword{Block: i / l.ECCodewords})
	}
	for y, row := range newPlan(version, level, 0).Pixel {
		for x, p := range row {
			if role := p.Role(); role == coding.Data || role == coding.Check {
				list[p.Offset()/8].Modules[p.Offset()%8] = [2]uint8{uint8(x), uint8(y)}
			}
		}
	}
	return list, (l.ECCodewords - reserved(version, level)) / 2
}

// reserved returns the number of error correction codewords that only detect errors, so that
// small symbols aren't misread (ISO/IEC 18004, table 9).
func reserved(version int, level coding.Level) int {
	switch {
	case version == 1 && level == coding.L:
		return 3
	case version == 1 && level == coding.M, version == 2 && level == coding.L:
		return 2
	case version == 1, version == 3 && level == coding.L:
		return 1
	default:
		return 0
	}
}
