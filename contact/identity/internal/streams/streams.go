// Package streams tests stores with streams of random facts.
package streams

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// Facts returns n facts about a few people who often share IDs. Equal seeds return equal
// facts.
func Facts(seed uint64, scope identity.Scope, n int) []identity.Fact {
	w := rand.New(rand.NewPCG(seed, 7))
	bsuid := func() string { return fmt.Sprintf("US.%d", w.IntN(4)) }
	parent := func() string { return fmt.Sprintf("US.ENT.%d", w.IntN(2)) }
	phone := func() string { return fmt.Sprintf("1650555000%d", w.IntN(3)) }
	ids := func() (ids contact.IDs) {
		for ids == (contact.IDs{}) {
			if w.IntN(3) > 0 {
				ids.BSUID = bsuid()
			}
			if w.IntN(6) == 0 {
				ids.ParentBSUID = parent()
			}
			if w.IntN(3) > 0 {
				ids.Phone = phone()
			}
		}
		return ids
	}
	alias := func() identity.Alias {
		switch w.IntN(3) {
		case 0:
			return mustAlias(identity.KindParent, scope.Group, parent())
		case 1:
			return mustAlias(identity.KindPhone, scope.Portfolio, phone())
		}
		return mustAlias(identity.KindBSUID, scope.Portfolio, bsuid())
	}
	var facts []identity.Fact
	for len(facts) < n {
		at := 1786000000 + w.Int64N(4)*2_592_000 + w.Int64N(5)
		var f identity.Fact
		var err error
		switch n := w.IntN(20); {
		case n < 12:
			f, err = identity.Seen(at, scope, contact.Person{IDs: ids(), DisplayName: string(rune('A' + w.IntN(3)))})
		case n < 17:
			f, err = identity.Changed(at, scope, ids(), ids())
		case n < 18:
			f, err = identity.Joined(at, identity.Sighting{Alias: alias()}, identity.Sighting{Alias: alias()})
		case n < 19:
			f, err = identity.Withdrawn(at, alias(), alias())
		default:
			f, err = identity.HandedOver(at, scope.Portfolio, phone())
		}
		if err == nil {
			facts = append(facts, f)
		}
	}
	return facts
}

func mustAlias(kind identity.Kind, scope, value string) identity.Alias {
	a, err := identity.NewAlias(kind, scope, value)
	if err != nil {
		panic(err) // the tests' own IDs are valid
	}
	return a
}

// Test observes n random streams, numbered from from, each in its own scope. After each
// call, the store must contain the people that [identity.Partition] returns, every returned ID
// must lead to a person, and a follower must have assigned each sighting to its person.
func Test(t *testing.T, s store.Store, from, n int) {
	ctx := t.Context()
	e := identity.NewEngine(s, identity.Config{})
	for seed := from; seed < from+n; seed++ {
		scope := identity.Scope{Portfolio: fmt.Sprint("stream ", seed), Group: fmt.Sprint("stream ", seed)}
		facts := Facts(uint64(seed), scope, 1+seed%14)
		var followed []identity.Sighting
		known := map[identity.PersonID]bool{}
		for batch := range slices.Chunk(facts, 1+seed%3) {
			sightings, changes, err := e.Observe(ctx, batch...)
			must(t, err)
			for j, sighting := range sightings {
				if (batch[j].Kind() == "seen" || batch[j].Kind() == "changed") && !sighting.Person.IsZero() {
					followed = append(followed, sighting)
				}
				known[sighting.Person] = true
			}
			for _, c := range changes {
				for j := range followed {
					f := &followed[j]
					if c.Kind == identity.Moved && f.Alias == c.Alias && c.Since <= f.At && f.At <= c.Until {
						f.Person = c.To
					}
				}
			}
		}
		Expect(t, s, facts)
		for _, f := range followed {
			holders, err := e.Holders(ctx, f.Alias)
			must(t, err)
			for _, h := range holders {
				if h.Since <= f.At && f.At <= h.Until && h.Person != f.Person {
					t.Fatalf("stream %d: %s is with %s, not %s", seed, f.Alias, f.Person, h.Person)
				}
			}
		}
		delete(known, identity.PersonID{})
		for id := range known {
			if _, found, err := e.Person(ctx, id); err != nil || !found {
				t.Fatalf("stream %d: %s is lost: %v", seed, id, err)
			}
		}
	}
}

// Expect tests that a store contains the people that [identity.Partition] returns. No other facts
// may contain their aliases.
func Expect(t *testing.T, s store.Store, facts []identity.Fact) {
	t.Helper()
	ctx := t.Context()
	e := identity.NewEngine(s, identity.Config{})
	ids := map[identity.PersonID]bool{}
	people, _ := identity.Partition(facts)
	for _, p := range people {
		var found []identity.PersonID
		for _, h := range p.Aliases {
			holders, err := e.Holders(ctx, h.Alias)
			must(t, err)
			for _, holder := range holders {
				if h.Alias.Kind() != identity.KindPhone || holder.Since <= h.First && h.First <= holder.Until {
					found = append(found, holder.Person)
				}
			}
		}
		// In one second a number may be with several; one of its aliases leads to the person.
		i := slices.IndexFunc(found, func(id identity.PersonID) bool {
			profile, known, err := e.Person(ctx, id)
			must(t, err)
			return known && profile.ID == id && slices.Equal(p.Aliases, profile.Aliases) &&
				p.Username == profile.Username && p.Name == profile.Name && !ids[id]
		})
		if i < 0 {
			t.Fatalf("the store doesn't have %+v", p)
		}
		ids[found[i]] = true
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
