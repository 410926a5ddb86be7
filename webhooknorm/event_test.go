package webhooknorm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/webhooknorm"
)

func TestTime(t *testing.T) {
	for timestamp, want := range map[string]string{
		"1763700000":    "2025-11-21T04:40:00Z",
		"1763700000123": "2025-11-21T04:40:00.123Z",
		"99999999999":   "5138-11-16T09:46:39Z",
		"100000000000":  "1973-03-03T09:46:40Z",
		"1":             "1970-01-01T00:00:01Z",
	} {
		at, ok := webhooknorm.Event{Source: webhooknorm.Source{Timestamp: timestamp}}.Time()
		require.True(t, ok, timestamp)
		require.Equal(t, want, at.Format(time.RFC3339Nano))
	}
	for _, timestamp := range []string{"", "0", "-1", "+1", "1.5", "x", "99999999999999999999"} {
		_, ok := webhooknorm.Event{Source: webhooknorm.Source{Timestamp: timestamp}}.Time()
		require.False(t, ok, timestamp)
	}
}

// A receiver stores an event as JSON, and a worker handles what it reads back.
func TestStoredEvent(t *testing.T) {
	file, err := vectors.Load[input, json.RawMessage]("webhook_read.json")
	require.NoError(t, err)
	n := 0
	for _, v := range file.Vectors {
		webhook, _ := webhooknorm.Read(v.Input.bytes(t)) // rejected payloads have no events
		for _, event := range webhook.Events {
			n++
			text, err := json.Marshal(event)
			require.NoError(t, err, v.ID)
			var stored webhooknorm.Event
			require.NoError(t, json.Unmarshal(text, &stored), v.ID)
			require.Equal(t, results(event), results(stored), v.ID)

			stored.Raw, stored.ConversationContext = event.Raw, event.ConversationContext // white space is lost
			require.Equal(t, event, stored, v.ID)
		}
	}
	require.NotZero(t, n)
}

// results returns the results of all methods.
func results(e webhooknorm.Event) []any {
	address, hasAddress := e.Address()
	media, hasMedia := e.Media()
	at, hasTime := e.Time()
	kind, id := e.Identifier()
	return []any{address, hasAddress, media, hasMedia, at, hasTime, e.Key(), e.Text(), e.WantsReply(), e.Label(), kind, id}
}

func TestText(t *testing.T) {
	for raw, want := range map[string]string{
		`{"type":"text","text":{"body":" Gr\u00fc\u00dfe\n"}}`:                                              " Grüße\n",
		`{"id":"wamid.1","message":{"to":"1","text":{"body":"Hi"}}}`:                                        "Hi",
		`{"message":{"text":{"body":"in"}},"text":{"body":"out"}}`:                                          "out",
		`{"type":"image","image":{"caption":"Hi"},"text":{"preview":"x"}}`:                                  "Hi",
		`{"type":"button","button":{"payload":"1","text":"Yes"}}`:                                           "Yes",
		`{"interactive":{"type":"button_reply","button_reply":{"id":"1","title":"Yes"}}}`:                   "Yes",
		`{"interactive":{"type":"list_reply","list_reply":{"id":"1","title":"Red","description":"Wine"}}}`:  "Red",
		`{"interactive":{"type":"nfm_reply","nfm_reply":{"name":"flow","body":"Sent","response_json":""}}}`: "Sent",
		`{"message":{"type":"interactive","interactive":{"type":"button","body":{"text":"Really?"}}}}`:      "Really?",
		`{"video":{"caption":"V"}}`:                                            "V",
		`{"document":{"caption":"D","filename":"a.pdf"}}`:                      "D",
		`{"type":"order","order":{"text":"Please","product_items":[]}}`:        "Please",
		`{"edit":{"original_message_id":"1","message":{"text":{"body":"N"}}}}`: "N",
		`{"edit":{"message":{"image":{"id":"1","caption":"C"}}}}`:              "C",
		`{"message":{"edit":{"message":{"text":{"body":"N"}}}}}`:               "N",
		`{"type":"reaction","reaction":{"message_id":"1","emoji":"x"}}`:        "",
		`{"type":"system","system":{"body":"x"}}`:                              "",
		`{"audio":{"caption":"no"},"location":{"name":"no"}}`:                  "",
		`{"text":"Hi"}`: "",
		`{"text":`:      "",
		``:              "",
	} {
		require.Equal(t, want, webhooknorm.Event{Source: webhooknorm.Source{Raw: []byte(raw)}}.Text(), raw)
	}
}

func TestMedia(t *testing.T) {
	for raw, want := range map[string]webhooknorm.Media{
		`{"image":{"id":"1","mime_type":"image/jpeg","sha256":"x","caption":"C"}}`:           {ID: "1", MIMEType: "image/jpeg", Caption: "C"},
		`{"document":{"id":2,"mime_type":"application/pdf","filename":"a.pdf"}}`:             {ID: "2", MIMEType: "application/pdf", Filename: "a.pdf"},
		`{"type":"audio","audio":{"id":"3","mime_type":"audio/ogg; codecs=opus","voice":1}}`: {ID: "3", MIMEType: "audio/ogg; codecs=opus"},
		`{"voice":{"id":"3"}}`:                         {ID: "3"},
		`{"video":{"id":"3"}}`:                         {ID: "3"},
		`{"sticker":{"id":"3"}}`:                       {ID: "3"},
		`{"edit":{"message":{"image":{"id":"4"}}}}`:    {ID: "4"},
		`{"message":{"to":"1","image":{"id":"5"}}}`:    {ID: "5"},
		`{"image":{"link":"https://example.com/a"}}`:   {},
		`{"image":"1","contacts":{"id":"1"},"id":"1"}`: {},
		`{"type":"media_placeholder"}`:                 {},
		`{"image":`:                                    {},
	} {
		got, ok := webhooknorm.Event{Source: webhooknorm.Source{Raw: []byte(raw)}}.Media()
		require.Equal(t, want, got, raw)
		require.Equal(t, want.ID != "", ok, raw)
	}
}

func TestWantsReply(t *testing.T) {
	message := func(kind string) webhooknorm.Event {
		return webhooknorm.Event{Kind: webhooknorm.KindMessage, Field: "messages", Type: kind}
	}
	for _, kind := range []string{"text", "button", "image", "audio", "location", "contacts", "order"} {
		require.True(t, message(kind).WantsReply(), kind)
	}
	for raw, want := range map[string]bool{
		`{"interactive":{"type":"button_reply","button_reply":{"id":"1"}}}`:                              true,
		`{"interactive":{"list_reply":{"id":"1"}}}`:                                                      true,
		`{"interactive":{"type":"nfm_reply","nfm_reply":{"response_json":"{}"}}}`:                        true,
		`{"interactive":{"type":"invented","body":{"text":"Hi"}}}`:                                       true,
		`{"interactive":{"type":"call_permission_reply","call_permission_reply":{"response":"accept"}}}`: false,
		`{"interactive":{"call_permission_reply":{"response":"accept"}}}`:                                false,
		`{"interactive":{"type":"invented"}}`:                                                            false,
		`{"interactive":7}`:                                                                              false,
		``:                                                                                               false,
	} {
		e := message("interactive")
		e.Raw = []byte(raw)
		require.Equal(t, want, e.WantsReply(), raw)
	}
	for _, kind := range []string{"interactive", "reaction", "edit", "revoke", "unsupported", "system", "media_placeholder", "invented", ""} {
		require.False(t, message(kind).WantsReply(), kind)
	}
	inGroup := message("text")
	inGroup.GroupID = "120"
	require.True(t, inGroup.WantsReply())
	for _, change := range []func(*webhooknorm.Event){
		func(e *webhooknorm.Event) { e.Standby = true },
		func(e *webhooknorm.Event) { e.Field = "history" },
		func(e *webhooknorm.Event) { e.Field = "message_echoes" }, // which no version of the platform documents
		func(e *webhooknorm.Event) { e.Kind = webhooknorm.KindEcho },
		func(e *webhooknorm.Event) { e.Kind = webhooknorm.KindHistory },
	} {
		e := message("text")
		change(&e)
		require.False(t, e.WantsReply())
	}
}

func TestAddress(t *testing.T) {
	person := contact.Person{IDs: contact.IDs{BSUID: "US.1", Phone: "16505551234"}}
	address, ok := webhooknorm.Event{Kind: webhooknorm.KindMessage, Type: "text", Person: person}.Address()
	require.True(t, ok)
	require.Equal(t, contact.Address{Field: "to", Value: "16505551234"}, address)
	for _, e := range []webhooknorm.Event{
		{Standby: true, Person: person},
		{GroupID: "g", Person: person},
		{Type: "system", Person: person},
		{Kind: webhooknorm.KindIdentityUpdate, Person: person},
		{Kind: webhooknorm.KindHistory, Person: person},
		{Kind: webhooknorm.KindHistoryEcho, Person: person},
		{Kind: webhooknorm.KindMessage, Field: "history", Type: "image", Person: person}, // from Normalize
		{Kind: webhooknorm.KindMessage, Field: "message_echoes", Type: "text", Person: person},
		{},
	} {
		_, ok := e.Address()
		require.False(t, ok, e)
	}
}

// many returns an array of n elements.
func many(n int, element string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

func TestTooManyEvents(t *testing.T) {
	const most = 16_384
	value := func(members string) string { return `{"entry":[{"changes":[{"value":{` + members + `}}]}]}` }
	for _, c := range []struct {
		payload         string
		normalize, read bool // accepted
	}{
		{value(`"messages":` + many(most, `{}`)), true, true},
		{value(`"messages":` + many(most+1, `{}`)), false, false},
		{`{"messages":` + many(most, `{}`) + `,"statuses":[{}]}`, false, false},
		{`{"messages":` + many(most, `{}`) + `,"standby":{"messages":[{}]}}`, false, false},
		{`{"messages":` + many(most, `{}`) + `,"standby":{"messages":[1]}}`, true, true},
		{`{"messages":[],"standby":{"messages":` + many(2000, `{}`) + `}}`, true, true},
		{`{"entry":[{"changes":` + many(most+1, `{"value":{"messages":[{}]}}`) + `}]}`, false, false},
		{value(`"messages":` + many(most, `{}`) + `,"calls":` + many(most, `{}`)), true, true},
		{value(`"messages":[{}],"calls":` + many(most+1, `{}`)), true, false},
		{value(`"groups":[{"added_participants":` + many(most-1, `{}`) + `}]`), true, true}, // the group is another
		{value(`"groups":[{"added_participants":` + many(most, `{}`) + `}]`), true, false},
		{value(`"history":[{"threads":[{"messages":` + many(most+1, `{}`) + `}]}]`), true, false},
		{value(`"history":[{"threads":` + many(most+1, `{}`) + `}]`), true, false},
		{value(`"state_sync":` + many(2*most, `{"type":"contact","action":"add","contact":{"phone_number":"491"}}`)), true, true},
		{`{"entry":[{"changes":` + many(most, `{}`) + `}]}`, true, true},
		{`{"entry":[{"changes":` + many(most+1, `{}`) + `}]}`, true, false},
		{value(`"contacts":` + many(most, `{"wa_id":"1"}`)), true, true},
		{value(`"contacts":` + many(most, `{"wa_id":"1"}`) + `,"standby":{"contacts":[{}]}`), false, false},
	} {
		_, err := webhooknorm.Normalize([]byte(c.payload))
		require.Equal(t, c.normalize, err == nil, "%.80s", c.payload)
		if err != nil {
			require.ErrorIs(t, err, webhooknorm.CodeTooManyEvents)
		}
		_, err = webhooknorm.Read([]byte(c.payload))
		require.Equal(t, c.read, err == nil, "%.80s", c.payload)
		if err != nil {
			require.ErrorIs(t, err, webhooknorm.CodeTooManyEvents)
		}
	}
	_, err := webhooknorm.Normalize([]byte(`{"messages":` + many(most+1, `{}`)))
	require.ErrorIs(t, err, webhooknorm.CodeInvalidJSON)
}

// The members of a value have any order, also in large arrays.
func TestLargeArrays(t *testing.T) {
	const contacts = `"contacts":[{"wa_id":"491","profile":{"name":"Ada"}}]`
	for _, payload := range []string{
		`{"standby":{"messages":` + many(1025, `{}`) + `},"messages":[{"from":"491"}]}`,
		`{"statuses":` + many(1500, `{"recipient_id":"491"}`) + `,"messages":` + many(256, `{"id":1}`) + `,` + contacts + `}`,
		`{"messages":` + many(1500, `{"from":"491","system":{"user_id":"US.1"}}`) + `,` + contacts + `,"metadata":{"phone_number_id":"1"}}`,
		`{"messages":` + many(1500, `{}`) + `,"entry":[{"changes":[{"value":{"messages":[{"id":"m"}]}}]}]}`,
	} {
		checkRead(t, []byte(payload))
	}
}

// Whatever a payload of 4 MiB contains, reading it takes less than ten times its size.
func TestMemory(t *testing.T) {
	testenv.Slow(t)
	const size = 4 << 20
	var contacts, names bytes.Buffer
	for i := range 16_000 {
		fmt.Fprintf(&contacts, `,{"wa_id":%d,"user_id":"US.%d"}`, i%8000, i)
	}
	for i := range 380_000 {
		fmt.Fprintf(&names, `,"%d":1`, i)
	}
	for name, payload := range map[string]string{
		"arrays":   `{"messages":` + many(size/3, `[]`) + `}`,
		"numbers":  `{"messages":` + many(size/2, `0`) + `}`,
		"contacts": `{"contacts":[` + contacts.String()[1:] + `],"messages":[{"from":1},{"from":2}],"x":"` + strings.Repeat("x", size*3/4) + `"}`,
		"names":    `{"messages":[{` + names.String()[1:] + `}]}`,
		"messages": `{"messages":` + many(16_000, `{"id":"`+strings.Repeat(`\n`, 120)+`"}`) + `}`,
		"escapes":  `{"messages":[{"id":"` + strings.Repeat(`\n`, size/2) + `"}]}`,
	} {
		text := []byte(payload)
		require.True(t, json.Valid(text))
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w, err := webhooknorm.Read(text)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, 10*uint64(len(text)), name)
		runtime.KeepAlive(w)
	}
}
