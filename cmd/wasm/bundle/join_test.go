package main

import (
	"encoding/hex"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// A module with an exported memory of a page, and then its data.
var empty = []byte("\x00asm\x01\x00\x00\x00" + "\x05\x03\x01\x00\x01" + "\x07\x05\x01\x01m\x02\x00")

// join doesn't change the initial memory in Node, but merges segments.
func TestJoin(t *testing.T) {
	node := testenv.Needs(t, "node", "Debian package nodejs")
	for name, test := range map[string]struct {
		data     []string // addresses and contents as they are encoded
		segments byte
	}{
		"none":     {nil, 0},
		"one":      {[]string{"\x41\x08\x0b\x02ab"}, 1},
		"near":     {[]string{"\x41\x08\x0b\x02ab", "\x41\xc0\x00\x0b\x01c", "\x41\xc1\x00\x0b\x01d"}, 1},
		"far":      {[]string{"\x41\x3f\x0b\x02ab", "\x41\x80\x20\x0b\x01c"}, 2},
		"no order": {[]string{"\x41\xff\x20\x0b\x02ab", "\x41\x81\x20\x0b\x01c"}, 1},
	} {
		section := string(rune(len(test.data)))
		for _, segment := range test.data {
			section += "\x00" + segment
		}
		module := slices.Concat(empty, []byte{dataSection, byte(len(section))}, []byte(section))
		joined := join(module)
		require.Equal(t, memory(t, node, module), memory(t, node, joined), name)
		_, data, _ := strings.Cut(string(joined), string(empty))
		r := &reader{[]byte(data)}
		require.Equal(t, byte(dataSection), r.byte(), name)
		require.Equal(t, test.segments, r.bytes()[0], name)
	}
}

// memory returns the memory of a module, as node has it.
func memory(t *testing.T, node string, module []byte) string {
	t.Helper()
	const script = `const module = new WebAssembly.Module(Buffer.from(process.argv[1], "hex"));
console.log(Buffer.from(new WebAssembly.Instance(module).exports.m.buffer).toString("latin1"))`
	out, err := exec.CommandContext(t.Context(), node, "-e", script, hex.EncodeToString(module)).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
