package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/qrcode"
)

// A drawing is the input of qr_render.json.
type drawing struct {
	Text, Format, Size, Color, BG string
	Repeat                        int
}

// A symbol describes the symbol in an image.
type symbol struct {
	Version int    `json:"version"`
	Level   string `json:"level"`
	Mask    int    `json:"mask"`
	Modules int    `json:"modules"`
	Grid    string `json:"grid"`
	Width   int    `json:"width,omitempty"`
}

func render(in drawing) (symbol, error) {
	opts, err := in.options()
	if err != nil {
		return symbol{}, err
	}
	text := strings.Repeat(in.Text, max(in.Repeat, 1))
	data, err := qrcode.RenderQR(text, opts)
	if err != nil {
		return symbol{}, err
	}
	if opts.Format == qrcode.SVG { // it shows the symbol of Encode, whatever the size
		s, err := qrcode.Encode(text, qrcode.EncodeOptions{})
		return symbolOf(s.Size(), s.Dark), err
	}
	return readPNG(data)
}

func (in drawing) options() (qrcode.Options, error) {
	var o qrcode.Options
	var errs [4]error
	if in.Format != "" {
		o.Format, errs[0] = qrcode.ParseFormat(in.Format)
	}
	if in.Size != "" {
		o.Size, errs[1] = strconv.Atoi(in.Size)
	}
	if in.Color != "" {
		o.Foreground, errs[2] = qrcode.ParseColor(in.Color)
	}
	if in.BG != "" {
		o.Background, errs[3] = qrcode.ParseBackground(in.BG)
	}
	return o, errors.Join(errs[:]...)
}

// readPNG measures the symbol in a PNG. It relies on the quiet zone at the image's upper left
// pixel, the seven modules of the upper left finder pattern, and dark modules at the symbol's
// left, upper and lower edges.
func readPNG(data []byte) (symbol, error) {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return symbol{}, err
	}
	light := color.NRGBAModel.Convert(img.At(0, 0))
	dark := func(x, y int) bool {
		return image.Pt(x, y).In(img.Bounds()) && color.NRGBAModel.Convert(img.At(x, y)) != light
	}
	size := img.Bounds().Dx()
	corner := 0
	for corner < size && !dark(corner, corner) {
		corner++
	}
	finder := 0
	for dark(corner+finder, corner) {
		finder++
	}
	bottom := size
	for bottom > corner && !dark(corner, bottom-1) {
		bottom--
	}
	scale := finder / 7
	if scale == 0 {
		return symbol{}, errors.New("the image contains no QR code")
	}
	s := symbolOf((bottom-corner)/scale, func(x, y int) bool { return dark(corner+x*scale, corner+y*scale) })
	s.Width = size
	return s, nil
}

// symbolOf reads the level and the mask from the format information's first five modules.
func symbolOf(modules int, dark func(x, y int) bool) symbol {
	format := 0
	for x := range 5 {
		format <<= 1
		if dark(x, 8) {
			format |= 1
		}
	}
	format ^= 0b10101
	level := [4]qrcode.Level{qrcode.LevelM, qrcode.LevelL, qrcode.LevelH, qrcode.LevelQ}[format>>3]

	var rows []byte
	for y := range modules {
		for x := range modules {
			module := byte('0')
			if dark(x, y) {
				module = '1'
			}
			rows = append(rows, module)
		}
		rows = append(rows, '\n')
	}
	grid := sha256.Sum256(rows)
	return symbol{
		Version: (modules - 17) / 4, Level: level.String(), Mask: format & 7, Modules: modules,
		Grid: hex.EncodeToString(grid[:]),
	}
}
