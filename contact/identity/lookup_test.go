package identity

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/webhooknorm"
)

func mustFact(t testing.TB) func(f Fact, err error) Fact {
	return func(f Fact, err error) Fact {
		t.Helper()
		require.NoError(t, err)
		return f
	}
}

type result struct {
	sightings []Sighting
	changes   []Change
}

func observe(t testing.TB, e *Engine, facts ...Fact) result {
	t.Helper()
	sightings, changes, err := e.Observe(t.Context(), facts...)
	require.NoError(t, err)
	return result{sightings, changes}
}

func bsuidOf(i int) Alias { return mustAlias(KindBSUID, "", fmt.Sprintf("US.%d", i)) }

var number = mustAlias(KindPhone, "", "16505550001")

// A number of more than 50 owners is evidence for nobody: in the engine as in the partition,
// whichever fact comes last, and for as long as the number of its messages grows.
func TestCrowdedNumber(t *testing.T) {
	for _, order := range []string{"", "reverse"} {
		e, m := newTestEngine()
		facts := []Fact{seen(t, start, "", number.Value()), mustFact(t)(Changed(start+1, Scope{}, contact.IDs{BSUID: "US.0", Phone: number.Value()}, contact.IDs{BSUID: "US.1", Phone: "16505550002"}))}
		for i := 2; i < 60; i++ {
			facts = append(facts, seen(t, start+int64(i), fmt.Sprintf("US.%d", i), number.Value()))
		}
		want := partition(facts...)
		require.Len(t, want.Persons, 59, "US.0 and US.1 are one person")
		requirePeople(t, want, partition(facts...))
		if order != "" {
			slices.Reverse(facts)
		}
		var known []PersonID
		for i, f := range facts {
			known = append(known, observe(t, e, f).sightings[0].Person)
			if i == 49 {
				holders, err := e.Holders(t.Context(), number)
				require.NoError(t, err)
				require.NotEmpty(t, holders)
			}
		}
		got := check(t, m)
		requirePeople(t, want, got.people)
		holders, err := e.Holders(t.Context(), number)
		require.NoError(t, err)
		require.Empty(t, holders)
		require.True(t, observe(t, e, seen(t, start+100, "", number.Value())).sightings[0].Person.IsZero())
		for _, id := range known {
			if !id.IsZero() {
				_, found, err := e.Person(t.Context(), id)
				require.NoError(t, err)
				require.True(t, found)
			}
		}
	}
}

// Ten numbers beside a BSUID are evidence. With the eleventh it's a placeholder, and from then on a message
// is stored under its number, whose holder wrote it.
func TestCrowdedBSUID(t *testing.T) {
	e, _ := newTestEngine()
	var placeholder PersonID
	for i := range 20 {
		phone := fmt.Sprintf("165055500%02d", i)
		at := start + int64(i)
		own := observe(t, e, seen(t, at, "", phone)).sightings[0].Person
		s := observe(t, e, seen(t, at, "US.0", phone)).sightings[0]
		if i < 10 {
			placeholder = s.Person
			require.Equal(t, bsuidOf(0), s.Alias)
			continue
		}
		require.Equal(t, Sighting{own, mustAlias(KindPhone, "", phone), at}, s)
		require.NotEqual(t, placeholder, s.Person)
	}
	require.Equal(t, bsuidOf(0), observe(t, e, seen(t, start, "US.0", "")).sightings[0].Alias)
}

// 50 owners are still evidence.
func TestNumberOfFiftyOwners(t *testing.T) {
	var facts []Fact
	for i := range 50 {
		facts = append(facts, seen(t, start+int64(i), fmt.Sprintf("US.%d", i), number.Value()))
	}
	people := partition(facts...)
	requirePeople(t, partition(facts...), people)
	require.Len(t, people.Conflicts, 49)
	require.Equal(t, []Conflict{{Kind: Crowded, Alias: number}}, partition(append(facts, seen(t, start, "US.50", number.Value()))...).Conflicts)
}

// Merges, a join taken back, and a number that passes on, with every change.
func TestChanges(t *testing.T) {
	e, _ := newTestEngine()
	alone := observe(t, e, seen(t, start, "", number.Value())).sightings[0].Person
	result := observe(t, e, seen(t, start+1, "US.1", ""))
	jane := result.sightings[0].Person
	require.Equal(t, []Change{{Kind: Created, To: jane}, {Moved, PersonID{}, jane, bsuidOf(1), 0, rules.EndOfTime, 0}}, result.changes)
	result = observe(t, e, seen(t, start+2, "US.1", number.Value()))
	require.Equal(t, []Change{
		{Kind: Merged, From: jane, To: alone},
		{Moved, jane, alone, bsuidOf(1), 0, rules.EndOfTime, 0},
	}, result.changes)
	result = observe(t, e, seen(t, start+50, "US.2", number.Value()))
	other := result.sightings[0].Person
	require.Equal(t, []Change{
		{Kind: Split, From: alone, To: other},
		{Kind: AliasEnded, From: alone, Alias: number},
		{Moved, PersonID{}, other, bsuidOf(2), 0, rules.EndOfTime, 0},
		{Moved, alone, other, number, start + 50, rules.EndOfTime, 0},
		{Kind: Conflicted, Conflict: PhoneMoved, From: alone, To: other, Alias: number, Since: start + 50},
	}, result.changes)
	handed := mustFact(t)(HandedOver(start+1, "", number.Value()))
	result = observe(t, e, handed)
	require.Contains(t, result.changes, Change{Kind: Split, From: alone, To: jane}, "the ID from before the merge")
	profile, found, err := e.Person(t.Context(), alone)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, []Holding{{Alias: number, First: start, Last: start}}, profile.Aliases)

	joined := mustFact(t)(joinedAliases(start, bsuidOf(1), bsuidOf(2)))
	require.Contains(t, observe(t, e, joined).changes, Change{Kind: Merged, From: other, To: jane})
	taken := mustFact(t)(Withdrawn(start+1, bsuidOf(1), bsuidOf(2)))
	require.Contains(t, observe(t, e, taken).changes, Change{Kind: Split, From: jane, To: other})

	var conflicts []Conflict
	for c, err := range e.Conflicts(t.Context()) {
		require.NoError(t, err)
		conflicts = append(conflicts, c)
	}
	require.Equal(t, []Conflict{{PhoneMoved, number, bsuidOf(1), bsuidOf(2), start + 50}}, conflicts)
	var persons []PersonID
	for id, err := range e.Persons(t.Context()) {
		require.NoError(t, err)
		persons = append(persons, id)
	}
	require.Equal(t, []PersonID{alone, jane, other}, persons)
	facts, err := e.Facts(t.Context(), other)
	require.NoError(t, err)
	require.Contains(t, facts, seen(t, start+50, "US.2", number.Value()))
	require.NotContains(t, facts, seen(t, start+1, "US.1", ""))
}

// A month's messages from a number alone are stored as the first and the last. The ID of somebody
// who wrote only in between isn't merged into a stranger's.
func TestWroteInBetween(t *testing.T) {
	e, m := newTestEngine()
	var ids []PersonID
	for _, at := range []int64{5, 15, 25} {
		observe(t, e, mustFact(t)(HandedOver(start+at-5, "", number.Value())))
		sighting := contact.Person{IDs: contact.IDs{Phone: number.Value()}}
		if at == 15 {
			sighting.DisplayName, sighting.Username = "Jane", "jane.doe"
		}
		r := observe(t, e, mustFact(t)(Seen(start+at, Scope{}, sighting)))
		ids = append(ids, r.sightings[0].Person)
		require.Equal(t, []Change{{Kind: Created, To: ids[len(ids)-1]}}, r.changes[:1])
		require.Equal(t, Moved, r.changes[1].Kind)
		require.Len(t, r.changes, 2)
	}
	require.Equal(t, []PersonID{ids[0], ids[2]}, check(t, m).ids)
	profile, found, err := e.Person(t.Context(), ids[1])
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, Person{ID: ids[1]}, profile)
	holders, err := e.Holders(t.Context(), number)
	require.NoError(t, err)
	require.Equal(t, []Holder{{ids[0], start, start + 9, false}, {ids[2], start + 20, rules.EndOfTime, true}}, holders)
	values := func() (text string) {
		require.NoError(t, m.View(t.Context(), func(tx store.Tx) error {
			rows, err := tx.Load(t.Context(), []string{number.String()}, true, nil)
			for _, f := range rows.Facts {
				text += f.Value
			}
			return err
		}))
		return text
	}
	require.Regexp(t, "(?s)jane.doe.*Jane|Jane.*jane.doe", values())
	gone, changes, err := e.Forget(t.Context(), ids[1])
	require.NoError(t, err)
	require.Equal(t, ids[1:2], gone)
	require.Empty(t, changes)
	require.NotContains(t, strings.ToLower(values()), "jane", "nobody's names remain")
	require.Equal(t, []PersonID{ids[0], ids[2]}, check(t, m).ids)
	_, found, err = e.Person(t.Context(), ids[1])
	require.NoError(t, err)
	require.False(t, found)
}

// An operator joined two numbers, the second of which two people had. Once the first is seen with
// one of them, the number is theirs throughout.
func TestJoinedNumberOfTwoHolders(t *testing.T) {
	e, m := newTestEngine()
	const other = "16505550002"
	facts := []Fact{
		seen(t, start+300, "", number.Value()),
		mustFact(t)(joinedAliases(start+200, mustAlias(KindPhone, "", other), number)),
		mustFact(t)(Changed(start+100, Scope{}, contact.IDs{BSUID: "US.0", Phone: number.Value()}, contact.IDs{BSUID: "US.1"})),
		seen(t, start, "US.1", other),
	}
	for i, f := range facts {
		observe(t, e, f)
		requirePeople(t, partition(facts[:i+1]...), stored(t, m))
	}
	require.Len(t, stored(t, m).Persons, 1)
}

// Somebody wrote only between two cuts, and their ID led to nobody. The person who turns out to have written then gets what was stored with that ID.
func TestMergedFromNobody(t *testing.T) {
	e, _ := newTestEngine()
	observe(t, e, mustFact(t)(HandedOver(start+3, "", number.Value())), mustFact(t)(HandedOver(start+4, "", number.Value())))
	jane := observe(t, e, seen(t, start-50, "US.1", "")).sightings[0].Person
	alone := observe(t, e, seen(t, start+3, "", number.Value())).sightings[0].Person
	observe(t, e, seen(t, start, "", number.Value()), seen(t, start+5, "", number.Value()))
	profile, found, err := e.Person(t.Context(), alone)
	require.NoError(t, err)
	require.True(t, found)
	require.Empty(t, profile.Aliases)
	changes := observe(t, e, seen(t, start+3, "US.1", number.Value())).changes
	require.Contains(t, changes, Change{Kind: Merged, From: alone, To: jane})
	profile, _, err = e.Person(t.Context(), alone)
	require.NoError(t, err)
	require.Equal(t, jane, profile.ID)
}

// A later sighting of known IDs can change whom the number belongs or leads to.
func TestExtend(t *testing.T) {
	fact := mustFact(t)
	us := func(i int) Alias { return mustAlias(KindBSUID, "", fmt.Sprintf("US.%d", i)) }
	parent := mustAlias(KindParent, "", "US.ENT.0")
	with := func(at int64, bsuid, parent string) Fact {
		return seenFact(t, at, contact.IDs{BSUID: bsuid, ParentBSUID: parent, Phone: number.Value()})
	}
	changed := func(at int64, previous, current contact.IDs) Fact {
		return fact(Changed(at, Scope{}, previous, current))
	}
	for name, facts := range map[string][]Fact{ // the last one in a call of its own
		"statement's second": {with(10, "US.1", ""), with(20, "US.2", ""), fact(joinedAliases(30, us(1), number)), with(30, "US.1", "")},
		"statement's parent": {fact(joinedAliases(400, us(0), number)), with(300, "", parent.Value()), with(1, "US.0", ""), with(400, "US.0", "")},
		"a passage": {
			fact(HandedOver(4, "", number.Value())), with(1, "US.2", ""), with(5, "", ""), with(10, "US.1", ""),
			with(10, "US.2", "US.ENT.9"), with(7, "US.2", ""),
		},
		"another's second":       {with(1, "US.1", ""), with(5, "US.2", ""), with(20, "US.2", ""), with(20, "US.1", "")},
		"another's later second": {with(1, "US.1", ""), with(20, "US.1", ""), with(5, "US.2", ""), with(20, "US.2", ""), with(25, "US.2", "US.ENT.1"), with(25, "US.1", "")},
		"a withdrawn user": {
			with(10, "", parent.Value()), changed(20, contact.IDs{ParentBSUID: parent.Value(), Phone: number.Value()}, contact.IDs{BSUID: "US.0", Phone: number.Value()}),
			fact(Withdrawn(5, us(0), parent)), with(20, "", parent.Value()),
		},
		"a change of the number": {
			with(5, "", "US.ENT.9"), with(10, "US.1", ""), changed(20, contact.IDs{Phone: number.Value()}, contact.IDs{ParentBSUID: "US.ENT.9"}),
			with(30, "US.5", ""), with(20, "", "US.ENT.9"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, m := newTestEngine()
			f := newFollower()
			last := len(facts) - 1
			f.follow(observe(t, e, facts[:last]...).changes)
			f.follow(observe(t, e, facts[last]).changes)
			got := check(t, m)
			requirePeople(t, partition(facts...), got.people)
			f.check(t, got)
		})
	}
}

// A later fact about one number can make an operator's statement about it and another number void.
func TestStatementVoided(t *testing.T) {
	e, m := newTestEngine()
	facts := []Fact{
		mustFact(t)(Changed(20, Scope{}, contact.IDs{Phone: number.Value()}, contact.IDs{BSUID: "US.1", ParentBSUID: "US.ENT.0", Phone: "16505550000"})),
		mustFact(t)(Changed(20, Scope{}, contact.IDs{BSUID: "US.0", Phone: number.Value()}, contact.IDs{Phone: number.Value()})),
		mustFact(t)(joinedAliases(21, mustAlias(KindPhone, "", "16505550000"), number)),
		seen(t, 30, "", number.Value()),
		seenFact(t, 10, contact.IDs{BSUID: "US.0", ParentBSUID: "US.ENT.0", Phone: "16505550000"}),
	}
	for _, f := range facts {
		observe(t, e, f)
	}
	requirePeople(t, partition(facts...), stored(t, m))
}

func TestForget(t *testing.T) {
	e, m := newTestEngine()
	jane := observe(t, e, seen(t, start, "", number.Value())).sightings[0].Person
	other := observe(t, e, seen(t, start, "US.1", "")).sightings[0].Person
	observe(t, e, seen(t, start+9, "US.1", number.Value()))
	gone, changes, err := e.Forget(t.Context(), other) // who was merged into jane
	require.NoError(t, err)
	require.Equal(t, []PersonID{jane, other}, gone)
	require.Empty(t, changes)
	require.Empty(t, allRows(m))
	gone, _, err = e.Forget(t.Context(), jane)
	require.NoError(t, err)
	require.Empty(t, gone)
	require.NotContains(t, []PersonID{jane, other}, observe(t, e, seen(t, start, "US.1", number.Value())).sightings[0].Person)
}

// A number that strangers had before and after the forgotten person does not join them.
func TestForgetKeepsStrangersApart(t *testing.T) {
	e, m := newTestEngine()
	before := observe(t, e, seen(t, start, "", number.Value())).sightings[0].Person
	jane := observe(t, e,
		mustFact(t)(Changed(start+100_000, Scope{}, contact.IDs{BSUID: "US.1"}, contact.IDs{BSUID: "US.2", Phone: number.Value()})),
		mustFact(t)(Changed(start+900_000, Scope{}, contact.IDs{BSUID: "US.2", Phone: number.Value()}, contact.IDs{BSUID: "US.3"})),
	).sightings[0].Person
	after := observe(t, e, seen(t, start+2_000_000, "", number.Value())).sightings[0].Person
	gone, changes, err := e.Forget(t.Context(), jane)
	require.NoError(t, err)
	require.Equal(t, []PersonID{jane}, gone)
	require.Empty(t, changes)
	require.Equal(t, []PersonID{before, after}, check(t, m).ids)
}

// The forgotten person's messages don't become somebody else's, who had the number in the same second.
func TestForgetMovesNothing(t *testing.T) {
	e, _ := newTestEngine()
	observe(t, e, seen(t, start-10, "", number.Value()), seen(t, start, "US.1", number.Value()), seen(t, start, "US.2", number.Value()))
	forgotten, _, err := e.Find(t.Context(), number)
	require.NoError(t, err)
	gone, changes, err := e.Forget(t.Context(), forgotten)
	require.NoError(t, err)
	require.Equal(t, forgotten, gone[0])
	for _, c := range changes {
		require.False(t, c.Kind == Moved && slices.Contains(gone, c.From), c)
	}
}

// An operator stated in one second that two people have a number. Without the one, the other still has
// it.
func TestForgetKeepsStatements(t *testing.T) {
	e, m := newTestEngine()
	observe(t, e,
		mustFact(t)(joinedAliases(start+4, bsuidOf(1), number)),
		mustFact(t)(joinedAliases(start+4, bsuidOf(4), number)),
		mustFact(t)(Changed(start+3, Scope{}, contact.IDs{Phone: number.Value()}, contact.IDs{BSUID: "US.2"})),
	)
	other := check(t, m).idAt(bsuidOf(1), 0)
	_, _, err := e.Forget(t.Context(), check(t, m).idAt(number, start+4))
	require.NoError(t, err)
	require.Equal(t, other, check(t, m).idAt(number, start+4))
}

// An ID leads to nobody because the number in the only fact is crowded. An operator's statement about
// its BSUID disappears with it.
func TestForgetCrowded(t *testing.T) {
	e, m := newTestEngine()
	jane := observe(t, e, mustFact(t)(Changed(start, Scope{}, contact.IDs{BSUID: "US.0", Phone: number.Value()}, contact.IDs{BSUID: "US.0"}))).sightings[0].Person
	observe(t, e, mustFact(t)(joinedAliases(start, bsuidOf(0), bsuidOf(99))))
	for i := 1; i <= rules.MaxOwners; i++ {
		observe(t, e, seen(t, start, bsuidOf(i).Value(), number.Value()))
	}
	gone, _, err := e.Forget(t.Context(), jane)
	require.NoError(t, err)
	require.Equal(t, []PersonID{jane}, gone)
	for _, row := range allRows(m).Facts {
		require.NotContains(t, row.Aliases, bsuidOf(0).String())
	}
}

// One sighting for each event, in the order of the events; a time in the future is
// replaced by that of the arrival.
func TestObserveWebhook(t *testing.T) {
	e, _ := newTestEngine()
	webhook, err := webhooknorm.Read([]byte(`{"entry":[{"changes":[{"value":{
		"statuses":[{"id":"wamid.0","status":"read","timestamp":"1786000500","recipient_id":"16505550001"}],
		"messages":[
			{"from":"16505550001","from_user_id":"US.1","id":"wamid.1","timestamp":"1786000000","type":"text"},
			{"from":"16505550002","id":"wamid.2","timestamp":"4000000000","type":"text"}]}}]}]}`))
	require.NoError(t, err)
	sightings, _, err := e.ObserveWebhook(t.Context(), webhook, time.Unix(start+600, 0))
	require.NoError(t, err)
	require.Len(t, sightings, len(webhook.Events))
	for i, event := range webhook.Events {
		s := sightings[i]
		require.False(t, s.Person.IsZero(), i)
		if event.Phone == "16505550002" {
			require.Equal(t, Sighting{s.Person, mustAlias(KindPhone, "", "16505550002"), start + 600}, s)
		}
	}
	persons := map[PersonID]int{}
	for _, s := range sightings {
		persons[s.Person]++
	}
	require.Len(t, persons, 2)
}

// Of contacts that a later fact joins, the oldest keeps its ID, even if one call imported them.
func TestImportOldest(t *testing.T) {
	e, _ := newTestEngine()
	old, young := PersonID{1}, PersonID{2}
	_, err := e.Import(t.Context(), []Contact{
		{young, []Fact{seen(t, start+1, "US.1", "")}},
		{old, []Fact{seen(t, start, "US.2", "")}},
	})
	require.NoError(t, err)
	observe(t, e, mustFact(t)(joinedAliases(start+2, mustAlias(KindBSUID, "", "US.1"), mustAlias(KindBSUID, "", "US.2"))))
	profile, _, err := e.Person(t.Context(), young)
	require.NoError(t, err)
	require.Equal(t, old, profile.ID)
}
