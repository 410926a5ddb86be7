package identity

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// Forget removes a person in one transaction: their aliases, all facts about them, and all IDs
// that lead to them. Later facts are about a new person. Other people keep their IDs, numbers and
// messages, because handovers and sightings replace facts about the person that these depend on.
// There are exceptions:
//
//   - A number that remains only in operators' statements no longer appears among a person's aliases
//     until a new fact contains it.
//   - In rare cases, a message of another person passes to a new person, if it has only a number and
//     facts about the forgotten person alone showed who had written it. A [Moved] reports it.
//   - If somebody else was seen with a number before and after the person had it, a message from that time
//     that arrives later can become theirs.
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
		about, rest := who.p.Split(who.root)
		roots := maps.Clone(n.roots)
		// Others named by a fact about the person may hold other numbers without it.
		maps.Copy(roots, aliasesOf(about.Facts()))
		if n.has(roots) {
			p := n.solve(who.p.Forget(who.root, rest))
			roots = n.reach(p)
			maps.Copy(roots, n.relived(p))
			if n.has(roots) {
				ids := n.leadingTo(who)
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
		if n, err = c.load(roots); err != nil {
			return nil, nil, err
		}
	}
}

// leadingTo returns the IDs that lead to a person, their own or the given one first, and those that lead
// to nobody and whose anchor is an alias that only the person had.
func (n *neighborhood) leadingTo(who *subject) []PersonID {
	ids := []PersonID{PersonID(cmp.Or(who.own, who.id))} // nobody has the anchor of an ID without a person
	for i := range n.rows.Persons {
		row := &n.rows.Persons[i]
		if PersonID(row.ID) != ids[0] && who.leads(*row) {
			ids = append(ids, PersonID(row.ID))
		}
	}
	return ids
}

// leads reports whether a row leads to who, or to nobody although only they had the anchor.
func (who *subject) leads(row store.Person) bool {
	if root, known := who.p.rootOf(row); known {
		return root == who.root
	}
	periods := who.p.Periods(parseAlias(row.Anchor).id)
	return len(periods) > 0 && !slices.ContainsFunc(periods, func(p rules.Piece) bool { return p.Root != who.root })
}
