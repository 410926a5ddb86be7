package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/bytedance/sonic"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	goccy "github.com/goccy/go-json"
	goccytext "github.com/goccy/go-json/jsontext"
	"github.com/minio/simdjson-go"
	"github.com/tidwall/gjson"

	"github.com/hailmark/hailmark/webhooknorm"
)

// A peer reads a payload and returns its events, or nil if it only parses the payload.
type peer struct {
	name   string
	module string // to look up the version; "" for the standard library
	read   func(payload []byte) []event
	claims claims
}

const hailmark = "github.com/hailmark/hailmark"

// peers begins with the library that all others are compared with.
var peers = slices.Concat(
	[]peer{
		{"webhooknorm", hailmark, func(p []byte) []event { return must(webhooknorm.Normalize(p)) }, claims{}},
		{"webhooknorm.Read", hailmark, func(p []byte) []event { return must(webhooknorm.Read(p)).Events }, claims{}},
	},
	standardPeers,
	[]peer{
		{"json v2 structs", "github.com/go-json-experiment/json", structs(func(p []byte, v any) error { return jsonv2.Unmarshal(p, v) }), claims{1.7, 2.2, 2.4}},
		{"sonic structs", "github.com/bytedance/sonic", structs(sonic.Unmarshal), claims{1, 1.2, 1.5}},
		{"goccy structs", "github.com/goccy/go-json", structs(goccy.Unmarshal), claims{}},
		{"gjson, validated", "github.com/tidwall/gjson", withGJSON, claims{2, 2.5, 3}},
		{"jsontext tokens, no events", "github.com/go-json-experiment/json", tokens(func(p []byte) func() error {
			dec := jsontext.NewDecoder(bytes.NewBuffer(p))
			return func() error { _, err := dec.ReadToken(); return err }
		}), claims{}},
		{"goccy tokens, no events", "github.com/goccy/go-json", tokens(func(p []byte) func() error {
			dec := goccytext.NewDecoder(bytes.NewBuffer(p))
			return func() error { _, err := dec.ReadToken(); return err }
		}), claims{}},
		{"simdjson parse, no events", "github.com/minio/simdjson-go", withSIMDJSON(), claims{}},
	},
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func valid(payload []byte) []event {
	if !json.Valid(payload) {
		panic("not valid")
	}
	return nil
}

type (
	webhook struct {
		Entry []struct {
			ID      string `json:"id"`
			Changes []struct {
				Value value `json:"value"`
			} `json:"changes"`
		} `json:"entry"`
	}
	value struct {
		Metadata struct {
			PhoneNumberID string `json:"phone_number_id"`
		} `json:"metadata"`
		Contacts []contact         `json:"contacts"`
		Messages []json.RawMessage `json:"messages"`
	}
	contact struct {
		Profile profile `json:"profile"`
		WaID    string  `json:"wa_id"`
		UserID  string  `json:"user_id"`
	}
	profile struct {
		Name     string `json:"name"`
		Username string `json:"username"`
	}
	message struct {
		From       string `json:"from"`
		FromUserID string `json:"from_user_id"`
		ID         string `json:"id"`
		Timestamp  string `json:"timestamp"`
		Type       string `json:"type"`
		Context    struct {
			ID string `json:"id"`
		} `json:"context"`
	}
)

// structs returns a reader that unmarshals into structs. It retains each message's bytes
// like Normalize, but implements only the simplest rules.
func structs(unmarshal func([]byte, any) error) func([]byte) []event {
	return func(payload []byte) (events []event) {
		var w webhook
		must(0, unmarshal(payload, &w))
		for _, entry := range w.Entry {
			for _, change := range entry.Changes {
				for _, raw := range change.Value.Messages {
					var m message
					must(0, unmarshal(raw, &m))
					var sender profile
					for _, c := range change.Value.Contacts {
						if c.UserID == m.FromUserID || c.WaID == m.From {
							sender = c.Profile
							break
						}
					}
					events = append(events, newEvent(m, entry.ID, change.Value.Metadata.PhoneNumberID, sender, raw))
				}
			}
		}
		return events
	}
}

func withGJSON(payload []byte) (events []event) {
	if !gjson.ValidBytes(payload) {
		panic("not valid")
	}
	for _, entry := range gjson.GetBytes(payload, "entry").Array() {
		for _, change := range entry.Get("changes").Array() {
			v := change.Get("value")
			contacts := v.Get("contacts").Array()
			for _, element := range v.Get("messages").Array() {
				m := message{
					From: element.Get("from").String(), FromUserID: element.Get("from_user_id").String(),
					ID: element.Get("id").String(), Timestamp: element.Get("timestamp").String(), Type: element.Get("type").String(),
				}
				m.Context.ID = element.Get("context.id").String()
				var sender profile
				for _, c := range contacts {
					if c.Get("user_id").String() == m.FromUserID {
						sender = profile{Name: c.Get("profile.name").String(), Username: c.Get("profile.username").String()}
						break
					}
				}
				events = append(events, newEvent(m, entry.Get("id").String(), v.Get("metadata.phone_number_id").String(), sender, []byte(element.Raw)))
			}
		}
	}
	return events
}

// tokens returns a reader that discards all tokens.
func tokens(decoder func(payload []byte) (next func() error)) func([]byte) []event {
	return func(payload []byte) []event {
		next := decoder(payload)
		for {
			err := next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			must(0, err)
		}
	}
}

// withSIMDJSON returns a reader that reuses its memory. It returns no events, because
// simdjson-go doesn't retain a message's bytes.
func withSIMDJSON() func([]byte) []event {
	var parsed *simdjson.ParsedJson
	return func(payload []byte) []event {
		parsed = must(simdjson.Parse(payload, parsed, simdjson.WithCopyStrings(false)))
		return nil
	}
}
