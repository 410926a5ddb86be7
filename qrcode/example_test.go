package qrcode_test

import (
	"fmt"

	"github.com/hailmark/hailmark/qrcode"
)

func ExampleRenderQR() {
	brand, err := qrcode.ParseColor("25d366")
	if err != nil {
		fmt.Println(err)
		return
	}
	img, err := qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{Size: 256, Foreground: brand})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", img[1:4])
	// Output: "PNG"
}

func ExampleEncode() {
	s, err := qrcode.Encode("https://wa.me/16505551234")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("version %d-%s, %d modules a side\n", s.Version(), s.Level(), s.Size())
	// Output: version 2-Q, 25 modules a side
}

func ExampleRenderQR_refused() {
	pale, err := qrcode.ParseColor("eee")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{Size: 100, Foreground: pale})
	fmt.Println(err)
	// Output: size must be a whole number of pixels from 128 to 1024 (and 1 more)
}

func ExampleAppendQR() {
	buf := make([]byte, 0, 4096) // used again for each picture
	for _, link := range []string{"https://wa.me/16505551234", "https://wa.me/jane.doe"} {
		img, err := qrcode.AppendQR(buf[:0], link, qrcode.Options{Format: qrcode.SVG})
		fmt.Println(len(img) > 0, err)
	}
	// Output:
	// true <nil>
	// true <nil>
}

func ExampleParseBackground() {
	bg, err := qrcode.ParseBackground("transparent")
	fmt.Println(bg == qrcode.Transparent(), err)
	_, err = qrcode.ParseBackground("#fff")
	fmt.Println(err)
	// Output:
	// true <nil>
	// bg must be six or three hexadecimal digits without #, as in 25d366, or the word transparent
}

func ExampleSymbol_AppendTerminal() {
	s, err := qrcode.Encode("HAILMARK")
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
