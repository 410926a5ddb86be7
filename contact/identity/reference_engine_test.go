package identity_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/internal/reference"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

func factsOf(t *testing.T, lines [][]byte) []identity.Fact {
	facts := make([]identity.Fact, len(lines))
	for i, line := range lines {
		require.NoError(t, json.Unmarshal(line, &facts[i]), "%s", line)
	}
	return facts
}

func partition(t *testing.T, lines [][]byte) reference.People {
	facts, err := reference.Read(lines...)
	require.NoError(t, err)
	return facts.Partition()
}

// texts returns the canonical JSON of each element.
func texts[T any](t *testing.T, list []T) []string {
	out := []string{}
	for _, v := range list {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		var any any
		require.NoError(t, json.Unmarshal(text, &any))
		text, err = json.Marshal(any)
		require.NoError(t, err)
		out = append(out, string(text))
	}
	return out
}

// TestEngineEqualsReference observes random streams in random order and batches. The people, the
// conflicts, and whose each sighting is after the changes must be as in the reference.
func TestEngineEqualsReference(t *testing.T) {
	for seed := range uint64(40 * fromEnv(t, "IDENTITY_STREAMS", 1)) {
		lines := reference.Stream(seed)
		e := identity.NewEngine(store.NewMemory(), identity.Config{})
		r := rand.New(rand.NewPCG(seed, 2))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		var followed []identity.Sighting
		for batch := range slices.Chunk(lines, 1+r.IntN(4)) {
			sightings, changes, err := e.Observe(t.Context(), factsOf(t, batch)...)
			require.NoError(t, err, "stream %d", seed)
			followed = append(followed, sightings...)
			for _, c := range changes {
				for j := range followed {
					f := &followed[j]
					if c.Kind == identity.Moved && f.Alias == c.Alias && c.Since <= f.At && f.At <= c.Until {
						f.Person = c.To
					}
				}
			}
		}
		requireEngine(t, e, seed, partition(t, lines))
		requireSightings(t, e, seed, lines, followed)
	}
}

// requireSightings requires that two sightings are one person's if they are in the reference.
func requireSightings(t *testing.T, e *identity.Engine, seed uint64, lines [][]byte, followed []identity.Sighting) {
	facts, err := reference.Read(lines...)
	require.NoError(t, err)
	contacts, ids, names := facts.Contacts(), map[string]identity.PersonID{}, map[identity.PersonID]string{}
	crowded := map[identity.Alias]bool{}
	for c, err := range e.Conflicts(t.Context()) {
		require.NoError(t, err)
		crowded[c.Alias] = crowded[c.Alias] || c.Kind == identity.Crowded
	}
	for i, f := range followed {
		if !bytes.Contains(lines[i], []byte(`"fact":"seen"`)) {
			continue
		}
		name, id := contacts(lines[i]), f.Person
		var seen identity.Fact
		require.NoError(t, json.Unmarshal(lines[i], &seen))
		if name == "" || len(seen.Aliases()) > 1 && crowded[f.Alias] {
			continue // rows keep their last person if what identified them turns out to be no evidence
		}
		if p, found, err := e.Person(t.Context(), id); err == nil && found {
			id = p.ID
		}
		if _, known := ids[name]; !known {
			ids[name] = id
		}
		if _, known := names[id]; !known {
			names[id] = name
		}
		require.Equal(t, ids[name], id, "stream %d: %s", seed, lines[i])
		require.Equal(t, names[id], name, "stream %d: %s", seed, lines[i])
	}
}

// TestEngineForgetsInWorlds forgets the people of all worlds, one after another. Nobody else may change.
// A placeholder's own contact, which is nobody, is left out.
func TestEngineForgetsInWorlds(t *testing.T) {
	testenv.Slow(t)
	forgotten := 0
	for _, x := range slices.Concat(trials, repaired) {
		for _, w := range x.towns(2, 30) {
			e := identity.NewEngine(store.NewMemory(), identity.Config{})
			_, _, err := e.Observe(t.Context(), factsOf(t, x.keep(t, w).facts)...)
			require.NoError(t, err)
			people, order := peopleOf(t, e)
			for _, id := range order {
				if strings.Contains(people[id], lives.PlaceholderBSUID) {
					continue
				}
				_, _, err := e.Forget(t.Context(), id)
				require.NoError(t, err)
				delete(people, id)
				got, _ := peopleOf(t, e)
				require.Equal(t, people, got, x.name)
				forgotten++
			}
		}
	}
	require.Greater(t, forgotten, 1000)
	t.Logf("forgot %d people", forgotten)
}

// peopleOf returns an engine's people as JSON, and their IDs in a fixed order.
func peopleOf(t *testing.T, e *identity.Engine) (people map[identity.PersonID]string, order []identity.PersonID) {
	people = map[identity.PersonID]string{}
	for id, err := range e.Persons(t.Context()) {
		require.NoError(t, err)
		p, _, err := e.Person(t.Context(), id)
		require.NoError(t, err)
		people[id] = texts(t, []identity.Person{p})[0]
		order = append(order, id)
	}
	return people, order
}

// requireEngine requires people and conflicts.
func requireEngine(t *testing.T, e *identity.Engine, seed uint64, want reference.People) {
	people, _ := peopleOf(t, e)
	require.ElementsMatch(t, texts(t, want.People), slices.Collect(maps.Values(people)), "stream %d", seed)
	conflicts := []string{}
	for c, err := range e.Conflicts(t.Context()) {
		require.NoError(t, err)
		conflicts = append(conflicts, texts(t, []identity.Conflict{c})...)
	}
	require.ElementsMatch(t, texts(t, want.Conflicts), conflicts, "stream %d", seed)
}
