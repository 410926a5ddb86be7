package qrcode

import "github.com/hailmark/hailmark/problem"

// A Format is an image format.
type Format uint8

// The formats.
const (
	PNG Format = iota
	SVG
)

// ParseFormat parses png or svg. Its error contains [CodeInvalidFormat].
func ParseFormat(s string) (Format, error) {
	switch s {
	case "png":
		return PNG, nil
	case "svg":
		return SVG, nil
	default:
		return 0, formatProblem()
	}
}

// String returns png or svg, which is also the usual file name extension.
func (f Format) String() string {
	switch f {
	case PNG:
		return "png"
	case SVG:
		return "svg"
	default:
		return "invalid"
	}
}

// MarshalText implements [encoding.TextMarshaler]. An invalid format is an error.
func (f Format) MarshalText() ([]byte, error) {
	if f > SVG {
		return nil, formatProblem()
	}
	return []byte(f.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseFormat].
func (f *Format) UnmarshalText(text []byte) error {
	format, err := ParseFormat(string(text))
	if err == nil {
		*f = format
	}
	return err
}

func formatProblem() problem.Problem {
	return problem.New(CodeInvalidFormat, "format must be png or svg")
}
