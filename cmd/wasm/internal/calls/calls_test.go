package calls

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tests in internal/check/harness/npm call all functions through the WebAssembly module.

func encoded(values ...string) []byte {
	var out []byte
	for _, v := range values {
		out = appendString(out, v)
	}
	return out
}

func TestCall(t *testing.T) {
	number := Function(encoded("chatlink.BuildUsernameLink"))
	require.GreaterOrEqual(t, number, 0)
	require.Equal(t, -1, Function(encoded("chatlink.Lookup")))

	out, status := Call(number, encoded("jane.doe", "Hi"), []byte("before"))
	require.Equal(t, OK, status)
	require.Equal(t, "before"+string(encoded("https://wa.me/jane.doe?text=Hi")), string(out))

	out, status = Call(number, encoded("x", ""), nil)
	require.Equal(t, Problems, status)
	require.Equal(t, uint32(1), binary.LittleEndian.Uint32(out))
	require.Contains(t, string(out), "username_length")

	out, status = Call(Function(encoded("batch.Step")), make([]byte, 8), nil)
	require.Equal(t, Failure, status)
	require.Equal(t, string(encoded("the batch is closed")), string(out))
}

// A margin of 0 means none, as on the command line.
func TestMargin(t *testing.T) {
	render := func(margin int32) (Status, string) {
		set := func(args []byte, name string, k kind) []byte {
			return binary.LittleEndian.AppendUint32(args, uint32(slices.Index(fields["qrOptions"], field{name, k})))
		}
		args := set(binary.LittleEndian.AppendUint32(encoded("x"), 2), "format", textKind)
		args = set(append(args, encoded("svg")...), "margin", intKind)
		args = binary.LittleEndian.AppendUint32(args, uint32(margin))
		out, status := Call(Function(encoded("qrcode.RenderQR")), args, nil)
		return status, string(out)
	}
	for margin, viewBox := range map[int32]string{0: `viewBox="0 0 21 21"`, 4: `viewBox="-4 -4 29 29"`} {
		status, svg := render(margin)
		require.Equal(t, OK, status)
		require.Contains(t, svg, viewBox)
	}
	for _, margin := range []int32{-1, 3} {
		status, out := render(margin)
		require.Equal(t, Problems, status)
		require.Contains(t, out, "invalid_margin")
	}
}

// Truncated arguments cause an error and never stop the program.
func TestShortArguments(t *testing.T) {
	for number := range functions {
		for n := range 40 {
			_, status := Call(number, make([]byte, n), nil)
			require.LessOrEqual(t, status, Fault, functions[number].name)
		}
	}
	out, status := Call(Function(encoded("bsuid.IsBSUID")), []byte{9}, []byte("x"))
	require.Equal(t, Fault, status)
	require.Contains(t, string(out[1:]), "out of range")
}

func TestNames(t *testing.T) {
	seen := make(map[string]bool)
	for i := range functions {
		require.False(t, seen[functions[i].name], functions[i].name)
		seen[functions[i].name] = true
	}
}
