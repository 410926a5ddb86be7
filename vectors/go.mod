// The test vectors: JSON files for implementations in any language. A module of its own
// keeps them out of the library that programs download.
module github.com/hailmark/hailmark/vectors

go 1.25.0
