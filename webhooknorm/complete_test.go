package webhooknorm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

// Nothing in a payload disappears: every change, and every element of a known array, is the Raw of
// an event or of an Other, or inside the Raw of an Other. So is every other object in a change's value,
// except contacts and the business's own IDs.

func TestEverythingInTheCorpusArrives(t *testing.T) {
	payloads, err := fs.Sub(corpus(t), "payloads")
	require.NoError(t, err)
	err = fs.WalkDir(payloads, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || unrecognized[name] != "" {
			return err
		}
		t.Run(name, func(t *testing.T) {
			payload, err := fs.ReadFile(payloads, name)
			require.NoError(t, err)
			requireEverything(t, payload)
		})
		return nil
	})
	require.NoError(t, err)
}

// smallValues are values with parts that random values rarely have.
var smallValues = []string{
	`{}`,
	`null`,
	`[1]`,
	`{"event":"x"}`,
	`{"errors":[{"code":1}]}`,
	`{"history":[{"metadata":{"progress":55},"threads":[{"messages":[{"id":"a"}]}]}]}`,
	`{"history":[{"threads":[{"messages":[{"id":"b"}]}],"errors":[{"code":2593109}]}]}`,
	`{"standby":{"messages":[{"id":"c"}],"polls":[{"id":"p"}]}}`,
	`{"standby":{"messages":[{"id":"d"}],"standby":{"x":1}}}`,
}

func TestEverythingInRandomPayloadsArrives(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		values := []string{someValue(r), someValue(r), pick(r, append(slices.Clone(smallValues), someValue(r)))}
		field := pick(r, []string{"messages", "history", "standby", "account_update"})
		requireEverything(t, []byte(strings.ReplaceAll(string(payloadOf(values...)), `{"value"`, `{"field":"`+field+`","value"`)))
		requireEverything(t, []byte(`{"field":"`+field+`","value":`+values[0]+`}`))
	}
}

// requireEverything looks for each part of a payload in what Read returns for it.
func requireEverything(t *testing.T, payload []byte) {
	t.Helper()
	w := mustRead(t, payload)
	var events, others, contexts []json.RawMessage
	for _, e := range w.Events {
		events, contexts = append(events, e.Raw), append(contexts, e.ConversationContext)
	}
	for _, o := range w.Others {
		others = append(others, o.Raw)
	}
	a := arrived{events: countRaw(events), others: countRaw(others)}
	for _, raws := range [][]json.RawMessage{events, others, contexts} {
		for _, raw := range raws {
			a.all += string(raw) + "\n"
		}
	}
	top := members(payload)
	switch {
	case top["entry"] != nil:
		for _, entry := range top.objects("entry") {
			for _, change := range members(entry).objects("changes") {
				value, ok := members(change)["value"]
				if !ok {
					value = change
				}
				a.requireValue(t, value, payload)
			}
		}
	case top["field"] != nil:
		a.requireValue(t, top["value"], payload)
	default:
		a.requireValue(t, payload, payload)
	}
	for _, e := range w.Events {
		require.Equal(t, e.Kind == webhooknorm.KindHandover, e.Handover != nil)
		require.True(t, e.Change == nil || e.Type == "system" || e.Kind == webhooknorm.KindIdentityUpdate, "%s", e.Raw)
	}
	requireSmallJSON(t, w, payload)
}

// requireSmallJSON checks that the payload isn't repeated for each of its parts. Raw contains a message
// at most six times: as the event, in the conversation context and the handover, and in the others with
// its value, its change and its entry.
func requireSmallJSON(t *testing.T, w webhooknorm.Webhook, payload []byte) {
	t.Helper()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // which makes six bytes of a <
	require.NoError(t, e.Encode(w))
	const shared = 600 // bytes of a part's members other than Raw
	parts := len(w.Events) + len(w.Others)
	require.LessOrEqual(t, text.Len(), 6*len(payload)+shared*parts, "%s", payload)
}

// arrived contains how often each Raw arrived, and all of them with the conversation contexts.
type arrived struct {
	events, others map[string]int
	all            string
}

// requireInside checks a part that needn't be alone in its Raw, unless it's empty.
func (a *arrived) requireInside(t *testing.T, part, payload json.RawMessage) {
	t.Helper()
	if len(members(part)) > 0 || len(members([]byte(`{"array":`+string(part)+`}`)).objects("array")) > 0 {
		require.Contains(t, a.all, string(part), "part %s of %s", part, payload)
	}
}

func countRaw(raws []json.RawMessage) map[string]int {
	n := map[string]int{}
	for _, raw := range raws {
		n[string(raw)]++
	}
	return n
}

// take reports whether there's a Raw that wasn't taken yet.
func take(from map[string]int, raw json.RawMessage) bool {
	if from[string(raw)] == 0 {
		return false
	}
	from[string(raw)]--
	return true
}

var elementArrays = []string{
	"messages", "statuses", "message_echoes", "calls", "user_preferences", "user_id_update", "history", "state_sync", "groups",
}

func (a *arrived) requireValue(t *testing.T, value, payload json.RawMessage) {
	t.Helper()
	o := members(value)
	n := 0
	for i, part := range []object{o, o.object("standby")} {
		for _, array := range elementArrays {
			for _, element := range part.objects(array) {
				n++
				a.requireElement(t, array, element, payload)
			}
		}
		for name, member := range part {
			if isObject(member) && (name == "metadata" || name == "recipient" || i == 0 && name == "standby") ||
				isArray(member) && (name == "contacts" || slices.Contains(elementArrays, name)) {
				continue
			}
			a.requireInside(t, member, payload)
		}
	}
	if isObject(o["sender"]) || isObject(o["control_passed"]) || isObject(o["control_taken"]) {
		n++
		require.True(t, take(a.events, value), "handover %s of %s", value, payload)
	}
	if n == 0 || len(o.objects("errors")) > 0 {
		require.True(t, take(a.others, value), "value %s of %s", value, payload)
	}
}

func (a *arrived) requireElement(t *testing.T, array string, element, payload json.RawMessage) {
	t.Helper()
	var inside []json.RawMessage
	o := members(element)
	switch array {
	case "history":
		for _, thread := range o.objects("threads") {
			messages := members(thread).objects("messages")
			if len(messages) == 0 {
				a.requireInside(t, thread, payload)
			}
			inside = append(inside, messages...)
		}
		if isObject(o["metadata"]) {
			a.requireInside(t, o["metadata"], payload)
		}
		if len(inside) == 0 || len(o.objects("errors")) > 0 {
			require.True(t, take(a.others, element), "history %s of %s", element, payload)
		}
	case "groups":
		for _, name := range names(element) {
			if strings.HasSuffix(name, "participants") {
				inside = append(inside, o.objects(name)...)
			}
		}
		if len(inside) == 0 { // no event, or a request to join
			require.True(t, take(a.others, element) || take(a.events, element), "group %s of %s", element, payload)
		} else {
			require.True(t, take(a.others, element), "group %s of %s", element, payload)
		}
	default:
		inside = append(inside, element)
	}
	for _, raw := range inside {
		require.True(t, take(a.events, raw), "%s in %s", raw, payload)
	}
}

// What events share is handed over once, so that the JSON of a webhook isn't much larger than
// the payload.
func TestSizeOfJSON(t *testing.T) {
	long := `"` + strings.Repeat("x", 100_000) + `"`
	value := func(members string) string {
		return `{"entry":[{"id":"104","changes":[{"field":"messages","value":{` + members + `}}]}]}`
	}
	for name, payload := range map[string]string{
		"context":           value(`"conversation_context":{"summary":` + long + `},"messages":` + many(5000, `{"from":"491","id":"m"}`)),
		"context, handover": value(`"sender":{"phone_number":"491"},"control_passed":{"conversation_context":{"x":` + long + `},"metadata":{"x":` + long + `}}`),
		"group":             value(`"groups":[{"group_id":"120","subject":` + long + `,"added_participants":` + many(5000, `{"wa_id":"491"}`) + `}]`),
		"groups":            value(`"groups":` + many(5000, `{"group_id":"120","wa_id":"491","added_participants":[{"wa_id":"491"}]}`)),
		"history":           value(`"history":[{"metadata":{"x":` + long + `},"threads":` + many(5000, `{"id":"491","messages":[{"id":"m"}]}`) + `,"errors":[{"code":1}]}]`),
		"errors":            value(`"errors":` + many(5000, `{"code":1}`) + `,"messages":` + many(5000, `{"from":"491"}`)),
		"unknown members":   value(`"x":{"x":` + long + `},"y":[{}],"messages":` + many(5000, `{"from":"491"}`)),
		"changes":           `{"entry":[{"id":"104","changes":` + many(10_000, `{"value":1}`) + `}]}`,
	} {
		w := mustRead(t, []byte(payload))
		text, err := json.Marshal(w)
		require.NoError(t, err)
		require.Less(t, len(text), 10*len(payload), name)
	}
}

// If events repeat long texts, no list could contain them all.
func TestRepeatedTexts(t *testing.T) {
	long := `"` + strings.Repeat("1", 10_000) + `"`
	messages := `"messages":` + many(10_000, `{"from":"491"}`)
	for _, payload := range []string{
		`{"entry":[{"id":` + long + `,"changes":[{"value":{` + messages + `}}]}]}`,
		`{"entry":[{"changes":[{"field":` + long + `,"value":{` + messages + `}}]}]}`,
		`{"metadata":{"phone_number_id":` + long + `},` + messages + `}`,
		`{"metadata":{"display_phone_number":` + long + `},` + messages + `}`,
		`{"contacts":[{"wa_id":"491","profile":{"name":` + long + `}}],` + messages + `}`,
		`{"contacts":[{"wa_id":"491","profile":{"username":` + long + `}}],` + messages + `}`,
		`{"contacts":[{"wa_id":"491","user_id":` + long + `}],` + messages + `}`,
		`{"groups":[{"group_id":` + long + `,"participants":` + many(10_000, `{}`) + `}]}`,
		`{"groups":[{"type":` + long + `,"participants":` + many(10_000, `{}`) + `}]}`,
		`{"history":[{"threads":[{"id":` + long + `,"messages":` + many(10_000, `{}`) + `}]}]}`,
		`{"entry":[{"time":` + long + `,"changes":` + many(10_000, `{}`) + `}]}`,
	} {
		_, err := webhooknorm.Read([]byte(payload))
		require.ErrorIs(t, err, webhooknorm.CodeTooManyEvents, fmt.Sprintf("%.80s", payload))
	}
}
