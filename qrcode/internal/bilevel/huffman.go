package bilevel

import (
	"math/bits"
	"slices"
)

// A huffman is a prefix code.
type huffman struct {
	lengths []uint8  // the length of the code of each symbol; 0 if it is not in use
	bits    []uint16 // the codes, their first bit lowest

	used   []uint16 // the symbols in use
	leaves []uint64 // the same symbols, lightest first: the weight above symbolBits of symbol
	tree   []uint32 // memory for the inner nodes
}

// symbolBits is a symbol's width in a leaf.
const symbolBits = 16

// build computes the best code with lengths up to limit. At least two weights must be
// positive.
func (h *huffman) build(weights []uint32, limit uint8) {
	h.lengths = slices.Grow(h.lengths[:0], len(weights))[:len(weights)]
	h.bits = slices.Grow(h.bits[:0], len(weights))[:len(weights)]
	clear(h.lengths)
	h.used, h.leaves = h.used[:0], h.leaves[:0]
	for symbol, w := range weights {
		if w > 0 {
			h.used = append(h.used, uint16(symbol))
			h.leaves = append(h.leaves, uint64(w)<<symbolBits|uint64(symbol))
		}
	}
	slices.Sort(h.leaves)
	for h.assignLengths() > limit {
		// Closer weights make a flatter tree, which is slightly worse than the best one
		// within the limit. It is rarely needed: only weights that grow like Fibonacci's
		// numbers make codes this long.
		for i, l := range h.leaves {
			h.leaves[i] = (l>>(symbolBits+1)+1)<<symbolBits | l&(1<<symbolBits-1)
		}
		slices.Sort(h.leaves)
	}
	h.assignBits()
}

// assignLengths computes each symbol's depth in Huffman's tree and returns the maximum. It
// joins the two lightest nodes repeatedly, which are first in two sorted queues of leaves and
// inner nodes.
func (h *huffman) assignLengths() uint8 {
	n, inner := len(h.leaves), len(h.leaves)-1
	h.tree = slices.Grow(h.tree[:0], inner+n+inner)[:inner+n+inner]
	weights, leafParents, parents := h.tree[:inner], h.tree[inner:inner+n], h.tree[inner+n:]
	leaf, node := 0, 0
	for made := range inner {
		weights[made] = 0
		for range 2 {
			if node < made && (leaf == n || weights[node] < uint32(h.leaves[leaf]>>symbolBits)) {
				weights[made] += weights[node]
				parents[node] = uint32(made)
				node++
			} else {
				weights[made] += uint32(h.leaves[leaf] >> symbolBits)
				leafParents[leaf] = uint32(made)
				leaf++
			}
		}
	}
	depths := weights // the weights are no longer needed
	depths[inner-1] = 0
	for i := inner - 2; i >= 0; i-- {
		depths[i] = depths[parents[i]] + 1
	}
	longest := uint8(0)
	for i, l := range h.leaves {
		depth := uint8(depths[leafParents[i]] + 1)
		h.lengths[l&(1<<symbolBits-1)] = depth
		longest = max(longest, depth)
	}
	return longest
}

// assignBits numbers codes of the same length in symbol order (RFC 1951, 3.2.2).
func (h *huffman) assignBits() {
	var next [17]uint16 // the next code of each length
	for _, symbol := range h.used {
		next[h.lengths[symbol]+1]++
	}
	for l := 1; l < len(next); l++ {
		next[l] = (next[l-1] + next[l]) << 1
	}
	for _, symbol := range h.used {
		l := h.lengths[symbol]
		h.bits[symbol] = bits.Reverse16(next[l] << (16 - l))
		next[l]++
	}
}
