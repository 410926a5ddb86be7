package main

import (
	"bytes"
	"image"
	"image/png"
	"io"

	"github.com/boombuler/barcode"
	boombuler "github.com/boombuler/barcode/qr"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/makiuchi-d/gozxing"
	zxing "github.com/makiuchi-d/gozxing/qrcode"
	"github.com/makiuchi-d/gozxing/qrcode/decoder"
	piglig "github.com/piglig/go-qr"
	skip2 "github.com/skip2/go-qrcode"
	yeqown "github.com/yeqown/go-qrcode/v2"
	"github.com/yeqown/go-qrcode/writer/standard"
	rsc "rsc.io/qr"
)

// size is the width of every PNG in pixels, or the nearest width that a peer can draw.
const size = 512

// A library draws QR codes at level M or better.
type library struct {
	name   string
	png    func(text string) ([]byte, error)
	matrix func(text string) error           // nil if the library has no such step
	svg    func(text string) ([]byte, error) // nil if the library draws no SVG
}

var ours = library{
	name: "hailmark",
	png:  func(text string) ([]byte, error) { return qrcode.RenderQR(text, qrcode.Options{Size: size}) },
	matrix: func(text string) error {
		_, err := qrcode.Encode(text, qrcode.EncodeOptions{})
		return err
	},
	svg: func(text string) ([]byte, error) { return qrcode.RenderQR(text, qrcode.Options{Format: qrcode.SVG}) },
}

var goPeers = []library{
	{
		name: "rsc.io/qr",
		png: func(text string) ([]byte, error) {
			c, err := rsc.Encode(text, rsc.M)
			if err != nil {
				return nil, err
			}
			c.Scale = size / (c.Size + 8)
			return c.PNG(), nil
		},
		matrix: func(text string) error {
			_, err := rsc.Encode(text, rsc.M)
			return err
		},
	},
	{
		name: "skip2",
		png:  func(text string) ([]byte, error) { return skip2.Encode(text, skip2.Medium, size) },
		matrix: func(text string) error {
			c, err := skip2.New(text, skip2.Medium)
			if err == nil {
				c.Bitmap()
			}
			return err
		},
	},
	{
		name: "boombuler",
		png: func(text string) ([]byte, error) {
			code, err := boombuler.Encode(text, boombuler.M, boombuler.Auto)
			if err != nil {
				return nil, err
			}
			if code, err = barcode.Scale(code, size, size); err != nil {
				return nil, err
			}
			return encode(code)
		},
		matrix: func(text string) error {
			_, err := boombuler.Encode(text, boombuler.M, boombuler.Auto)
			return err
		},
	},
	{
		name: "gozxing",
		png: func(text string) ([]byte, error) {
			m, err := zxing.NewQRCodeWriter().Encode(text, gozxing.BarcodeFormat_QR_CODE, size, size, map[gozxing.EncodeHintType]any{
				gozxing.EncodeHintType_ERROR_CORRECTION: decoder.ErrorCorrectionLevel_M,
			})
			if err != nil {
				return nil, err
			}
			return encode(m)
		},
	},
	{
		name: "yeqown",
		png: func(text string) ([]byte, error) {
			code, err := yeqown.NewWith(text, yeqown.WithErrorCorrectionLevel(yeqown.ErrorCorrectionMedium))
			if err != nil {
				return nil, err
			}
			var buf bytes.Buffer
			modules := code.Dimension() + 8
			w := standard.NewWithWriter(nopCloser{&buf}, standard.WithQRWidth(uint8(size/modules)), standard.WithBuiltinImageEncoder(standard.PNG_FORMAT))
			err = code.Save(w)
			return buf.Bytes(), err
		},
	},
	{
		name: "piglig",
		png: func(text string) ([]byte, error) {
			code, err := piglig.EncodeText(text, piglig.Medium)
			if err != nil {
				return nil, err
			}
			return code.ToPNGBytes(piglig.NewQrCodeImgConfig(size/(code.Size()+8), 4))
		},
		matrix: func(text string) error {
			_, err := piglig.EncodeText(text, piglig.Medium)
			return err
		},
		svg: func(text string) ([]byte, error) {
			code, err := piglig.EncodeText(text, piglig.Medium)
			if err != nil {
				return nil, err
			}
			return code.ToSVGBytes(piglig.NewQrCodeImgConfig(1, 4, piglig.WithOptimalSVG()))
		},
	},
}

func encode(img image.Image) ([]byte, error) {
	var buf bytes.Buffer
	err := png.Encode(&buf, img)
	return buf.Bytes(), err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
