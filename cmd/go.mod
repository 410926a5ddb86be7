module github.com/hailmark/hailmark/cmd

go 1.26.0

require (
	github.com/hailmark/hailmark v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	rsc.io/qr v0.2.0 // indirect
)
