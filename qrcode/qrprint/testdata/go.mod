// Keeps these files out of the module that programs download.
module github.com/hailmark/hailmark/qrcode/qrprint/testdata

go 1.25.0
