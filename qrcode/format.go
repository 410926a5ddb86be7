package qrcode

import "github.com/hailmark/hailmark/problem"

// A Format is an image format. Its value is also the usual file name extension.
type Format string

// The formats.
const (
	PNG Format = "png"
	SVG Format = "svg"
)

// String returns the format as [ParseFormat] accepts it.
func (f Format) String() string { return string(f) }

// ParseFormat parses png or svg. Its error contains the code invalid_format.
func ParseFormat(s string) (Format, error) {
	if f := Format(s); f == PNG || f == SVG {
		return f, nil
	}
	return "", formatProblem()
}

func formatProblem() problem.Problem {
	return problem.New("format", CodeInvalidFormat, "format isn't png or svg")
}
