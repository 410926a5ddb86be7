package webhooknorm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

// someValue returns a random value as compact JSON, without invalid or duplicate members.
func someValue(r *rand.Rand) string {
	g := &payloadWriter{Rand: r, rich: 1 + r.IntN(7)}
	for {
		var b, compact bytes.Buffer
		g.write(&b, "value", 0)
		if wellFormed(b.Bytes()) && json.Compact(&compact, b.Bytes()) == nil {
			return compact.String()
		}
	}
}

func payloadOf(values ...string) []byte {
	changes := `{"value":` + strings.Join(values, `},{"value":`) + `}`
	return []byte(`{"entry":[{"id":"104","changes":[` + changes + `]}]}`)
}

// forRandomValues runs a property with values from many seeds.
func forRandomValues(t *testing.T, property func(t *testing.T, r *rand.Rand, value string)) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		value := someValue(r)
		property(t, r, value)
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, value)
		}
	}
}

func mustRead(t *testing.T, payload []byte) webhooknorm.Webhook {
	w, err := webhooknorm.Read(payload)
	require.NoError(t, err)
	return w
}

func contactsOf(value []byte) (contacts []json.RawMessage) {
	_ = json.Unmarshal(members(value)["contacts"], &contacts)
	return contacts
}

// An ID of a message comes from its element, or from a contact that nothing contradicts: one
// that shares an ID with the element, or the only one.
func TestNoForeignIDs(t *testing.T) {
	forRandomValues(t, func(t *testing.T, _ *rand.Rand, value string) {
		var contacts []ids
		for _, raw := range slices.Concat(contactsOf([]byte(value)), contactsOf(members([]byte(value))["standby"])) {
			if c := members(raw); c != nil {
				contacts = append(contacts, identify(c.text("user_id"), c.text("parent_user_id"), c.id("wa_id")))
			}
		}
		events, err := webhooknorm.Normalize(payloadOf(value))
		require.NoError(t, err)
		for _, e := range events {
			own, allowed := idsIn(e.Raw), idsIn(e.Raw)
			for _, c := range contacts {
				if len(contacts) == 1 && len(events) == 1 || own[c.user] || own[c.parent] || own[c.phone] {
					allowed[c.user], allowed[c.parent], allowed[c.phone] = true, true, true
				}
			}
			for _, id := range []string{e.BSUID, e.ParentBSUID, e.Phone} {
				require.True(t, id == "" || allowed[id], "%q isn't in %s", id, e.Raw)
			}
		}
	})
}

// idsIn returns everything in an element that can be an ID, after cleaning.
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

// A message has no names of contacts that all have other BSUIDs than it, whatever their numbers are.
func TestNoForeignNames(t *testing.T) {
	n := 0
	forRandomValues(t, func(t *testing.T, _ *rand.Rand, value string) {
		var contacts []object
		for _, raw := range slices.Concat(contactsOf([]byte(value)), contactsOf(members([]byte(value))["standby"])) {
			if c := members(raw); c != nil {
				contacts = append(contacts, c)
			}
		}
		events, err := webhooknorm.Normalize(payloadOf(value))
		require.NoError(t, err)
		for _, e := range events {
			if e.BSUID == "" || e.BSUID == e.ParentBSUID || e.Type == "system" {
				continue
			}
			isForeign := func(c object) bool {
				who := identify(c.text("user_id"), c.text("parent_user_id"), c.id("wa_id"))
				return who.user != "" && who.user != who.parent && who.user != e.BSUID && (who.parent == "" || who.parent != e.ParentBSUID)
			}
			if len(contacts) > 0 && !slices.ContainsFunc(contacts, func(c object) bool { return !isForeign(c) }) {
				n++
				require.Empty(t, e.Username, "%s", value)
				require.Empty(t, e.DisplayName, "%s", value)
			}
		}
	})
	require.NotZero(t, n)
}

func TestTheOrderOfContactsDoesNotMatter(t *testing.T) {
	forRandomValues(t, func(t *testing.T, r *rand.Rand, value string) {
		contacts := contactsOf([]byte(value))
		if len(contacts) < 2 {
			return
		}
		before, err := json.Marshal(contacts)
		require.NoError(t, err)
		require.Contains(t, value, string(before))
		r.Shuffle(len(contacts), func(i, j int) { contacts[i], contacts[j] = contacts[j], contacts[i] })
		after, err := json.Marshal(contacts)
		require.NoError(t, err)
		want, got := mustRead(t, payloadOf(value)), mustRead(t, payloadOf(strings.Replace(value, string(before), string(after), 1)))
		require.Len(t, got.Events, len(want.Events))
		for i := range want.Events {
			require.Equal(t, want.Events[i].Person, got.Events[i].Person)
		}
	})
}

func TestABatchIsTheSumOfItsChanges(t *testing.T) {
	forRandomValues(t, func(t *testing.T, r *rand.Rand, value string) {
		values := []string{value, someValue(r), someValue(r)}
		var sum webhooknorm.Webhook
		for _, value := range values {
			w := mustRead(t, payloadOf(value))
			sum.Events, sum.Others = append(sum.Events, w.Events...), append(sum.Others, w.Others...)
		}
		require.Equal(t, sum, mustRead(t, payloadOf(values...)), fmt.Sprint(values))
	})
}
