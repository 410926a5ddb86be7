package qrcode_test

import (
	"bytes"
	"fmt"
	"image/color"

	"github.com/hailmark/hailmark/qrcode"
)

func ExampleRenderQR() {
	darkGreen, err := qrcode.ParseColor("075e54")
	if err != nil {
		fmt.Println(err)
		return
	}
	img, err := qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{Size: 256, Style: qrcode.Style{Foreground: darkGreen}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", img[1:4])
	// Output: "PNG"
}

func ExampleEncode() {
	s, err := qrcode.Encode("https://wa.me/16505551234", qrcode.EncodeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("version %d-%s, %d modules a side\n", s.Version(), s.Level(), s.Size())
	// Output: version 2-Q, 25 modules a side
}

func ExampleRenderQR_rejected() {
	pale, err := qrcode.ParseColor("eee")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{Size: 100, Style: qrcode.Style{Foreground: pale}})
	fmt.Println(err)
	// Output: size is 100 pixels; 128 to 16384 are allowed (and 1 more)
}

func ExampleParseBackground() {
	bg, err := qrcode.ParseBackground("transparent")
	fmt.Println(bg == qrcode.Transparent(), err)
	_, err = qrcode.ParseBackground("white")
	fmt.Println(err)
	// Output:
	// true <nil>
	// background isn't six or three hexadecimal digits, as in 25d366, or the word transparent
}

func ExampleParseColor() {
	c, err := qrcode.ParseColor("#2D6")
	fmt.Println(c, err)
	_, err = qrcode.ParseColor("green")
	fmt.Println(err)
	// Output:
	// 22dd66 <nil>
	// color isn't six or three hexadecimal digits, as in 25d366
}

func ExampleRGB() {
	fmt.Println(qrcode.RGB(0x25, 0xD3, 0x66))
	// Output: 25d366
}

func ExampleFromColor() {
	c, err := qrcode.FromColor(color.NRGBA{R: 0x07, G: 0x5E, B: 0x54, A: 0xFF})
	fmt.Println(c, err)
	_, err = qrcode.FromColor(color.Alpha{A: 0x80})
	fmt.Println(err)
	// Output:
	// 075e54 <nil>
	// color is translucent, with an alpha of 128 of 255; it must be opaque or transparent
}

func ExampleTransparent() {
	svg, err := qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{Format: qrcode.SVG, Style: qrcode.Style{Background: qrcode.Transparent()}})
	fmt.Println(bytes.Contains(svg, []byte("#fff")), err)
	// Output: false <nil>
}

func ExampleParseFormat() {
	format, err := qrcode.ParseFormat("svg")
	fmt.Println(format, format == qrcode.SVG, err)
	// Output: svg true <nil>
}

func ExampleLevel_UnmarshalText() {
	var level qrcode.Level
	err := level.UnmarshalText([]byte("H"))
	fmt.Println(level, level == qrcode.LevelH, err)
	// Output: H true <nil>
}

func ExampleOptions_Check() {
	opts := qrcode.Options{Style: qrcode.Style{Foreground: qrcode.RGB(255, 255, 255), Background: qrcode.RGB(7, 94, 84)}}
	warnings, err := opts.Check()
	fmt.Println(warnings, err)
	// Output: foreground is lighter than background: many scanners read only dark codes on a light ground <nil>
}

func ExampleEncodeOptions() {
	s, err := qrcode.Encode("https://wa.me/16505551234", qrcode.EncodeOptions{MinVersion: 5, MaxVersion: 5, MinLevel: qrcode.LevelM, ExactLevel: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Version(), s.Level(), s.Mask(), s.Size())
	// Output: 5 M 4 37
}

func ExampleSymbol_Dark() {
	s, err := qrcode.Encode("https://wa.me/16505551234", qrcode.EncodeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for x := range 8 { // the first row of the upper left finder pattern and its light border
		fmt.Print(s.Dark(x, 0), " ")
	}
	fmt.Println()
	// Output: true true true true true true true false
}

func ExampleSymbol_AppendTerminal() {
	s, err := qrcode.Encode("HAILMARK", qrcode.EncodeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", s.AppendTerminal(nil))
	// Output:
	// █████████████████████████████
	// █████████████████████████████
	// ████ ▄▄▄▄▄ █▀▄ █ █ ▄▄▄▄▄ ████
	// ████ █   █ █   ▄▀█ █   █ ████
	// ████ █▄▄▄█ █ ▄█▄ █ █▄▄▄█ ████
	// ████▄▄▄▄▄▄▄█▄▀ █ █▄▄▄▄▄▄▄████
	// ████▀█ ▀▀ ▄▄ █▄▄  █▄▄ ▄ ▀████
	// ████   █ █▄  ▄██▀███▀ ██▄████
	// ████▄███▄▄▄▄ █  ▄  ██▀▀  ████
	// ████ ▄▄▄▄▄ █  █▀▄  ▄▄ ▀▄▄████
	// ████ █   █ ██▄▄▀ █▄ ██▀█▄████
	// ████ █▄▄▄█ █▄█ █▀█▄▄▀▄█▄ ████
	// ████▄▄▄▄▄▄▄██▄██▄█▄█▄▄█▄▄████
	// █████████████████████████████
	// ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
}
