package identity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

// However many sightings, changes and handovers name an ID, beside others or at other times, a webhook about it reads a limited number
// of rows, and the ID is in a conflict.
func TestBounded(t *testing.T) {
	testenv.Slow(t)
	const many, limit = 300, 101 // the limit is that of section 3, and one for the IDs that lead to nobody since
	hubs := map[string]contact.IDs{
		"bsuid": {BSUID: "US.1"}, "parent": {ParentBSUID: "US.ENT.1"}, "number": {Phone: "16505550001"},
	}
	others := map[string]func(i int) contact.IDs{
		"itself":  func(int) contact.IDs { return contact.IDs{} },
		"bsuids":  func(i int) contact.IDs { return contact.IDs{BSUID: fmt.Sprintf("US.9%d", i)} },
		"parents": func(i int) contact.IDs { return contact.IDs{ParentBSUID: fmt.Sprintf("US.ENT.9%d", i)} },
		"numbers": func(i int) contact.IDs { return contact.IDs{Phone: fmt.Sprintf("16505551%03d", i)} },
		"one":     func(int) contact.IDs { return contact.IDs{BSUID: "US.2"} },
	}
	aliasOf := func(ids contact.IDs) Alias {
		m, err := newMembers(Scope{}, ids)
		require.NoError(t, err)
		return Alias{m.Key()}
	}
	both := func(a, b contact.IDs) (ids contact.IDs, ok bool) {
		ids = a
		for _, x := range []struct{ to, from *string }{{&ids.BSUID, &b.BSUID}, {&ids.ParentBSUID, &b.ParentBSUID}, {&ids.Phone, &b.Phone}} {
			if *x.to != "" && *x.from != "" {
				return ids, false
			}
			*x.to += *x.from
		}
		return ids, true
	}
	shapes := map[string]func(at int64, hub, other contact.IDs) (Fact, bool){
		"seen": func(at int64, hub, other contact.IDs) (Fact, bool) {
			ids, ok := both(hub, other)
			f, err := Seen(at, Scope{}, contact.Person{IDs: ids})
			return f, ok && err == nil && other != contact.IDs{}
		},
		"changed from": func(at int64, hub, other contact.IDs) (Fact, bool) {
			f, err := Changed(at, Scope{}, hub, other)
			return f, err == nil
		},
		"changed to": func(at int64, hub, other contact.IDs) (Fact, bool) {
			f, err := Changed(at, Scope{}, other, hub)
			return f, err == nil
		},
		"handed over": func(at int64, hub, other contact.IDs) (Fact, bool) {
			f, err := HandedOver(at, "", hub.Phone)
			return f, err == nil && other == contact.IDs{}
		},
	}
	for hubName, hub := range hubs {
		for otherName, other := range others {
			for shapeName, shape := range shapes {
				what := fmt.Sprintf("%s: %s %s", shapeName, hubName, otherName)
				if _, ok := shape(start, hub, other(0)); !ok || otherName == "one" && shapeName[0] != 'c' {
					continue
				}
				statements, read, most := 0, 0, 0
				m := store.NewMemory()
				e := NewEngine(counted{m, &statements, &read}, Config{})
				observe(t, e, seenFact(t, start, hub))
				for i := range many {
					f, ok := shape(start+int64(i)*100_000, hub, other(i))
					require.True(t, ok, what)
					read = 0
					observe(t, e, f)
					most = max(most, read)
				}
				read = 0
				observe(t, e, seenFact(t, start+1, hub))
				t.Logf("%s: at most %d rows, %d after %d webhooks", what, most, read, many)
				require.LessOrEqual(t, read, limit, what)
				require.LessOrEqual(t, most, 11*limit, what)
				conflicts := map[Alias]bool{}
				for c, err := range e.Conflicts(t.Context()) {
					require.NoError(t, err)
					conflicts[c.Alias] = conflicts[c.Alias] || c.Kind == Crowded
				}
				require.True(t, conflicts[aliasOf(hub)], what)
			}
		}
	}
}

// What isn't limited are the IDs of one person, told one after another or in a ring. A webhook reads four
// rows for each.
func TestBoundedByOwnIDs(t *testing.T) {
	for _, ring := range []bool{false, true} {
		const many = 40
		statements, read := 0, 0
		e := NewEngine(counted{store.NewMemory(), &statements, &read}, Config{})
		ids := func(i int) contact.IDs { return contact.IDs{BSUID: bsuidOf(i).Value()} }
		for i := range many {
			next := i + 1
			if ring {
				next %= many
			}
			read = 0
			observe(t, e, mustFact(t)(Changed(start+int64(i)*100_000, Scope{}, ids(i), ids(next))))
		}
		require.LessOrEqual(t, read, 4*many)
	}
}
