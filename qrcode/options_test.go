package qrcode_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

type option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// parse reads an option as it is on the wire and writes it again.
func (o option) parse() (string, error) {
	switch o.Name {
	case "format":
		f, err := qrcode.ParseFormat(o.Value)
		return string(f), err
	case "color":
		c, err := qrcode.ParseColor(o.Value)
		return c.String(), err
	case "bg":
		c, err := qrcode.ParseBackground(o.Value)
		return c.String(), err
	default:
		return "", fmt.Errorf("no option %q", o.Name)
	}
}

var optionCodes = map[string]problem.Code{
	"format": "invalid_format",
	"color":  "invalid_color",
	"bg":     "invalid_bg",
}

func TestOptionVectors(t *testing.T) {
	file, err := vectors.Load[option, string]("qr_options.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		if v.Input.Name == "size" {
			continue // httpapi reads sizes
		}
		t.Run(v.ID, func(t *testing.T) {
			got, err := v.Input.parse()
			if v.Output == nil {
				require.Equal(t, v.Codes, []problem.Code{optionCodes[v.Input.Name]})
				require.ErrorIs(t, err, optionCodes[v.Input.Name])
				return
			}
			require.NoError(t, err)
			require.Equal(t, *v.Output, got)
		})
	}
}

func TestZeroOptionsAreTheDefaults(t *testing.T) {
	zero, err := qrcode.RenderQR(link, qrcode.Options{})
	require.NoError(t, err)
	full, err := qrcode.RenderQR(link, qrcode.Options{
		Format: qrcode.PNG, Size: 512, Style: qrcode.Style{Foreground: qrcode.RGB(0, 0, 0), Background: qrcode.RGB(255, 255, 255)},
	})
	require.NoError(t, err)
	require.Equal(t, full, zero)
	require.Empty(t, qrcode.Color{}.String())
}

func TestNamesOfWrongValues(t *testing.T) {
	require.Equal(t, "invalid", qrcode.Level(4).String())
}

func TestContrast(t *testing.T) {
	tests := []struct {
		fg, bg string
		ok     bool
	}{
		{"000000", "ffffff", true},
		{"25d366", "ffffff", true}, // WhatsApp's green
		{"128c7e", "ffffff", true}, // and its darker sisters
		{"075e54", "dcf8c6", true}, //
		{"ffffff", "000000", true}, // light on dark
		{"25d366", "000000", true}, //
		{"ffffff", "075e54", true}, //
		{"808080", "ffffff", true}, // half-way
		{"000000", "transparent", true},
		{"25d366", "transparent", true},
		{"ffffff", "ffffff", false},
		{"000000", "000000", false},
		{"ffffff", "transparent", false}, // judged against white
		{"ffff00", "ffffff", false},      // yellow
		{"ff0000", "008000", false},      // two colors, one gray
		{"0000ff", "000000", false},
		{"000000", "303030", true}, // 48 shades of gray, and 47
		{"000000", "2f2f2f", false},
		{"000000", "003c50", false}, // 44 by BT.601, although 48 by BT.709 and 50 by ZXing
		{"000000", "961414", false}, // 47 by BT.709, although 58 by BT.601 and 52 by ZXing
		{"000014", "006400", false}, // 45 by ZXing, although 56 by BT.601 and 70 by BT.709
	}
	for _, tt := range tests {
		fg, err := qrcode.ParseColor(tt.fg)
		require.NoError(t, err)
		bg, err := qrcode.ParseBackground(tt.bg)
		require.NoError(t, err)
		_, err = qrcode.RenderQR(link, qrcode.Options{Style: qrcode.Style{Foreground: fg, Background: bg}})
		if tt.ok {
			require.NoError(t, err, tt)
		} else {
			require.Equal(t, []problem.Code{"low_contrast"}, codes(t, err), tt)
		}
	}
}

// reColor is the grammar of colors as a regular expression.
var reColor = regexp.MustCompile(`(?i)\A#?([0-9a-f]{3}){1,2}\z`)

func FuzzParseOptions(f *testing.F) {
	file, err := vectors.Load[option, string]("qr_options.json")
	require.NoError(f, err)
	for _, v := range file.Vectors {
		f.Add(v.Input.Value)
	}
	f.Fuzz(func(t *testing.T, s string) {
		valid := map[string]bool{
			"format": s == "png" || s == "svg",
			"color":  reColor.MatchString(s),
			"bg":     reColor.MatchString(s) || s == "transparent",
		}
		for name, ok := range valid {
			canonical, err := option{name, s}.parse()
			require.Equal(t, ok, err == nil, name)
			if !ok {
				require.ErrorIs(t, err, optionCodes[name])
				continue
			}
			again, err := option{name, canonical}.parse()
			require.NoError(t, err)
			require.Equal(t, canonical, again, "the canonical form is stable")
			if name != "color" && name != "bg" {
				continue
			}
			if long := strings.ToLower(strings.TrimPrefix(s, "#")); len(long) == 6 {
				require.Equal(t, long, canonical)
			} else if len(long) == 3 {
				require.Equal(t, string([]byte{long[0], long[0], long[1], long[1], long[2], long[2]}), canonical)
			}
		}
	})
}
