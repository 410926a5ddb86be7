package webhooknorm_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

// A generator makes up values. It draws from few ids, so that elements and
// contacts often have some in common, not seldom wrongly.
type generator struct {
	*rand.Rand
	repeat bool // some names come twice
}

type tree = map[string]any

func newGenerator(seed uint64) generator { return generator{Rand: rand.New(rand.NewPCG(seed, 1))} }

func (g generator) one(of ...any) any { return of[g.IntN(len(of))] }

// maybe sets a member in two of three cases.
func (g generator) maybe(o tree, name string, of ...any) {
	if g.IntN(3) > 0 {
		o[name] = g.one(of...)
	}
}

var (
	someUsers   = []any{"US.1", "US.2", "US.3", "US.ENT.7", "", nil, "who"}
	someParents = []any{"US.ENT.7", "US.ENT.8", "", nil}
	somePhones  = []any{"491", "+49 2", 493, "US.3", "US.ENT.8", "7@g.us", "", nil}
	someNames   = []any{"Ada", "Bob", " ", nil}
)

func (g generator) ids(o tree, user, parent, phone string) {
	g.maybe(o, user, someUsers...)
	g.maybe(o, parent, someParents...)
	g.maybe(o, phone, somePhones...)
}

func (g generator) message() any {
	if g.IntN(10) == 0 {
		return g.one(nil, "message", 1, []any{})
	}
	o := tree{"id": g.Uint32()}
	g.ids(o, "from_user_id", "from_parent_user_id", "from")
	g.content(o)
	if g.IntN(6) == 0 {
		g.maybe(o, "from_bsuid", someUsers...)
	}
	if g.IntN(4) == 0 {
		system := tree{}
		g.maybe(system, "type", "user_changed_number", "user_changed_user_id", "user_changed_user_id", "customer_identity_changed")
		g.maybe(system, "previous_user_id", someUsers...)
		g.maybe(system, "previous_parent_user_id", someParents...)
		g.ids(system, "user_id", "parent_user_id", "wa_id")
		g.maybe(system, "new_wa_id", somePhones...)
		g.maybe(system, "customer", somePhones...)
		o["system"] = g.one(system, system, nil)
		g.maybe(o, "type", "system", "system", "text")
	}
	if g.IntN(6) == 0 {
		g.maybe(o, "type", "contacts", "contacts", "text")
		g.maybe(o, "origin", "contact_request", "other")
		g.maybe(o, "contacts", g.list(3, g.card))
	}
	if g.IntN(6) == 0 {
		g.maybe(o, "group_id", "7@g.us", "491", "who")
	}
	return o
}

// content adds members that messages of all kinds have.
func (g generator) content(o tree) {
	if g.IntN(3) > 0 {
		return
	}
	g.maybe(o, "type", "text", "image", "system", "", nil)
	g.maybe(o, "timestamp", "1763700000", 1763700000, nil)
	g.maybe(o, "text", tree{"body": "a \u00e9 \" b"}, tree{}, nil)
	g.maybe(o, "context", tree{"id": g.one("wamid.0", 7, nil), "from": g.one(somePhones...)}, nil)
	g.maybe(o, "group_id", "7@g.us", "491", nil)
	g.maybe(o, "errors", g.list(3, func() any {
		e := tree{}
		g.maybe(e, "code", 131047, "131051", nil, 1.5)
		g.maybe(e, "title", "T", nil)
		g.maybe(e, "message", "M")
		g.maybe(e, "error_data", tree{"details": "D"}, nil)
		return g.one(e, e, nil)
	}))
}

// card makes a shared contact card.
func (g generator) card() any {
	o := tree{}
	g.maybe(o, "origin", "contact_request", "other")
	g.maybe(o, "phones", g.list(3, func() any {
		phone := tree{}
		g.maybe(phone, "phone", somePhones...)
		g.maybe(phone, "wa_id", somePhones...)
		return phone
	}))
	return o
}

func (g generator) status() any {
	if g.IntN(10) == 0 {
		return g.one(nil, "status", 1, []any{})
	}
	o := tree{"id": g.Uint32()}
	g.content(o)
	g.ids(o, "recipient_user_id", "recipient_parent_user_id", "recipient_id")
	g.maybe(o, "parent_recipient_user_id", someParents...)
	if g.IntN(3) == 0 {
		g.maybe(o, "recipient_type", "group", "individual")
		g.ids(o, "recipient_participant_user_id", "recipient_participant_parent_user_id", "recipient_participant_id")
		g.ids(o, "participant_recipient_user_id", "participant_recipient_parent_user_id", "participant_recipient_id")
	}
	return o
}

func (g generator) contact() any {
	if g.IntN(10) == 0 {
		return g.one(nil, "contact", 1, []any{})
	}
	o, profile := tree{}, tree{}
	g.ids(o, "user_id", "parent_user_id", "wa_id")
	g.maybe(o, "username", "bob", "@bob", "@", nil)
	g.maybe(profile, "username", "ada", "@ada", "@", nil)
	g.maybe(profile, "name", someNames...)
	g.maybe(o, "profile", profile, profile, profile, nil)
	return o
}

// other makes an element of an array that only Read reads. It has members of all of them.
func (g generator) other() any {
	o := tree{"id": g.Uint32()}
	g.content(o)
	g.maybe(o, "direction", "USER_INITIATED", "BUSINESS_INITIATED", "business_initiated", "x")
	g.maybe(o, "event", "connect")
	g.maybe(o, "value", "stop")
	g.ids(o, "from_user_id", "from_parent_user_id", "from")
	g.ids(o, "to_user_id", "to_parent_user_id", "to")
	if g.IntN(2) == 0 {
		for _, side := range []string{"from_user_id", "from_parent_user_id", "to_user_id", "to_parent_user_id"} {
			delete(o, side)
		}
	}
	g.ids(o, "user_id", "parent_user_id", "wa_id")
	if g.IntN(2) == 0 {
		for _, name := range []string{"user_id", "parent_user_id"} {
			both := tree{}
			g.maybe(both, "previous", someUsers...)
			g.maybe(both, "current", someUsers...)
			o[name] = both
		}
	}
	if g.IntN(3) == 0 {
		inner := tree{}
		g.maybe(inner, "to", somePhones...)
		g.maybe(inner, "recipient", someUsers...)
		g.maybe(inner, "recipient_type", "group", "individual")
		g.content(inner)
		o["message"] = inner
	}
	return o
}

// thread makes a thread of the history.
func (g generator) thread() any {
	o, context := tree{}, tree{}
	g.maybe(o, "id", somePhones...)
	if g.IntN(2) == 0 {
		g.ids(context, "user_id", "parent_user_id", "wa_id")
		g.maybe(context, "username", "@ada", nil)
		o["context"] = context
	}
	g.maybe(o, "messages", g.list(4, g.other), nil)
	return o
}

func (g generator) history() any { return tree{"threads": g.list(3, g.thread)} }

// participant makes a participant of a group.
func (g generator) participant() any {
	o := tree{}
	g.ids(o, "user_id", "parent_user_id", "wa_id")
	g.content(o)
	g.maybe(o, "input", somePhones...)
	g.maybe(o, "username", "@ada", nil)
	if g.IntN(3) == 0 {
		return tree{"input": g.one(somePhones...)}
	}
	return o
}

func (g generator) group() any {
	o := tree{}
	if g.IntN(2) == 0 {
		o = g.participant().(tree)
	}
	g.maybe(o, "type", "group_participants_add")
	g.maybe(o, "timestamp", 1)
	g.maybe(o, "added_participants", g.list(3, g.participant))
	g.maybe(o, "failed_participants", g.list(3, g.participant))
	return o
}

func (g generator) appContact() any {
	o, c := tree{}, tree{}
	g.ids(c, "user_id", "parent_user_id", "wa_id")
	g.maybe(c, "phone_number", somePhones...)
	g.maybe(c, "full_name", someNames...)
	g.maybe(c, "first_name", someNames...)
	g.maybe(c, "username", "@ada", nil)
	g.maybe(o, "contact", c, c, c, nil)
	g.maybe(o, "action", "add")
	g.maybe(o, "metadata", tree{"timestamp": 1})
	return o
}

// handover adds the members of a handover to a value.
func (g generator) handover(v tree) {
	sender, recipient, passed := tree{}, tree{}, tree{}
	g.ids(sender, "user_id", "parent_user_id", "wa_id")
	g.maybe(sender, "phone_number", somePhones...)
	g.maybe(recipient, "phone_number_id", "108", nil)
	g.maybe(recipient, "display_phone_number", somePhones...)
	g.maybe(passed, "previous_owner_role", "ai_agent", nil)
	g.maybe(passed, "previous_owner_app_role", "meta_business_agent", nil)
	g.maybe(passed, "new_owner_role", "escalation", nil)
	g.maybe(v, "sender", sender, sender, sender, nil)
	g.maybe(v, "recipient", recipient, nil)
	g.maybe(passed, "previous_owner_app_id", "1", 2, nil)
	g.maybe(passed, "previous_owner", tree{"app_id": 3, "app_role": "r"}, nil)
	g.maybe(passed, "metadata", "m", tree{"reason": 1}, nil)
	g.maybe(passed, "conversation_context", tree{"type": "history"}, nil)
	g.maybe(v, "control_passed", passed, nil)
	g.maybe(v, "control_taken", passed, tree{}, nil)
	g.maybe(v, "type", "control_passed")
	g.maybe(v, "timestamp", 1)
}

// encode writes a tree with the members of every object in a random order.
func (g generator) encode(value any) []byte {
	var b []byte
	switch value := value.(type) {
	case tree:
		b = append(b, '{')
		names := slices.Sorted(maps.Keys(value))
		if g.IntN(40) == 0 { // more names than are compared one by one
			value = maps.Clone(value)
			for i := range 17 {
				name := "unknown" + strconv.Itoa(i)
				value[name], names = i, append(names, name)
			}
		}
		if g.repeat && len(names) > 0 && g.IntN(20) == 0 {
			names = append(names, names[g.IntN(len(names))])
		}
		g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			if g.IntN(20) == 0 && name != "" {
				b = fmt.Appendf(b, "\"\\u%04x%s\" :", name[0], name[1:])
			} else {
				b = append(strconv.AppendQuote(b, name), ':')
			}
			b = append(b, g.encode(value[name])...)
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, element := range value {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, g.encode(element)...)
		}
		return append(b, ']')
	default:
		b, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		return b
	}
}

func (g generator) list(limit int, element func() any) any {
	list := make([]any, g.IntN(limit))
	for i := range list {
		list[i] = element()
	}
	return list
}

func (g generator) value() tree {
	v := tree{}
	if g.IntN(3) > 0 {
		metadata := tree{}
		g.maybe(metadata, "phone_number_id", "106", 107, nil)
		g.maybe(metadata, "display_phone_number", somePhones...)
		v["metadata"] = metadata
	}
	if g.IntN(4) == 0 {
		standby := tree{}
		g.maybe(standby, "messages", g.list(3, g.message))
		g.maybe(standby, "statuses", g.list(3, g.status))
		g.maybe(standby, "contacts", g.list(3, g.contact))
		g.maybe(standby, "message_echoes", g.list(3, g.other))
		v["standby"] = g.one(standby, standby, nil)
	}
	if g.IntN(2) == 0 {
		for _, name := range []string{"message_echoes", "calls", "user_preferences", "user_id_update"} {
			g.maybe(v, name, g.list(3, g.other), nil)
		}
	}
	if g.IntN(3) == 0 {
		g.maybe(v, "history", g.list(3, g.history), nil)
		g.maybe(v, "groups", g.list(3, g.group), nil)
		g.maybe(v, "state_sync", g.list(3, g.appContact), nil)
	}
	if g.IntN(8) == 0 {
		v["conversation_context"] = g.one(tree{"type": "summary"}, nil)
	}
	g.maybe(v, "messages", g.list(3, g.message), nil)
	g.maybe(v, "statuses", g.list(g.one(3, 3, 3, 3, 3, 3, 3, 3, 3, 40).(int), g.status), nil)
	g.maybe(v, "contacts", g.list(g.one(2, 3, 3, 20).(int), g.contact), nil)
	if g.IntN(4) == 0 { // few members, so that a single event meets a single contact
		for _, name := range []string{"messages", "statuses", "standby", "history", "groups", "state_sync", "message_echoes"} {
			if g.IntN(3) > 0 {
				delete(v, name)
			}
		}
	}
	return v
}

func wrap(values ...tree) tree {
	changes := make([]any, len(values))
	for i, v := range values {
		changes[i] = tree{"value": v}
	}
	return tree{"entry": []any{tree{"id": "104", "changes": changes}}}
}

func normalize(t *testing.T, payload any) []webhooknorm.Event {
	text, err := json.Marshal(payload)
	require.NoError(t, err)
	checkRead(t, text)
	events, err := webhooknorm.Normalize(text)
	require.NoError(t, err)
	return events
}

func read(t *testing.T, payload any) webhooknorm.Webhook {
	text, err := json.Marshal(payload)
	require.NoError(t, err)
	w, err := webhooknorm.Read(text)
	require.NoError(t, err)
	return w
}

// forRandomValues runs a property with values from many seeds.
func forRandomValues(t *testing.T, property func(t *testing.T, g generator, v tree)) {
	for seed := range uint64(500) {
		g := newGenerator(seed)
		v := g.value()
		property(t, g, v)
		if t.Failed() {
			text, _ := json.Marshal(v)
			t.Fatalf("seed %d: %s", seed, text)
		}
	}
}

// The second form agrees, whatever the order of the members.
func TestReadAgainstReference(t *testing.T) {
	for seed := range uint64(300) {
		g := newGenerator(seed)
		v := g.value()
		if g.IntN(6) == 0 {
			g.handover(v)
		}
		payload := g.encode(wrap(v, g.value()))
		checkRead(t, payload)
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, payload)
		}
	}
}

// FuzzGenerated compares the second form with payloads from any seed:
//
//	go test ./webhooknorm -run '^$' -fuzz FuzzGenerated -fuzztime 10m
func FuzzGenerated(f *testing.F) {
	for seed := range uint64(100) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := newGenerator(seed)
		g.repeat = g.IntN(4) == 0
		v := g.value()
		if g.IntN(4) == 0 {
			g.handover(v)
		}
		if g.IntN(50) == 0 {
			n := 1030
			v["statuses"] = make([]any, n)
			for i := range n {
				v["statuses"].([]any)[i] = g.status()
			}
		}
		payload := g.encode(v)
		if g.IntN(4) > 0 {
			payload = g.encode(wrap(v, g.value()))
		}
		checkRead(t, payload)
	})
}

func TestEveryObjectIsOneEvent(t *testing.T) {
	forRandomValues(t, func(t *testing.T, _ generator, v tree) {
		var want []any
		standby, _ := v["standby"].(tree)
		for _, level := range []tree{v, standby} {
			for _, name := range []string{"messages", "statuses"} {
				elements, _ := level[name].([]any)
				for _, e := range elements {
					if o, ok := e.(tree); ok {
						want = append(want, o)
					}
				}
			}
		}
		events := normalize(t, wrap(v))
		require.Len(t, events, len(want))
		for i, e := range events {
			text, err := json.Marshal(want[i])
			require.NoError(t, err)
			require.JSONEq(t, string(text), string(e.Raw))
		}
		text, err := json.Marshal(wrap(v))
		require.NoError(t, err)
		checkRead(t, text)
	})
}

// An id of an event comes from its element, or from a contact that nothing speaks
// against: one that shares an id with the element, or the only one.
func TestNoForeignIDs(t *testing.T) {
	forRandomValues(t, func(t *testing.T, _ generator, v tree) {
		var contacts []ids
		standby, _ := v["standby"].(tree)
		for _, level := range []tree{v, standby} {
			list, _ := level["contacts"].([]any)
			for _, c := range list {
				if o, ok := c.(tree); ok {
					text, err := json.Marshal(o)
					require.NoError(t, err)
					c := members(text)
					contacts = append(contacts, identify(c.text("user_id"), c.text("parent_user_id"), c.id("wa_id")))
				}
			}
		}
		events := normalize(t, wrap(v))
		for _, e := range events {
			own := idsIn(e.Raw)
			allowed := idsIn(e.Raw)
			for _, c := range contacts {
				if len(contacts) == 1 && len(events) == 1 || own[c.user] || own[c.parent] || own[c.phone] {
					allowed[c.user], allowed[c.parent], allowed[c.phone] = true, true, true
				}
			}
			for _, id := range []string{e.BSUID, e.ParentBSUID, e.Phone} {
				require.True(t, id == "" || allowed[id], "%q is not of %s", id, e.Raw)
			}
		}
	})
}

// idsIn returns everything in an element that can be an id, after cleaning.
func idsIn(element []byte) map[string]bool {
	ids := map[string]bool{}
	o := members(element)
	for name, raw := range o {
		if isObject(raw) {
			for id := range idsIn(raw) {
				ids[id] = true
			}
		}
		own, other := identify(o.text(name), "", o.id(name)), identify("", "", o.id(name))
		ids[own.user], ids[own.parent], ids[own.phone], ids[other.user] = true, true, true, true
	}
	delete(ids, "")
	return ids
}

func TestTheOrderOfContactsDoesNotMatter(t *testing.T) {
	forRandomValues(t, func(t *testing.T, g generator, v tree) {
		before, others := normalize(t, wrap(v)), read(t, wrap(v))
		if contacts, ok := v["contacts"].([]any); ok {
			g.Shuffle(len(contacts), func(i, j int) { contacts[i], contacts[j] = contacts[j], contacts[i] })
		}
		require.Equal(t, before, normalize(t, wrap(v)))
		require.Equal(t, others, read(t, wrap(v)))
	})
}

func TestABatchIsTheSumOfItsChanges(t *testing.T) {
	forRandomValues(t, func(t *testing.T, g generator, v tree) {
		values := []tree{v, g.value(), g.value()}
		var (
			single []webhooknorm.Event
			others webhooknorm.Webhook
		)
		for _, v := range values {
			single = append(single, normalize(t, wrap(v))...)
			w := read(t, wrap(v))
			others.Events = append(others.Events, w.Events...)
			others.Changes = append(others.Changes, w.Changes...)
		}
		require.Equal(t, single, normalize(t, wrap(values...)))
		require.Equal(t, others, read(t, wrap(values...)))

		v["messages"] = []any{g.message()} // so that it is recognized
		wrapped := normalize(t, wrap(v))
		for i := range wrapped {
			wrapped[i].AccountID = ""
		}
		require.Equal(t, wrapped, normalize(t, v), "a bare value is no other than a wrapped one")
	})
}
