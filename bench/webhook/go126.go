//go:build !go1.27

package main

import "encoding/json"

// standardPeers are the packages of the standard library.
var standardPeers = []peer{
	{"encoding/json structs", "", structs(json.Unmarshal), claims{10, 11, 14}},
	{"json.Valid, no events", "", valid, claims{1.7, 2, 2.8}},
}
