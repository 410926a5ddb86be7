package identitytest

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/hailmark/hailmark/contact/identity"
)

// RandomFacts returns n facts about a few people in one scope. The people often share
// ids. The same seed gives the same facts.
func RandomFacts(seed uint64, scope identity.Scope, n int) []identity.Fact {
	w := newWorld(seed)
	w.scope = scope
	return w.facts(n)
}

// TestStreams observes random streams of facts, each in a scope of its own, and tests that
// the store then has the persons of [identity.Partition]. The streams have the numbers from
// from to from+n-1, and a number always gives the same stream. [TestStore] tests a few
// streams of its own.
func TestStreams(t *testing.T, s identity.Store, from, n int) {
	ctx := context.Background()
	e := identity.NewEngine(s, identity.Config{})
	for seed := from; seed < from+n; seed++ {
		scope := identity.Scope{Portfolio: fmt.Sprint("stream ", seed), Group: fmt.Sprint("stream ", seed)}
		facts := RandomFacts(uint64(seed), scope, 1+seed%14)
		for _, f := range facts {
			_, err := e.Observe(ctx, f)
			must(t, err)
		}
		Expect(t, s, facts)
	}
}

// Expect tests that a store has the evidence of facts and the persons of
// [identity.Partition]. No other facts may name the same aliases.
func Expect(t *testing.T, s identity.Store, facts []identity.Fact) {
	t.Helper()
	state := identity.NewState(facts...)
	want := state.Evidence()
	named := map[identity.Alias]bool{}
	for i := range want.Cells {
		c := &want.Cells[i]
		named[c.BSUID], named[c.Parent], named[c.Phone] = true, true, true
	}
	for i := range want.Changes {
		for _, side := range []identity.ChangeSide{want.Changes[i].Previous, want.Changes[i].Current} {
			named[side.BSUID], named[side.Parent], named[side.Phone] = true, true, true
		}
	}
	for _, v := range want.Verdicts {
		named[v.A], named[v.B] = true, true
	}
	for _, h := range want.Handovers {
		named[h.Phone] = true
	}
	delete(named, identity.Alias{})
	var clusters []int64
	known := map[int64]bool{}
	for a := range named {
		rows, _ := lookup(t, s, identity.CellKey{}, a)
		if rows[0].Alias != a {
			t.Fatalf("%q is lost", a)
		}
		if id := rows[0].Cluster; !known[id] {
			known[id] = true
			clusters = append(clusters, id)
		}
	}
	got := load(t, s, clusters...)
	equal(t, len(named), len(got.Aliases))
	sortByText(want.Cells)
	sortByText(want.Changes)
	sortByText(want.Verdicts)
	sortByText(want.Handovers)
	if !reflect.DeepEqual(want, got.Evidence) {
		t.Fatalf("want the evidence %+v, got %+v", want, got.Evidence)
	}
	expect(t, identity.NewEngine(s, identity.Config{}), facts)
}
