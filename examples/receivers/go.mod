// Keeps these files out of the module that programs download.
module github.com/hailmark/hailmark/examples/receivers

go 1.25.0
