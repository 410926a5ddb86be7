// Package webhooktest is a module of its own, because programs that receive webhooks need it
// only in their tests.
module github.com/hailmark/hailmark/webhooknorm/webhooktest

go 1.25.0

require (
	github.com/hailmark/hailmark v0.0.0
	// The oldest version that the tests need, so that users can keep theirs.
	github.com/stretchr/testify v1.8.0
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
