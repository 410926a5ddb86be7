package qrprint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/problem"
)

// point is the unit for font sizes.
const point = inch / 72

// minFontSize is the smallest size that printers print legibly in one ink.
const minFontSize = 5 * point

// maxText is the maximum length of a text in characters.
const maxText = 300

// fontSize returns the text size around a code, which is proportionally larger for small
// codes.
func fontSize(size float64) float64 { return max(size, 6*point) }

// lineHeight is the distance between base lines, in font sizes.
const lineHeight = 1.2

// A block is text that fits a width.
type block struct {
	lines []string
	size  float64 // font size in millimeters
	wide  float64 // the longest line, in font sizes
	rise  float64 // by which marks on capitals exceed the ascent, in font sizes
}

func (b block) height() float64 {
	if len(b.lines) == 0 {
		return 0
	}
	return b.size * (float64(len(b.lines)-1)*lineHeight + float64(ascent+descent)/unitsPerEm + b.rise)
}

func (b block) width() float64 { return b.wide * b.size }

// fitText returns text in at most maxLines lines and in the largest font up to a size. It
// only breaks lines to make the text much larger. It reports whether the text is legible.
func fitText(text string, width, size float64, maxLines int) (block, bool) {
	return breakAll(text, maxLines).fit(width, size, maxLines)
}

// breaks are a text in at most one line, two lines and so on. Breaking takes much longer than
// fitting, and doesn't depend on the width.
type breaks []block

func breakAll(text string, maxLines int) breaks {
	if text == "" {
		return nil
	}
	all := make(breaks, maxLines)
	for i := range all {
		b := block{lines: breakText(text, i+1), size: 1}
		for _, line := range b.lines {
			b.wide = max(b.wide, textWidth(line)/unitsPerEm)
		}
		b.rise = rise(b.lines[0])
		all[i] = b
	}
	return all
}

// rise returns by how much a line exceeds the ascent, in font sizes.
func rise(line string) float64 {
	highest := 0.0
	for _, r := range line {
		if r <= unicode.MaxASCII {
			continue // it has no mark
		}
		p := textPath(string(r))
		_, top, _, _ := p.bounds()
		highest = max(highest, -top-ascent)
	}
	return highest / unitsPerEm
}

// fit returns the text as fitText does.
func (all breaks) fit(width, size float64, maxLines int) (block, bool) {
	if all == nil {
		return block{}, true
	}
	var best block
	for _, b := range all[:maxLines] {
		b.size = min(size, width/b.wide)
		const muchLarger = 1.4
		if best.lines == nil || b.size > best.size*muchLarger {
			best = b
		}
	}
	return best, best.size >= minFontSize-1e-9
}

// breakText breaks text into at most maxLines lines so that the longest line is as short as
// possible. Besides newlines, lines break at spaces and after . _ - / and @, so that usernames
// and URLs stay readable.
func breakText(text string, maxLines int) []string {
	var lines [][]textPart
	narrow, wide := 0.0, 0.0
	for line := range strings.SplitSeq(text, "\n") {
		var parts []textPart
		for _, part := range splitParts(line) {
			p := textPart{part, textWidth(part), textWidth(strings.TrimRight(part, " "))}
			narrow = max(narrow, p.trimmed)
			parts = append(parts, p)
		}
		lines = append(lines, parts)
		wide = max(wide, textWidth(line))
	}
	fill := func(width float64) []string {
		var out []string
		for _, parts := range lines {
			current, used := "", 0.0
			for _, part := range parts {
				if current != "" && used+part.trimmed > width {
					out = append(out, strings.TrimRight(current, " "))
					current, used = "", 0
				}
				current += part.text
				used += part.width
			}
			out = append(out, strings.TrimRight(current, " "))
		}
		return out
	}
	if len(lines) >= maxLines {
		return fill(wide)
	}
	for wide-narrow > 1 { // units
		if middle := (narrow + wide) / 2; len(fill(middle)) <= maxLines {
			wide = middle
		} else {
			narrow = middle
		}
	}
	return fill(wide)
}

// A textPart is a part of a line with its widths in units, which are whole numbers.
type textPart struct {
	text           string
	width, trimmed float64 // with and without spaces at the end
}

// splitParts splits a line where it may break. Spaces belong to the preceding part.
func splitParts(line string) []string {
	var parts []string
	start := 0
	for i := 1; i < len(line); i++ {
		if before := line[i-1]; line[i] != ' ' && (before == ' ' || strings.IndexByte("._-/@", before) >= 0 && i-start > minPart && len(line)-i > minPart) {
			parts = append(parts, line[start:i])
			start = i
		}
	}
	return append(parts, line[start:])
}

// minPart is the minimum number of bytes on each side of a break within a word.
const minPart = 3

// drop returns by how much a block that is centered by its height has to move down, so that its ink is
// centered.
func (b block) drop() float64 {
	_, top, _, _ := b.ink(0)
	_, _, _, bottom := b.ink(len(b.lines) - 1)
	above := b.rise*b.size + (ascent+top)*b.size/unitsPerEm
	below := (descent - bottom) * b.size / unitsPerEm
	return (below - above) / 2
}

// ink returns the bounds of a line's shapes in units, from its base line.
func (b block) ink(line int) (left, top, right, bottom float64) {
	p := textPath(b.lines[line])
	left, top, right, bottom = p.bounds()
	if left > right { // a line of spaces
		return 0, 0, textWidth(b.lines[line]), 0
	}
	return left, top, right, bottom
}

// shapes returns the text, each line with its ink in the middle of the width.
func (b block) shapes(left, top, width float64, color ink) []shape {
	var shapes []shape
	s := b.size / unitsPerEm
	for i, line := range b.lines {
		first, _, last, _ := b.ink(i)
		at := scale(s, left+(width-(first+last)*s)/2, top+b.rise*b.size+ascent*s+float64(i)*lineHeight*b.size)
		shapes = append(shapes, shape{path: textPath(line), at: at, fill: color, text: line})
	}
	return shapes
}

// checkText returns problems that prevent printing. The field begins each message.
func checkText(field, text string, lines int) problem.List {
	if !utf8.ValidString(text) {
		return problem.List{problem.New(field, CodeUnsupportedCharacter, "%s isn't valid UTF-8", field)}
	}
	if n := utf8.RuneCountInString(text); n > maxText {
		return problem.List{problem.New(field, CodeTextDoesNotFit, "%s has %d characters; at most %d are allowed", field, n, maxText)}
	}
	if n := 1 + strings.Count(text, "\n"); n > lines {
		return problem.List{problem.New(field, CodeTextDoesNotFit, "%s has %d lines; at most %d are allowed", field, n, lines)}
	}
	for _, r := range text {
		switch {
		case r == '\n' || hasGlyph(r):
		case unicode.Is(unicode.Mn, r):
			return problem.List{problem.New(field, CodeUnsupportedCharacter,
				"%s contains the combining character %U after a letter that the font doesn't have with it: leave it out", field, r)}
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return problem.List{problem.New(field, CodeUnsupportedCharacter, "%s contains the control character %U; remove it", field, r)}
		default:
			return problem.List{problem.New(field, CodeUnsupportedCharacter,
				"%s contains %q (%U), which is not in the font; it has the letters of languages in Latin, Greek and Cyrillic script, digits and common signs: leave it out, or add it with a design program", field, r, r)}
		}
	}
	return nil
}
