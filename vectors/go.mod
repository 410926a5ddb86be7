// Keeps these files out of the module that programs download.
module github.com/hailmark/hailmark/vectors

go 1.25.0
