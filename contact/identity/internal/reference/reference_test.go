package reference

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

type scenario struct {
	ID                string
	Facts             []json.RawMessage
	People, Conflicts json.RawMessage
}

// scenarios returns facts with the people and conflicts that somebody wrote by hand.
func scenarios(t *testing.T) []scenario {
	data, err := os.ReadFile("testdata/scenarios.jsonl")
	require.NoError(t, err)
	var list []scenario
	for line := range bytes.Lines(data) {
		var v scenario
		require.NoError(t, json.Unmarshal(line, &v))
		list = append(list, v)
	}
	return list
}

func (v scenario) facts(t *testing.T) *Facts {
	var lines [][]byte
	for _, fact := range v.Facts {
		lines = append(lines, fact)
	}
	return read(t, lines)
}

func TestScenarios(t *testing.T) {
	for _, v := range scenarios(t) {
		t.Run(v.ID, func(t *testing.T) {
			got := v.facts(t).Partition()
			require.JSONEq(t, string(v.People), text(t, got.People))
			require.JSONEq(t, string(v.Conflicts), text(t, append([]Conflict{}, got.Conflicts...)))
		})
	}
}

// TestRules requires that each rule decides a scenario.
func TestRules(t *testing.T) {
	for _, rule := range Rules() {
		decided := slices.ContainsFunc(scenarios(t), func(v scenario) bool {
			f := v.facts(t)
			return text(t, f.Partition()) != text(t, f.Without(rule).Partition())
		})
		require.True(t, decided, "no scenario needs rule %b", rule)
	}
}

// streams calls f with random streams: IDENTITY_STREAMS times as many as usual.
func streams(n uint64, f func(seed uint64, lines [][]byte)) {
	if factor, err := strconv.ParseUint(os.Getenv("IDENTITY_STREAMS"), 10, 64); err == nil {
		n *= factor
	}
	for seed := range n {
		f(seed, Stream(seed))
	}
}

func read(t *testing.T, lines [][]byte) *Facts {
	f, err := Read(lines...)
	require.NoError(t, err)
	return f
}

func text(t *testing.T, v any) string {
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

func texts(t *testing.T, people []Person) []string {
	var out []string
	for _, p := range people {
		out = append(out, text(t, p))
	}
	return out
}

// TestOrder requires that neither the order of facts nor repeating them changes anything.
func TestOrder(t *testing.T) {
	streams(80, func(seed uint64, lines [][]byte) {
		want := text(t, read(t, lines).Partition())
		r := rand.New(rand.NewPCG(seed, 1))
		for range 3 {
			lines = append(lines, lines[r.IntN(len(lines))])
			r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			require.Equal(t, want, text(t, read(t, lines).Partition()), "seed %d", seed)
		}
	})
}

// TestForget forgets each person of random streams. Nobody else's person may change, and no ID
// that identified the person may be left.
func TestForget(t *testing.T) {
	forgotten := 0
	streams(60, func(seed uint64, lines [][]byte) {
		people := read(t, lines).Partition().People
		for i, p := range people {
			left := p.Forget()
			want := texts(t, slices.Delete(slices.Clone(people), i, i+1))
			require.Equal(t, want, texts(t, left.Partition().People), "seed %d without person %d", seed, i)
			for id := range left.mentioned() {
				_, theirs := p.person.spans[id]
				require.False(t, theirs && id.Kind != number, "seed %d without person %d", seed, i)
			}
			forgotten++
		}
	})
	require.Greater(t, forgotten, 200)
}

// mentioned returns all IDs in the facts.
func (f *Facts) mentioned() map[ID]bool {
	mentioned := map[ID]bool{}
	for _, c := range f.combinations() {
		for _, id := range c.ids.all() {
			mentioned[id] = true
		}
	}
	for c := range f.changes {
		for _, id := range slices.Concat(c.sides[previous].all(), c.sides[current].all()) {
			mentioned[id] = true
		}
	}
	for v := range f.verdicts {
		mentioned[v.pair[0]], mentioned[v.pair[1]] = true, true
	}
	for id := range f.crowded {
		mentioned[id] = true
	}
	return mentioned
}

// TestRefused requires an error for facts without a time, or without the IDs that they need.
func TestRefused(t *testing.T) {
	for _, line := range []string{
		`{"fact":"seen","bsuid":"US.1"}`,
		`{"fact":"seen","at":1,"name":"Jane"}`,
		`{"fact":"changed","at":1,"previous":{"bsuid":"US.1"}}`,
		`{"fact":"handed_over","at":1}`,
		`{"fact":"joined","at":1,"a":{"kind":"phone","value":"1"},"b":{"kind":"phone","value":"1"}}`,
		`{"fact":"withdrawn","at":1,"a":{"kind":"phone","value":"1","at":5},"b":{"kind":"phone","value":"1"}}`,
		`{"fact":"withdrawn","at":1,"a":{"kind":"bsuid","value":"US.1"},"b":{"kind":"bsuid","value":"US.1"}}`,
		`{}`, `[]`,
	} {
		_, err := Read([]byte(line))
		require.Error(t, err, line)
	}
}
