module github.com/hailmark/hailmark/cmd

go 1.26.0

require (
	github.com/hailmark/hailmark v0.0.0
	github.com/stretchr/testify v1.12.1
)
