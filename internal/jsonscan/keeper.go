package jsonscan

import "strings"

// A keeper copies texts into strings. Many strings share one block of memory, which
// is only appended to, and left alone once it is full, so the strings stay valid.
type keeper struct {
	block strings.Builder
	size  int // the size of the last block
	begun int // where the text begins to which pieces are added
}

// Blocks grow with the number of texts, up to a size that one stored string may keep
// in memory without harm.
const (
	smallestBlock = 160
	largestBlock  = 8 << 10
)

// free returns how many more bytes fit into the block.
func (k *keeper) free() int { return k.block.Cap() - k.block.Len() }

// renew begins another block, with room for n bytes.
func (k *keeper) renew(n int) {
	k.size = min(max(2*k.size, smallestBlock), largestBlock)
	k.block = strings.Builder{}
	k.block.Grow(max(n, k.size))
}

func (k *keeper) keep(text []byte) string {
	if k.free() < len(text) {
		k.renew(len(text))
	}
	k.block.Write(text)
	all := k.block.String()
	return all[len(all)-len(text):]
}

// begin begins a text that is added piece by piece.
func (k *keeper) begin() { k.begun = k.block.Len() }

// added returns the text that has been added.
func (k *keeper) added() string { return k.block.String()[k.begun:] }

func (k *keeper) add(piece []byte) {
	if k.free() < len(piece) {
		text := k.added()
		k.renew(2*len(text) + len(piece))
		k.block.WriteString(text)
		k.begun = 0
	}
	k.block.Write(piece)
}
