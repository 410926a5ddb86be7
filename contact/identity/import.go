package identity

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// An imported contact is an element that [Engine.Import] adds.
type imported struct {
	id    PersonID
	facts []rules.Fact
	first *rules.Fact // the earliest that shows that the person exists, if any
	age   int64
}

// showsPerson reports whether a fact shows that a person exists.
func showsPerson(f *rules.Fact) bool {
	return f.Kind == rules.Seen || f.Kind == rules.Changed && f.A.Side != f.B.Side
}

// Import adds contacts. A contact consists of the caller's own ID, or zero for a new ID, and facts
// about one person. Import doesn't join these facts: if only your own records show that a number
// and a BSUID belong together, put both into one [Seen]. The ID isn't assigned unless the facts
// contain a sighting, or an ID change whose sides differ. If several contacts turn out to be one person, the
// oldest one's ID remains, and a [Merged] reports the others. If contacts share an ID, it belongs to
// the oldest of them.
//
// Import reads all contacts into memory and sorts them by their earliest fact. It stores 1,000 in
// a transaction, and then calls progress with the number stored so far and the changes in the
// transaction; progress can be nil. With [Engine.WithTx], the caller's transaction contains them
// all, so other writers wait. Import can be repeated after an error, because known contacts change
// nothing; contacts must then be repeatable, too.
func (e *Engine) Import(ctx context.Context, contacts iter.Seq2[PersonID, []Fact], progress func(done int, changes []Change)) error {
	return e.importBy(ctx, 1000, contacts, progress)
}

func (e *Engine) importBy(ctx context.Context, size int, contacts iter.Seq2[PersonID, []Fact], progress func(done int, changes []Change)) error {
	var all []imported
	for id, facts := range contacts {
		c := imported{id: id, facts: rulesOf(facts), age: math.MaxInt64}
		for i := range c.facts {
			f := &c.facts[i]
			if f.Kind == 0 {
				return errZeroFact()
			}
			c.age = min(c.age, f.At)
			if showsPerson(f) && (c.first == nil || f.At < c.first.At) {
				c.first = f
			}
		}
		if len(facts) > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b imported) int { return cmp.Compare(a.age, b.age) })
	done := 0
	for chunk := range slices.Chunk(all, size) {
		var facts []rules.Fact
		var seeds []store.Person
		for _, c := range chunk {
			facts = append(facts, c.facts...)
			if !c.id.IsZero() && c.first != nil {
				seeds = append(seeds, store.Person{ID: store.ID(c.id), Anchor: mentionOf(c.first).ids.Key().String(), At: c.first.At})
			}
		}
		changes, err := update(e, ctx, func(c *call) ([]Change, error) { return c.addContacts(facts, seeds) })
		if err != nil {
			return err
		}
		done += len(chunk)
		if progress != nil {
			progress(done, changes)
		}
	}
	return nil
}

func (c *call) addContacts(facts []rules.Fact, seeds []store.Person) ([]Change, error) {
	n, err := c.load(aliasesOf(facts))
	if err != nil {
		return nil, err
	}
	r, err := c.add(n, facts, seeds)
	if err != nil {
		return nil, err
	}
	return r.changes, nil
}
