//go:build !go1.27

package main

import "encoding/json"

// standardPeers are standard library packages.
var standardPeers = []peer{
	{"encoding/json structs", "", structs(json.Unmarshal), claims{4, 5, 7}},
	{"json.Valid, no events", "", valid, claims{}},
}
