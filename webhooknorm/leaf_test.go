package webhooknorm_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A leaf is a text, a number or a word that isn't null, with its place.
type leaf struct {
	start int    // in the payload
	path  string // names and, for an element of an array, []
	text  string // decoded, without surrounding white space
	in    string // the path of the innermost contact with indexes, if any
}

// leaves returns the leaves of a valid payload. Blank texts aren't any.
func leaves(payload []byte) (list []leaf) {
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.UseNumber()
	var walk func(path, in string)
	walk = func(path, in string) {
		token, err := dec.Token()
		if err != nil {
			return
		}
		end := int(dec.InputOffset())
		switch token := token.(type) {
		case json.Delim:
			for i := 0; dec.More(); i++ {
				if token == '[' {
					inside := in
					if strings.HasSuffix(path, "contacts") {
						inside = path + string(rune('0'+i))
					}
					walk(path+"[]", inside)
				} else {
					name, _ := dec.Token()
					walk(path+"."+name.(string), in)
				}
			}
			_, _ = dec.Token()
		case string:
			if text := strings.TrimSpace(token); text != "" {
				list = append(list, leaf{end - 1, path, text, in})
			}
		case json.Number:
			list = append(list, leaf{end - 1, path, token.String(), in})
		case bool:
			list = append(list, leaf{end - 1, path, "bool", in})
		}
	}
	walk("", "")
	return list
}

// envelope are the members that docs/webhooks.md lists under Others as in no Raw, except those of contacts.
var envelope = regexp.MustCompile(`^(\.(object|field|event)` +
	`|\.entry\[\]\.(id|time)|\.entry\[\]\.changes\[\]\.field` +
	`|VALUE(\.standby)?\.messaging_product` +
	`|VALUE\.metadata\.(phone_number_id|display_phone_number)` +
	`|VALUE(\.standby)?\.history\[\]\.threads\[\]\.(id|context\.(wa_id|user_id|parent_user_id|username)))$`)

var (
	valuePath   = regexp.MustCompile(`^(\.entry\[\]\.changes\[\]\.value|\.value|\.data)`)
	contactPath = regexp.MustCompile(`^VALUE(\.standby)?\.contacts\[\]`)
	contactFact = regexp.MustCompile(`\.contacts\[\]\.(wa_id|user_id|parent_user_id|profile\.(name|username))$`)
)

// requireLeaves checks that each leaf of a payload is inside a Raw or a ConversationContext, in a contact
// whose IDs and names an event contains, or in the envelope.
func requireLeaves(t testing.TB, payload []byte, w webhooknorm.Webhook) {
	t.Helper()
	covered := make([]bool, len(payload)+1)
	cover := func(raw []byte) {
		if len(raw) > 0 {
			start := int(uintptr(unsafe.Pointer(unsafe.SliceData(raw))) - uintptr(unsafe.Pointer(unsafe.SliceData(payload))))
			for i := range raw {
				covered[start+i] = true
			}
		}
	}
	said := map[string]bool{}
	for _, e := range w.Events {
		cover(e.Raw)
		cover(e.ConversationContext)
		for _, text := range []string{e.BSUID, e.ParentBSUID, e.Phone, e.Username, e.DisplayName} {
			said[text] = true
		}
	}
	for _, o := range w.Others {
		cover(o.Raw)
	}
	top := members(bytes.TrimSpace(payload))
	isWrapped := top["entry"] != nil || len(w.Events)+len(w.Others) > 0 && !isBareValue(top)
	for _, leaf := range leaves(payload) {
		path := "VALUE" + leaf.path
		if isWrapped {
			path = valuePath.ReplaceAllString(leaf.path, "VALUE")
		}
		switch {
		case covered[leaf.start] || envelope.MatchString(path):
		case contactPath.MatchString(path):
			if !contactFact.MatchString(path) || payload[leaf.start] != '"' && !strings.HasSuffix(path, ".wa_id") {
				continue // only a wa_id may be a number
			}
			c := identify(leaf.text, "", leaf.text)
			name := withoutAt(leaf.text)
			isSaid := said[leaf.text] || said[c.user] && c.user != "" || said[c.phone] && c.phone != "" || said[name] || name == ""
			for number := range said {
				isSaid = isSaid || number != "" && c.phone != "" && isSameNumber(number, c.phone)
			}
			isNobody := strings.HasSuffix(path, ".wa_id") && identify("", "", leaf.text) == (ids{})
			require.True(t, isSaid || isNobody, "%s (%s) of %s", path, leaf.text, payload)
		default:
			require.Fail(t, "lost", "%s (%s) of %s", path, leaf.text, payload)
		}
	}
}

// Nothing that a payload says disappears.
func TestEveryLeafArrives(t *testing.T) {
	file, err := vectors.Load[input, json.RawMessage]("webhook_read.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		payload := v.Input.bytes(t)
		if w, err := webhooknorm.Read(payload); err == nil {
			requireLeaves(t, payload, w)
		}
	}
	n := 0
	for seed := range uint64(600) {
		g := &payloadWriter{Rand: rand.New(rand.NewPCG(seed, 5)), rich: 1 + int(seed%7)}
		var b bytes.Buffer
		g.write(&b, pick(g.Rand, []string{"payload", "payload", "value"}), 0)
		payload := b.Bytes()
		for range seed % 3 {
			payload = g.mutate(payload)
		}
		if w, err := webhooknorm.Read(payload); err == nil {
			requireLeaves(t, payload, w)
			n++
		}
	}
	require.Greater(t, n, 300)
}

// A part of a payload arrives, whatever stands in the place of what should be there: each node of each
// vector is replaced, in turn, by a value of another shape.
func TestEveryShapeArrives(t *testing.T) {
	file, err := vectors.Load[input, json.RawMessage]("webhook_read.json")
	require.NoError(t, err)
	const healthy = `{"id":"1","changes":[{"field":"messages","value":{"messages":[{"from_user_id":"US.1","id":"A","type":"text"}]}}]}`
	n := 0
	for _, v := range file.Vectors {
		var payload map[string]any
		dec := json.NewDecoder(bytes.NewReader(v.Input.bytes(t)))
		dec.UseNumber()
		if dec.Decode(&payload) != nil {
			continue
		}
		if entries, ok := payload["entry"].([]any); ok { // what stands beside it mustn't decide
			payload["entry"] = append(entries, json.RawMessage(healthy))
		}
		var replace func(node any, set func(any))
		replace = func(node any, set func(any)) {
			for _, other := range []string{`{"x":"lost"}`, `["lost",{"x":"lost"}]`, `"lost"`} {
				set(json.RawMessage(other))
				text, err := json.Marshal(payload)
				require.NoError(t, err)
				if w, err := webhooknorm.Read(text); err == nil {
					requireLeaves(t, text, w)
					n++
				}
			}
			set(node)
			switch node := node.(type) {
			case map[string]any:
				for _, name := range slices.Sorted(maps.Keys(node)) {
					replace(node[name], func(v any) { node[name] = v })
				}
			case []any:
				for i := range node {
					replace(node[i], func(v any) { node[i] = v })
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(payload)) {
			replace(payload[name], func(v any) { payload[name] = v })
		}
	}
	require.Greater(t, n, 5000)
}

// These payloads each say something that no event does.
func TestWhatNoEventSays(t *testing.T) {
	const message = `{"from":"16505551234","id":"A","type":"text"}`
	for payload, raw := range map[string]string{
		`{"metadata":{},"messages":[` + message + `,null]}`:                                                                                           "",
		`{"metadata":{},"messages":[` + message + `,"wamid.B"]}`:                                                                                      "",
		`{"metadata":{},"messages":[` + message + `,[{"from":"4917"}]]}`:                                                                              "",
		`{"metadata":{"x":1},"messages":[` + message + `]}`:                                                                                           "",
		`{"metadata":{},"x":true,"messages":[` + message + `]}`:                                                                                       "",
		`{"metadata":{},"contacts":[{"wa_id":"16505551234"},{"wa_id":"491"}],"messages":[` + message + `]}`:                                           "",
		`{"metadata":{},"contacts":[{"wa_id":"16505551234"},7],"messages":[` + message + `]}`:                                                         "",
		`{"metadata":{},"contacts":[{"wa_id":"16505551234","user_id":"US.1"},{"wa_id":"16505551234","user_id":"US.2"}],"messages":[` + message + `]}`: "",
		`{"entry":[{"changes":["x",{"value":{"messages":[` + message + `]}}]}]}`:                                                                      `{"changes":["x",{"value":{"messages":[` + message + `]}}]}`,
		`{"entry":[{"id":"1","messaging":[{"x":1}],"changes":[{"value":{"messages":[` + message + `]}}]}]}`:                                           `{"id":"1","messaging":[{"x":1}],"changes":[{"value":{"messages":[` + message + `]}}]}`,
		`{"entry":[7,{"changes":[{"value":{"messages":[` + message + `]}}]}]}`:                                                                        "",
		`{"app":"1","entry":[{"changes":[{"value":{"messages":[` + message + `]}}]}]}`:                                                                "",
		`{"entry":[{"changes":[{"field":{"x":1},"value":{"messages":[` + message + `]}}]}]}`:                                                          `{"field":{"x":1},"value":{"messages":[` + message + `]}}`,
		`{"entry":[{"changes":[{"field":"messages","id":"7","value":{"messages":[` + message + `]}}]}]}`:                                              `{"field":"messages","id":"7","value":{"messages":[` + message + `]}}`,
		`{"history":[{"x":1,"threads":[{"id":"491","messages":[{"id":"A"}]}]}]}`:                                                                      `{"x":1,"threads":[{"id":"491","messages":[{"id":"A"}]}]}`,
		`{"history":[{"threads":[{"id":"491","messages":[{"id":"A"},1]}]}]}`:                                                                          `{"id":"491","messages":[{"id":"A"},1]}`,
		`{"history":[{"threads":[{"id":"491","context":{"x":1},"messages":[{"id":"A"}]}]}]}`:                                                          `{"id":"491","context":{"x":1},"messages":[{"id":"A"}]}`,
	} {
		w := mustRead(t, []byte(payload))
		require.Len(t, w.Events, 1, payload)
		require.Len(t, w.Others, 1, payload)
		if raw == "" {
			raw = payload
		}
		require.Equal(t, raw, string(w.Others[0].Raw))
	}
	for _, payload := range []string{ // these say nothing more
		`{"object":"whatsapp_business_account","entry":[{"id":"1","time":1,"changes":[{"field":"messages","value":{"messages":[` + message + `]}}]}]}`,
		`{"messaging_product":"whatsapp","metadata":{"phone_number_id":"1","display_phone_number":"2"},"contacts":[{"wa_id":"16505551234","profile":{"name":"Ada"},"x":1}],"messages":[` + message + `],"statuses":null,"errors":null,"x":"","y":{},"z":[]}`,
		`{"contacts":[{"wa_id":"5511987654321"}],"messages":[{"from":"551187654321","type":"text"}]}`, // two forms of a number
	} {
		require.Empty(t, mustRead(t, []byte(payload)).Others, payload)
	}
}
