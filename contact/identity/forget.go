package identity

import (
	"cmp"
	"context"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// Forget removes a person in one transaction: their aliases, all facts about them, and all IDs
// that lead to them. Later facts are about a new person. Other people keep their IDs, numbers and
// messages, because handovers and sightings replace facts about the person that these depend on.
// However, a number that remains only in operators' statements no longer appears among a person's
// aliases until a new fact contains it. In rare cases, a message with a number alone passes to a new person, because only
// facts about the person showed who else had written it; a [Moved] reports that.
//
// It returns the removed IDs, the person's own first, or none if the ID is unknown, and other
// people's changes. In the same transaction, delete your own rows with the removed IDs first, and
// then apply the changes. They don't contain a [Moved] from the person, so that nobody else gets
// the person's messages.
func (e *Engine) Forget(ctx context.Context, id PersonID) (gone []PersonID, changes []Change, err error) {
	_, err = update(e, ctx, func(c *call) (bool, error) {
		gone, changes, err = c.forget(store.ID(id))
		return true, err
	})
	if err != nil {
		return nil, nil, err
	}
	return gone, changes, nil
}

func (c *call) forget(id store.ID) (gone []PersonID, changes []Change, err error) {
	for {
		p, root, own, err := c.person(id, true)
		if err != nil || p == nil {
			return nil, nil, err
		}
		f := rules.NewRemoval(p.Solution, root, p.inner)
		about, rest := f.Split()
		// Others named by a fact about the person may hold other numbers without it.
		facts := about.Facts()
		grew := c.concern(facts)
		for text := range aliasesOf(facts) {
			grew = grew || !c.roots[text]
			c.roots[text] = true
		}
		if !grew {
			own = cmp.Or(own, id) // nobody has the anchor of an ID without a person
			gone = []PersonID{PersonID(own)}
			set := map[store.ID]bool{own: true}
			for i := range c.rows.Persons {
				row := &c.rows.Persons[i]
				// An ID can lead to nobody, although its anchor is a number of this person only.
				if f.Theirs(p.NumberOf(row.Anchor), row.At) && !set[row.ID] {
					set[row.ID] = true
					gone = append(gone, PersonID(row.ID))
				}
			}
			changes, done, err := c.settle(f.Restore(rest), nil, set)
			if done || err != nil {
				return gone, changes, err
			}
		}
		if err := c.load(facts); err != nil {
			return nil, nil, err
		}
	}
}
