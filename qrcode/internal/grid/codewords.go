package grid

import "rsc.io/qr/coding"

// A Codeword is the place of eight bits in a symbol.
type Codeword struct {
	Block   int         // the block of error correction that it belongs to
	Modules [8][2]uint8 // column and row of each bit, the highest first
}

// Codewords returns the codewords of a version and level: all data codewords, then all
// error correction codewords, block by block.
func Codewords(version int, level coding.Level) []Codeword {
	l := For(version, level)
	var list []Codeword
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
	return list
}
