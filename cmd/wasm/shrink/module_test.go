package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The data keeps its place, whatever its segments are.
func TestData(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		memory := make([]byte, random.IntN(100_000))
		for range random.IntN(50) {
			if len(memory) > 0 {
				memory[random.IntN(len(memory))] = byte(random.Uint32())
			}
		}
		got, err := readData(appendData(nil, memory))
		require.NoError(t, err)
		require.True(t, bytes.Equal(bytes.TrimRight(memory, "\x00"), bytes.TrimRight(got, "\x00")))
	}
}

func TestNumbers(t *testing.T) {
	for _, v := range []int{0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 27, -1, -64, -65, -1 << 20} {
		r := reader{data: appendInt(nil, v)}
		require.Equal(t, v, r.int())
		require.Empty(t, r.data)
		require.NoError(t, r.err)
	}
}

// tableOfFunctions returns a table like that of the linker, with two functions. The first shares
// the table of its lines with the table of its stack.
func tableOfFunctions() []byte {
	le := binary.LittleEndian
	table := append([]byte(magic), make([]byte, headerSize-len(magic))...)
	for at, v := range map[int]int{atFunctions: 2, atNames: 72, atUnits: 80, atFiles: 80, atLines: 80, atTable: 92} {
		le.PutUint64(table[at:], uint64(v))
	}
	table = append(table, "\x00main.f\x00"...)                              // names
	table = append(table, 0, 2, 4, 6, 0, 2, 8, 6, 2, 2, 0, 0)               // lines, from 1 and from 5
	table = append(table, 0, 0, 0, 0, 16, 0, 0, 0, 9, 0, 0, 0, 60, 0, 0, 0) // addresses and offsets
	for _, f := range [][3]uint32{{1, 1, 1}, {1, 5, 5}} {
		b := make([]byte, fixedSize)
		for i, at := range [...]int{atStack, atFileOf, atLine} {
			le.PutUint32(b[at:], f[i])
		}
		le.PutUint32(b[atName:], 1)
		table = append(table, b...)
	}
	return table
}

func TestStripNames(t *testing.T) {
	memory := append(make([]byte, 100), tableOfFunctions()...)
	require.NoError(t, stripNames(memory))
	table := memory[100:]
	require.Equal(t, make([]byte, 8), table[72:80], "names")
	require.Equal(t, []byte{0, 2, 4, 6, 0}, table[80:85], "the table of the stack stays")
	require.Equal(t, make([]byte, 7), table[85:92], "lines")
	for _, f := range []int{92 + 16, 92 + 60} {
		require.Zero(t, binary.LittleEndian.Uint32(table[f+atName:]))
		require.Equal(t, uint32(1), binary.LittleEndian.Uint32(table[f+atStack:]))
		require.Zero(t, binary.LittleEndian.Uint32(table[f+atLine:]))
	}

	twice := append(tableOfFunctions(), tableOfFunctions()...)
	require.ErrorContains(t, stripNames(twice), "not that of a known release")
	require.ErrorContains(t, stripNames(make([]byte, 1000)), "not that of a known release")
	wrong := tableOfFunctions()
	wrong[atTable+1] = 1
	require.ErrorContains(t, stripNames(wrong), "unexpected layout")
}

// A file that is not such a module is an error.
func FuzzShrink(f *testing.F) {
	module := append([]byte(header), dataSection)
	data := appendData(nil, tableOfFunctions())
	module = append(binary.AppendUvarint(module, uint64(len(data))), data...)
	for _, seed := range [][]byte{nil, []byte(header), module, module[:len(module)-1], append([]byte(header), dataSection, 3, 1, 1, 1)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := shrink(data)
		require.True(t, err != nil || bytes.HasPrefix(out, []byte(header)))
	})
}
