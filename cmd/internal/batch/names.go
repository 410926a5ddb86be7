package batch

import (
	"errors"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/cmd/internal/table"
)

// names knows which file names several rows would use.
type names struct {
	repeated []uint64 // hashes, sorted
}

// names reads a table. It returns repeated names and the number of rows.
func (c *Config) names(t *table.Reader) (*names, int, error) {
	var hashes []uint64
	for rows := 0; ; rows++ {
		row, err := t.Next()
		if errors.Is(err, io.EOF) {
			return newNames(hashes), rows, nil
		}
		if err != nil {
			return nil, rows, err
		}
		if code, err := c.parse(&row); err == nil {
			hashes = append(hashes, hash(safeName(code.name)))
		}
	}
}

// newNames returns the hashes that occur more than once.
func newNames(hashes []uint64) *names {
	slices.Sort(hashes)
	n := 0
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			hashes[n] = hashes[i]
			n++
		}
	}
	return &names{slices.Clone(slices.Compact(hashes[:n]))} // frees the other hashes
}

// of returns a row's file name without extension. To a repeated name, it appends "~", which no
// other name contains, and the row number.
func (n *names) of(name string, row int) string {
	name = safeName(name)
	if _, repeated := slices.BinarySearch(n.repeated, hash(name)); repeated {
		name += "~" + strconv.Itoa(row)
	}
	return name
}

// maxName is the maximum length in bytes. File systems allow 255, including row number and
// extension.
const maxName = 200

// reservedNames are Windows devices, even with an extension.
var reservedNames = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}

// safeName returns a name that's valid on every system, without folders.
func safeName(name string) string {
	for _, extension := range []string{".png", ".svg", ".pdf", ".eps"} {
		if len(name) > len(extension) && strings.EqualFold(name[len(name)-len(extension):], extension) {
			name = name[:len(name)-len(extension)]
		}
	}
	name = strings.Map(func(r rune) rune {
		if isUnsafe(r) {
			return '_'
		}
		return r
	}, compose(strings.ToValidUTF8(name, "_")))
	if len(name) > maxName {
		end := maxName
		for !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end]
	}
	name = strings.TrimRight(name, ". ")
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToLower(strings.TrimRight(stem, " "))
	port, digits := stem, "0123456789¹²³"
	if digit, size := utf8.DecodeLastRuneInString(stem); strings.ContainsRune(digits, digit) {
		port = stem[:len(stem)-size]
	}
	isPort := len(port) < len(stem) && (port == "com" || port == "lpt")
	// Otherwise, the file could be hidden, or look like an option or formula.
	if name == "" || reservedNames[stem] || isPort || strings.ContainsAny(name[:1], ".-=+@ ") {
		name = "_" + name
	}
	return name
}

// hash returns equal hashes for names that some file systems don't distinguish.
func hash(name string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, compose(fold(name)))
	return h.Sum64()
}

var sharpS = strings.NewReplacer("ß", "ss", "ẞ", "ss")

// fold ignores case. It supports only ß among the characters with multi-character equivalents,
// because the tables would increase the WebAssembly module's size by a tenth. A collision is
// still safe, because a folder rejects duplicate names.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		least := c
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, sharpS.Replace(s))
}
