package ecc

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"
	"rsc.io/qr/gf256"
)

func TestCodewordsMatchGF256(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for n := 1; n <= MaxCodewords; n++ {
		enc := gf256.NewRSEncoder(coding.Field, n)
		for length := range 130 {
			data := make([]byte, length)
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			want := make([]byte, n)
			enc.ECC(data, want)
			require.Equal(t, append([]byte("x"), want...), For(n).Append([]byte("x"), data))
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	data, dst := make([]byte, 600), make([]byte, 0, 30)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		For(28).Append(dst, data)
	}
}
