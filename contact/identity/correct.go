package identity

import (
	"context"
	"maps"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/problem"
)

// Correct observes an operator's statement: a [Joined], [Withdrawn] or [HandedOver]. Unlike
// [Engine.Observe], it returns an error with [CodeNoEffect] if the statement is new and changes nobody, and
// then it isn't kept. The error names the statement that can change something.
func (e *Engine) Correct(ctx context.Context, statement Fact) ([]Change, error) {
	if kind := statement.rule.Kind; kind != rules.Joined && kind != rules.Withdrawn && kind != rules.HandedOver {
		return nil, problem.New("", CodeInvalidFact, "a correction is a joined, withdrawn or handed_over")
	}
	return update(e, ctx, func(c *call) ([]Change, error) {
		n, err := c.load(aliasesOf([]rules.Fact{statement.rule}))
		if err != nil {
			return nil, err
		}
		isNew := n.state.Clone().Add(&statement.rule)
		r, err := c.add(n, []rules.Fact{statement.rule}, nil)
		if err != nil {
			return nil, err
		}
		if isNew && len(r.changes) == 0 {
			return nil, problem.New("", CodeNoEffect, "%s changes nobody: %s", statement.Kind(), remedies[statement.rule.Kind])
		}
		return r.changes, nil
	})
}

var remedies = map[rules.FactKind]string{
	rules.Joined:    "both are one person already, or nobody had the number then; give a number the time of one of its messages",
	rules.Withdrawn: "neither a joined nor a common event or announcement connects the two; withdraw two IDs that one of the person's facts names, or hand a number over at the time when somebody else had it",
	rules.HandedOver: "nobody's messages are separated at that time; use a time between two messages with the number alone, " +
		"or withdraw the number from the BSUID that is seen with it",
}

// Recompute applies the rules to up to 100 people again, after a migration of the store from version 1,
// whose rules were others. It begins after the place that the call before returned, 0 at first, and
// returns 0 at the end. Apply the changes to your own rows in the same transaction, as those of
// [Engine.Observe]; [Engine.WithTx] makes that one transaction. Webhooks can be observed meanwhile, and a
// call can be repeated.
func (e *Engine) Recompute(ctx context.Context, after int64) (next int64, changes []Change, err error) {
	const chunk = 100
	changes, err = update(e, ctx, func(c *call) (all []Change, err error) {
		rows, err := c.tx.Persons(ctx, after, chunk)
		if err != nil {
			return nil, err
		}
		next = 0
		if len(rows) == chunk {
			next = rows[chunk-1].Born
		}
		for _, row := range rows {
			changes, err := c.recompute(row.Anchor)
			if err != nil {
				return nil, err
			}
			all = append(all, changes...)
		}
		return all, nil
	})
	return next, changes, err
}

// recompute replaces the rows about everybody who has or had an alias, and about what else they had.
func (c *call) recompute(alias string) ([]Change, error) {
	roots := map[string]bool{alias: true}
	for {
		n, err := c.load(roots)
		if err != nil {
			return nil, err
		}
		p := n.solve(n.state)
		roots = n.reach(p)
		maps.Copy(roots, n.near)
		if n.has(roots) {
			r, err := c.settle(n, p, nil, nil)
			if err != nil {
				return nil, err
			}
			return r.changes, nil
		}
	}
}
