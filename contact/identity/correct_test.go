package identity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/problem"
)

// Every statement about every pair of kinds, of people who are apart, together by an event or joined by an
// operator, changes somebody, or it's an error and isn't kept.
func TestCorrect(t *testing.T) {
	scope := Scope{}
	ids := []Alias{
		mustAlias(KindBSUID, "", "US.1"), mustAlias(KindParent, "", "US.ENT.1"), mustAlias(KindPhone, "", "16505550001"),
		mustAlias(KindBSUID, "", "US.2"), mustAlias(KindParent, "", "US.ENT.2"), mustAlias(KindPhone, "", "16505550002"),
	}
	person := func(aliases ...Alias) contact.Person {
		var p contact.Person
		for _, a := range aliases {
			switch a.Kind() {
			case KindBSUID:
				p.BSUID = a.Value()
			case KindParent:
				p.ParentBSUID = a.Value()
			case KindPhone:
				p.Phone = a.Value()
			}
		}
		return p
	}
	effects := map[string]int{}
	for i, a := range ids {
		for j, b := range ids[:i] {
			for _, before := range []string{"apart", "together", "joined"} {
				for _, kind := range []string{"joined", "withdrawn", "handed_over"} {
					e, m := newTestEngine()
					facts := []Fact{mustFact(t)(Seen(start, scope, person(a))), mustFact(t)(Seen(start+1, scope, person(b)))}
					switch {
					case before == "together" && a.Kind() != b.Kind():
						facts = append(facts, mustFact(t)(Seen(start+2, scope, person(a, b))))
					case before == "joined":
						facts = append(facts, mustFact(t)(joinedAliases(start+2, a, b)))
					}
					observe(t, e, facts[0])
					observe(t, e, facts[1])
					if len(facts) > 2 {
						observe(t, e, facts[2])
					}
					one := len(check(t, m).people.Persons) == 1
					var statement Fact
					switch kind {
					case "joined":
						statement = mustFact(t)(joinedAliases(start+3, a, b))
					case "withdrawn":
						statement = mustFact(t)(Withdrawn(start+3, a, b))
					default:
						statement = mustFact(t)(HandedOver(start+2, "", "16505550001"))
					}
					rows := allRows(m)
					changes, err := e.Correct(t.Context(), statement)
					what := fmt.Sprint(kind, i, j, before, one)
					if err != nil {
						require.Empty(t, changes, what)
						require.Equal(t, []problem.Code{CodeNoEffect}, problem.All(err).Codes(), what)
						require.Equal(t, rows, allRows(m), what)
						effects["no "+kind]++
					} else {
						require.NotEmpty(t, changes, what)
						effects[kind]++
					}
					// An operator can join whoever is apart, and separate whoever is together.
					if kind == "joined" && !one || kind == "withdrawn" && one {
						require.NoError(t, err, what)
						require.Equal(t, one, len(check(t, m).people.Persons) > 1, what)
					}
				}
			}
		}
	}
	require.Len(t, effects, 6)
}

// Rows of the first version, whose holdings other rules found, become those of the rules.
func TestRecompute(t *testing.T) {
	for seed := range streams(t, 100) {
		w := newWorld(uint64(seed))
		facts := w.facts()
		e, m := newTestEngine()
		_, _, err := e.Observe(t.Context(), facts...)
		require.NoError(t, err)
		before := check(t, m)
		rows := allRows(m)
		var old store.Rows
		for _, h := range rows.Holdings { // nobody was current, and everything began later
			h.Current = false
			old.Holdings = append(old.Holdings, h)
		}
		require.NoError(t, m.Update(t.Context(), func(tx store.Tx) error {
			return tx.Write(t.Context(), &store.Rows{Doubtful: rows.Doubtful}, &old)
		}))
		for next := int64(0); ; {
			if next, _, err = e.Recompute(t.Context(), next); next == 0 {
				break
			}
		}
		require.NoError(t, err)
		after := check(t, m, "seed %d", seed)
		require.Equal(t, before.people, after.people, "seed %d", seed)
	}
}
