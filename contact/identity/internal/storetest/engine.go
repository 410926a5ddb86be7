package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/internal/streams"
	"github.com/hailmark/hailmark/contact/identity/store"
)

func testRandom(t test) {
	streams.Test(t.T, t.Store, 100, 20)
	// Somebody is forgotten, and nobody else.
	for seed := range 10 {
		scope := identity.Scope{Portfolio: fmt.Sprint("forget ", seed)}
		sightings, _, err := t.engine.Observe(t.Context(), streams.Facts(uint64(seed), scope, 12)...)
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
	facts := streams.Facts(3, identity.Scope{}, 60)
	first, _, err := e.Observe(t.Context(), facts...)
	must(t, err)
	written = 0
	again, changes, err := e.Observe(t.Context(), facts...)
	must(t, err)
	equal(t, 0, written)
	equal(t, 0, len(changes))
	equal(t, first, again)
	streams.Expect(t.T, t.Store, facts)
}

// Sixteen writers observe a few people's facts in different orders.
func testConcurrent(t test) {
	facts := streams.Facts(5, identity.Scope{}, 24)
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
	streams.Expect(t.T, t.Store, facts)
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
				alias, err := identity.NewAlias(identity.KindBSUID, scope.Portfolio, "US.1")
				if err != nil {
					return err
				}
				found, err := run(t.engine.WithTx(hooked), person, alias)
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
