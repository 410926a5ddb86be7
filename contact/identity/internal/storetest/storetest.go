// Package storetest tests stores for package identity.
//
//	func TestStore(t *testing.T) {
//		storetest.TestStore(t, func(t *testing.T) store.Store { return open(t) })
//	}
//
// It uses the testing package and nothing else.
package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// TestStore tests everything that an identity.Engine requires from a store. It calls open
// several times, and open must return an empty store each time.
//
// It does not test what happens to a store after a crash, or when several processes use
// it. Write separate tests for these.
func TestStore(t *testing.T, open func(t *testing.T) store.Store) {
	for _, c := range []struct {
		name string
		run  func(t test)
	}{
		{"rows come back", testRows},
		{"rows are replaced by key", testReplace},
		{"rows are deleted by key", testDelete},
		{"rows are found by fewer aliases", testEntries},
		{"a neighborhood", testNeighborhood},
		{"text is kept byte for byte", testText},
		{"lists", testLists},
		{"an error or panic rolls back", testRollback},
		{"a transaction ends", testEnd},
		{"random facts", testRandom},
		{"known facts write nothing", testKnown},
		{"concurrent writers", testConcurrent},
		{"a merge between two statements", testMergeBetween},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			c.run(test{t, s, identity.NewEngine(s, identity.Config{})})
		})
	}
}

// A test uses a store that was empty.
type test struct {
	*testing.T
	store.Store
	engine *identity.Engine
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T any](t testing.TB, want, got T) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("want %+v\ngot  %+v", want, got)
	}
}

func (t test) write(remove, put store.Rows) {
	t.Helper()
	must(t, t.Update(t.Context(), func(tx store.Tx) error { return tx.Write(t.Context(), &remove, &put) }))
}

// view returns the rows that read returns.
func view[R any](t test, read func(tx store.Tx) (R, error)) (rows R) {
	t.Helper()
	must(t, t.View(t.Context(), func(tx store.Tx) (err error) {
		rows, err = read(tx)
		return err
	}))
	return rows
}

// load returns the neighborhood of aliases, in normal form.
func (t test) load(aliases, others []string) store.Rows {
	t.Helper()
	return normal(view(t, func(tx store.Tx) (store.Rows, error) { return tx.Load(t.Context(), aliases, true, others) }))
}

// normal returns sorted rows without what a store may omit or assigns itself.
func normal(rows store.Rows) (n store.Rows) {
	for _, f := range rows.Facts {
		n.Facts = append(n.Facts, store.Fact{Key: f.Key, Value: f.Value})
	}
	n.Holdings = append(n.Holdings, rows.Holdings...)
	for _, p := range rows.Persons {
		p.Born = 0
		n.Persons = append(n.Persons, p)
	}
	n.Doubtful = append(n.Doubtful, rows.Doubtful...)
	slices.Sort(n.Doubtful)
	sort(n.Facts)
	sort(n.Holdings)
	sort(n.Persons)
	return n
}

func sort[R any](rows []R) {
	slices.SortFunc(rows, func(a, b R) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

var none store.Rows

var one, two, three = store.ID{1}, store.ID{0xff, 2}, store.ID{3}

// example returns rows for two people who had the same number.
func example() store.Rows {
	return store.Rows{
		Facts: []store.Fact{
			{Key: "seen a", Value: "1", Aliases: []string{"a", "p"}, Seen: true},
			{Key: "seen b", Value: "2", Aliases: []string{"b", "p"}, Seen: true},
			{Key: "changed b", Value: "3", Aliases: []string{"b", "q"}},
			{Key: "seen c", Value: "4", Aliases: []string{"c"}, Seen: true},
			{Key: "changed c", Value: "5", Aliases: []string{"c", "d"}},
		},
		Holdings: []store.Holding{
			{Alias: "a", Until: math.MaxInt64, Person: one, Current: true},
			{Alias: "p", Until: 9, Person: one},
			{Alias: "p", Since: 10, Until: math.MaxInt64, Person: two, Current: true},
			{Alias: "p", Since: 10, Until: 9, Person: one},
			{Alias: "b", Until: math.MaxInt64, Person: two, Current: true},
			{Alias: "q", Since: 5, Until: 20, Person: two},
			{Alias: "c", Until: math.MaxInt64, Person: three},
		},
		Persons:  []store.Person{{ID: one, Anchor: "a", At: 1}, {ID: two, Anchor: "p", At: math.MaxInt64}, {ID: three, Anchor: "c", At: 7}},
		Doubtful: []string{"c", "p"},
	}
}

var everything = []string{"a", "b", "c", "d", "p", "q"}

func testRows(t test) {
	equal(t, store.Rows{}, t.load(everything, everything))
	t.write(none, none)
	t.write(none, example())
	equal(t, normal(example()), t.load(everything, nil))
	equal(t, normal(example()), t.load(everything, everything))
	equal(t, store.Rows{}, t.load(nil, nil))
	holdings := view(t, func(tx store.Tx) ([]store.Holding, error) { return tx.Holdings(t.Context(), []string{"c", "p", "x"}) })
	equal(t, 4, len(holdings))
	persons := view(t, func(tx store.Tx) ([]store.Person, error) { return tx.Get(t.Context(), []store.ID{two, {9}}) })
	equal(t, 1, len(persons))
	equal(t, store.Person{ID: two, Born: persons[0].Born, Anchor: "p", At: math.MaxInt64}, persons[0])
	if persons[0].Born <= 0 {
		t.Fatalf("Born is %d", persons[0].Born)
	}
}

func testReplace(t test) {
	t.write(none, example())
	persons := func(tx store.Tx) ([]store.Person, error) { return tx.Persons(t.Context(), 0, 100) }
	born := view(t, persons)
	replaced := example()
	replaced.Facts[0].Aliases = nil // may be omitted
	replaced.Facts[0].Value, replaced.Holdings[2].Until, replaced.Holdings[2].Current = "new", 99, false
	replaced.Persons[1].Anchor, replaced.Persons[1].At = "b", 3
	t.write(none, store.Rows{Facts: replaced.Facts[:1], Holdings: replaced.Holdings[2:3], Persons: replaced.Persons[1:2]})
	equal(t, normal(replaced), t.load(everything, nil))
	for i, p := range view(t, persons) {
		equal(t, born[i].Born, p.Born)
	}
	found := t.load([]string{"b"}, nil)
	equal(t, 1, len(slices.DeleteFunc(found.Persons, func(p store.Person) bool { return p.ID != two })))
}

func testDelete(t test) {
	t.write(none, example())
	rest := example()
	t.write(store.Rows{Facts: rest.Facts[:2], Holdings: rest.Holdings[2:3], Persons: rest.Persons[:1], Doubtful: rest.Doubtful[:1]}, none)
	rest.Facts, rest.Persons, rest.Doubtful = rest.Facts[2:], rest.Persons[1:], rest.Doubtful[1:]
	rest.Holdings = slices.Delete(rest.Holdings, 2, 3)
	equal(t, normal(rest), t.load(everything, everything))
	t.write(none, example())
	equal(t, normal(example()), t.load(everything, nil))
	t.write(example(), none)
	equal(t, store.Rows{}, t.load(everything, everything))
}

// A row that isn't found by an alias anymore is found by its others, also after it's replaced.
func testEntries(t test) {
	t.write(none, example())
	all := example()
	t.write(store.Rows{Entries: []store.Entry{{Alias: "p", Key: "seen a"}}}, none)
	all.Facts[0].Value = "new"
	t.write(none, store.Rows{Facts: []store.Fact{{Key: "seen a", Value: "new"}}})
	narrow := func(alias string) store.Rows {
		return normal(view(t, func(tx store.Tx) (store.Rows, error) { return tx.Load(t.Context(), []string{alias}, false, nil) }))
	}
	equal(t, normal(store.Rows{Facts: all.Facts[:1]}).Facts, narrow("a").Facts)
	equal(t, normal(store.Rows{Facts: all.Facts[1:2]}).Facts, narrow("p").Facts)
}

func testNeighborhood(t test) {
	t.write(none, example())
	part := func(facts, holdings, persons []int, doubtful ...string) store.Rows {
		all := example()
		return normal(store.Rows{
			Facts: pick(all.Facts, facts), Holdings: pick(all.Holdings, holdings), Persons: pick(all.Persons, persons), Doubtful: doubtful,
		})
	}
	// One had a and p, and so the holdings of two on p are read, but not q.
	equal(t, part([]int{0, 1}, []int{0, 1, 2, 3}, []int{0, 1}, "p"), t.load([]string{"a"}, nil))
	equal(t, part([]int{0, 1, 2}, []int{0, 1, 2, 3, 4, 5}, []int{0, 1}, "p"), t.load([]string{"p"}, nil))
	// Of the others only what isn't a sighting, and not their people.
	equal(t, part([]int{0, 1, 4}, []int{0, 1, 2, 3}, []int{0, 1}, "p"), t.load([]string{"a"}, []string{"c"}))
	equal(t, part([]int{4}, nil, nil), t.load([]string{"d"}, []string{"a", "c"}))
	// Without wide, only what contains the aliases themselves.
	narrow := view(t, func(tx store.Tx) (store.Rows, error) {
		return tx.Load(t.Context(), []string{"a"}, false, []string{"c"})
	})
	equal(t, part([]int{0, 4}, []int{0}, []int{0}), normal(narrow))
}

func pick[R any](from []R, indexes []int) (rows []R) {
	for _, i := range indexes {
		rows = append(rows, from[i])
	}
	return rows
}

func testText(t test) {
	for i, text := range []string{
		"phone\t\t16505550001", "A", "a", "é", "e\u0301", "😀", " a ", "'\"\\{},", "a\nb", "%_", "\u2028<&>", strings.Repeat("x", 600),
	} {
		row := store.Rows{
			Facts:    []store.Fact{{Key: text + strings.Repeat("k", 2000), Value: text, Aliases: []string{text}}},
			Holdings: []store.Holding{{Alias: text, Until: 1, Person: one}},
			Persons:  []store.Person{{ID: store.ID{byte(i), 1}, Anchor: text, At: 1}},
		}
		t.write(none, row)
		got := t.load([]string{text}, nil)
		equal(t, normal(row).Facts[0], got.Facts[slices.IndexFunc(got.Facts, func(f store.Fact) bool { return f.Value == text })])
		t.write(store.Rows{Holdings: row.Holdings}, none)
		equal(t, normal(store.Rows{Facts: row.Facts, Persons: row.Persons}), t.load([]string{text}, nil))
	}
}

func testLists(t test) {
	var all store.Rows
	for i := range 50 {
		all.Persons = append(all.Persons, store.Person{ID: store.ID{byte(50 - i), 1}, Anchor: "x", At: 1})
		all.Holdings = append(all.Holdings, store.Holding{Alias: fmt.Sprintf("n%02d", i), Until: 9, Person: one})
		if i%2 == 0 {
			all.Doubtful = append(all.Doubtful, fmt.Sprintf("n%02d", i))
		}
	}
	t.write(none, all)
	must(t, t.View(t.Context(), func(tx store.Tx) error {
		var ids []store.ID
		for after := int64(0); ; {
			rows, err := tx.Persons(t.Context(), after, 7)
			must(t, err)
			for _, row := range rows {
				if row.Born <= after {
					t.Fatalf("%d is not after %d", row.Born, after)
				}
				after, ids = row.Born, append(ids, row.ID)
			}
			if len(rows) < 7 {
				break
			}
		}
		equal(t, 50, len(ids))
		equal(t, store.ID{50, 1}, ids[0])
		equal(t, store.ID{1, 1}, ids[49])
		doubtful, err := tx.Doubtful(t.Context(), "n10", 3)
		must(t, err)
		equal(t, []string{"n12", "n14", "n16"}, doubtful)
		return nil
	}))
}

var errTest = errors.New("test")

func testRollback(t test) {
	t.write(none, example())
	changed := example()
	for i := range changed.Facts {
		changed.Facts[i].Value = "changed"
	}
	for i := range changed.Holdings {
		changed.Holdings[i].Current = !changed.Holdings[i].Current
	}
	added := store.Rows{
		Facts:   []store.Fact{{Key: "new", Aliases: []string{"a"}}},
		Persons: []store.Person{{ID: store.ID{8}, Anchor: "a"}},
	}
	for _, rows := range []struct{ remove, put store.Rows }{
		{put: changed},
		{remove: example()},
		{remove: example(), put: added},
	} {
		for _, fail := range []func() error{func() error { return errTest }, func() error { panic(errTest) }} {
			err := func() (err error) {
				defer func() {
					if r := recover(); r != nil {
						err = r.(error)
					}
				}()
				return t.Update(t.Context(), func(tx store.Tx) error {
					must(t, tx.Write(t.Context(), &rows.remove, &rows.put))
					return fail()
				})
			}()
			if !errors.Is(err, errTest) {
				t.Fatalf("the error is %v", err)
			}
			equal(t, normal(example()), t.load(everything, everything))
		}
	}
}

func testEnd(t test) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var kept store.Tx
	rows := example()
	must(t, t.Update(ctx, func(tx store.Tx) error {
		kept = tx
		_, err := tx.Lock(ctx, everything)
		must(t, err)
		must(t, tx.Write(ctx, &none, &rows))
		loaded, err := tx.Load(ctx, everything, true, nil) // a transaction sees its writes
		equal(t, normal(rows), normal(loaded))
		return err
	}))
	if _, err := kept.Load(ctx, everything, true, nil); err == nil {
		t.Fatal("a transaction can be used after its end")
	}
	if err := t.View(ctx, func(tx store.Tx) error { return tx.Write(ctx, &none, &rows) }); err == nil {
		t.Fatal("View can write")
	}
	must(t, t.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Lock(ctx, everything)
		must(t, err)
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		err = t.Update(short, func(tx store.Tx) error { // waits for the other one
			_, err := tx.Lock(short, everything)
			return err
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("the error is %v", err)
		}
		return nil
	}))
	for _, early := range []bool{false, true} {
		if early {
			cancel()
		}
		err := t.Update(ctx, func(tx store.Tx) error {
			cancel()
			_, err := tx.Load(ctx, everything, true, nil)
			return cmp.Or(err, tx.Write(ctx, &rows, &none))
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("the error is %v", err)
		}
	}
	equal(t, normal(example()), t.load(everything, nil))
}
