package identity

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
)

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
		check(t, m)
		for _, s := range f.messages {
			if s.At/rules.Period != stale/rules.Period { // in its cell, only the first and the last message remain
				require.Equal(t, bob, s.Person, "shift %d: the answer at %d", shift, s.At)
			}
		}
	}
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

// The facts about a person contain nobody else's IDs, numbers as received, or labels.
func TestExportIsTheirs(t *testing.T) {
	for seed := range streams(t, 500) {
		w := newWorld(uint64(seed))
		e, m := newTestEngine()
		observe(t, e, w.facts()...)
		got := check(t, m)
		for i, p := range got.people.Persons {
			facts, err := e.Facts(t.Context(), got.ids[i])
			require.NoError(t, err)
			theirs := func(a Alias) bool { // by an event or an operator
				return slices.ContainsFunc(got.Periods(a.id), func(x rules.Piece) bool { return x.Root == got.persons[i].Root })
			}
			var username, name rules.Dated
			for _, f := range facts {
				text, err := json.Marshal(f)
				require.NoError(t, err)
				var read Fact
				require.NoError(t, json.Unmarshal(text, &read), "seed %d: %s", seed, text)
				for _, a := range read.Aliases() {
					if f.rule.Kind <= rules.Changed {
						require.True(t, theirs(a), "seed %d: %s in facts about %v", seed, text, p)
					}
				}
				username.Raise(rules.Dated{At: f.At(), Text: f.rule.Username})
				name.Raise(rules.Dated{At: f.At(), Text: f.rule.Name})
			}
			require.Equal(t, [2]string{p.Username, p.Name}, [2]string{username.Text, name.Text}, "seed %d: %v", seed, p)
		}
	}
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
