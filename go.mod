module github.com/hailmark/hailmark

go 1.25.0

require (
	// The version of 2020, whose go.mod requires nothing: the newest adds 27 lines to users' go.sum.
	github.com/ajstarks/svgo v0.0.0-20200320125537-f189e35d30ca
	// The oldest version that the tests need, so that users can keep theirs.
	github.com/stretchr/testify v1.8.0
	rsc.io/qr v0.2.0
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
