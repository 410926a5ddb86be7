package identity

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity/internal/reference"
)

// The rules give what somebody else's implementation gives.
func TestPartitionEqualsReference(t *testing.T) {
	for seed := range streams(t, 2000) {
		requireReference(t, uint64(seed), reference.Stream(uint64(seed)))
		w := newWorld(uint64(seed) + 1<<40)
		var texts [][]byte
		for _, f := range w.facts() {
			text, err := json.Marshal(f)
			require.NoError(t, err)
			texts = append(texts, text)
		}
		requireReference(t, uint64(seed), texts)
	}
}

func requireReference(t *testing.T, seed uint64, texts [][]byte) {
	t.Helper()
	facts := make([]Fact, len(texts))
	for i := range texts {
		require.NoError(t, json.Unmarshal(texts[i], &facts[i]), "seed %d: %s", seed, texts[i])
	}
	read, err := reference.Read(texts...)
	require.NoError(t, err, "seed %d", seed)
	want := read.Partition()
	persons, conflicts := Partition(facts)
	if a, b := linesOf(t, want.People, want.Conflicts), linesOf(t, persons, conflicts); a != b {
		require.Equal(t, a, b, "seed %d:\n%s", seed, bytes.Join(texts, []byte("\n")))
	}
}

func linesOf[P, C any](t *testing.T, persons []P, conflicts []C) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	for _, p := range persons {
		require.NoError(t, e.Encode(p))
	}
	for _, c := range conflicts {
		require.NoError(t, e.Encode(c))
	}
	return out.String()
}
