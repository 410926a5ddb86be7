// Package identity is a module of its own, because programs that keep no contacts don't
// need it.
module github.com/hailmark/hailmark/contact/identity

go 1.25.0

require (
	github.com/hailmark/hailmark v0.0.0
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
