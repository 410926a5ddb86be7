package qrcode

import (
	"encoding/hex"

	"github.com/hailmark/hailmark/problem"
)

// A Color is an opaque color or [Transparent]. It is comparable. The zero Color stands
// for the default of the field that holds it.
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

// RGB returns the opaque color with these shares of red, green and blue, in sRGB.
func RGB(r, g, b uint8) Color { return Color{colorOpaque, r, g, b} }

// Transparent returns the background that shows what lies behind the image. It is not
// a foreground color.
func Transparent() Color { return Color{kind: colorTransparent} }

// ParseColor reads a color as six hexadecimal digits, or as three that are doubled, in
// either case and without a leading #. Its error has [CodeInvalidColor].
func ParseColor(s string) (Color, error) {
	c, ok := parseHex(s)
	if !ok {
		return Color{}, problem.New(CodeInvalidColor, "color must be six or three hexadecimal digits without #, as in 25d366")
	}
	return c, nil
}

// ParseBackground reads what [ParseColor] reads, or the word transparent. Its error has
// [CodeInvalidBackground].
func ParseBackground(s string) (Color, error) {
	if s == "transparent" {
		return Transparent(), nil
	}
	c, ok := parseHex(s)
	if !ok {
		return Color{}, problem.New(CodeInvalidBackground,
			"background must be six or three hexadecimal digits without #, as in 25d366, or the word transparent")
	}
	return c, nil
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

// String returns six hexadecimal digits in lower case, "transparent", or "" for the zero
// Color. Equal colors have equal strings, so it suits cache keys.
func (c Color) String() string {
	text, _ := c.AppendText(nil)
	return string(text)
}

// AppendText appends what String returns. Its error is always nil.
func (c Color) AppendText(dst []byte) ([]byte, error) {
	switch c.kind {
	case colorOpaque:
		dst = hex.AppendEncode(dst, []byte{c.r, c.g, c.b})
	case colorTransparent:
		dst = append(dst, "transparent"...)
	case colorDefault:
	}
	return dst, nil
}

// MarshalText returns what String returns.
func (c Color) MarshalText() ([]byte, error) { return c.AppendText([]byte{}) }

// UnmarshalText reads what String returns and every other form that [ParseBackground]
// reads.
func (c *Color) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*c = Color{}
		return nil
	}
	parsed, err := ParseBackground(string(text))
	if err == nil {
		*c = parsed
	}
	return err
}

// RGBA returns the color as image/color expects it, which makes a Color a color.Color. A
// transparent color and the zero Color have no opacity.
func (c Color) RGBA() (r, g, b, a uint32) {
	if c.kind != colorOpaque {
		return 0, 0, 0, 0
	}
	return uint32(c.r) * 0x101, uint32(c.g) * 0x101, uint32(c.b) * 0x101, 0xFFFF
}
