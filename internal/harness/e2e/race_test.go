//go:build race

package e2e_test

// One picture in so many is drawn. The race detector makes pixels ten times as slow
// and has nothing to find in them.
const oneIn = 8
