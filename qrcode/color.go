package qrcode

import (
	"encoding/hex"
	"image/color"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// A Color is an opaque color or [Transparent]. Colors are comparable. The zero Color
// represents a field's default.
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

// RGB returns the opaque sRGB color with these components.
func RGB(r, g, b uint8) Color { return Color{colorOpaque, r, g, b} }

// FromColor converts a color of package [image/color]. A fully transparent color becomes
// [Transparent]. The error for a translucent color, or nil, is a [problem.Problem] with
// [CodeInvalidColor].
func FromColor(c color.Color) (Color, error) {
	if c == nil {
		return Color{}, problem.New("color", CodeInvalidColor, "color is nil; it must be opaque or transparent")
	}
	switch r, g, b, a := c.RGBA(); a {
	case 0:
		return Transparent(), nil
	case 0xFFFF:
		return RGB(uint8(r>>8), uint8(g>>8), uint8(b>>8)), nil
	default:
		return Color{}, problem.New("color", CodeInvalidColor, "color is translucent, with an alpha of %d of 255; it must be opaque or transparent", a>>8)
	}
}

// Transparent returns a transparent background. It isn't valid as foreground.
func Transparent() Color { return Color{kind: colorTransparent} }

// ParseColor parses six or three hexadecimal digits with or without a # in front, such as "25d366"
// or "#fff". Its error is a [problem.Problem] with [CodeInvalidColor].
func ParseColor(s string) (Color, error) {
	c, ok := parseHex(s)
	if !ok {
		return Color{}, problem.New("color", CodeInvalidColor, "color isn't six or three hexadecimal digits, as in 25d366")
	}
	return c, nil
}

// ParseBackground is like [ParseColor], but also accepts the word transparent. Its error is a
// [problem.Problem] with [CodeInvalidBackground].
func ParseBackground(s string) (Color, error) {
	if s == "transparent" {
		return Transparent(), nil
	}
	c, ok := parseHex(s)
	if !ok {
		return Color{}, problem.New("bg", CodeInvalidBackground,
			"background isn't six or three hexadecimal digits, as in 25d366, or the word transparent")
	}
	return c, nil
}

func parseHex(s string) (Color, bool) {
	s = strings.TrimPrefix(s, "#")
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

// String returns six lowercase hexadecimal digits, "transparent", or "" for the zero Color.
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

// MarshalText implements [encoding.TextMarshaler].
func (c Color) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseBackground]. Empty text is
// the zero Color.
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

// RGBA implements [image/color.Color]. The zero Color is transparent.
func (c Color) RGBA() (r, g, b, a uint32) {
	if c.kind != colorOpaque {
		return 0, 0, 0, 0
	}
	return uint32(c.r) * 0x101, uint32(c.g) * 0x101, uint32(c.b) * 0x101, 0xFFFF
}
