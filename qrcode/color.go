package qrcode

import (
	"encoding/hex"

	"github.com/hailmark/hailmark/problem"
)

// A Color is an opaque colour, or no colour: [Transparent]. It is comparable. The
// zero Color stands for the default of the place where it is used.
type Color struct {
	kind    colorKind
	r, g, b uint8
}

type colorKind uint8

const (
	colorDefault colorKind = iota
	colorOpaque
	colorTransparent
)

var (
	black = RGB(0, 0, 0)
	white = RGB(255, 255, 255)
)

// RGB returns the colour with these shares of red, green and blue, in sRGB.
func RGB(r, g, b uint8) Color { return Color{colorOpaque, r, g, b} }

// Transparent returns the background that lets through what is behind it. It is
// no foreground.
func Transparent() Color { return Color{kind: colorTransparent} }

// ParseColor reads a colour as six hexadecimal digits or as three, each of which
// stands for two of the same, in either case and without a leading #. Its error
// has [CodeColor].
func ParseColor(s string) (Color, error) {
	c, ok := parseHex(s)
	if !ok {
		return Color{}, colorProblem()
	}
	return c, nil
}

// ParseBackground reads a colour as ParseColor does, or the word transparent. Its
// error has [CodeBackground].
func ParseBackground(s string) (Color, error) {
	if s == "transparent" {
		return Transparent(), nil
	}
	c, ok := parseHex(s)
	if !ok {
		return Color{}, problem.New(CodeBackground,
			"bg must be six or three hexadecimal digits without #, as in 25d366, or the word transparent")
	}
	return c, nil
}

func colorProblem() problem.Problem {
	return problem.New(CodeColor, "color must be six or three hexadecimal digits without #, as in 25d366")
}

func parseHex(s string) (Color, bool) {
	var digits [6]uint8
	for i := range len(s) {
		d, ok := hexDigit(s[i])
		switch {
		case !ok:
			return Color{}, false
		case len(s) == 6:
			digits[i] = d
		case len(s) == 3:
			digits[2*i], digits[2*i+1] = d, d
		default:
			return Color{}, false
		}
	}
	if s == "" {
		return Color{}, false
	}
	return RGB(digits[0]<<4|digits[1], digits[2]<<4|digits[3], digits[4]<<4|digits[5]), true
}

func hexDigit(c byte) (uint8, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	default:
		return 0, false
	}
}

// String returns six hexadecimal digits in lower case, "transparent", or "" for
// the zero Color. It is the one spelling of a colour, so it suits cache keys.
func (c Color) String() string {
	switch c.kind {
	case colorOpaque:
		return hex.EncodeToString([]byte{c.r, c.g, c.b})
	case colorTransparent:
		return "transparent"
	case colorDefault:
	}
	return ""
}
