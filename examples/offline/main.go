// Command offline prints a click-to-chat link and draws it as a QR code, without a
// server or a network.
//
//	offline jane.doe "Is the red one still there?" card.png
package main

import (
	"fmt"
	"os"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/qrcode"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: offline USERNAME TEXT FILE.png")
		os.Exit(2)
	}
	link, err := draw(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(link)
}

func draw(username, text, file string) (string, error) {
	link, err := chatlink.BuildUsernameLink(username, text)
	if err != nil {
		return "", err
	}
	png, err := qrcode.RenderQR(link, qrcode.Options{})
	if err != nil {
		return "", err
	}
	return link, os.WriteFile(file, png, 0o644)
}
