package qrcode

import "github.com/hailmark/hailmark/problem"

// A Format is the kind of file that a QR code is drawn as.
type Format uint8

// The formats.
const (
	PNG Format = iota
	SVG
)

// ParseFormat returns the format named png or svg. Its error has [CodeInvalidFormat].
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

// String returns the name that [ParseFormat] reads, which is also the usual file name
// extension.
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

// MarshalText returns the name of the format. A value that is not a format is an error.
func (f Format) MarshalText() ([]byte, error) {
	if f > SVG {
		return nil, formatProblem()
	}
	return []byte(f.String()), nil
}

// UnmarshalText reads what [ParseFormat] reads.
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
