package identitytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// RandomFacts returns n facts about a few people who often share IDs. Equal seeds return equal
// facts.
func RandomFacts(seed uint64, scope identity.Scope, n int) []identity.Fact {
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
			f, err = identity.Joined(at, alias(), alias())
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

// TestStreams observes n random streams, numbered from from, each in its own scope. After each
// call, the store must contain the people that [identity.Partition] returns, every returned ID
// must lead to a person, and a follower must have assigned each sighting to its person.
func TestStreams(t *testing.T, s store.Store, from, n int) {
	ctx := t.Context()
	e := identity.NewEngine(s, identity.Config{})
	for seed := from; seed < from+n; seed++ {
		scope := identity.Scope{Portfolio: fmt.Sprint("stream ", seed), Group: fmt.Sprint("stream ", seed)}
		facts := RandomFacts(uint64(seed), scope, 1+seed%14)
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
	people, _ := identity.Partition(facts, 0)
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

func testRandom(t test) {
	TestStreams(t.T, t.Store, 100, 20)
	// Somebody is forgotten, and nobody else.
	for seed := range 10 {
		scope := identity.Scope{Portfolio: fmt.Sprint("forget ", seed)}
		sightings, _, err := t.engine.Observe(t.Context(), RandomFacts(uint64(seed), scope, 12)...)
		must(t, err)
		id := sightings[0].Person
		if id.IsZero() {
			continue
		}
		gone, _, err := t.engine.Forget(t.Context(), id)
		must(t, err)
		for _, sighting := range sightings {
			_, found, err := t.engine.Person(t.Context(), sighting.Person)
			must(t, err)
			equal(t, !sighting.Person.IsZero() && !slices.Contains(gone, sighting.Person), found)
		}
	}
}

func testKnown(t test) {
	written := 0
	e := identity.NewEngine(countingStore{t.Store, &written}, identity.Config{})
	facts := RandomFacts(3, identity.Scope{}, 60)
	first, _, err := e.Observe(t.Context(), facts...)
	must(t, err)
	written = 0
	again, changes, err := e.Observe(t.Context(), facts...)
	must(t, err)
	equal(t, 0, written)
	equal(t, 0, len(changes))
	equal(t, first, again)
	Expect(t.T, t.Store, facts)
}

// Sixteen writers observe a few people's facts in different orders.
func testConcurrent(t test) {
	facts := RandomFacts(5, identity.Scope{}, 24)
	errs := make([]error, 16)
	var done sync.WaitGroup
	for i := range errs {
		done.Go(func() {
			w := rand.New(rand.NewPCG(uint64(i), 7))
			mine := slices.Clone(facts)
			w.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
			for len(mine) > 0 && errs[i] == nil {
				n := min(1+w.IntN(3), len(mine))
				_, _, errs[i] = t.engine.Observe(t.Context(), mine[:n]...)
				mine = mine[n:]
			}
		})
	}
	done.Wait()
	must(t, errors.Join(errs...))
	Expect(t.T, t.Store, facts)
}

// testMergeBetween merges a person away before each statement about them. Whether or not the
// merge comes first, the person must be found.
func testMergeBetween(t test) {
	for name, run := range map[string]func(*identity.Engine, identity.PersonID, identity.Alias) (bool, error){
		"Forget": func(e *identity.Engine, id identity.PersonID, _ identity.Alias) (bool, error) {
			gone, _, err := e.Forget(t.Context(), id)
			return len(gone) > 0, err
		},
		"Person": func(e *identity.Engine, id identity.PersonID, _ identity.Alias) (bool, error) {
			profile, found, err := e.Person(t.Context(), id)
			return found && len(profile.Aliases) > 0, err
		},
		"Find": func(e *identity.Engine, _ identity.PersonID, bsuid identity.Alias) (bool, error) {
			_, found, err := e.Find(t.Context(), bsuid)
			return found, err
		},
	} {
		for step := 1; ; step++ {
			scope := identity.Scope{Portfolio: fmt.Sprint(name, step)}
			observe := func(ids contact.IDs) (person identity.PersonID) {
				f, err := identity.Seen(1786000000, scope, contact.Person{IDs: ids})
				must(t, err)
				sightings, _, err := t.engine.Observe(t.Context(), f)
				if err != nil {
					t.Error(err)
					return person
				}
				return sightings[0].Person
			}
			observe(contact.IDs{BSUID: "US.1"})
			person := observe(contact.IDs{Phone: "16505550001"}) // created second, so the merge takes its ID
			statements, merged := 0, make(chan struct{})
			var once sync.Once // the transaction may run again
			must(t, t.Update(t.Context(), func(tx store.Tx) error {
				statements = 0
				hooked := hookedTx{tx, func() {
					if statements++; statements != step {
						return
					}
					go once.Do(func() {
						observe(contact.IDs{BSUID: "US.1", Phone: "16505550001"})
						close(merged)
					})
					select {
					case <-merged:
					case <-time.After(50 * time.Millisecond): // the merge waits for this transaction
					}
				}}
				found, err := run(t.engine.WithTx(hooked), person, mustAlias(identity.KindBSUID, scope.Portfolio, "US.1"))
				if err == nil && !found {
					err = fmt.Errorf("%s before statement %d: the person is not found", name, step)
				}
				return err
			}))
			if statements < step {
				break
			}
			<-merged
			_, found, err := t.engine.Person(t.Context(), person)
			must(t, err)
			equal(t, name != "Forget", found)
		}
	}
}

// A countingStore counts writes.
type countingStore struct {
	store.Store
	writes *int
}

func (s countingStore) Update(ctx context.Context, f func(store.Tx) error) error {
	return s.Store.Update(ctx, func(tx store.Tx) error { return f(countingTx{tx, s.writes}) })
}

type countingTx struct {
	store.Tx
	writes *int
}

func (tx countingTx) Write(ctx context.Context, remove, put *store.Rows) error {
	*tx.writes++
	return tx.Tx.Write(ctx, remove, put)
}

// hookedTx calls a function before each statement.
type hookedTx struct {
	store.Tx
	before func()
}

func (tx hookedTx) Lock(ctx context.Context, aliases []string) (bool, error) {
	tx.before()
	return tx.Tx.Lock(ctx, aliases)
}

func (tx hookedTx) Load(ctx context.Context, aliases []string, wide bool, others []string) (store.Rows, error) {
	tx.before()
	return tx.Tx.Load(ctx, aliases, wide, others)
}

func (tx hookedTx) Holdings(ctx context.Context, aliases []string) ([]store.Holding, error) {
	tx.before()
	return tx.Tx.Holdings(ctx, aliases)
}

func (tx hookedTx) Get(ctx context.Context, ids []store.ID) ([]store.Person, error) {
	tx.before()
	return tx.Tx.Get(ctx, ids)
}

func (tx hookedTx) Write(ctx context.Context, remove, put *store.Rows) error {
	tx.before()
	return tx.Tx.Write(ctx, remove, put)
}
