//go:build !clibs

package main

var cPeers []library

// libpng draws the pixels of a PNG again at level 9. It is nil without libpng.
var libpng func(file []byte) ([]byte, error)
