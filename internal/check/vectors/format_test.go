package vectors_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
)

var update = flag.Bool("update", false, "format the vector files")

// The files have one layout, so that a change of a vector is a change of its lines alone.
// To format them, run:
//
//	go test ./internal/check/vectors -run TestLayout -update
func TestLayout(t *testing.T) {
	names, err := fs.Glob(vectors.FS(), "*.json")
	require.NoError(t, err)
	for _, name := range names {
		if name == vectors.NamesFile {
			continue // TestNames writes it
		}
		text, err := fs.ReadFile(vectors.FS(), name)
		require.NoError(t, err)
		want := layout(t, text, vectors.IsVectors(name))
		if *update {
			require.NoError(t, os.WriteFile("../../../vectors/"+name, want, 0o644))
			continue
		}
		require.Equal(t, string(want), string(text), "%s: run go test ./internal/check/vectors -run TestLayout -update", name)
	}
}

func TestLayoutKeepsTheSpelling(t *testing.T) {
	const text = `{"function":"f","vectors":[{"id":"a","input":{"n":1.0e+2,"n":[ ],"s":"\u0061,\"{\u2028"},"output":{}}]}`
	require.Equal(t, `{
  "function": "f",
  "vectors": [
    {
      "id": "a",
      "input": {"n": 1.0e+2, "n": [], "s": "\u0061,\"{\u2028"},
      "output": {}
    }
  ]
}
`, string(layout(t, []byte(text), true)))
	long := `{"a":["` + strings.Repeat("é", 50) + `","` + strings.Repeat("é", 50) + `"],"b":1}`
	require.Equal(t, "{\n  \"a\": [\n    \""+strings.Repeat("é", 50)+"\",\n    \""+strings.Repeat("é", 50)+"\"\n  ],\n  \"b\": 1\n}\n", string(layout(t, []byte(long), false)))
}

// layout writes each field of a vector on a line of its own. Other objects and arrays have
// one line if they fit into 100 columns, and otherwise a line for each member or element.
// Tokens keep their spelling: the payload of a webhook is part of a vector.
func layout(t *testing.T, text []byte, vectorFile bool) []byte {
	t.Helper()
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, text))
	expanded := 0 // the depth down to which every object and array is expanded
	if vectorFile {
		expanded = 2 // the file, the list of vectors, and each vector
	}
	return append(appendValue(nil, compact.Bytes(), 0, 0, expanded), '\n')
}

// appendValue appends a value, in compact JSON, to a line that has some columns already.
func appendValue(dst, value []byte, columns, depth, expanded int) []byte {
	children := split(value)
	line := oneLine(value)
	if len(children) == 0 || depth > expanded && columns+utf8.RuneCount(line) <= 100 {
		return append(dst, line...)
	}
	dst = append(dst, value[0])
	indent := "\n" + strings.Repeat("  ", depth+1)
	for i, child := range children {
		if i > 0 {
			dst = append(dst, ',')
		}
		name, member := []byte(nil), child
		if value[0] == '{' {
			end := stringEnd(child)
			name, member = append(child[:end:end], ": "...), child[end+1:]
		}
		dst = append(append(dst, indent...), name...)
		dst = appendValue(dst, member, 2*(depth+1)+utf8.RuneCount(name), depth+1, expanded)
	}
	dst = append(dst, indent[:len(indent)-2]...)
	return append(dst, value[len(value)-1])
}

// split returns the elements of an array, or the members of an object with their names.
func split(value []byte) [][]byte {
	if len(value) <= 2 || (value[0] != '{' && value[0] != '[') {
		return nil
	}
	var children [][]byte
	start, depth := 1, 0
	for i := 1; i < len(value); i++ {
		switch value[i] {
		case '"':
			i += stringEnd(value[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				children, start = append(children, value[start:i]), i+1
			}
			if value[i] != ',' {
				depth--
			}
		}
	}
	return children
}

// oneLine adds a space after every colon and comma.
func oneLine(value []byte) []byte {
	var line []byte
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			end := i + stringEnd(value[i:])
			line = append(line, value[i:end]...)
			i = end - 1
		case ':', ',':
			line = append(line, value[i], ' ')
		default:
			line = append(line, value[i])
		}
	}
	return line
}

// stringEnd returns the length of the string that value begins with.
func stringEnd(value []byte) int {
	for i := 1; ; i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}
