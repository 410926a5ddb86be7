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
	gone, changes, err := e.Forget(ctx, other) // which was merged into jane
	require.NoError(t, err)
	require.Equal(t, []PersonID{jane, other}, gone)
	require.Empty(t, changes)
	require.Empty(t, m.cells)
	require.Empty(t, m.aliases)
	require.Empty(t, m.persons)
	require.Empty(t, m.clusters)
	gone, _, err = e.Forget(ctx, jane)
	require.NoError(t, err)
	require.Empty(t, gone)
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
	gone, _, err := e.Forget(ctx, jane)
	require.NoError(t, err)
	require.NotEmpty(t, gone)
	for _, id := range []PersonID{before, after} {
		p, found, err := e.Person(ctx, id)
		require.NoError(t, err)
		require.True(t, found)
		require.Len(t, p.Aliases, 1)
	}
	require.Equal(t, after, find(t, e, number1))
}

// Without their cuts, the persons who had the number before and after US.0 would be one.
func TestForgetKeepsCutsElsewhere(t *testing.T) {
	changed := func(at int64, previous, current IDs) Fact {
		return mustFact(t)(Changed(at, Scope{}, previous, current))
	}
	const phone = "16505550001"
	for name, facts := range map[string][]Fact{
		"a stranger and another person": {
			seen(t, 5184200, "US.3", phone),
			seen(t, 2592100, "US.0", ""),
			changed(5183999, IDs{BSUID: "US.0"}, IDs{Parent: "US.ENT.0", Phone: phone}),
			changed(2592100, IDs{Phone: phone}, IDs{Phone: "16505550002"}),
			seen(t, 2592200, "", phone),
		},
		"two strangers": {
			changed(345600, IDs{BSUID: "US.1"}, IDs{BSUID: "US.0"}),
			changed(172800, IDs{BSUID: "US.0", Phone: phone}, IDs{BSUID: "US.1"}),
			seen(t, 86400, "US.1", phone),
			seen(t, 259200, "", phone),
			seen(t, 345601, "", phone),
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, m := newTestEngine()
			observeAll(t, e, facts...)
			before, ids := stored(t, m)
			gone, _, err := e.Forget(t.Context(), find(t, e, MustAlias(KindBSUID, "", "US.0")))
			require.NoError(t, err)
			after, left := stored(t, m)
			require.Len(t, left, len(ids)-1)
			for i, id := range ids {
				if j := slices.Index(left, id); j >= 0 {
					require.Equal(t, before.Persons[i], after.Persons[j])
				} else {
					require.Equal(t, id, gone[0])
				}
			}
		})
	}
}

// Nobody else merges with anybody, loses a stable alias or an id.
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
		person := w.IntN(len(ids))
		rows := map[PersonID]PersonRow{}
		for id, row := range m.persons {
			rows[id] = *row
		}
		gone, _, err := e.Forget(ctx, ids[person])
		require.NoError(t, err)
		require.Equal(t, ids[person], gone[0], "seed %d", seed)
		after, left := stored(t, m, seed)
		for i, p := range before.Persons {
			j := slices.Index(left, ids[i])
			switch {
			case i == person:
				require.Negative(t, j, "seed %d", seed)
			case j < 0: // only an operator said that they had the number of the person
				require.Len(t, p.Aliases, 1, "seed %d", seed)
				require.False(t, names(m, p.Aliases[0].Alias), "seed %d", seed)
			default:
				require.Equal(t, stableAliases(p), stableAliases(after.Persons[j]), "seed %d", seed)
			}
		}
		for _, h := range before.Persons[person].Aliases {
			if h.Alias.IsStable() {
				require.NotContains(t, m.aliases, h.Alias, "seed %d", seed)
			}
		}
		for id, row := range rows {
			require.Equal(t, row.Into == gone[0] || id == gone[0], slices.Contains(gone, id), "seed %d", seed)
			_, found, err := e.Person(ctx, id)
			require.NoError(t, err)
			require.Equal(t, !slices.Contains(gone, id), found, "seed %d", seed)
		}
	}
}

// names reports whether a seen or changed in a store names a phone number.
func names(m *Memory, phone Alias) bool {
	for key := range m.cells {
		if key.Phone == phone {
			return true
		}
	}
	for key := range m.changes {
		if key.Previous.Phone == phone || key.Current.Phone == phone {
			return true
		}
	}
	return false
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
