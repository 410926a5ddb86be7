// Package identitytest tests stores for package identity.
//
//	func TestStore(t *testing.T) {
//		identitytest.TestStore(t, func(t *testing.T) identity.Store { return open(t) })
//	}
//
// It uses the testing package and nothing else.
package identitytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/hailmark/hailmark/contact/identity"
)

// TestStore tests everything that an [identity.Engine] needs of a store. It calls open
// several times, and open must return an empty store each time.
//
// It does not test what happens to a store after a crash, or when several processes use
// it. Write separate tests for these.
func TestStore(t *testing.T, open func(t *testing.T) identity.Store) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, store identity.Store)
	}{
		{"empty", testEmpty},
		{"rows come back", testRows},
		{"rows are replaced by key", testReplace},
		{"keys differ in every part", testKeys},
		{"text is kept byte for byte", testText},
		{"great and small numbers", testNumbers},
		{"rows that name a BSUID", testNamed},
		{"rows that name a BSUID in a large cluster", testNamedInLarge},
		{"rows since a time", testSince},
		{"merge moves rows", testMerge},
		{"rows are deleted by key", testDelete},
		{"sequence grows", testSequence},
		{"an error rolls back", testRollback},
		{"a panic rolls back", testPanic},
		{"a transaction sees its writes", testOwnWrites},
		{"a canceled context", testCanceled},
		{"random facts", testRandom},
		{"known facts write nothing", testKnown},
		{"concurrent writers", testConcurrent},
		{"a merge between two statements", testMergeBetween},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

var (
	bsuid1  = identity.MustAlias(identity.KindBSUID, "", "US.1")
	bsuid2  = identity.MustAlias(identity.KindBSUID, "", "US.2")
	bsuid3  = identity.MustAlias(identity.KindBSUID, "", "US.3")
	parent1 = identity.MustAlias(identity.KindParent, "", "US.ENT.1")
	parent2 = identity.MustAlias(identity.KindParent, "", "US.ENT.2")
	phone1  = identity.MustAlias(identity.KindPhone, "", "16505550001")
	phone2  = identity.MustAlias(identity.KindPhone, "", "16505550002")
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, want, got any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("want %+v, got %+v", want, got)
	}
}

func update(t *testing.T, s identity.Store, f func(ctx context.Context, tx identity.Tx) error) {
	t.Helper()
	ctx := context.Background()
	must(t, s.Update(ctx, func(tx identity.Tx) error { return f(ctx, tx) }))
}

func write(t *testing.T, s identity.Store, b identity.Batch) {
	t.Helper()
	update(t, s, func(ctx context.Context, tx identity.Tx) error {
		aliases := make([]identity.Alias, len(b.Aliases))
		for i := range b.Aliases {
			aliases[i] = b.Aliases[i].Alias
		}
		slices.SortFunc(aliases, identity.Alias.Compare)
		if err := tx.Lookup(ctx, aliases, make([]identity.AliasRow, len(aliases)), nil); err != nil {
			return err
		}
		return tx.Write(ctx, &b)
	})
}

// lookup returns the rows of aliases, which need not be sorted, and a cell.
func lookup(t *testing.T, s identity.Store, key identity.CellKey, aliases ...identity.Alias) ([]identity.AliasRow, identity.Cell) {
	t.Helper()
	ctx := context.Background()
	slices.SortFunc(aliases, identity.Alias.Compare)
	rows := make([]identity.AliasRow, len(aliases))
	for i := range rows {
		rows[i].Cluster = 99 // must be overwritten
	}
	cell := identity.Cell{CellKey: key}
	must(t, s.View(ctx, func(tx identity.Tx) error { return tx.Lookup(ctx, aliases, rows, &cell) }))
	return rows, cell
}

// load returns the rows of clusters, sorted.
func load(t *testing.T, s identity.Store, clusters ...int64) identity.Cluster {
	t.Helper()
	ctx := context.Background()
	var c identity.Cluster
	must(t, s.View(ctx, func(tx identity.Tx) (err error) {
		c, err = tx.Load(ctx, clusters)
		return err
	}))
	sortByText(c.Cells)
	sortByText(c.Changes)
	sortByText(c.Verdicts)
	sortByText(c.Handovers)
	sortByText(c.Aliases)
	sortByText(c.Persons)
	return c
}

func sortByText[Row any](rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		x, y := fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

func person(t *testing.T, s identity.Store, id identity.PersonID) (identity.PersonRow, bool) {
	t.Helper()
	ctx := context.Background()
	var row identity.PersonRow
	var known bool
	must(t, s.View(ctx, func(tx identity.Tx) (err error) {
		row, known, err = tx.Person(ctx, id)
		return err
	}))
	return row, known
}

func sequence(t *testing.T, s identity.Store, n int) int64 {
	t.Helper()
	var first int64
	update(t, s, func(ctx context.Context, tx identity.Tx) (err error) {
		first, err = tx.Sequence(ctx, n)
		return err
	})
	return first
}

// full returns a batch with every kind of row and every field set.
func full(cluster int64) identity.Batch {
	id, other := identity.PersonID{1, 0xff}, identity.PersonID{2}
	return identity.Batch{
		Cluster: cluster,
		Evidence: identity.Evidence{
			Cells: []identity.Cell{
				{
					CellKey: identity.CellKey{BSUID: bsuid1, Parent: parent1, Phone: phone1, Period: 689},
					First:   1786000000, Last: 1786000001,
					Username: identity.Dated{At: 1786000000, Text: "jane.doe"},
					Name:     identity.Dated{At: 1786000001, Text: "Jane"},
					Received: identity.Dated{At: 1786000001, Text: "16505550001"},
				},
				{CellKey: identity.CellKey{Phone: phone1}, First: 1, Last: 2},
			},
			Changes: []identity.ChangeRow{{
				ChangeKey: identity.ChangeKey{
					At:       1786000002,
					Previous: identity.ChangeSide{BSUID: bsuid1, Parent: parent1, Phone: phone1},
					Current:  identity.ChangeSide{BSUID: bsuid2, Phone: phone2},
				},
				PreviousReceived: "16505550001", CurrentReceived: "16505550002",
			}},
			Verdicts:  []identity.Verdict{{A: bsuid1, B: bsuid2, At: 1786000003, Joined: true}},
			Handovers: []identity.Handover{{Phone: phone1, At: 1786000004, Undone: true}},
		},
		Aliases: []identity.AliasRow{
			{Alias: bsuid1, Cluster: cluster, Added: 7, Person: id, Changed: true, Ended: true},
			{Alias: phone1, Cluster: cluster, Added: 8, Person: id, Alone: true, Shared: true, Settled: 1786000005, Latest: 1786000006},
		},
		Persons: []identity.PersonRow{
			{ID: id, Cluster: cluster, Born: 9, Anchor: phone1, At: 1786000007},
			{ID: other, Cluster: cluster, Born: 10, Into: id},
			{ID: identity.PersonID{4}, Cluster: cluster, Born: 11, Anchor: bsuid1},
		},
	}
}

// clusterOf returns the rows of a batch as Load returns them.
func clusterOf(b identity.Batch) identity.Cluster {
	c := identity.Cluster{Evidence: b.Evidence, Aliases: b.Aliases, Persons: b.Persons}
	c.Cells, c.Aliases, c.Persons = slices.Clone(c.Cells), slices.Clone(c.Aliases), slices.Clone(c.Persons)
	sortByText(c.Cells)
	sortByText(c.Aliases)
	sortByText(c.Persons)
	return c
}

func testEmpty(t *testing.T, s identity.Store) {
	rows, cell := lookup(t, s, identity.CellKey{BSUID: bsuid1}, bsuid1, phone1)
	equal(t, make([]identity.AliasRow, 2), rows)
	equal(t, identity.Cell{CellKey: identity.CellKey{BSUID: bsuid1}}, cell)
	_, known := person(t, s, identity.PersonID{1})
	equal(t, false, known)
	equal(t, identity.Cluster{}, load(t, s, 1))
	equal(t, identity.Cluster{}, load(t, s))
}

func testRows(t *testing.T, s identity.Store) {
	b := full(sequence(t, s, 1))
	write(t, s, b)
	equal(t, clusterOf(b), load(t, s, b.Cluster))
	rows, cell := lookup(t, s, b.Cells[0].CellKey, bsuid1, bsuid2, phone1)
	equal(t, []identity.AliasRow{b.Aliases[0], {}, b.Aliases[1]}, rows)
	equal(t, b.Cells[0], cell)
	row, known := person(t, s, b.Persons[1].ID)
	equal(t, true, known)
	equal(t, b.Persons[1], row)
}

func testReplace(t *testing.T, s identity.Store) {
	b := full(sequence(t, s, 1))
	write(t, s, b)
	b = full(b.Cluster)
	c := &b.Cells[0]
	c.First, c.Last = c.First-1, c.Last+1
	c.Username, c.Name, c.Received = identity.Dated{}, identity.Dated{At: 5, Text: "x"}, identity.Dated{At: 6, Text: "7"}
	b.Changes[0].PreviousReceived, b.Changes[0].CurrentReceived = "", "1"
	b.Verdicts[0].At, b.Verdicts[0].Joined = 1786000009, false
	b.Handovers[0].Undone = false
	b.Aliases[0] = identity.AliasRow{Alias: bsuid1, Cluster: b.Cluster, Added: 17}
	b.Aliases[1] = identity.AliasRow{Alias: phone1, Cluster: b.Cluster, Added: 18, Person: identity.PersonID{9}, Settled: 1<<63 - 1}
	b.Persons[0] = identity.PersonRow{ID: b.Persons[0].ID, Cluster: b.Cluster, Born: 19, Into: identity.PersonID{2}}
	b.Persons[1] = identity.PersonRow{ID: b.Persons[1].ID, Cluster: b.Cluster, Born: 20}
	b.Aliases[0].Person = b.Persons[1].ID
	write(t, s, b)
	equal(t, clusterOf(b), load(t, s, b.Cluster))
}

func testKeys(t *testing.T, s identity.Store) {
	var (
		p1, p2 = identity.MustAlias(identity.KindPhone, "1", "16505550001"), identity.MustAlias(identity.KindPhone, "2", "16505550001")
		b1, b2 = identity.MustAlias(identity.KindBSUID, "1", "US.1"), identity.MustAlias(identity.KindBSUID, "1", "US.a")
		b3     = identity.MustAlias(identity.KindBSUID, "1", "US.A") // BSUIDs keep their case
		e1, e2 = identity.MustAlias(identity.KindParent, "1", "US.1"), identity.MustAlias(identity.KindParent, "2", "US.1")
	)
	cluster := sequence(t, s, 1)
	b := identity.Batch{Cluster: cluster}
	for i, a := range []identity.Alias{p1, p2, b1, b2, b3, e1, e2} {
		b.Aliases = append(b.Aliases, identity.AliasRow{Alias: a, Cluster: cluster, Added: int64(i + 1)})
	}
	for i, k := range []identity.CellKey{
		{Phone: p1},
		{Phone: p2},
		{Phone: p1, Period: 1},
		{BSUID: b1},
		{BSUID: b2},
		{BSUID: b3},
		{BSUID: b1, Phone: p1},
		{Parent: e1},
		{Parent: e2},
		{BSUID: b1, Parent: e1},
		{BSUID: b1, Parent: e2},
		{BSUID: b1, Parent: e2, Phone: p1},
	} {
		b.Cells = append(b.Cells, identity.Cell{CellKey: k, First: int64(i + 1), Last: int64(i + 1)})
	}
	side := func(aliases ...identity.Alias) (c identity.ChangeSide) {
		for _, a := range aliases {
			switch a.Kind() {
			case identity.KindBSUID:
				c.BSUID = a
			case identity.KindParent:
				c.Parent = a
			case identity.KindPhone:
				c.Phone = a
			}
		}
		return c
	}
	for _, k := range []identity.ChangeKey{
		{At: 1, Previous: side(b1), Current: side(b2)},
		{At: 2, Previous: side(b1), Current: side(b2)},
		{At: 1, Previous: side(b2), Current: side(b1)},
		{At: 1, Previous: side(b1), Current: side(b3)},
		{At: 1, Previous: side(b1, p1), Current: side(b2)},
		{At: 1, Previous: side(b1), Current: side(b2, p1)},
		{At: 1, Previous: side(b1, e1), Current: side(b2)},
		{At: 1, Previous: side(b1, e2), Current: side(b2)},
		{At: 1, Previous: side(p1), Current: side(p2)},
	} {
		b.Changes = append(b.Changes, identity.ChangeRow{ChangeKey: k})
	}
	b.Verdicts = []identity.Verdict{{A: b1, B: b2, At: 1}, {A: b1, B: b3, At: 2}, {A: b1, B: e1, At: 3}, {A: b1, B: p1, At: 4, Joined: true}}
	b.Handovers = []identity.Handover{{Phone: p1, At: 1}, {Phone: p1, At: 2}, {Phone: p2, At: 1}}
	write(t, s, b)
	want := clusterOf(b)
	sortByText(want.Changes)
	sortByText(want.Verdicts)
	sortByText(want.Handovers)
	equal(t, want, load(t, s, cluster))
	for _, c := range b.Cells {
		_, got := lookup(t, s, c.CellKey, b1)
		equal(t, c, got)
	}
	for _, a := range b.Aliases {
		got, _ := lookup(t, s, identity.CellKey{}, a.Alias)
		equal(t, a, got[0])
	}
}

// parts returns a batch with rows of two BSUIDs in two portfolios at the times 1 to 4 in two periods.
func parts(cluster int64) identity.Batch {
	const period = 2_592_000
	b := identity.Batch{Cluster: cluster}
	other := identity.MustAlias(identity.KindBSUID, "2", bsuid1.Value())
	parent := identity.MustAlias(identity.KindParent, "", bsuid1.Value())
	for i, a := range []identity.Alias{bsuid1, bsuid2, bsuid3, other, parent, phone1, phone2} {
		b.Aliases = append(b.Aliases, identity.AliasRow{Alias: a, Cluster: cluster, Added: int64(i + 1)})
	}
	b.Cells = []identity.Cell{
		{CellKey: identity.CellKey{BSUID: bsuid1}, First: 1, Last: 4},
		{CellKey: identity.CellKey{BSUID: bsuid1, Phone: phone1, Period: 1}, First: period, Last: period + 3},
		{CellKey: identity.CellKey{BSUID: bsuid1, Parent: parent1, Period: 1}, First: period + 2, Last: period + 2},
		{CellKey: identity.CellKey{BSUID: bsuid2, Phone: phone1, Period: 1}, First: period + 1, Last: period + 1},
		{CellKey: identity.CellKey{BSUID: other}, First: 2, Last: 2},
		{CellKey: identity.CellKey{Parent: parent, Period: 2}, First: 2 * period, Last: 2 * period},
	}
	side := func(a identity.Alias) identity.ChangeSide { return identity.ChangeSide{BSUID: a} }
	b.Changes = []identity.ChangeRow{
		{ChangeKey: identity.ChangeKey{At: period, Previous: side(bsuid1), Current: side(bsuid2)}},
		{ChangeKey: identity.ChangeKey{At: period + 2, Previous: side(bsuid2), Current: side(bsuid1)}},
		{ChangeKey: identity.ChangeKey{At: period + 3, Previous: side(bsuid2), Current: side(bsuid3)}},
		{ChangeKey: identity.ChangeKey{At: 1, Previous: side(other), Current: identity.ChangeSide{Phone: phone2}}},
	}
	b.Verdicts = []identity.Verdict{
		{A: bsuid1, B: bsuid2, At: period + 1, Joined: true},
		{A: bsuid2, B: bsuid3, At: period + 2},
		{A: bsuid1, B: phone1, At: period + 3, Joined: true},
		{A: bsuid2, B: parent, At: 5},
	}
	b.Handovers = []identity.Handover{{Phone: phone1, At: period + 1}, {Phone: phone1, At: period + 2}, {Phone: phone2, At: 3, Undone: true}}
	return b
}

// testPart compares what a method returns with the rows that are wanted.
func testPart(
	t *testing.T, s identity.Store, wanted func(*identity.Evidence),
	load func(context.Context, identity.Tx, int64) (identity.Evidence, error),
) {
	first := sequence(t, s, 2)
	write(t, s, parts(first))
	stranger := full(first + 1)
	stranger.Aliases, stranger.Persons, stranger.Verdicts = nil, nil, nil
	write(t, s, stranger)
	want := parts(first).Evidence
	wanted(&want)
	var got identity.Evidence
	ctx := context.Background()
	must(t, s.View(ctx, func(tx identity.Tx) (err error) {
		got, err = load(ctx, tx, first)
		return err
	}))
	for _, e := range []*identity.Evidence{&want, &got} {
		sortByText(e.Cells)
		sortByText(e.Changes)
		sortByText(e.Verdicts)
		sortByText(e.Handovers)
	}
	equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
	must(t, s.View(ctx, func(tx identity.Tx) (err error) {
		got, err = load(ctx, tx, first+2)
		return err
	}))
	equal(t, identity.Evidence{}, got)
}

func testNamed(t *testing.T, s identity.Store) {
	testPart(t, s, func(e *identity.Evidence) {
		e.Cells, e.Changes = e.Cells[:3], e.Changes[:2]
		e.Verdicts = []identity.Verdict{e.Verdicts[0], e.Verdicts[2]}
		e.Handovers = nil
	}, func(ctx context.Context, tx identity.Tx, cluster int64) (identity.Evidence, error) {
		return tx.LoadNamed(ctx, cluster, bsuid1)
	})
}

// testNamedInLarge rolls back and merges between the reads.
func testNamedInLarge(t *testing.T, s identity.Store) {
	ctx := context.Background()
	row := func(bsuid string, period int64) identity.Cell {
		return identity.Cell{
			CellKey: identity.CellKey{BSUID: identity.MustAlias(identity.KindBSUID, "", bsuid), Phone: phone1, Period: period},
			First:   1, Last: 2,
		}
	}
	first := sequence(t, s, 2)
	large, small := identity.Batch{Cluster: first}, identity.Batch{Cluster: first + 1}
	for i := range 100 {
		c := row(fmt.Sprint("US.", i), 0)
		large.Cells = append(large.Cells, c)
		large.Aliases = append(large.Aliases, identity.AliasRow{Alias: c.BSUID, Cluster: first, Added: int64(i + 1)})
		change := identity.ChangeKey{At: int64(i + 1), Previous: identity.ChangeSide{BSUID: c.BSUID}, Current: identity.ChangeSide{BSUID: bsuid1, Phone: phone2}}
		large.Changes = append(large.Changes, identity.ChangeRow{ChangeKey: change})
	}
	large.Aliases = append(large.Aliases, identity.AliasRow{Alias: phone1, Cluster: first, Added: 101}, identity.AliasRow{Alias: phone2, Cluster: first, Added: 102})
	small.Cells = []identity.Cell{row("US.7", 7)}
	write(t, s, large)
	want := identity.Evidence{Cells: large.Cells[7:8:8], Changes: large.Changes[7:8]}
	check := func(tx identity.Tx, want identity.Evidence) {
		t.Helper()
		got, err := tx.LoadNamed(ctx, first, large.Cells[7].BSUID)
		must(t, err)
		sortByText(got.Cells)
		equal(t, want, got)
		got, err = tx.LoadNamed(ctx, first, bsuid1)
		must(t, err)
		equal(t, 1+len(large.Changes), len(got.Cells)+len(got.Changes))
	}
	more := want
	more.Cells = append(more.Cells, row("US.7", 3))
	err := s.Update(ctx, func(tx identity.Tx) error {
		must(t, tx.Lookup(ctx, []identity.Alias{phone1}, make([]identity.AliasRow, 1), nil))
		check(tx, want)
		must(t, tx.Write(ctx, &identity.Batch{Cluster: first, Evidence: identity.Evidence{Cells: more.Cells[1:]}}))
		check(tx, more)
		return errTest
	})
	equal(t, errTest, err)
	view := func(want identity.Evidence) {
		must(t, s.View(ctx, func(tx identity.Tx) error {
			check(tx, want)
			return nil
		}))
	}
	write(t, s, identity.Batch{Cluster: first, Evidence: identity.Evidence{Cells: []identity.Cell{row("US.5", 3)}}})
	view(want)
	write(t, s, small)
	merge := identity.Batch{Cluster: first, Merge: []int64{first + 1}}
	merged := want
	merged.Cells = append(merged.Cells, small.Cells...)
	err = s.Update(ctx, func(tx identity.Tx) error {
		must(t, tx.Lookup(ctx, []identity.Alias{large.Cells[7].BSUID, phone1}, make([]identity.AliasRow, 2), nil))
		must(t, tx.Write(ctx, &merge))
		check(tx, merged)
		return errTest
	})
	equal(t, errTest, err)
	view(want)
	write(t, s, merge)
	view(merged)
}

func testSince(t *testing.T, s identity.Store) {
	const at = 2_592_000 + 2
	testPart(t, s, func(e *identity.Evidence) {
		e.Cells = slices.DeleteFunc(e.Cells, func(c identity.Cell) bool { return c.Last < at })
		e.Changes = slices.DeleteFunc(e.Changes, func(c identity.ChangeRow) bool { return c.At < at })
		e.Verdicts = slices.DeleteFunc(e.Verdicts, func(v identity.Verdict) bool { return v.At < at })
		e.Handovers = slices.DeleteFunc(e.Handovers, func(h identity.Handover) bool { return h.At < at })
	}, func(ctx context.Context, tx identity.Tx, cluster int64) (identity.Evidence, error) {
		return tx.LoadSince(ctx, cluster, at)
	})
}

func testText(t *testing.T, s identity.Store) {
	cluster := sequence(t, s, 1)
	odd := identity.MustAlias(identity.KindBSUID, `o'b"r\i%en_; é`, "user.937 🙂\u00a0x")
	b := identity.Batch{Cluster: cluster}
	b.Aliases = []identity.AliasRow{{Alias: odd, Cluster: cluster, Added: 1}}
	for i, name := range []string{"a\n\t\x01b", "e\u0301", "é", " x ", "'); --", "👩‍👩‍👧", "\uFFFD"} {
		b.Cells = append(b.Cells, identity.Cell{
			CellKey: identity.CellKey{BSUID: odd, Period: int64(i)}, First: 1, Last: 1, Name: identity.Dated{At: 1, Text: name},
		})
	}
	write(t, s, b)
	equal(t, clusterOf(b), load(t, s, cluster))
}

func testNumbers(t *testing.T, s identity.Store) {
	const most = 1<<63 - 1
	cluster := sequence(t, s, 1)
	id := identity.PersonID{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}
	b := identity.Batch{Cluster: cluster}
	b.Aliases = []identity.AliasRow{{Alias: phone1, Cluster: cluster, Added: most, Person: id, Settled: most, Latest: most}}
	b.Cells = []identity.Cell{{CellKey: identity.CellKey{Phone: phone1, Period: most / 2_592_000}, First: 1, Last: most / 1000}}
	b.Persons = []identity.PersonRow{{ID: id, Cluster: cluster, Born: most, Anchor: phone1, At: most / 1000}}
	write(t, s, b)
	equal(t, clusterOf(b), load(t, s, cluster))
}

func testMerge(t *testing.T, s identity.Store) {
	first := sequence(t, s, 3)
	one, two, three := full(first), identity.Batch{Cluster: first + 1}, identity.Batch{Cluster: first + 2}
	two.Aliases = []identity.AliasRow{{Alias: bsuid3, Cluster: two.Cluster, Added: 3}}
	two.Cells = []identity.Cell{{CellKey: identity.CellKey{BSUID: bsuid3}, First: 5, Last: 5}}
	three.Aliases = []identity.AliasRow{{Alias: parent2, Cluster: three.Cluster, Added: 4, Person: identity.PersonID{3}}}
	three.Cells = []identity.Cell{{CellKey: identity.CellKey{Parent: parent2}, First: 6, Last: 6}}
	three.Persons = []identity.PersonRow{{ID: identity.PersonID{3}, Cluster: three.Cluster, Born: 3}}
	write(t, s, one)
	write(t, s, two)
	write(t, s, three)

	equal(t, len(one.Aliases)+1, len(load(t, s, one.Cluster, three.Cluster).Aliases))
	// A row of the batch may be one of a cluster that it merges.
	changed := two.Aliases[0]
	changed.Added = 30
	write(t, s, identity.Batch{Cluster: two.Cluster, Merge: []int64{one.Cluster, three.Cluster}, Aliases: []identity.AliasRow{changed}})
	equal(t, identity.Cluster{}, load(t, s, one.Cluster))
	equal(t, identity.Cluster{}, load(t, s, three.Cluster))

	want := full(two.Cluster)
	changed.Cluster = two.Cluster
	want.Aliases = append(want.Aliases, changed, three.Aliases[0])
	want.Aliases[len(want.Aliases)-1].Cluster = two.Cluster
	want.Cells = append(append(want.Cells, two.Cells...), three.Cells...)
	want.Persons = append(want.Persons, identity.PersonRow{ID: identity.PersonID{3}, Cluster: two.Cluster, Born: 3})
	equal(t, clusterOf(want), load(t, s, two.Cluster))
	rows, _ := lookup(t, s, identity.CellKey{}, phone1)
	equal(t, two.Cluster, rows[0].Cluster)
	row, _ := person(t, s, identity.PersonID{3})
	equal(t, two.Cluster, row.Cluster)
}

// writeTwo writes two new clusters.
func writeTwo(t *testing.T, s identity.Store) (one, two identity.Batch) {
	t.Helper()
	first := sequence(t, s, 2)
	one, two = full(first), identity.Batch{Cluster: first + 1}
	two.Aliases = []identity.AliasRow{{Alias: parent2, Cluster: two.Cluster, Added: 3}}
	two.Cells = []identity.Cell{{CellKey: identity.CellKey{Parent: parent2}, First: 5, Last: 5}}
	write(t, s, one)
	write(t, s, two)
	return one, two
}

func testDelete(t *testing.T, s identity.Store) {
	one, two := writeTwo(t, s)
	all := full(one.Cluster)
	one.Delete = identity.Cluster{Aliases: all.Aliases[:1], Persons: all.Persons[:1]}
	one.Delete.Cells = all.Cells[:1]
	// A row that is deleted may be in the batch too.
	write(t, s, identity.Batch{Cluster: one.Cluster, Delete: one.Delete, Aliases: all.Aliases[:1]})
	rest := full(one.Cluster)
	rest.Cells, rest.Persons = rest.Cells[1:], rest.Persons[1:]
	equal(t, clusterOf(rest), load(t, s, one.Cluster))
	equal(t, clusterOf(two), load(t, s, two.Cluster))
	_, known := person(t, s, all.Persons[0].ID)
	equal(t, false, known)
	_, cell := lookup(t, s, all.Cells[0].CellKey, bsuid1)
	equal(t, int64(0), cell.First)
	write(t, s, identity.Batch{Cluster: one.Cluster, Delete: clusterOf(full(one.Cluster))})
	equal(t, identity.Cluster{}, load(t, s, one.Cluster))
	rows, _ := lookup(t, s, identity.CellKey{}, bsuid1, phone1)
	equal(t, make([]identity.AliasRow, 2), rows)

	// Every part of a key counts, and there may be many rows.
	many := identity.Batch{Cluster: one.Cluster}
	for i := range 40 {
		a := identity.MustAlias(identity.KindBSUID, "", fmt.Sprint("US.", i))
		many.Aliases = append(many.Aliases, identity.AliasRow{Alias: a, Cluster: one.Cluster, Added: int64(i + 1)})
		many.Cells = append(many.Cells, identity.Cell{CellKey: identity.CellKey{BSUID: a, Period: int64(i % 2)}, First: 1, Last: 1})
		key := identity.ChangeKey{At: int64(i%2 + 1), Previous: identity.ChangeSide{BSUID: a}, Current: identity.ChangeSide{BSUID: bsuid3}}
		many.Changes = append(many.Changes, identity.ChangeRow{ChangeKey: key})
		many.Verdicts = append(many.Verdicts, identity.Verdict{A: a, B: phone1, At: 1})
		many.Handovers = append(many.Handovers, identity.Handover{Phone: phone1, At: int64(i + 1)})
	}
	many.Aliases = append(many.Aliases, identity.AliasRow{Alias: bsuid3, Cluster: one.Cluster, Added: 99}, identity.AliasRow{Alias: phone1, Cluster: one.Cluster, Added: 98})
	many.Aliases = slices.DeleteFunc(many.Aliases, func(r identity.AliasRow) bool { return r.Alias == bsuid3 && r.Added != 99 })
	write(t, s, many)
	keep := many
	for _, part := range []*identity.Batch{&many, &keep} {
		part.Cells, part.Changes = slices.Clone(part.Cells), slices.Clone(part.Changes)
		part.Verdicts, part.Handovers = slices.Clone(part.Verdicts), slices.Clone(part.Handovers)
	}
	keep.Cells, keep.Changes, keep.Verdicts, keep.Handovers = keep.Cells[20:], keep.Changes[20:], keep.Verdicts[20:], keep.Handovers[20:]
	many.Delete.Cells, many.Delete.Changes = many.Cells[:20], many.Changes[:20]
	many.Delete.Verdicts, many.Delete.Handovers = many.Verdicts[:20], many.Handovers[:20]
	write(t, s, identity.Batch{Cluster: one.Cluster, Delete: many.Delete})
	got := load(t, s, one.Cluster)
	equal(t, [...]int{20, 20, 20, 20}, [...]int{len(got.Cells), len(got.Changes), len(got.Verdicts), len(got.Handovers)})
	want := clusterOf(keep)
	sortByText(want.Changes)
	sortByText(want.Verdicts)
	sortByText(want.Handovers)
	equal(t, want.Evidence, got.Evidence)
}

func testSequence(t *testing.T, s identity.Store) {
	last := int64(0)
	for n := 1; n < 5; n++ {
		first := sequence(t, s, n)
		if first <= last {
			t.Fatalf("%d is not greater than %d", first, last)
		}
		last = first + int64(n) - 1
	}
}

var errTest = errors.New("test")

func testRollback(t *testing.T, s identity.Store) {
	one, two := writeTwo(t, s)
	ctx := context.Background()
	for name, b := range map[string]identity.Batch{
		"replace": func() identity.Batch {
			b := full(one.Cluster)
			b.Cells[0].Last, b.Aliases[0].Added, b.Persons[0].Born, b.Verdicts[0].At = 9, 99, 99, 99
			return b
		}(),
		"merge":      {Cluster: one.Cluster, Merge: []int64{two.Cluster}},
		"merge back": {Cluster: two.Cluster, Merge: []int64{one.Cluster}, Aliases: one.Aliases, Evidence: one.Evidence},
		"delete":     {Cluster: one.Cluster, Delete: clusterOf(full(one.Cluster)), Aliases: []identity.AliasRow{{Alias: parent1, Cluster: one.Cluster, Added: 1}}},
		"insert": {Cluster: one.Cluster, Evidence: identity.Evidence{
			Cells: []identity.Cell{{CellKey: identity.CellKey{BSUID: bsuid1}, First: 1, Last: 1}},
		}},
		"new cluster": {Cluster: one.Cluster + 100, Aliases: []identity.AliasRow{{Alias: parent1, Cluster: one.Cluster + 100, Added: 1}}},
	} {
		err := s.Update(ctx, func(tx identity.Tx) error {
			if err := tx.Lookup(ctx, []identity.Alias{bsuid1, parent2}, make([]identity.AliasRow, 2), nil); err != nil {
				return err
			}
			if err := tx.Write(ctx, &b); err != nil {
				return err
			}
			return errTest
		})
		if !errors.Is(err, errTest) {
			t.Fatalf("%s: the error is %v", name, err)
		}
		equal(t, clusterOf(one), load(t, s, one.Cluster))
		equal(t, clusterOf(two), load(t, s, two.Cluster))
		rows, _ := lookup(t, s, identity.CellKey{}, parent1)
		equal(t, identity.AliasRow{}, rows[0])
	}
}

func testPanic(t *testing.T, s identity.Store) {
	b := full(sequence(t, s, 1))
	func() {
		defer func() { equal(t, any("test"), recover()) }()
		ctx := context.Background()
		_ = s.Update(ctx, func(tx identity.Tx) error {
			if err := tx.Write(ctx, &b); err != nil {
				return err
			}
			panic("test")
		})
	}()
	equal(t, identity.Cluster{}, load(t, s, b.Cluster))
}

func testOwnWrites(t *testing.T, s identity.Store) {
	b := full(sequence(t, s, 1))
	update(t, s, func(ctx context.Context, tx identity.Tx) error {
		if err := tx.Write(ctx, &b); err != nil {
			return err
		}
		rows, cell := make([]identity.AliasRow, 1), identity.Cell{CellKey: b.Cells[0].CellKey}
		if err := tx.Lookup(ctx, []identity.Alias{bsuid1}, rows, &cell); err != nil {
			return err
		}
		equal(t, b.Aliases[0], rows[0])
		equal(t, b.Cells[0], cell)
		c, err := tx.Load(ctx, []int64{b.Cluster})
		equal(t, len(b.Cells), len(c.Cells))
		return err
	})
}

func testCanceled(t *testing.T, s identity.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := full(1)
	err := s.Update(ctx, func(tx identity.Tx) error { return tx.Write(ctx, &b) })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	equal(t, identity.Cluster{}, load(t, s, 1))
}

// A world makes random facts from few aliases and few times, so that they meet.
type world struct {
	*rand.Rand
	scope identity.Scope
}

func newWorld(seed uint64) world { return world{Rand: rand.New(rand.NewPCG(seed, 7))} }

func (w world) ids() identity.IDs {
	var ids identity.IDs
	for ids == (identity.IDs{}) {
		if w.IntN(3) > 0 {
			ids.BSUID = fmt.Sprintf("US.%d", w.IntN(4))
		}
		if w.IntN(6) == 0 {
			ids.Parent = fmt.Sprintf("US.ENT.%d", w.IntN(2))
		}
		if w.IntN(3) > 0 {
			ids.Phone = fmt.Sprintf("1650555000%d", w.IntN(3))
		}
	}
	return ids
}

func (w world) alias() identity.Alias {
	a := []identity.Alias{bsuid1, bsuid2, parent1, phone1, phone2}[w.IntN(5)]
	if a.Kind() == identity.KindParent {
		return identity.MustAlias(a.Kind(), w.scope.Group, a.Value())
	}
	return identity.MustAlias(a.Kind(), w.scope.Portfolio, a.Value())
}

func (w world) fact() identity.Fact {
	for {
		at := 1786000000 + w.Int64N(4)*2_592_000 + w.Int64N(5)
		var f identity.Fact
		var err error
		switch n := w.IntN(20); {
		case n < 12:
			f, err = identity.Seen(at, w.scope, w.ids(), identity.Labels{Name: string(rune('A' + w.IntN(3)))})
		case n < 17:
			f, err = identity.Changed(at, w.scope, w.ids(), w.ids())
		case n < 18:
			f, err = identity.Joined(at, w.alias(), w.alias())
		case n < 19:
			f, err = identity.Withdrawn(at, w.alias(), w.alias())
		default:
			f, err = identity.HandedOver(at, w.scope.Portfolio, "16505550001")
		}
		if err == nil {
			return f
		}
	}
}

func (w world) facts(n int) []identity.Fact {
	facts := make([]identity.Fact, n)
	for i := range facts {
		facts[i] = w.fact()
	}
	return facts
}

// expect tests that an engine has the persons of the partition of facts.
func expect(t *testing.T, e *identity.Engine, facts []identity.Fact) {
	t.Helper()
	ctx := context.Background()
	owner := map[identity.PersonID]int{}
	for i, p := range identity.Partition(identity.NewState(facts...)).Persons {
		for _, h := range p.Aliases {
			if !h.Alias.IsStable() && !h.Current {
				continue // found by another alias, or not at all
			}
			id, found, err := e.Find(ctx, h.Alias)
			must(t, err)
			if !found {
				t.Fatalf("%q is not found", h.Alias)
			}
			profile, found, err := e.Person(ctx, id)
			must(t, err)
			if !found || profile.ID != id {
				t.Fatalf("the person of %q is not found", h.Alias)
			}
			equal(t, p, profile.Person)
			if other, taken := owner[id]; taken && other != i {
				t.Fatalf("%s is the id of two persons", id)
			}
			owner[id] = i
		}
	}
}

// expectKnown tests that ids lead to persons.
func expectKnown(t *testing.T, e *identity.Engine, ids []identity.PersonID) {
	t.Helper()
	for _, id := range ids {
		_, found, err := e.Person(context.Background(), id)
		must(t, err)
		if !found {
			t.Fatalf("%s is lost", id)
		}
	}
}

func testRandom(t *testing.T, s identity.Store) {
	ctx := context.Background()
	e := identity.NewEngine(s, identity.Config{})
	for seed := range uint64(20) {
		w := newWorld(seed)
		w.scope = identity.Scope{Portfolio: fmt.Sprint(seed), Group: fmt.Sprint(seed)}
		facts := w.facts(12)
		var known []identity.PersonID
		for i, f := range facts {
			result, err := e.Observe(ctx, f)
			must(t, err)
			if id := result.Persons[0]; !id.IsZero() && !slices.Contains(known, id) {
				known = append(known, id)
			}
			if i%4 == 3 {
				expect(t, e, facts[:i+1])
				expectKnown(t, e, known)
			}
		}
		gone, _, err := e.Forget(ctx, known[0])
		must(t, err)
		expectKnown(t, e, slices.DeleteFunc(known, func(id identity.PersonID) bool { return slices.Contains(gone, id) }))
		for _, id := range gone {
			_, found, err := e.Person(ctx, id)
			must(t, err)
			equal(t, false, found)
		}
	}
}

func testKnown(t *testing.T, s identity.Store) {
	ctx := context.Background()
	e := identity.NewEngine(counting{s, new(int)}, identity.Config{})
	facts := newWorld(3).facts(60)
	first, err := e.Observe(ctx, facts...)
	must(t, err)
	counter := new(int)
	e = identity.NewEngine(counting{s, counter}, identity.Config{})
	again, err := e.Observe(ctx, facts...)
	must(t, err)
	equal(t, 0, *counter)
	equal(t, 0, len(again.Changes))
	equal(t, first.Persons, again.Persons)
	expect(t, e, facts)
}

// counting counts the calls of Write and Sequence.
type counting struct {
	identity.Store
	writes *int
}

func (c counting) Update(ctx context.Context, f func(identity.Tx) error) error {
	return c.Store.Update(ctx, func(tx identity.Tx) error { return f(countingTx{tx, c.writes}) })
}

type countingTx struct {
	identity.Tx
	writes *int
}

func (c countingTx) Write(ctx context.Context, b *identity.Batch) error {
	*c.writes++
	return c.Tx.Write(ctx, b)
}

func (c countingTx) Sequence(ctx context.Context, n int) (int64, error) {
	*c.writes++
	return c.Tx.Sequence(ctx, n)
}

// Sixteen writers observe the facts of a few people in different orders.
func testConcurrent(t *testing.T, s identity.Store) {
	ctx := context.Background()
	e := identity.NewEngine(s, identity.Config{})
	facts := newWorld(5).facts(24)
	errs := make([]error, 16)
	var done sync.WaitGroup
	for i := range errs {
		done.Add(1)
		go func() {
			defer done.Done()
			w := newWorld(uint64(100 + i))
			mine := slices.Clone(facts)
			w.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
			for len(mine) > 0 && errs[i] == nil {
				n := min(1+w.IntN(3), len(mine))
				_, errs[i] = e.Observe(ctx, mine[:n]...)
				mine = mine[n:]
			}
		}()
	}
	done.Wait()
	must(t, errors.Join(errs...))
	expect(t, e, facts)
}
