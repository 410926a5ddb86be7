// Keeps these files out of the module that programs download.
module github.com/hailmark/hailmark/docs

go 1.25.0
