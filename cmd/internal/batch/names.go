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

// names are the names that several rows have.
type names struct {
	repeated []uint64 // hashes, sorted
}

// names reads a table, and returns the names of its rows and the number of rows.
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

// newNames returns the names of which the hashes occur more than once.
func newNames(hashes []uint64) *names {
	slices.Sort(hashes)
	n := 0
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			hashes[n] = hashes[i]
			n++
		}
	}
	return &names{slices.Clone(slices.Compact(hashes[:n]))} // without the memory of all hashes
}

// of returns the name of a row's file, without its extension. If several rows have the same
// name, each gets "~" and its number, which no other name contains.
func (n *names) of(name string, row int) string {
	name = safeName(name)
	if _, repeated := slices.BinarySearch(n.repeated, hash(name)); repeated {
		name += "~" + strconv.Itoa(row)
	}
	return name
}

// maxName is the length of a name in bytes. File systems allow 255, with row number and
// extension.
const maxName = 200

// reservedNames are devices on Windows, whatever their extension.
var reservedNames = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}

// safeName returns a name that is valid on every system, and stays in its folder.
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
	// Names that begin with these are hidden, or look like an option or a formula.
	if name == "" || reservedNames[stem] || isPort || strings.ContainsAny(name[:1], ".-=+@ ") {
		name = "_" + name
	}
	return name
}

// hash returns a hash that is equal for names that are the same on some file systems.
func hash(name string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, compose(fold(name)))
	return h.Sum64()
}

var sharpS = strings.NewReplacer("ß", "ss", "ẞ", "ss")

// fold returns a text that is equal for texts that differ only in case. Of the characters that
// have several in the other case, it knows only ß: the tables of package cases would be a
// tenth of the WebAssembly module, and a folder never holds two files of one name anyway.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		least := c
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, sharpS.Replace(s))
}
