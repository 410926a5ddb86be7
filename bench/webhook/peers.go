package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/bytedance/sonic"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	goccy "github.com/goccy/go-json"
	"github.com/tidwall/gjson"

	"github.com/hailmark/hailmark/webhooknorm"
)

// A peer gets the events out of a payload, or else only reads it and returns nil.
type peer struct {
	name  string
	read  func(payload []byte) []webhooknorm.Event
	claim claim
}

var peers = []peer{
	{"webhooknorm", func(p []byte) []webhooknorm.Event { return must(webhooknorm.Normalize(p)) }, claim{}},
	{"webhooknorm.Read", func(p []byte) []webhooknorm.Event { return must(webhooknorm.Read(p)).Events }, claim{}},
	{"encoding/json structs", structs(json.Unmarshal), claim{10, 11, 14}},
	{"json v2 structs", structs(func(p []byte, v any) error { return jsonv2.Unmarshal(p, v) }), claim{}},
	{"sonic structs", structs(sonic.Unmarshal), claim{2, 2, 2}},
	{"goccy structs", structs(goccy.Unmarshal), claim{1, 1, 1}},
	{"gjson, validated", withGJSON, claim{}},
	{"jsontext tokens, no events", tokens, claim{}},
	{"json.Valid, no events", func(p []byte) []webhooknorm.Event { must(json.Valid(p), nil); return nil }, claim{1.7, 2, 2.8}},
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func sameEvent(a, b webhooknorm.Event) bool {
	rawA, rawB := a.Raw, b.Raw
	a.Raw, b.Raw = nil, nil
	return bytes.Equal(rawA, rawB) && a.Kind == b.Kind && a.BSUID == b.BSUID && a.Phone == b.Phone && a.Username == b.Username &&
		a.DisplayName == b.DisplayName && a.MessageID == b.MessageID && a.Timestamp == b.Timestamp && a.PhoneNumberID == b.PhoneNumberID
}

type (
	webhook struct {
		Entry []struct {
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
		Profile struct {
			Name     string `json:"name"`
			Username string `json:"username"`
		} `json:"profile"`
		WaID   string `json:"wa_id"`
		UserID string `json:"user_id"`
	}
	message struct {
		From       string `json:"from"`
		FromUserID string `json:"from_user_id"`
		ID         string `json:"id"`
		Timestamp  string `json:"timestamp"`
	}
)

// structs does the same for every library that unmarshals into structs. It keeps the
// raw element, as Normalize does, and knows but the simplest of the rules.
func structs(unmarshal func([]byte, any) error) func([]byte) []webhooknorm.Event {
	return func(payload []byte) (events []webhooknorm.Event) {
		var w webhook
		must(0, unmarshal(payload, &w))
		for _, entry := range w.Entry {
			for _, change := range entry.Changes {
				for _, raw := range change.Value.Messages {
					var m message
					must(0, unmarshal(raw, &m))
					e := webhooknorm.Event{
						Kind: webhooknorm.KindMessage, MessageID: m.ID, Timestamp: m.Timestamp,
						PhoneNumberID: change.Value.Metadata.PhoneNumberID, Raw: raw,
					}
					e.BSUID, e.Phone = m.FromUserID, m.From
					for _, c := range change.Value.Contacts {
						if c.UserID == m.FromUserID || c.WaID == m.From {
							e.Username, e.DisplayName = c.Profile.Username, c.Profile.Name
							break
						}
					}
					events = append(events, e)
				}
			}
		}
		return events
	}
}

func withGJSON(payload []byte) (events []webhooknorm.Event) {
	if !gjson.ValidBytes(payload) {
		panic("not valid")
	}
	for _, entry := range gjson.GetBytes(payload, "entry").Array() {
		for _, change := range entry.Get("changes").Array() {
			v := change.Get("value")
			contacts := v.Get("contacts").Array()
			for _, m := range v.Get("messages").Array() {
				e := webhooknorm.Event{
					Kind: webhooknorm.KindMessage, MessageID: m.Get("id").String(), Timestamp: m.Get("timestamp").String(),
					PhoneNumberID: v.Get("metadata.phone_number_id").String(), Raw: []byte(m.Raw),
				}
				e.BSUID, e.Phone = m.Get("from_user_id").String(), m.Get("from").String()
				for _, c := range contacts {
					if c.Get("user_id").String() == e.BSUID {
						e.Username, e.DisplayName = c.Get("profile.username").String(), c.Get("profile.name").String()
						break
					}
				}
				events = append(events, e)
			}
		}
	}
	return events
}

// tokens only walks over the payload, strictly.
func tokens(payload []byte) []webhooknorm.Event {
	dec := jsontext.NewDecoder(bytes.NewBuffer(payload))
	for {
		_, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		must(0, err)
	}
}
