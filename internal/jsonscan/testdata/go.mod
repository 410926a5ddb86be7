// Keeps these files out of the module that programs download.
module github.com/hailmark/hailmark/internal/jsonscan/testdata

go 1.25.0
