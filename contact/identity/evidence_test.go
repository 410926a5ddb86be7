package identity

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
)

// A late read status with the old IDs divides nobody, although somebody else had the number.
func TestLateStatusDividesNobody(t *testing.T) {
	const number = "16505550001"
	facts := []Fact{
		seen(t, 1786000000, "US.Alice1", number),
		seen(t, 1788592000, "US.Bob", number),
		seen(t, 1791184000, "US.Alice1", number),
		mustFact(t)(Changed(1792912000, Scope{}, contact.IDs{Phone: number}, contact.IDs{BSUID: "US.Alice2"})),
		seen(t, 1792950000, "US.Alice2", ""),
	}
	groups := func(facts []Fact) (all [][]string) {
		for _, p := range partition(facts...).Persons {
			var values []string
			for _, h := range p.Aliases {
				if h.Alias.id.IsStable() {
					values = append(values, h.Alias.Value())
				}
			}
			all = append(all, values)
		}
		return all
	}
	want := [][]string{{"US.Alice1", "US.Alice2"}, {"US.Bob"}}
	require.Equal(t, want, groups(facts))
	require.Equal(t, want, groups(append(facts, seen(t, 1792998400, "US.Alice1", number))))
}

// Bob has Alice's old number and writes every ten days, and the business answers to the number. One
// stale webhook with Alice's IDs moves no answer outside of its own rules.Period of 30 days.
func TestStaleWebhookMovesNoReply(t *testing.T) {
	const number, day = "16505550001", 86_400
	alias := mustAlias(KindPhone, "", number)
	for shift := range int64(30) {
		e, m := newTestEngine()
		f := newFollower()
		write := func(at int64, bsuid string) PersonID {
			sightings, changes, err := e.Observe(t.Context(), seen(t, at, bsuid, number))
			require.NoError(t, err)
			f.follow(changes)
			return sightings[0].Person
		}
		write(start+shift*day, "US.Alice")
		at, stale := start+(shift+100)*day, int64(0)
		var bob PersonID
		for i := range int64(70) {
			if i == 12 {
				stale = at + 5*day
				write(stale, "US.Alice")
			}
			at += 10 * day
			bob = write(at, "US.Bob")
			f.messages = append(f.messages, Sighting{bob, alias, at + 3600})
		}
		check(t, m, 0)
		for _, s := range f.messages {
			if s.At/rules.Period != stale/rules.Period { // in its cell, only the first and the last message remain
				require.Equal(t, bob, s.Person, "shift %d: the answer at %d", shift, s.At)
			}
		}
	}
}

// A number that only a forgotten person had is in no row anymore, although an ID with this anchor leads
// to nobody.
func TestForgetAnchor(t *testing.T) {
	const number, other = "16505550001", "16505550002"
	e, m := newTestEngine()
	change := func(at int64, from, to string) Fact {
		return mustFact(t)(Changed(at, Scope{}, contact.IDs{Phone: from}, contact.IDs{Phone: to}))
	}
	var known []PersonID
	for _, f := range []Fact{
		seen(t, 200, "", number), change(100, number, other), change(300, other, number), seen(t, 100, "", number), seen(t, 300, "", number),
	} {
		sightings, _, err := e.Observe(t.Context(), f)
		require.NoError(t, err)
		known = append(known, sightings[0].Person)
	}
	var all []PersonID
	for id, err := range e.Persons(t.Context()) {
		require.NoError(t, err)
		all = append(all, id)
	}
	require.Len(t, all, 1)
	gone, _, err := e.Forget(t.Context(), all[0])
	require.NoError(t, err)
	require.Subset(t, gone, known)
	require.Zero(t, allRows(m))
}

// An export contains what somebody stored under any of the person's IDs, and nobody else's IDs or names.
func TestExport(t *testing.T) {
	e, _ := newTestEngine()
	name := func(ids contact.IDs, name string) Fact {
		return mustFact(t)(Seen(start, Scope{}, contact.Person{IDs: ids, DisplayName: name}))
	}
	observe(t, e, name(contact.IDs{BSUID: "US.1"}, "Jane"))
	observe(t, e, name(contact.IDs{Phone: number.Value()}, "Jane"))
	jane, _, err := e.Find(t.Context(), bsuidOf(1))
	require.NoError(t, err)
	merged, _, err := e.Find(t.Context(), number)
	require.NoError(t, err)
	observe(t, e,
		seen(t, start+1, "US.1", number.Value()),
		name(contact.IDs{BSUID: "US.2", Phone: "16505550002"}, "Joe"),
		mustFact(t)(Withdrawn(start, bsuidOf(1), bsuidOf(2))),
		mustFact(t)(Changed(start+2, Scope{}, contact.IDs{BSUID: "US.2", Phone: "16505550002"}, contact.IDs{BSUID: "US.1"})),
	)
	for _, id := range []PersonID{jane, merged} {
		ids, err := e.IDs(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, []PersonID{jane, merged}, ids)
	}
	facts, err := e.Facts(t.Context(), merged)
	require.NoError(t, err)
	text, err := json.Marshal(facts)
	require.NoError(t, err)
	require.Contains(t, string(text), "Jane")
	require.NotContains(t, string(text), "US.2")
	require.NotContains(t, string(text), "16505550002")
	require.NotContains(t, string(text), "Joe")
	none, err := e.IDs(t.Context(), PersonID(newID()))
	require.NoError(t, err)
	require.Empty(t, none)
}

// Holders and Person agree on which IDs somebody uses.
func TestHoldersCurrent(t *testing.T) {
	for seed := range streams(t, 300) {
		w := newWorld(uint64(seed) + 1<<20)
		e, _ := newTestEngine()
		observe(t, e, w.facts()...)
		for id, err := range e.Persons(t.Context()) {
			require.NoError(t, err)
			person, _, err := e.Person(t.Context(), id)
			require.NoError(t, err)
			for _, h := range person.Aliases {
				holders, err := e.Holders(t.Context(), h.Alias)
				require.NoError(t, err)
				current := slices.ContainsFunc(holders, func(x Holder) bool { return x.Person == id && x.Current })
				require.Equal(t, h.Current, current, "seed %d: %s", seed, h.Alias)
			}
		}
	}
}
