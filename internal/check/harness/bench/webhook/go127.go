//go:build go1.27

package main

import (
	"bytes"
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
)

// standardPeers are standard library packages. Since Go 1.27, encoding/json is based on
// encoding/json/v2.
var standardPeers = []peer{
	{"encoding/json structs", "", structs(json.Unmarshal), claims{2, 2.5, 3}},
	{"encoding/json/v2 structs", "", structs(func(p []byte, v any) error { return jsonv2.Unmarshal(p, v) }), claims{1.7, 2.2, 2.4}},
	{"encoding/json/jsontext tokens, no events", "", tokens(func(p []byte) func() error {
		dec := jsontext.NewDecoder(bytes.NewBuffer(p))
		return func() error { _, err := dec.ReadToken(); return err }
	}), claims{}},
	{"json.Valid, no events", "", valid, claims{}},
}
