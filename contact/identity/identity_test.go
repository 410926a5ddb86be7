package identity

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/testenv"
)

func TestAliasErrors(t *testing.T) {
	for _, test := range []struct {
		kind         Kind
		scope, value string
		message      string
	}{
		{0, "", "US.1", "kind"},
		{4, "", "US.1", "kind"},
		{KindBSUID, "", "", "must not be empty"},
		{KindBSUID, "", "US.1\n", "control"},
		{KindBSUID, "", "US.\xff", "UTF-8"},
		{KindBSUID, "", strings.Repeat("x", 257), "256"},
		{KindBSUID, "a\tb", "US.1", "control"},
		{KindBSUID, "", "US.ENT.1", "parent"},
		{KindPhone, "", "+16505550001", "digits"},
		{KindPhone, "", "US.1", "digits"},
		{KindPhone, "", strings.Repeat("1", 33), "32"},
	} {
		_, err := NewAlias(test.kind, test.scope, test.value)
		require.ErrorIs(t, err, CodeAlias)
		require.ErrorContains(t, err, test.message)
		if len(test.value) > 3 {
			require.NotContains(t, err.Error(), test.value, "an id is personal data")
		}
	}
	require.Panics(t, func() { MustAlias(KindPhone, "", "x") })
}

func TestAlias(t *testing.T) {
	a := MustAlias(KindPhone, "shop", "551191234567")
	require.Equal(t, "phone\tshop\t5511991234567", a.String())
	require.Equal(t, []any{KindPhone, "shop", "5511991234567"}, []any{a.Kind(), a.Scope(), a.Value()})
	require.False(t, a.IsStable())
	require.True(t, MustAlias(KindParent, "", "US.ENT.1").IsStable())
	require.Zero(t, Alias{}.String())
	require.False(t, Alias{}.IsValid())
	require.False(t, Alias{}.IsStable())
}

// Compare orders aliases as their canonical texts.
func TestCompareIsTheOrderOfTexts(t *testing.T) {
	aliases := []Alias{{}}
	for _, kind := range []Kind{KindBSUID, KindParent, KindPhone} {
		for _, scope := range []string{"", " ", "a", "a b", "aé", "b"} {
			for _, value := range []string{"1", "12", "2"} {
				aliases = append(aliases, MustAlias(kind, scope, value))
			}
		}
	}
	sign := func(n int) int { return min(max(n, -1), 1) }
	for _, a := range aliases {
		for _, b := range aliases {
			require.Equal(t, strings.Compare(a.String(), b.String()), sign(a.Compare(b)), "%q %q", a, b)
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		w := newWorld(seed)
		for _, f := range w.facts() {
			text, err := json.Marshal(f)
			require.NoError(t, err)
			var g Fact
			require.NoError(t, json.Unmarshal(text, &g), "%s", text)
			require.Equal(t, f, g, "%s", text)
		}
		people := Partition(NewState(w.facts()...))
		text, err := json.Marshal(people)
		require.NoError(t, err)
		var again People
		require.NoError(t, json.Unmarshal(text, &again), "%s", text)
		require.True(t, equalPeople(people, again), "%s", text)
	}
	var f Fact
	text, err := json.Marshal(f)
	require.NoError(t, err)
	require.Equal(t, "null", string(text))
}

func TestJSONErrors(t *testing.T) {
	for text, message := range map[string]string{
		`[]`:       "JSON object",
		`{"at":1}`: "fact must be",
		`{"fact":"joined","at":1,"a":{"kind":"email","value":"x"}}`:                                  "kind must be",
		`{"fact":"joined","at":1,"a":{"kind":"parent","portfolio":"x","value":"US.ENT.1"}}`:          "group, not a portfolio",
		`{"fact":"joined","at":1,"a":{"kind":"bsuid","group":"x","value":"US.1"}}`:                   "portfolio, not a group",
		`{"fact":"seen","at":1,"bsuid":"US.1","undo":true}`:                                          "only its own fields",
		`{"fact":"seen","at":1.5,"bsuid":"US.1"}`:                                                    "whole number in at",
		`{"fact":"seen","at":1,"bsuid":1}`:                                                           "string in bsuid",
		`{"fact":"changed","at":1,"previous":{"bsuid":"US.1","extra":1},"current":{"bsuid":"US.2"}}`: `"extra"`,
	} {
		var f Fact
		err := json.Unmarshal([]byte(text), &f)
		require.Error(t, err, text)
		require.Contains(t, err.Error(), message, text)
		require.Zero(t, f)
	}
	var a Alias
	require.ErrorIs(t, a.UnmarshalJSON([]byte(`{} {}`)), CodeJSON)
	require.NoError(t, json.Unmarshal([]byte(`null`), &a))
	require.Zero(t, a)
}

func TestPersonID(t *testing.T) {
	e, _ := newTestEngine()
	id, err := e.newID()
	require.NoError(t, err)
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, id.String())
	again, err := ParsePersonID(id.String())
	require.NoError(t, err)
	require.Equal(t, id, again)
	text, err := json.Marshal(id)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, id, again)
	require.NoError(t, again.UnmarshalText(nil))
	require.True(t, again.IsZero())
	require.Zero(t, again.String())
	for _, bad := range []string{"", "x", strings.ToUpper(id.String()) + "0", strings.Replace(id.String(), "-", "_", 1), "00000000-0000-0000-0000-000000000000"} {
		_, err := ParsePersonID(bad)
		require.ErrorIs(t, err, CodePersonID, bad)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("no entropy") }

func TestObserveFailsWhole(t *testing.T) {
	m := new(Memory)
	e := NewEngine(m, Config{Random: failingReader{}})
	_, err := e.Observe(context.Background(), seen(t, start, "US.1", "16505550001"))
	require.ErrorContains(t, err, "no entropy")
	require.Empty(t, m.aliases)
	_, err = NewEngine(m, Config{}).Observe(context.Background(), Fact{})
	require.ErrorIs(t, err, ErrInvalidFact)
}

func mustFact(t testing.TB) func(f Fact, err error) Fact {
	return func(f Fact, err error) Fact {
		t.Helper()
		require.NoError(t, err)
		return f
	}
}

func observe(t testing.TB, e *Engine, facts ...Fact) Result {
	t.Helper()
	result, err := e.Observe(context.Background(), facts...)
	require.NoError(t, err)
	return result
}

func find(t testing.TB, e *Engine, a Alias) PersonID {
	t.Helper()
	id, _, err := e.Find(context.Background(), a)
	require.NoError(t, err)
	return id
}

var (
	us1, us2, us3 = MustAlias(KindBSUID, "", "US.1"), MustAlias(KindBSUID, "", "US.2"), MustAlias(KindBSUID, "", "US.3")
	number1       = MustAlias(KindPhone, "", "16505550001")
	number2       = MustAlias(KindPhone, "", "16505550002")
)

func TestMergeKeepsTheOlderPerson(t *testing.T) {
	e, _ := newTestEngine()
	older := observe(t, e, seen(t, start+9, "", "16505550001")).Persons[0]
	newer := observe(t, e, seen(t, start, "US.1", "")).Persons[0]
	result := observe(t, e, seen(t, start+90, "US.1", "16505550001"))
	require.Equal(t, []PersonID{older}, result.Persons)
	silence := Silence{number1, start + 9, start + 90}
	require.Equal(t, int64(81), silence.Seconds())
	require.Equal(t, []Change{Merged{newer, older, silence}}, result.Changes)
	require.Equal(t, older, find(t, e, us1))
	profile, found, err := e.Person(context.Background(), newer)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, older, profile.ID)
	require.Len(t, profile.Aliases, 2)

	// A chain of merges leads to its end.
	oldest := older
	third := observe(t, e, seen(t, start, "US.2", "")).Persons[0]
	result = observe(t, e, mustFact(t)(Joined(start, us1, us2)))
	require.Equal(t, []Change{Merged{third, oldest, Silence{}}}, result.Changes)
	profile, _, err = e.Person(context.Background(), newer)
	require.NoError(t, err)
	require.Equal(t, oldest, profile.ID)
}

func TestWithdrawnGivesTheIDBack(t *testing.T) {
	e, _ := newTestEngine()
	one := observe(t, e, seen(t, start, "US.2", "")).Persons[0]
	two := observe(t, e, seen(t, start, "US.1", "")).Persons[0]
	observe(t, e, mustFact(t)(Joined(start, us1, us2)))
	result := observe(t, e, mustFact(t)(Withdrawn(start+1, us1, us2)))
	require.Equal(t, one, find(t, e, us2))
	require.Equal(t, two, find(t, e, us1))
	require.Equal(t, []Change{Split{one, two, []Alias{us1}}}, result.Changes)
	profile, _, err := e.Person(context.Background(), two)
	require.NoError(t, err)
	require.Equal(t, two, profile.ID)
}

func TestChanges(t *testing.T) {
	e, _ := newTestEngine()
	result := observe(t, e, seen(t, start, "US.1", "16505550001"))
	jane := result.Persons[0]
	require.Equal(t, []Change{Created{jane, []Alias{us1, number1}}}, result.Changes)

	result = observe(t, e, mustFact(t)(Changed(start+10, Scope{}, IDs{BSUID: "US.1", Phone: "16505550001"}, IDs{BSUID: "US.2", Phone: "16505550002"})))
	require.Equal(t, []PersonID{jane}, result.Persons)
	require.Equal(t, []Change{
		AliasAdded{jane, us2, Silence{}}, AliasAdded{jane, number2, Silence{}}, AliasEnded{jane, us1}, AliasEnded{jane, number1},
	}, result.Changes)

	result = observe(t, e, seen(t, start+20, "US.3", "16505550002"))
	stranger := result.Persons[0]
	require.NotEqual(t, jane, stranger)
	require.Equal(t, []Change{
		Created{stranger, []Alias{us3, number2}}, Conflicted{number2, jane, stranger, start + 20}, Moved{number2, jane, stranger},
	}, result.Changes)

	// A long silence is answered in the same transaction.
	observe(t, e, seen(t, start, "", "16505550009"))
	result = observe(t, e, seen(t, start+10_000_000, "US.9", "16505550009"))
	added := result.Changes[0].(AliasAdded)
	require.Equal(t, int64(10_000_000), added.Silence.Seconds())
	result = observe(t, e, mustFact(t)(HandedOver(added.Silence.LastAlone+1, "", added.Silence.Phone.Value())))
	require.IsType(t, Split{}, result.Changes[0])
}

func TestObserveOfSeveralFactsNamesThePersonsAfterAllOfThem(t *testing.T) {
	e, _ := newTestEngine()
	result := observe(t, e, seen(t, start, "US.1", ""), seen(t, start, "US.2", ""), mustFact(t)(Joined(start, us1, us2)))
	require.Equal(t, []PersonID{result.Persons[0], result.Persons[0], result.Persons[0]}, result.Persons)
	require.Len(t, result.Changes, 3)
}

func TestObserveAllocations(t *testing.T) {
	if testenv.RaceEnabled {
		t.Skip("skipped: counts differ under the race detector")
	}
	e := sharing(t, 1)
	f := seen(t, start, "US.0", "16505550001")
	ctx := context.Background()
	allocations := func() float64 {
		return testing.AllocsPerRun(100, func() {
			_, err := e.Observe(ctx, f)
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	require.LessOrEqual(t, allocations(), 3.0, "a known fact")
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		f.at++
		_, err := e.Observe(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
	}), 3.0, "the next message")
}

// Whoever keeps the number from 2023 keeps the id that the caller knows them by.
func TestSplitKeepsTheOlderPart(t *testing.T) {
	for name, facts := range map[string][]Fact{
		"alias added": {seen(t, start+90, "US.1", "16505550001")},
		"merged":      {seen(t, start+80, "US.1", ""), seen(t, start+90, "US.1", "16505550001")},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newTestEngine()
			older := observe(t, e, seen(t, start, "", "16505550001")).Persons[0]
			var newer PersonID
			for _, f := range facts {
				result := observe(t, e, f)
				if result.Persons[0] != older {
					newer = result.Persons[0]
				}
			}
			handedOver := mustFact(t)(HandedOver(start+1, "", "16505550001"))
			split, is := observe(t, e, handedOver).Changes[0].(Split)
			require.True(t, is)
			require.Equal(t, older, split.From)
			require.Equal(t, find(t, e, us1), split.To)
			if !newer.IsZero() {
				require.Equal(t, newer, split.To, "the id from before the merge")
			}
			profile, found, err := e.Person(t.Context(), older)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, []Holding{{Alias: number1, First: start, Last: start}}, profile.Aliases)
		})
	}
}

// An operator mistypes a BSUID and takes it back.
func TestWithdrawnLosesNobody(t *testing.T) {
	e, _ := newTestEngine()
	observe(t, e, mustFact(t)(Joined(start, us2, number1)))
	person := observe(t, e, seen(t, start+1, "", "16505550001")).Persons[0]
	require.False(t, person.IsZero())
	observe(t, e, mustFact(t)(Withdrawn(start+2, us2, number1)))
	require.Equal(t, person, find(t, e, number1))
}

// The facts of one call move each other's person.
func TestPersonsOfOneCall(t *testing.T) {
	for seed := range streams(t, 100) {
		w := newWorld(uint64(seed) + 1<<42)
		facts := w.facts()
		e, _ := newTestEngine()
		for i := 0; i < len(facts); {
			n := min(1+w.IntN(6), len(facts)-i)
			batch := facts[i : i+n]
			result := observe(t, e, batch...)
			again := observe(t, e, batch...)
			require.Empty(t, again.Changes, "seed %d", seed)
			for j, f := range batch {
				require.Equal(t, observe(t, e, f).Persons[0], result.Persons[j], "seed %d, fact %d", seed, i+j)
			}
			i += n
		}
	}
}

// Every id that a call returned leads to a person for ever, and no two persons share one.
func TestEveryIDLeadsToAPerson(t *testing.T) {
	for seed := range streams(t, 150) {
		w := newWorld(uint64(seed) + 1<<43)
		e, m := newTestEngine()
		known := map[PersonID]bool{}
		for i, f := range w.facts() {
			result := observe(t, e, f)
			for _, id := range result.Persons {
				known[id] = true
			}
			_, ids := stored(t, m, "seed %d", seed)
			for _, id := range ids {
				known[id] = true
			}
			delete(known, PersonID{})
			for id := range known {
				profile, found, err := e.Person(t.Context(), id)
				require.NoError(t, err)
				require.True(t, found, "seed %d, fact %d: %s", seed, i, id)
				if len(profile.Aliases) > 0 {
					require.Contains(t, ids, profile.ID, "seed %d, fact %d", seed, i)
				}
			}
		}
	}
}

// The oldest sighting of a person turns out to be one of another person. The person keeps
// the id.
func TestOldestSightingOfAnother(t *testing.T) {
	e, _ := newTestEngine()
	observe(t, e, seen(t, start, "", "16505550001"))
	person := observe(t, e, seen(t, start+90, "US.1", "16505550001")).Persons[0]
	other := observe(t, e, seen(t, start+50, "US.2", "")).Persons[0]
	observe(t, e, seen(t, start+10, "US.2", "16505550001"))
	require.Equal(t, person, find(t, e, us1))
	require.Equal(t, other, find(t, e, us2))
}
