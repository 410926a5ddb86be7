package qrprint

import (
	"bytes"

	"github.com/hailmark/hailmark/problem"
)

// Limits for logo files.
const (
	maxLogoBytes  = 4 << 20
	maxLogoPixels = 2000 // on a side
)

// ParseLogo parses a PNG of at most 4 MiB and at most 2,000 pixels on a side, which may be transparent.
// Save a drawing such as an SVG as PNG, because programs draw one differently: 2,000 pixels on 10 mm are
// 5,080 dpi.
//
// The error is a [problem.Problem] with [CodeInvalidLogo].
func ParseLogo(data []byte) (*Logo, error) {
	if len(data) > maxLogoBytes {
		return nil, logoProblem("is larger than %d MiB", maxLogoBytes>>20)
	}
	if !bytes.HasPrefix(data, []byte("\x89PNG\r\n")) {
		return nil, logoProblem("isn't a PNG; save it as one, for example with 1,000 pixels on a side")
	}
	b, err := parseBitmap(data)
	if err != nil {
		return nil, err
	}
	return &Logo{b}, nil
}

func logoProblem(format string, args ...any) problem.Problem {
	return problem.New("logo", CodeInvalidLogo, "logo "+format, args...)
}
