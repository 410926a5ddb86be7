//go:build !race

package e2e_test

// All pictures are drawn.
const oneIn = 1
