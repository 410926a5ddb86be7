// Package qrprint is a module of its own, because few programs print and its fonts are
// large.
module github.com/hailmark/hailmark/qrcode/qrprint

go 1.25.0

require (
	github.com/hailmark/hailmark v0.0.0
	github.com/stretchr/testify v1.12.1
	rsc.io/qr v0.2.0
)

require (
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
