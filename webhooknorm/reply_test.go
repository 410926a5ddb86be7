package webhooknorm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/webhooknorm"
)

// Each method that Event promotes is on a list: those that address somebody are Event's own, with its
// guard.
func TestPromotedMethods(t *testing.T) {
	guarded := []string{"Address", "PhoneAddress"}
	harmless := []string{"Identifier", "Label", "Time"} // they address nobody
	promoted := map[string]bool{}
	for _, embedded := range []reflect.Type{reflect.TypeFor[contact.Person](), reflect.TypeFor[contact.IDs](), reflect.TypeFor[webhooknorm.Source]()} {
		for i := range embedded.NumMethod() {
			promoted[embedded.Method(i).Name] = true
		}
	}
	var names []string
	for name := range promoted {
		names = append(names, name)
	}
	require.ElementsMatch(t, slices.Concat(guarded, harmless), names, "guard a new method in Event if it addresses somebody")

	person := contact.Person{IDs: contact.IDs{BSUID: "US.1", Phone: "16505551234"}}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 6))
		e := webhooknorm.Event{
			Kind: pick(r, webhooknorm.Kinds()), Person: person, Standby: r.IntN(3) == 0,
			GroupID: pick(r, []string{"", "", "120"}), Type: pick(r, []string{"text", "system", "reaction"}),
			Field: pick(r, []string{"messages", "history"}),
		}
		_, ok := e.Address()
		for _, name := range guarded {
			result := reflect.ValueOf(e).MethodByName(name).Call(nil)
			require.Equal(t, ok, result[1].Bool(), "%s of %+v", name, e)
			require.Equal(t, ok, !result[0].IsZero(), "%s of %+v", name, e)
		}
		address, replies := e.Reply()
		require.Equal(t, ok && e.WantsReply(), replies)
		require.Equal(t, replies, address != contact.Address{})
		if e.Standby || e.GroupID != "" || e.Type != "text" {
			require.False(t, replies)
		}
	}
}

// A message has one ContentKey however it arrives, and never another message's.
func TestContentKey(t *testing.T) {
	keys := map[string]string{}
	for _, c := range []struct {
		kind, as webhooknorm.Kind
	}{
		{webhooknorm.KindMessage, webhooknorm.KindMessage},
		{webhooknorm.KindHistory, webhooknorm.KindMessage},
		{webhooknorm.KindEcho, webhooknorm.KindEcho},
		{webhooknorm.KindHistoryEcho, webhooknorm.KindEcho},
		{webhooknorm.KindStatus, webhooknorm.KindStatus},
		{webhooknorm.KindCall, webhooknorm.KindCall},
	} {
		for _, standby := range []bool{false, true} {
			e := webhooknorm.Event{Kind: c.kind, MessageID: "A", Standby: standby}
			require.Equal(t, string(c.as)+"::A", e.ContentKey())
			keys[e.Key()] = e.ContentKey()
		}
	}
	require.Len(t, keys, 12, "Key still tells how it arrived")
	require.Empty(t, webhooknorm.Event{Kind: webhooknorm.KindHistory}.ContentKey())
}

func eventOf(raw string) webhooknorm.Event {
	return webhooknorm.Event{Source: webhooknorm.Source{Raw: json.RawMessage(raw)}}
}

func TestChoice(t *testing.T) {
	for raw, want := range map[string]string{
		`{"button":{"payload":"PAY","text":"Yes"}}`:                        "PAY",
		`{"interactive":{"button_reply":{"id":"b1","title":"Yes"}}}`:       "b1",
		`{"interactive":{"button_reply":{"id":7,"title":"Yes"}}}`:          "7",
		`{"interactive":{"list_reply":{"id":"l1","title":"Red"}}}`:         "l1",
		`{"message":{"interactive":{"list_reply":{"id":"l1"}}}}`:           "l1",
		`{"interactive":{"nfm_reply":{"response_json":"{\"id\":\"x\"}"}}}`: "",
		`{"interactive":{"call_permission_reply":{"response":"accept"}}}`:  "",
		`{"button":{"text":"Yes"}}`:                                        "",
		`{"text":{"body":"b1"}}`:                                           "",
		`{"button":`:                                                       "",
	} {
		id, ok := eventOf(raw).Choice()
		require.Equal(t, want, id, raw)
		require.Equal(t, want != "", ok, raw)
	}
}

func TestFlowResponse(t *testing.T) {
	for raw, want := range map[string]string{
		`{"interactive":{"nfm_reply":{"name":"flow","response_json":"{\"flow_token\":\"t\",\"a\":\"\u00e9\"}"}}}`: `{"flow_token":"t","a":"é"}`,
		`{"interactive":{"nfm_reply":{"response_json":{"a":1}}}}`:                                                 `{"a":1}`,
		`{"interactive":{"nfm_reply":{"response_json":"{\n \"a\": 1,\r\n\"b\":\"\\n \"}\n"}}}`:                    `{"a":1,"b":"\n "}`,
		`{"interactive":{"nfm_reply":{"response_json":{ "a" : 1 }}}}`:                                             `{"a":1}`,
		`{"interactive":{"nfm_reply":{"response_json":"{"}}}`:                                                     "",
		`{"interactive":{"nfm_reply":{"response_json":"7"}}}`:                                                     "",
		`{"interactive":{"nfm_reply":{"body":"Sent"}}}`:                                                           "",
		`{"text":{"body":"{}"}}`: "",
	} {
		response, ok := eventOf(raw).FlowResponse()
		require.Equal(t, want, string(response), raw)
		require.Equal(t, want != "", ok, raw)
	}
}

func TestReferral(t *testing.T) {
	for raw, want := range map[string]webhooknorm.Referral{
		`{"referral":{"source_url":"https://fb.me/a","source_id":"12","source_type":"ad","headline":"H","body":"B","media_type":"image","ctwa_clid":"C"}}`: {
			URL: "https://fb.me/a", ID: "12", Type: "ad", Headline: "H", Body: "B", ClickID: "C", MediaType: "image",
		},
		`{"referral":{"source_id":12}}`: {ID: "12"},
		`{"referral":{"media_type":"video","video_url":"v","thumbnail_url":"t","image_url":"i","welcome_message":{"x":1,"text":"Hello"},"headline":"H"}}`: {
			MediaType: "video", VideoURL: "v", ThumbnailURL: "t", ImageURL: "i", Greeting: "Hello", Headline: "H",
		},
		`{"referral":{"welcome_message":"Hello"}}`: {},
		`{"referral":{"x":"y"}}`:                   {},
		`{"referral":"ad"}`:                        {},
		`{"text":{"body":"B"}}`:                    {},
	} {
		got, ok := eventOf(raw).Referral()
		require.Equal(t, want, got, raw)
		require.Equal(t, want != webhooknorm.Referral{}, ok, raw)
	}
}

func TestReaction(t *testing.T) {
	for raw, want := range map[string]webhooknorm.Reaction{
		`{"type":"reaction","reaction":{"message_id":"wamid.1","emoji":"\ud83d\ude00"}}`: {Emoji: "\U0001f600"},
		`{"type":"reaction","reaction":{"emoji":"","message_id":"wamid.1"}}`:             {IsRemoved: true},
		`{"type":"reaction","reaction":{"message_id":"wamid.1"}}`:                        {IsRemoved: true},
		`{"type":"reaction","reaction":{"message_id":"wamid.1","emoji":null}}`:           {IsRemoved: true},
		`{"type":"reaction","reaction":{"emoji":"x"}}`:                                   {}, // to no message
		`{"type":"reaction","reaction":"x"}`:                                             {},
		`{"type":"text","text":{"body":"x"}}`:                                            {},
	} {
		got, ok := eventOf(raw).Reaction()
		require.Equal(t, want, got, raw)
		require.Equal(t, want != webhooknorm.Reaction{}, ok, raw)
		require.Equal(t, want, eventOf(raw).Content().Reaction)
	}
}

func TestLocation(t *testing.T) {
	for raw, want := range map[string]*webhooknorm.Location{
		`{"location":{"latitude":37.483,"longitude":-122.15,"name":"N","address":"A","url":"U"}}`: {Latitude: 37.483, Longitude: -122.15, Name: "N", Address: "A", URL: "U"},
		`{"location":{"latitude":0,"longitude":0}}`:                                               {},
		`{"location":{"latitude":"-90","longitude":"180.0","name":1}}`:                            {Latitude: -90, Longitude: 180},
		`{"location":{"latitude":90.1,"longitude":0}}`:                                            nil,
		`{"location":{"latitude":0,"longitude":-181}}`:                                            nil,
		`{"location":{"latitude":1e999,"longitude":0}}`:                                           nil,
		`{"location":{"latitude":"NaN","longitude":0}}`:                                           nil,
		`{"location":{"latitude":"","longitude":0}}`:                                              nil,
		`{"location":{"latitude":1}}`:                                                             nil,
		`{"location":[1,2]}`:                                                                      nil,
		`{}`:                                                                                      nil,
	} {
		got, ok := eventOf(raw).Location()
		require.Equal(t, want != nil, ok, raw)
		require.Equal(t, want, eventOf(raw).Content().Location, raw)
		if ok {
			require.Equal(t, *want, got, raw)
		}
	}
}

// An inbox shows reactions and places.
func ExampleEvent_Reaction() {
	events, err := webhooknorm.Normalize([]byte(`{"entry": [{"changes": [{"value": {"messages": [
		{"from": "16505551234", "id": "wamid.1", "type": "reaction", "reaction": {"message_id": "wamid.0", "emoji": "+1"}},
		{"from": "16505551234", "id": "wamid.2", "type": "location", "location": {"latitude": 37.48, "longitude": -122.15, "name": "The shop"}}
	]}}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range events {
		if reaction, ok := e.Reaction(); ok {
			fmt.Println(e.Target, reaction.Emoji)
		}
		if place, ok := e.Location(); ok {
			fmt.Println(place.Name, place.Latitude, place.Longitude)
		}
	}
	// Output:
	// wamid.0 +1
	// The shop 37.48 -122.15
}

// A bot handles a button, a completed flow and a message from an advertisement.
func ExampleEvent_Choice() {
	events, err := webhooknorm.Normalize([]byte(`{"entry": [{"changes": [{"value": {"messages": [
		{"from": "16505551234", "id": "wamid.1", "type": "interactive",
			"interactive": {"type": "button_reply", "button_reply": {"id": "confirm", "title": "Yes, please"}}},
		{"from": "16505551234", "id": "wamid.2", "type": "interactive",
			"interactive": {"type": "nfm_reply", "nfm_reply": {"body": "Sent", "response_json": "{\"size\":\"L\"}"}}},
		{"from": "16505551234", "id": "wamid.3", "type": "text", "text": {"body": "Hi"},
			"referral": {"source_type": "ad", "source_id": "120", "headline": "Shoes"}}
	]}}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range events {
		if id, ok := e.Choice(); ok {
			fmt.Printf("chose %s (%q)\n", id, e.Text())
		}
		if response, ok := e.FlowResponse(); ok {
			fmt.Printf("entered %s\n", response)
		}
		if ad, ok := e.Referral(); ok {
			fmt.Printf("came from %s %s (%s)\n", ad.Type, ad.ID, ad.Headline)
		}
	}
	// Output:
	// chose confirm ("Yes, please")
	// entered {"size":"L"}
	// came from ad 120 (Shoes)
}

// The types that the comment of WantsReply lists are those of its table.
func TestWantsReplyAsItsCommentSays(t *testing.T) {
	source, err := os.ReadFile("event.go")
	require.NoError(t, err)
	list := regexp.MustCompile(`(?s)one of\s+the types (.*?)\s+\(`).FindSubmatch(bytes.ReplaceAll(source, []byte("\n// "), []byte(" ")))
	require.NotNil(t, list)
	types := regexp.MustCompile(`,? and |, `).Split(string(list[1]), -1)
	require.Greater(t, len(types), 10)
	for _, kind := range types {
		for name, want := range map[string]bool{kind: true, kind + "s_of_tomorrow": false} {
			w := mustRead(t, fmt.Appendf(nil, `{"messages":[{"from_user_id":"US.1","id":"A","type":%q}]}`, name))
			require.Len(t, w.Events, 1)
			require.Equal(t, want, w.Events[0].WantsReply(), name)
		}
	}
}
