package batch

import (
	"container/heap"
	"crypto/sha256"
	"errors"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/cmd/internal/table"
)

// names are the names that several rows have.
type names struct {
	repeated []uint64 // hashes, sorted
}

// settleNames reads the input once, and returns the names of its rows and its checksum.
func settleNames(input io.Reader, config *Config) (*names, [sha256.Size]byte, error) {
	sum := sha256.New()
	all := io.TeeReader(input, sum)
	t, err := table.NewReader(all, config.Table)
	if err != nil {
		return nil, [sha256.Size]byte{}, err
	}
	names, _, err := config.namesOf(t)
	if err != nil {
		return nil, [sha256.Size]byte{}, err
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return nil, [sha256.Size]byte{}, err
	}
	return names, [sha256.Size]byte(sum.Sum(nil)), nil
}

// namesOf reads a table, and returns the names of its rows and their number.
func (c *Config) namesOf(t *table.Reader) (*names, int, error) {
	var found hashes
	for rows := 0; ; rows++ {
		row, err := t.Next()
		if errors.Is(err, io.EOF) {
			return &names{found.repeated()}, rows, nil
		}
		if err != nil {
			return nil, rows, err
		}
		if code, err := c.parse(&row); err == nil {
			found.add(hash(safeName(code.name)))
		}
	}
}

// settled returns the name of a row's file. If several rows have the same name, each gets
// its number behind a "~", which no other name has.
func (n *names) settled(name string, row int) string {
	name = safeName(name)
	if _, repeated := slices.BinarySearch(n.repeated, hash(name)); repeated {
		name += "~" + strconv.Itoa(row)
	}
	return name
}

// maxName is the length of a name in bytes. File systems allow 255, with the row and the
// ending.
const maxName = 200

// reservedNames are devices on Windows, whatever their ending is.
var reservedNames = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true, "conin": true, "conout": true}

// safeName returns a name that is a file on every system, in every folder.
func safeName(name string) string {
	for _, ending := range []string{".png", ".svg", ".pdf", ".eps"} {
		if len(name) > len(ending) && strings.EqualFold(name[len(name)-len(ending):], ending) {
			name = name[:len(name)-len(ending)]
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
	isPort := len([]rune(stem)) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt"))
	// Names that begin with these are hidden, or look like an option, a formula or a
	// format string.
	if name == "" || reservedNames[stem] || isPort || strings.ContainsAny(name[:1], ".-=+@ ") {
		name = "_" + name
	}
	return name
}

// hash returns a hash that is equal for names that a file system may hold equal.
func hash(name string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, compose(fold(name)))
	return h.Sum64()
}

// hashes collects hashes in sorted blocks.
type hashes struct {
	blocks [][]uint64
	last   []uint64
}

const hashesABlock = 1 << 16

func (h *hashes) add(x uint64) {
	if h.last = append(h.last, x); len(h.last) == hashesABlock {
		h.endBlock()
	}
}

func (h *hashes) endBlock() {
	if slices.Sort(h.last); len(h.last) > 0 {
		h.blocks = append(h.blocks, h.last)
	}
	h.last = nil
}

// repeated returns the hashes that were added more than once, sorted.
func (h *hashes) repeated() []uint64 {
	h.endBlock()
	heap.Init(h)
	var repeated []uint64
	for last, first := uint64(0), true; len(h.blocks) > 0; first = false {
		x := h.blocks[0][0]
		if !first && x == last && (len(repeated) == 0 || repeated[len(repeated)-1] != x) {
			repeated = append(repeated, x)
		}
		last = x
		if h.blocks[0] = h.blocks[0][1:]; len(h.blocks[0]) == 0 {
			heap.Pop(h)
		} else {
			heap.Fix(h, 0)
		}
	}
	return repeated
}

// Len, Less, Swap, Push and Pop implement [heap.Interface] over the first hashes of the
// blocks.
func (h *hashes) Len() int           { return len(h.blocks) }
func (h *hashes) Less(i, j int) bool { return h.blocks[i][0] < h.blocks[j][0] }
func (h *hashes) Swap(i, j int)      { h.blocks[i], h.blocks[j] = h.blocks[j], h.blocks[i] }
func (h *hashes) Push(x any)         { h.blocks = append(h.blocks, x.([]uint64)) }
func (h *hashes) Pop() any {
	last := h.blocks[len(h.blocks)-1]
	h.blocks = h.blocks[:len(h.blocks)-1]
	return last
}
