//go:build !clibs

package main

var cPeers []library

// libpng is nil, because this program is built without libpng.
var libpng func(file []byte) ([]byte, error)
