package identity

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// A Contact is one of your own records, for [Engine.Import].
type Contact struct {
	// ID is your own ID, or zero for a new one.
	ID PersonID

	// Facts are about one person.
	Facts []Fact
}

// An imported contact is one that has facts.
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

// Import adds contacts in one transaction, and returns what changed. Pass about 1,000 at a time, each with
// your own updates in the same transaction; see [Engine.WithTx]. Then an import that was interrupted can be
// repeated from its beginning, because contacts that are known change nothing.
//
// Import doesn't join a contact's facts: if only your own records show that a number and a BSUID belong
// together, put both into one [Seen]. The ID isn't assigned unless the facts contain a sighting, or an ID
// change whose sides differ. If several contacts turn out to be one person, the ID that was imported first
// remains, and in one call the oldest contact's; a [Merged] reports the others. So begin with the oldest
// contacts. If contacts share an ID, it belongs to the first of them in this order.
func (e *Engine) Import(ctx context.Context, contacts []Contact) ([]Change, error) {
	var all []imported
	for _, in := range contacts {
		c := imported{id: in.ID, facts: rulesOf(in.Facts), age: math.MaxInt64}
		for i := range c.facts {
			f := &c.facts[i]
			if f.Kind == 0 {
				return nil, errZeroFact()
			}
			c.age = min(c.age, f.At)
			if showsPerson(f) && (c.first == nil || f.At < c.first.At) {
				c.first = f
			}
		}
		if len(c.facts) > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b imported) int { return cmp.Compare(a.age, b.age) })
	var facts []rules.Fact
	var seeds []store.Person
	for _, c := range all {
		facts = append(facts, c.facts...)
		if !c.id.IsZero() && c.first != nil {
			seeds = append(seeds, store.Person{ID: store.ID(c.id), Anchor: mentionOf(c.first).ids.Key().String(), At: c.first.At})
		}
	}
	return update(e, ctx, func(c *call) ([]Change, error) {
		n, err := c.load(aliasesOf(facts))
		if err != nil {
			return nil, err
		}
		r, err := c.add(n, facts, seeds)
		if err != nil {
			return nil, err
		}
		return r.changes, nil
	})
}
