package identity

import (
	"cmp"
	"context"
	"maps"

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
	var n *neighborhood
	for {
		who, err := c.person(n, id, true)
		if err != nil || who == nil {
			return nil, nil, err
		}
		n = who.n
		removal := rules.NewRemoval(who.p.Solution, who.node, who.p.inner)
		about, rest := removal.Split()
		// Others named by a fact about the person may hold other numbers without it.
		facts := about.Facts()
		roots := n.concern(facts)
		maps.Copy(roots, aliasesOf(facts))
		if n.has(roots) {
			p := c.solve(n, removal.Restore(rest))
			if roots = n.reach(p); n.has(roots) {
				ids := n.leadingTo(who, removal)
				set := map[store.ID]bool{}
				for _, id := range ids {
					set[store.ID(id)] = true
				}
				r, err := c.settle(n, p, nil, set)
				if err != nil {
					return nil, nil, err
				}
				return ids, r.changes, nil
			}
		}
		if n, err = c.load(roots, facts); err != nil {
			return nil, nil, err
		}
	}
}

// leadingTo returns the IDs that lead to a person, their own or the given one first.
func (n *neighborhood) leadingTo(who *subject, removal *rules.Removal) []PersonID {
	ids := []PersonID{PersonID(cmp.Or(who.own, who.id))} // nobody has the anchor of an ID without a person
	for i := range n.rows.Persons {
		row := &n.rows.Persons[i]
		// An ID can lead to nobody, although its anchor is a number of this person only.
		if removal.Theirs(who.p.NumberOf(row.Anchor), row.At) && PersonID(row.ID) != ids[0] {
			ids = append(ids, PersonID(row.ID))
		}
	}
	return ids
}
