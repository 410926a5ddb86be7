package grid

import (
	"math"
	"math/bits"
)

// The points of ISO/IEC 18004, table 11.
const (
	n1 = 3
	n2 = 3
	n3 = 40
	n4 = 10
)

// quiet is the width of the quiet zone, whose modules are light.
const quiet = 4

// unlimited is more than any symbol's penalty.
const unlimited = math.MaxInt

// penalty scores the symbol under a mask by the rules of 7.8.3.1: the fewer points,
// the less the symbol looks like something else to a scanner. It may stop early and
// return any number above limit once it has reached that.
func (b *Board) penalty(mask, limit int) int {
	l, pattern := b.layout, &b.layout.patterns[mask]
	points, dark := 0, 0
	for i := range l.slabs {
		blocks, d := b.blocks(b.rows, pattern.rows, i)
		points += blocks
		dark += d
	}
	points += proportion(dark, l.Size*l.Size)
	for i := 0; i < l.slabs && points < limit; i++ {
		valid := l.valid(i)
		lines := b.lines[:l.Size+2*quiet]
		l.mask(lines, b.rows, pattern.rows, i)
		if valid<<32 == 0 { // half a slab: rows and columns share it
			l.maskRight(lines, b.columns, pattern.columns, i)
			points += lineRules(lines, valid|valid>>32, limit-points)
			continue
		}
		points += lineRules(lines, valid, limit-points)
		l.mask(lines, b.columns, pattern.columns, i)
		points += lineRules(lines, valid, limit-points)
	}
	return points
}

// valid returns a 1 for each place of a slab that is in the symbol.
func (l *Layout) valid(slab int) uint64 {
	return ^uint64(0) << max(0, 64*(slab+1)-l.Size)
}

// mask fills lines with a slab under its mask, between lines of quiet zone.
func (l *Layout) mask(lines, data, pattern []uint64, slab int) {
	n := l.Size
	data, pattern = data[slab*n:][:n], pattern[slab*n:][:n]
	lines = lines[quiet:]
	for i := range data {
		lines[i] = data[i] ^ pattern[i]
	}
	clear(lines[n:])
}

// maskRight does the same with the left half of a slab, into the right half of lines.
func (l *Layout) maskRight(lines, data, pattern []uint64, slab int) {
	n := l.Size
	data, pattern = data[slab*n:][:n], pattern[slab*n:][:n]
	lines = lines[quiet:]
	for i := range data {
		lines[i] |= (data[i] ^ pattern[i]) >> 32
	}
}

// lineRules scores what runs across the lines of a slab, in 64 places at once, or stops
// early as penalty does.
func lineRules(lines []uint64, valid uint64, limit int) int {
	points := runs(lines, valid)
	if points < limit {
		points += finders(lines)
	}
	return points
}

// runs is rule N1: 5 modules of one colour in a line cost 3 points, and each more one.
// A run of k modules has k-4 places where five alike end, the first of them at its
// fifth module: so each place costs one point, and each first one two more.
func runs(lines []uint64, valid uint64) int {
	lines = lines[quiet : len(lines)-quiet]
	fives, firsts := 0, 0
	var two, three, threeBefore, five uint64 // alike up to the line before, or the one before that
	before := lines[0]
	for _, line := range lines[1:] {
		same := ^(line ^ before) & valid
		before = line
		now := same & two // three alike end here
		ends := now & threeBefore
		fives += bits.OnesCount64(ends)
		firsts += bits.OnesCount64(ends &^ five)
		two, three, threeBefore, five = same, now, three, ends
	}
	return fives + (n1-1)*firsts
}

// finders is rule N3: what has the proportions of a finder pattern, dark and light as
// 1:1:3:1:1, and four light modules before or behind it.
func finders(lines []uint64) int {
	found := 0
	for ; len(lines) >= 7+2*quiet; lines = lines[1:] {
		l := (*[7 + 2*quiet]uint64)(lines)
		core := l[4] &^ l[5] & l[6] & l[7] & l[8] &^ l[9] & l[10]
		found += bits.OnesCount64(core &^ ((l[0] | l[1] | l[2] | l[3]) & (l[11] | l[12] | l[13] | l[14])))
	}
	return n3 * found
}

// blocks is rule N2, points for each 2 by 2 modules of one colour, and the count of
// dark modules.
func (b *Board) blocks(data, pattern []uint64, slab int) (points, dark int) {
	n := b.layout.Size
	valid := b.layout.valid(slab)
	if slab == b.layout.slabs-1 {
		valid <<= 1 // the last column has no neighbour
	}
	data, next := data[slab*n:][:n], data[(slab+1)*n:][:n]
	pattern, nextPattern := pattern[slab*n:][:n], pattern[(slab+1)*n:][:n]
	found := 0
	var before, pairs uint64
	for i := range data {
		line := data[i] ^ pattern[i]
		neighbours := line<<1 | (next[i]^nextPattern[i])>>63
		same := ^(line ^ neighbours) & valid
		found += bits.OnesCount64(same & pairs &^ (line ^ before))
		dark += bits.OnesCount64(line)
		before, pairs = line, same
	}
	return n2 * found, dark
}

// proportion is rule N4: points for each full 5 % by which the share of dark modules
// is off one half.
func proportion(dark, all int) int {
	off := 2*dark - all
	return n4 * (10 * max(off, -off) / all)
}
