package qrprint

import (
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// A CMYK is a color for a press: the percentages of cyan, magenta, yellow and black ink, from 0 to
// 100. PDF and EPS files contain exactly these inks. SVG and PNG files have no inks, so they show
// the color that ISO 32000-1, 10.3.5, converts them to.
type CMYK struct{ C, M, Y, K uint8 }

// ParseCMYK parses four percentages such as "cmyk:0,0,0,100". At least one must be above 0, because
// the zero CMYK means that a field isn't set. The error contains the code invalid_color.
func ParseCMYK(s string) (CMYK, error) {
	list, found := strings.CutPrefix(s, "cmyk:")
	parts := strings.Split(list, ",")
	var shares [4]uint8
	valid := found && len(parts) == len(shares)
	for i := 0; valid && i < len(parts); i++ {
		share, err := strconv.ParseUint(strings.TrimSpace(parts[i]), 10, 8)
		shares[i] = uint8(share)
		valid = err == nil && share <= maxInk
	}
	if !valid {
		return CMYK{}, problem.New("color", qrcode.CodeInvalidColor, "color isn't cmyk: and four percentages from 0 to %d, as in cmyk:0,0,0,100", maxInk)
	}
	c := CMYK{shares[0], shares[1], shares[2], shares[3]}
	if c == (CMYK{}) {
		return c, problem.New("color", qrcode.CodeInvalidColor, "color is without any ink; leave the color out for a background of white paper")
	}
	return c, nil
}

const maxInk = 100

func (c CMYK) valid() bool { return max(c.C, c.M, c.Y, c.K) <= maxInk }

func (c CMYK) color() qrcode.Color {
	light := func(share uint8) uint8 { return uint8((maxInk - min(maxInk, int(share)+int(c.K))) * 255 / maxInk) }
	return qrcode.RGB(light(c.C), light(c.M), light(c.Y))
}

// An ink is the color of a shape.
type ink struct {
	screen qrcode.Color
	press  CMYK // instead of screen in PDF and EPS, unless it's zero
}

func newInk(press CMYK, screen, preset qrcode.Color) ink {
	switch {
	case press != CMYK{}:
		return ink{press.color(), press}
	case screen == qrcode.Color{}:
		return ink{screen: preset}
	default:
		return ink{screen: screen}
	}
}

// registration prints on all plates, so that a cutter can see whether they're in register.
var registration = newInk(CMYK{maxInk, maxInk, maxInk, maxInk}, black, black)

// append appends the operator for an ink. Grays only use black ink, because four inks would print
// colored edges if the plates aren't exactly in register.
func (i ink) append(dst []byte, cmyk, rgb string) []byte {
	r, g, b, _ := i.screen.RGBA()
	share := func(v uint32) float64 { return float64(v>>8) / 255 }
	percent := func(v uint8) float64 { return float64(v) / maxInk }
	switch {
	case i.press != CMYK{}:
		dst = appendNumbers(dst, pathDecimals, percent(i.press.C), percent(i.press.M), percent(i.press.Y), percent(i.press.K))
	case r == g && g == b:
		dst = appendNumbers(dst, pathDecimals, 0, 0, 0, 1-share(r))
	default:
		dst = appendNumbers(dst, pathDecimals, share(r), share(g), share(b))
		return append(append(dst, rgb...), '\n')
	}
	return append(append(dst, cmyk...), '\n')
}
