package qrprint

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"
	"rsc.io/qr/gf256"

	"github.com/hailmark/hailmark/qrcode"
)

// fixed is a coding.Encoding of given data codewords.
type fixed []byte

func (fixed) Check() error              { return nil }
func (f fixed) Bits(coding.Version) int { return 8 * len(f) }
func (f fixed) Encode(b *coding.Bits, _ coding.Version) {
	for _, c := range f {
		b.Write(uint(c), 8)
	}
}

// TestCodewordsMatchCoding reads the codewords back from symbols that rsc.io/qr draws.
func TestCodewordsMatchCoding(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for version := 1; version <= maxVersion; version++ {
		for level := qrcode.LevelL; level <= qrcode.LevelH; level++ {
			plan, err := coding.NewPlan(coding.Version(version), coding.Level(level), 0)
			require.NoError(t, err)
			data := make([]byte, plan.DataBytes)
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			drawn, err := plan.Encode(fixed(data))
			require.NoError(t, err)

			blocks := make([][]byte, plan.Blocks)
			codewords, _ := codewordsOf(version, level)
			for i, c := range codewords {
				value := byte(0)
				for _, at := range c.modules {
					x, y := int(at[0]), int(at[1])
					value <<= 1
					if drawn.Black(x, y) != ((x+y)%2 == 0) { // mask 0
						value |= 1
					}
				}
				if i < len(data) {
					require.Equal(t, data[i], value)
				}
				blocks[c.block] = append(blocks[c.block], value)
			}
			correction := plan.CheckBytes / plan.Blocks
			encoder := gf256.NewRSEncoder(coding.Field, correction)
			for _, block := range blocks {
				check := make([]byte, correction)
				encoder.ECC(block[:len(block)-correction], check)
				require.Equal(t, check, block[len(block)-correction:], "version %d-%s", version, level)
			}
		}
	}
}

// TestRestoredCodewords compares with table 9 of ISO/IEC 18004: of versions 1 to 4, with
// the codewords that only detect errors, and of versions 10 and 40.
func TestRestoredCodewords(t *testing.T) {
	for version, want := range map[int][4]int{
		1: {2, 4, 6, 8}, 2: {4, 8, 11, 14}, 3: {7, 13, 9, 11}, 4: {10, 9, 13, 8}, 10: {9, 13, 12, 14}, 40: {15, 14, 15, 15},
	} {
		for level, restores := range want {
			_, got := codewordsOf(version, qrcode.Level(level))
			require.Equal(t, restores, got, "version %d, level %d", version, level)
		}
	}
}
