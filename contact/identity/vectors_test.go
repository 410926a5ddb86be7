package identity

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
)

type vectorInput struct {
	Facts []json.RawMessage `json:"facts"`
}

func TestPartitionVectors(t *testing.T) {
	file, err := vectors.Load[vectorInput, json.RawMessage]("identity.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			var facts []Fact
			var codes []problem.Code
			for _, text := range v.Input.Facts {
				var f Fact
				if err := json.Unmarshal(text, &f); err != nil {
					codes = append(codes, problem.All(err).Codes()...)
					continue
				}
				facts = append(facts, f)
			}
			require.Equal(t, v.Codes, codes)
			if v.Output == nil {
				return
			}
			want := partition(facts...)
			text, err := json.Marshal(want)
			require.NoError(t, err)
			require.JSONEq(t, string(*v.Output), string(text))
			r := rand.New(rand.NewPCG(1, 1))
			for range 3 {
				requirePeople(t, want, partition(facts...))
				e, m := newTestEngine()
				for _, f := range facts {
					observe(t, e, f)
				}
				got := check(t, m).people
				requirePeople(t, want, got)
				r.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
			}
		})
	}
}

func requirePeople(t testing.TB, want, got People) {
	t.Helper()
	if !equalPeople(want, got) {
		require.Equal(t, want, got)
	}
}
