//go:build !go1.27

package main

import "encoding/json"

// standardPeers are standard library packages.
var standardPeers = []peer{
	{"encoding/json structs", "", structs(json.Unmarshal), claims{6.8, 9, 13}},
	{"json.Valid, no events", "", valid, claims{}},
}
