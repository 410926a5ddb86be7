package webhooknorm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

type (
	readOutput struct {
		Events []output
		Others []other
	}
	other struct {
		At  string
		UTC string `json:"time"`
		webhooknorm.Other
	}
)

func TestReadVectors(t *testing.T) {
	file, err := vectors.Load[input, readOutput]("webhook_read.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			payload := v.Input.bytes(t)
			w, err := webhooknorm.Read(payload)
			checkRead(t, payload)
			if v.Output == nil {
				require.Equal(t, v.Codes, problem.All(err).Codes())
				require.Zero(t, w)
				return
			}
			require.NoError(t, err)
			var want webhooknorm.Webhook
			for _, e := range v.Output.Events {
				want.Events = append(want.Events, e.event(t, payload))
			}
			for _, o := range v.Output.Others {
				o.Raw = resolve(t, payload, o.At)
				want.Others = append(want.Others, o.Other)
				utc := ""
				if at, ok := o.Time(); ok {
					utc = at.Format(time.RFC3339Nano)
				}
				require.Equal(t, o.UTC, utc)
			}
			compactContext(want.Events)
			compactContext(w.Events)
			require.Equal(t, want, w)
			for i, e := range v.Output.Events {
				e.requireMethods(t, w.Events[i])
			}
		})
	}
}

// checkRead holds Read to what is true of every payload.
func checkRead(t testing.TB, payload []byte) webhooknorm.Webhook {
	before := bytes.Clone(payload)
	events, err := webhooknorm.Normalize(payload)
	want, code := referenceRead(payload, false)
	if code != "" {
		require.ErrorIs(t, err, code)
	} else {
		require.NoError(t, err)
	}
	require.Equal(t, want.Events, events)
	w, err := webhooknorm.Read(payload)
	want, code = referenceRead(payload, true)
	if code != "" {
		require.ErrorIs(t, err, code)
		require.Zero(t, w)
		return w
	}
	require.NoError(t, err)
	require.Equal(t, want, w)
	require.Equal(t, before, payload, "the payload is not changed")
	var normal []webhooknorm.Event
	for _, e := range w.Events {
		if e.Kind == webhooknorm.KindMessage || e.Kind == webhooknorm.KindStatus {
			normal = append(normal, e)
		}
	}
	if len(events) > 0 { // Read accepts more shapes
		live := slices.DeleteFunc(events, func(e webhooknorm.Event) bool { return e.Kind == webhooknorm.KindMessage && e.Field == "history" })
		require.Equal(t, append([]webhooknorm.Event{}, live...), append([]webhooknorm.Event{}, normal...), "Read finds of live messages and statuses what Normalize finds")
	}
	ids := idsDeepIn(bytes.TrimSpace(payload))
	for _, e := range w.Events {
		require.True(t, isObject(e.Raw) && json.Valid(e.Raw), "%s is no object", e.Raw)
		require.Equal(t, len(e.Raw), cap(e.Raw))
		for _, id := range []string{e.BSUID, e.ParentBSUID, e.Phone} {
			require.True(t, id == "" || ids[id], "%q is nowhere in the payload", id)
		}
	}
	for _, e := range w.Events {
		c := e.Change
		if c == nil {
			continue
		}
		require.NotZero(t, c.Current)
		own := idsDeepIn(e.Raw)
		for _, id := range []string{
			c.Previous.BSUID, c.Previous.ParentBSUID, c.Previous.Phone,
			c.Current.BSUID, c.Current.ParentBSUID, c.Current.Phone, c.Phone,
		} {
			require.True(t, id == "" || own[id], "%q is not of %s", id, e.Raw)
		}
	}
	return w
}

// idsDeepIn returns everything in a text, at any depth, that can be an id after
// cleaning.
func idsDeepIn(text json.RawMessage) map[string]bool {
	ids := idsIn(text)
	var below []json.RawMessage
	if isArray(text) {
		_ = json.Unmarshal(text, &below)
	}
	for _, raw := range members(text) {
		below = append(below, raw)
	}
	for _, raw := range below {
		for id := range idsDeepIn(raw) {
			ids[id] = true
		}
	}
	return ids
}

// arraysOf are the arrays with one event for each element, and the kinds of the events.
var arraysOf = map[string][]webhooknorm.Kind{
	"message_echoes":   {webhooknorm.KindEcho},
	"calls":            {webhooknorm.KindCall, webhooknorm.KindCallToUser},
	"user_preferences": {webhooknorm.KindPreference},
	"user_id_update":   {webhooknorm.KindIdentityUpdate},
	"state_sync":       {webhooknorm.KindAppContact},
}

// withoutPerson are the files of the corpus with echoes or calls that name no person.
var withoutPerson = map[string]string{
	"david-lev-pywa-call_connect-business_initiated.json": "the person's side has the business's own number",
	"david-lev-pywa-outgoing_message-delete.json":         "the person's side has the business's own number",
	"david-lev-pywa-outgoing_message-edit.json":           "the person's side has the business's own number",
}

func TestReadCorpus(t *testing.T) {
	payloads, err := fs.Sub(corpus(t), "payloads")
	require.NoError(t, err)
	seen := map[webhooknorm.Kind]int{}
	changes := 0
	err = fs.WalkDir(payloads, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		t.Run(name, func(t *testing.T) {
			payload, err := fs.ReadFile(payloads, name)
			require.NoError(t, err)
			w := checkRead(t, payload)
			var tree any
			require.NoError(t, json.Unmarshal(payload, &tree))
			for array, kinds := range arraysOf {
				got := 0
				for _, kind := range kinds {
					got += countKind(w.Events, kind)
				}
				require.Equal(t, count(tree, array), got, array)
			}
			for _, e := range w.Events {
				seen[e.Kind]++
				if e.Change != nil {
					changes++
				}
				_, exception := withoutPerson[name]
				if e.Kind != webhooknorm.KindMessage && e.Kind != webhooknorm.KindStatus && !exception {
					require.NotEmpty(t, e.BSUID+e.Phone, "%s names no person", e.Raw)
				}
			}
		})
		return nil
	})
	require.NoError(t, err)
	t.Log(seen, "changes:", changes)
	for _, kinds := range arraysOf {
		for _, kind := range kinds {
			if kind != webhooknorm.KindAppContact { // the corpus has none
				require.NotZero(t, seen[kind], kind)
			}
		}
	}
	require.NotZero(t, seen[webhooknorm.KindParticipant])
	require.NotZero(t, changes)
}

func FuzzRead(f *testing.F) {
	file, err := vectors.Load[input, readOutput]("webhook_read.json")
	require.NoError(f, err)
	for _, v := range file.Vectors {
		f.Add(v.Input.bytes(f))
	}
	for seed := range uint64(100) {
		f.Add(payloadOf(someValue(rand.New(rand.NewPCG(seed, 3)))))
	}
	f.Fuzz(func(t *testing.T, payload []byte) { checkRead(t, bytes.Clone(payload)) })
}

// The element of a handover is its value, without the white space around it.
func TestRawOfHandover(t *testing.T) {
	const value = `{"contacts":[],"sender":{"phone_number":"491"},"control_passed":{"new_owner_role":"r"}}`
	for _, payload := range []string{
		value,
		" \t\r\n" + value + "\n ",
		`{"entry":[{"changes":[{"value": ` + value + ` }]}]}`,
	} {
		w := checkRead(t, []byte(payload))
		require.Len(t, w.Events, 1)
		require.Equal(t, &webhooknorm.Handover{NewOwner: "r"}, w.Events[0].Handover)
		require.Equal(t, value, string(w.Events[0].Raw))
	}
}

func ExampleRead() {
	w, err := webhooknorm.Read([]byte(`{"entry": [{"changes": [{"field": "user_id_update", "value": {
		"contacts": [{"profile": {"name": "Ada"}, "wa_id": "16505551234"}],
		"user_id_update": [{"wa_id": "16505551234",
			"user_id": {"previous": "US.10101010101010101010", "current": "US.13491208655302741918"}}]
	}}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range w.Events {
		if c := e.Change; c != nil {
			fmt.Println(c.Previous.BSUID, "is now", c.Current.BSUID)
		}
	}
	// Output: US.10101010101010101010 is now US.13491208655302741918
}

// What stands beside the elements of a standby is no event, so it'd be lost.
func TestReadKeepsWhatStandsInStandby(t *testing.T) {
	for _, member := range []string{
		`"errors":[{"code":130429}]`, `"conversation_context":{"summary":"x"}`, `"control_passed":{}`, `"sender":{"wa_id":"491"}`, `"standby":{}`, `"type":{"x":1}`,
	} {
		value := `{"standby":{"messages":[{"id":"a","from":"4915100000000"}],` + member + `}}`
		w := mustRead(t, payloadOf(value))
		require.Len(t, w.Events, 1)
		require.Len(t, w.Others, 1, member)
		require.Equal(t, value, string(w.Others[0].Raw))
	}
}

// The only contact isn't the addressee of an echo to a group.
func TestEchoToAGroupIsAboutNobody(t *testing.T) {
	w := mustRead(t, payloadOf(`{"contacts":[{"wa_id":"4915100000000"}],"message_echoes":[{"id":"e","from":"15550783881","to":"1203630@g.us"}]}`))
	require.Len(t, w.Events, 1)
	require.Empty(t, w.Events[0].Person)
	require.Equal(t, "1203630@g.us", w.Events[0].GroupID)
	_, ok := w.Events[0].Address()
	require.False(t, ok)
}

// Another application answers what arrives under the field standby, even without the inner object.
func TestFieldStandbyIsStandby(t *testing.T) {
	w := mustRead(t, []byte(`{"entry":[{"changes":[{"field":"standby","value":{"messages":[{"id":"a","from":"4915100000000","type":"text"}]}}]}]}`))
	require.Len(t, w.Events, 1)
	require.True(t, w.Events[0].Standby)
	require.False(t, w.Events[0].WantsReply())
}

// ReadUpTo returns what Read does, or rejects a payload with more events and others than n.
func TestReadUpTo(t *testing.T) {
	file, err := vectors.Load[input, json.RawMessage]("webhook_read.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		payload := v.Input.bytes(t)
		want, wantErr := webhooknorm.Read(payload)
		n := len(want.Events) + len(want.Others)
		got, err := webhooknorm.ReadUpTo(payload, n)
		require.Equal(t, wantErr, err, v.ID)
		require.Equal(t, want, got, v.ID)
		if n > 0 {
			_, err = webhooknorm.ReadUpTo(payload, n-1)
			require.ErrorIs(t, err, webhooknorm.CodeTooManyEvents, v.ID)
		}
	}
}
