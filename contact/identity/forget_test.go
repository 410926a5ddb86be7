package identity

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForget(t *testing.T) {
	ctx := context.Background()
	e, m := newTestEngine()
	jane := observe(t, e, seen(t, start, "", "16505550001")).Persons[0]
	other := observe(t, e, seen(t, start, "US.1", "")).Persons[0]
	observe(t, e, seen(t, start+9, "US.1", "16505550001"))
	changes, found, err := e.Forget(ctx, other) // which was merged into jane
	require.NoError(t, err)
	require.True(t, found)
	require.Empty(t, changes)
	require.Empty(t, m.cells)
	require.Empty(t, m.aliases)
	require.Empty(t, m.persons)
	_, found, err = e.Forget(ctx, jane)
	require.NoError(t, err)
	require.False(t, found)
	again := observe(t, e, seen(t, start, "US.1", "16505550001")).Persons[0]
	require.NotContains(t, []PersonID{jane, other}, again)
}

// A number that strangers had before and after the forgotten person does not join them.
func TestForgetKeepsStrangersApart(t *testing.T) {
	ctx := context.Background()
	e, _ := newTestEngine()
	before := observe(t, e, seen(t, start, "", "16505550001")).Persons[0]
	enters := mustFact(t)(Changed(start+100_000, Scope{}, IDs{BSUID: "US.1"}, IDs{BSUID: "US.2", Phone: "16505550001"}))
	leaves := mustFact(t)(Changed(start+900_000, Scope{}, IDs{BSUID: "US.2", Phone: "16505550001"}, IDs{BSUID: "US.3"}))
	jane := observe(t, e, enters, leaves).Persons[0]
	after := observe(t, e, seen(t, start+2_000_000, "", "16505550001")).Persons[0]
	require.NotEqual(t, before, after)
	_, found, err := e.Forget(ctx, jane)
	require.NoError(t, err)
	require.True(t, found)
	for _, id := range []PersonID{before, after} {
		p, found, err := e.Person(ctx, id)
		require.NoError(t, err)
		require.True(t, found)
		require.Len(t, p.Aliases, 1)
	}
	require.Equal(t, after, find(t, e, number1))
}

// All other persons keep their ids and their stable aliases.
func TestForgetLeavesOthers(t *testing.T) {
	ctx := context.Background()
	for seed := range streams(t, 500) {
		w := newWorld(uint64(seed) + 1<<41)
		e, m := newTestEngine()
		for _, f := range w.facts() {
			observe(t, e, f)
		}
		before, ids := stored(t, m, seed)
		if len(ids) == 0 {
			continue
		}
		gone := w.IntN(len(ids))
		_, found, err := e.Forget(ctx, ids[gone])
		require.NoError(t, err)
		require.True(t, found, seed)
		after, left := stored(t, m, seed)
		require.Len(t, left, len(ids)-1, "seed %d", seed)
		for i, p := range before.Persons {
			j := slices.Index(left, ids[i])
			require.Equal(t, i == gone, j < 0, "seed %d", seed)
			if i != gone {
				require.Equal(t, stableAliases(p), stableAliases(after.Persons[j]), "seed %d", seed)
			}
		}
		for _, h := range before.Persons[gone].Aliases {
			if h.Alias.IsStable() {
				require.NotContains(t, m.aliases, h.Alias, "seed %d", seed)
			}
		}
		require.NotContains(t, m.persons, ids[gone], "seed %d", seed)
	}
}

func stableAliases(p Person) []Alias {
	var aliases []Alias
	for _, h := range p.Aliases {
		if h.Alias.IsStable() {
			aliases = append(aliases, h.Alias)
		}
	}
	return aliases
}
