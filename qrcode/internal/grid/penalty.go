package grid

import (
	"math"
	"math/bits"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// The points of ISO/IEC 18004, table 11.
const (
	n1 = 3
	n2 = 3
	n3 = 40
	n4 = 10
)

// quiet is the width of the quiet zone that rule N3 includes.
const quiet = 4

const unlimited = math.MaxInt

// penalty returns the score of a mask (7.8.3.1). Lower scores are easier to scan. It stops at
// limit, and may then return any higher number.
func (b *Builder) penalty(mask, limit int) int {
	l, pattern := b.layout, &b.layout.patterns[mask]
	points, dark := 0, 0
	for i := range b.rows.Slabs() {
		blocks, d := b.blocks(&pattern.rows, i)
		points += blocks
		dark += d
	}
	points += proportion(dark, l.Modules*l.Modules)
	for i := 0; i < b.rows.Slabs() && points < limit; i++ {
		valid := l.valid(i)
		lines := b.lines[:l.Modules+2*quiet]
		l.mask(lines, b.rows.Slab(i), pattern.rows.Slab(i))
		if l.Modules-64*i <= 32 { // half a slab: rows and columns share it
			l.maskRight(lines, b.columns.Slab(i), pattern.columns.Slab(i))
			points += lineRules(lines, valid|valid>>32, limit-points)
			continue
		}
		points += lineRules(lines, valid, limit-points)
		l.mask(lines, b.columns.Slab(i), pattern.columns.Slab(i))
		points += lineRules(lines, valid, limit-points)
	}
	return points
}

// valid returns a 1 for each of a slab's columns in the symbol.
func (l *Layout) valid(slab int) uint64 {
	return ^uint64(0) << max(0, 64*(slab+1)-l.Modules)
}

// mask fills lines with masked data between lines of quiet zone.
func (l *Layout) mask(lines, data, pattern []uint64) {
	lines = lines[quiet:]
	pattern = pattern[:len(data)]
	for i := range data {
		lines[i] = data[i] ^ pattern[i]
	}
	clear(lines[len(data):])
}

// maskRight copies the left half of masked data to the right half.
func (l *Layout) maskRight(lines, data, pattern []uint64) {
	lines = lines[quiet:]
	pattern = pattern[:len(data)]
	for i := range data {
		lines[i] |= (data[i] ^ pattern[i]) >> 32
	}
}

// lineRules scores neighboring lines in 64 columns. It stops at limit like penalty.
func lineRules(lines []uint64, valid uint64, limit int) int {
	points := runs(lines, valid)
	if points < limit {
		points += finders(lines)
	}
	return points
}

// runs returns N1: 3 points for 5 equal modules in a line, and 1 for each further module. In
// a run of k modules, k-4 modules complete five equal modules; each costs 1 point, and the
// first 2 more.
func runs(lines []uint64, valid uint64) int {
	lines = lines[quiet : len(lines)-quiet]
	fives, firsts := 0, 0
	var two, three, threeBefore, five uint64 // alike up to the line before; threeBefore, up to the one before that
	before := lines[0]
	for _, line := range lines[1:] {
		same := ^(line ^ before) & valid
		before = line
		now := same & two         // the last of three alike
		ends := now & threeBefore // the last of five alike
		fives += bits.OnesCount64(ends)
		firsts += bits.OnesCount64(ends &^ five)
		two, three, threeBefore, five = same, now, three, ends
	}
	return fives + (n1-1)*firsts
}

// finders returns N3: 40 points for dark and light modules in the finder pattern's
// proportions 1:1:3:1:1, next to four light modules.
func finders(lines []uint64) int {
	found := 0
	for ; len(lines) >= 7+2*quiet; lines = lines[1:] {
		l := (*[7 + 2*quiet]uint64)(lines)
		core := l[4] &^ l[5] & l[6] & l[7] & l[8] &^ l[9] & l[10]
		found += bits.OnesCount64(core &^ ((l[0] | l[1] | l[2] | l[3]) & (l[11] | l[12] | l[13] | l[14])))
	}
	return n3 * found
}

// blocks returns N2, 3 points for each 2 by 2 equal modules, and the number of dark modules.
func (b *Builder) blocks(patterns *bitmap.Bitmap, slab int) (points, dark int) {
	valid := b.layout.valid(slab)
	data, pattern := b.rows.Slab(slab), patterns.Slab(slab)
	pattern = pattern[:len(data)]
	var nextData, nextPattern []uint64
	if slab < b.rows.Slabs()-1 {
		nextData, nextPattern = b.rows.Slab(slab+1), patterns.Slab(slab+1)
	} else {
		valid <<= 1 // the last column has no right neighbor
	}
	nextPattern = nextPattern[:len(nextData)]
	found := 0
	var before, pairs uint64
	for i := range data {
		line := data[i] ^ pattern[i]
		neighbors := line << 1
		if i < len(nextData) {
			neighbors |= (nextData[i] ^ nextPattern[i]) >> 63
		}
		same := ^(line ^ neighbors) & valid
		found += bits.OnesCount64(same & pairs &^ (line ^ before))
		dark += bits.OnesCount64(line)
		before, pairs = line, same
	}
	return n2 * found, dark
}

// proportion returns N4: 10 points for every 5 % by which the share of dark modules differs
// from one half.
func proportion(dark, all int) int {
	off := 2*dark - all
	return n4 * (10 * max(off, -off) / all)
}
