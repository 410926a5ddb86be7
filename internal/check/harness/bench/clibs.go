//go:build clibs

package main

/*
#cgo LDFLAGS: -lqrencode -lqrcodegen -lpng
#include <png.h>
#include <qrcodegen/qrcodegen.h>
#include <qrencode.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned char *data; size_t len, cap; } buffer;

static void append(png_structp png, png_bytep data, size_t n) {
	buffer *b = png_get_io_ptr(png);
	if (b->len + n > b->cap) {
		b->cap = 2 * (b->len + n);
		b->data = realloc(b->data, b->cap);
	}
	memcpy(b->data + b->len, data, n);
	b->len += n;
}

static void flush(png_structp png) { (void)png; }

// draw writes size rows of one bit per pixel, stride bytes apart. A level below 0 selects
// libpng's default.
static buffer draw(unsigned char *pixels, int size, int stride, int level) {
	buffer b = {0};
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	png_set_write_fn(png, &b, append, flush);
	png_set_IHDR(png, info, size, size, 1, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
		PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_color palette[2] = {{255, 255, 255}, {0, 0, 0}};
	png_set_PLTE(png, info, palette, 2);
	if (level >= 0)
		png_set_compression_level(png, level);
	png_write_info(png, info);
	for (int y = 0; y < size; y++)
		png_write_row(png, pixels + y * stride);
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return b;
}

// draw_modules draws a symbol with one byte per module, 1 for dark, at the largest whole
// module size that fits.
static buffer draw_modules(const unsigned char *modules, int width, int size) {
	int stride = (size + 7) / 8, scale = size / (width + 8), margin = (size - scale * width) / 2;
	unsigned char *pixels = calloc(size, stride);
	for (int y = 0; y < width; y++) {
		unsigned char *row = pixels + (margin + y * scale) * stride;
		for (int x = 0; x < width * scale; x++)
			if (modules[y * width + x / scale] & 1)
				row[(margin + x) / 8] |= 0x80 >> ((margin + x) % 8);
		for (int i = 1; i < scale; i++)
			memcpy(row + i * stride, row, stride);
	}
	buffer b = draw(pixels, size, stride, -1);
	free(pixels);
	return b;
}

static int qrencode_matrix(const char *text) {
	QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1);
	if (code == NULL)
		return 0;
	QRcode_free(code);
	return 1;
}

static buffer qrencode_png(const char *text, int size) {
	buffer b = {0};
	QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1);
	if (code == NULL)
		return b;
	b = draw_modules(code->data, code->width, size);
	QRcode_free(code);
	return b;
}

static int nayuki_encode(const char *text, uint8_t code[]) {
	uint8_t temp[qrcodegen_BUFFER_LEN_MAX];
	return qrcodegen_encodeText(text, temp, code, qrcodegen_Ecc_MEDIUM,
		qrcodegen_VERSION_MIN, qrcodegen_VERSION_MAX, qrcodegen_Mask_AUTO, true);
}

static int nayuki_matrix(const char *text) {
	uint8_t code[qrcodegen_BUFFER_LEN_MAX];
	return nayuki_encode(text, code);
}

static buffer nayuki_png(const char *text, int size) {
	buffer b = {0};
	uint8_t code[qrcodegen_BUFFER_LEN_MAX];
	if (!nayuki_encode(text, code))
		return b;
	int width = qrcodegen_getSize(code);
	unsigned char *modules = malloc(width * width);
	for (int y = 0; y < width; y++)
		for (int x = 0; x < width; x++)
			modules[y * width + x] = qrcodegen_getModule(code, x, y);
	b = draw_modules(modules, width, size);
	free(modules);
	return b;
}
*/
import "C"

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"unsafe"
)

var cPeers = []library{
	{
		name: "libqrencode",
		png: func(text string) ([]byte, error) {
			s := C.CString(text)
			defer C.free(unsafe.Pointer(s))
			return take(C.qrencode_png(s, size))
		},
		matrix: func(text string) error {
			s := C.CString(text)
			defer C.free(unsafe.Pointer(s))
			return encoded(C.qrencode_matrix(s))
		},
	},
	{
		name: "nayuki C",
		png: func(text string) ([]byte, error) {
			s := C.CString(text)
			defer C.free(unsafe.Pointer(s))
			return take(C.nayuki_png(s, size))
		},
		matrix: func(text string) error {
			s := C.CString(text)
			defer C.free(unsafe.Pointer(s))
			return encoded(C.nayuki_matrix(s))
		},
	},
}

func encoded(ok C.int) error {
	if ok == 0 {
		return errors.New("the text is too long")
	}
	return nil
}

// libpng encodes a PNG's pixels again at compression level 9.
var libpng = func(file []byte) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	p, ok := img.(*image.Paletted)
	if !ok {
		return nil, errors.New("no palette")
	}
	n, stride := p.Rect.Dx(), (p.Rect.Dx()+7)/8
	pixels := make([]byte, n*stride)
	for y := range n {
		for x := range n {
			pixels[y*stride+x/8] |= p.ColorIndexAt(x, y) << (7 - x%8)
		}
	}
	return take(C.draw((*C.uchar)(&pixels[0]), C.int(n), C.int(stride), 9))
}

func take(b C.buffer) ([]byte, error) {
	if b.data == nil {
		return nil, errors.New("no image")
	}
	defer C.free(unsafe.Pointer(b.data))
	return C.GoBytes(unsafe.Pointer(b.data), C.int(b.len)), nil
}
