package wire

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/webhooknorm"
)

// fill sets every field of a value, at any depth, to something that isn't its zero value.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() { //nolint:exhaustive // others fail
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.Set(reflect.ValueOf(json.RawMessage(`{"text":{"body":"<Hi> \ud800"},"n":` + strings.Repeat("1", *n) + `}`)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
	case reflect.String:
		v.SetString(strings.Repeat("1", *n) + "<&>\"\\\x00\n é")
	case reflect.Int:
		v.SetInt(int64(-*n))
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic(v.Kind())
	}
}

// each calls f with a value that has only one field, at any depth, and with one that has all.
func each[T any](f func(*T)) {
	fields := reflect.VisibleFields(reflect.TypeFor[T]())
	for _, field := range fields {
		var v T
		n := 0
		fill(reflect.ValueOf(&v).Elem().FieldByIndex(field.Index), &n)
		f(&v)
	}
	var all T
	n := 0
	fill(reflect.ValueOf(&all).Elem(), &n)
	f(&all)
}

// methods are the members that a method of an event returns, and not a field.
var methods = []string{"time", "key", "text", "choice", "flowResponse", "referral", "media", "reaction", "location", "wantsReply", "address", "reply"}

func decode(t *testing.T, text []byte) map[string]any {
	t.Helper()
	require.True(t, json.Valid(text), "%s", text)
	require.Equal(t, -1, jsonscan.LoneSurrogate(text))
	var members map[string]any
	require.NoError(t, json.Unmarshal(text, &members), "%s", text)
	return members
}

// requireLibrarysMembers requires that the JSON has the members that encoding/json gives the value, and
// besides only those of methods.
func requireLibrarysMembers(t *testing.T, got []byte, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var want map[string]any
	require.NoError(t, json.Unmarshal(text, &want))
	members := decode(t, got)
	for _, name := range methods {
		delete(members, name)
	}
	if members["raw"] == nil && want["raw"] == nil {
		delete(members, "raw") // only a value that no payload gave has none
	}
	require.Equal(t, want, members)
}

// The members of an event and of an other are those of the library, however it's filled, so no field
// can be forgotten.
func TestMembersAreTheLibrarys(t *testing.T) {
	n := 0
	withRaw := func(raw *json.RawMessage) {
		if *raw == nil {
			*raw = json.RawMessage(`{}`)
		}
		n++
	}
	each(func(e *webhooknorm.Event) {
		withRaw(&e.Raw)
		requireLibrarysMembers(t, AppendEvent(nil, e), e)
	})
	each(func(o *webhooknorm.Other) {
		withRaw(&o.Raw)
		requireLibrarysMembers(t, AppendOther(nil, o), o)
	})
	require.Greater(t, n, 30)
}

// An address is what the method returns.
type address struct{ Field, Value string }

// The members of methods are what the methods return, for every vector.
func TestMembersOfMethods(t *testing.T) {
	type input struct {
		Payload json.RawMessage
		Text    *string
		Hex     *string
	}
	file, err := vectors.Load[input, json.RawMessage]("webhook_read.json")
	require.NoError(t, err)
	seen := map[string]int{}
	for _, v := range file.Vectors {
		payload := []byte(v.Input.Payload)
		if v.Input.Text != nil {
			payload = []byte(*v.Input.Text)
		}
		w, err := webhooknorm.Read(payload)
		if err != nil {
			continue
		}
		whole, ok := EncodeWebhook(w, math.MaxInt)
		require.True(t, ok)
		require.Equal(t, len(whole), cap(whole), "it takes no more memory")
		var got struct{ Events, Others []json.RawMessage }
		require.NoError(t, json.Unmarshal(whole, &got))
		require.Len(t, got.Events, len(w.Events))
		require.Len(t, got.Others, len(w.Others))
		for i := range w.Others {
			require.Equal(t, string(AppendOther(nil, &w.Others[i])), string(got.Others[i]))
			requireLibrarysMembers(t, got.Others[i], &w.Others[i])
		}
		for i := range w.Events {
			e := &w.Events[i]
			require.Equal(t, string(AppendEvent(nil, e)), string(got.Events[i]))
			requireLibrarysMembers(t, got.Events[i], e)
			for name := range decode(t, got.Events[i]) {
				seen[name]++
			}
			var members struct {
				Time, Key, Text, Choice string
				FlowResponse            json.RawMessage
				Referral                webhooknorm.Referral
				Media                   webhooknorm.Media
				Reaction                webhooknorm.Reaction
				Location                *webhooknorm.Location
				WantsReply              bool
				Address, Reply          address
			}
			require.NoError(t, json.Unmarshal(got.Events[i], &members))
			if at, ok := e.Time(); ok {
				text, err := at.MarshalText()
				require.NoError(t, err)
				require.Equal(t, string(text), members.Time)
			}
			require.Equal(t, e.Key(), members.Key)
			require.Equal(t, e.Text(), members.Text)
			choice, _ := e.Choice()
			require.Equal(t, choice, members.Choice)
			response, _ := e.FlowResponse()
			require.Equal(t, string(response), string(members.FlowResponse))
			referral, _ := e.Referral()
			require.Equal(t, referral, members.Referral)
			media, _ := e.Media()
			require.Equal(t, media, members.Media)
			reaction, _ := e.Reaction()
			require.Equal(t, reaction, members.Reaction)
			if location, ok := e.Location(); ok {
				require.Equal(t, &location, members.Location)
			} else {
				require.Nil(t, members.Location)
			}
			require.Equal(t, e.WantsReply(), members.WantsReply)
			to, _ := e.Address()
			require.Equal(t, address(to), members.Address)
			to, _ = e.Reply()
			require.Equal(t, address(to), members.Reply)
		}
	}
	for _, name := range methods {
		require.NotZero(t, seen[name], "no vector has a %s", name)
	}
}

// A time after the last year of RFC 3339 is left out.
func TestTimeBeyondRFC3339(t *testing.T) {
	e := webhooknorm.Event{Source: webhooknorm.Source{Raw: []byte(`{}`), Timestamp: "253402300799999"}}
	require.Equal(t, "9999-12-31T23:59:59.999Z", decode(t, AppendEvent(nil, &e))["time"])
	e.Timestamp = "253402300800000"
	require.NotContains(t, decode(t, AppendEvent(nil, &e)), "time")
}

// A NormalizedWebhook has the shape of the specification, at most so many bytes, and the same JSON with
// encoding/json.
func TestNormalizedWebhook(t *testing.T) {
	w := NormalizedWebhook{Provider, []NormalizedEvent{
		{Kind: webhooknorm.KindMessage, Standby: true, Raw: []byte(`{"id":"wamid.1","x":"\ud800"}`)},
		{webhooknorm.KindStatus, "US.1", "16505551234", "jane", "Jane \"J\" <Doe> \u00e9\n\x01\\", false, []byte(`{ }`)},
	}}
	const want = `{"provider":"vendor_cloud_api","events":[` +
		`{"kind":"message","bsuid":null,"phone":null,"username":null,"displayName":null,"standby":true,"raw":{"id":"wamid.1","x":"\ufffd"}},` +
		`{"kind":"status","bsuid":"US.1","phone":"16505551234","username":"jane","displayName":"Jane \"J\" <Doe> é\n\u0001\\","raw":{ }}]}` + "\n"
	for most := range len(want) {
		_, ok := w.Encode(most)
		require.False(t, ok, "at most %d bytes", most)
	}
	got, ok := w.Encode(len(want))
	require.True(t, ok)
	require.Equal(t, want, string(got))
	require.Equal(t, len(want), cap(got), "a response of 8 MiB takes no more memory")
	text, err := json.Marshal(w)
	require.NoError(t, err)
	require.JSONEq(t, want, string(text))

	empty, err := Normalize([]byte(`{"entry":[{"changes":[{"field":"account_update","value":{}}]}]}`))
	require.NoError(t, err)
	text, err = json.Marshal(empty)
	require.NoError(t, err)
	require.JSONEq(t, `{"provider":"vendor_cloud_api","events":[]}`, string(text))

	var again NormalizedWebhook
	require.NoError(t, json.Unmarshal(got, &again))
	require.Equal(t, w.Events[1].BSUID, again.Events[1].BSUID)
	require.Empty(t, again.Events[0].BSUID)
}

// Whatever an event contains, what's counted is what's written.
func TestMostBytes(t *testing.T) {
	each(func(e *webhooknorm.Event) {
		if e.Raw == nil {
			e.Raw = json.RawMessage(`{"type":"text"}`)
		}
		w := webhooknorm.Webhook{Events: []webhooknorm.Event{*e, *e}, Others: []webhooknorm.Other{{Source: e.Source}}}
		whole, ok := EncodeWebhook(w, math.MaxInt)
		require.True(t, ok)
		again, ok := EncodeWebhook(w, len(whole))
		require.True(t, ok)
		require.Equal(t, string(whole), string(again))
		_, ok = EncodeWebhook(w, len(whole)-1)
		require.False(t, ok)
	})
	whole, ok := EncodeWebhook(webhooknorm.Webhook{}, 30)
	require.True(t, ok)
	require.Equal(t, `{"events":[],"others":[]}`+"\n", string(whole))
}

func TestResolvedContact(t *testing.T) {
	for want, in := range map[string]contact.Input{
		`{"id":"US.1","type":"bsuid","username":null,"phone":null,"bsuid":"US.1","displayName":null,"phoneKnown":false,"bsuidKnown":true}`:               {BSUID: "US.1"},
		`{"id":"16505551234","type":"phone","username":null,"phone":"16505551234","bsuid":null,"displayName":null,"phoneKnown":true,"bsuidKnown":false}`: {Phone: "+1 650 555 1234"},
		`{"id":"jane.doe","type":"username","username":"jane.doe","phone":null,"bsuid":null,"displayName":null,"phoneKnown":false,"bsuidKnown":false}`:   {Username: "jane.doe"},
	} {
		p, err := contact.Resolve(in)
		require.NoError(t, err)
		text, err := json.Marshal(NewResolvedContact(p, nil))
		require.NoError(t, err)
		require.Equal(t, want, string(text))
		var again ResolvedContact
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, NewResolvedContact(p, nil), again)
	}
	n, warnings, err := phone.Inspect("917 555 1234")
	require.NoError(t, err)
	text, err := json.Marshal(NewResolvedContact(contact.Person{IDs: contact.IDs{Phone: n.String()}}, warnings))
	require.NoError(t, err)
	require.Contains(t, string(text), `"warnings":[{"code":"phone_missing_plus","message":"phone has no plus`)
}

// A quoted text is read as itself, and has no escape that it doesn't need.
func FuzzQuote(f *testing.F) {
	f.Add("\x00\b\f\n\r\t\x1f\"\\/<>&\x7f\u2028é👋")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		var out writer
		out.quoted(text)
		var got string
		require.NoError(t, json.Unmarshal(out.buf, &got))
		require.Equal(t, text, got)
		for _, r := range regexp.MustCompile(`\\(u00..|.)`).FindAllString(string(out.buf), -1) {
			require.Regexp(t, `^\\([bfnrt"\\]|u00[01][0-9a-f])$`, r)
		}
	})
}

// An event whose Raw is in one line is an object in one line, whatever its texts contain.
func TestOneLine(t *testing.T) {
	each(func(e *webhooknorm.Event) {
		for _, raw := range []string{
			`{"text":{"body":"a\nb"}}`, `{"referral":{"headline":"a\r\nb"}}`, `{"location":{"latitude":1,"longitude":2,"name":"a\nb"}}`,
			`{"interactive":{"nfm_reply":{"response_json":"{\n \"a\": \"\\n\"\r\n}"}}}`,
		} {
			e.Raw = json.RawMessage(raw)
			require.NotContains(t, string(AppendEvent(nil, e)), "\n", raw)
			require.NotContains(t, string(AppendEvent(nil, e)), "\r", raw)
		}
	})
}
