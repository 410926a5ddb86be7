package qrprint

import (
	"fmt"

	"github.com/hailmark/hailmark/problem"
)

// A Paper is a paper size in portrait orientation. The zero Paper is A4.
type Paper uint8

// A4 is 210 x 297 mm, A5 148 x 210 mm (ISO 216), and Letter 8.5 x 11 inches (ANSI/ASME Y14.1).
const (
	A4 Paper = iota
	A5
	Letter
)

var papers = [...]struct {
	name          string
	width, height Millimeters
}{
	A4:     {"a4", 210, 297},
	A5:     {"a5", 148, 210},
	Letter: {"letter", 215.9, 279.4},
}

// size returns the width and height, or 0 for an invalid Paper.
func (p Paper) size() (width, height Millimeters) {
	if int(p) >= len(papers) {
		return 0, 0
	}
	return papers[p].width, papers[p].height
}

// String returns the size as UnmarshalText accepts it.
func (p Paper) String() string {
	if int(p) >= len(papers) {
		return fmt.Sprintf("Paper(%d)", uint8(p))
	}
	return papers[p].name
}

// MarshalText implements [encoding.TextMarshaler]. An invalid Paper is an error.
func (p Paper) MarshalText() ([]byte, error) {
	if int(p) >= len(papers) {
		return nil, paperProblem()
	}
	return []byte(p.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. It accepts a4, a5 and letter. Its error
// contains [CodeInvalidPaper].
func (p *Paper) UnmarshalText(text []byte) error {
	for i, paper := range papers {
		if string(text) == paper.name {
			*p = Paper(i)
			return nil
		}
	}
	return paperProblem()
}

func paperProblem() problem.Problem {
	return problem.New("paper", CodeInvalidPaper, "paper isn't a4, a5 or letter")
}
