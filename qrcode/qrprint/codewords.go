package qrprint

import (
	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/qrcode"
)

// A codeword is the position of eight bits in a symbol.
type codeword struct {
	block   int         // the block of error correction that it belongs to
	modules [8][2]uint8 // column and row of each bit, the highest first
}

// codewordsOf returns the data codewords and then the error correction codewords, block by
// block. restores is the number of damaged codewords that each block can restore. A logo may
// therefore touch as many codewords in each block.
func codewordsOf(version int, level qrcode.Level) (list []codeword, restores int) {
	plan, err := coding.NewPlan(coding.Version(version), coding.Level(level), 0)
	if err != nil {
		panic(err) // a symbol's version and level are in range
	}
	correction := plan.CheckBytes / plan.Blocks
	for block := range plan.Blocks {
		data := plan.DataBytes / plan.Blocks
		if block >= plan.Blocks-plan.DataBytes%plan.Blocks {
			data++
		}
		for range data {
			list = append(list, codeword{block: block})
		}
	}
	for i := range plan.CheckBytes {
		list = append(list, codeword{block: i / correction})
	}
	for y, row := range plan.Pixel {
		for x, p := range row {
			if role := p.Role(); role == coding.Data || role == coding.Check {
				list[p.Offset()/8].modules[p.Offset()%8] = [2]uint8{uint8(x), uint8(y)}
			}
		}
	}
	return list, (correction - reserved(version, level)) / 2
}

// reserved returns the number of error correction codewords that only detect errors, so that
// small symbols aren't misread (ISO/IEC 18004, table 9).
func reserved(version int, level qrcode.Level) int {
	switch {
	case version == 1 && level == qrcode.LevelL:
		return 3
	case version == 1 && level == qrcode.LevelM, version == 2 && level == qrcode.LevelL:
		return 2
	case version == 1, version == 3 && level == qrcode.LevelL:
		return 1
	default:
		return 0
	}
}
