package identity

import (
	"context"
	"maps"
	"time"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A Config configures an [Engine]. The zero Config is usable.
type Config struct {
	// Scope returns where a business number's IDs are valid, given its phone number ID. BSUIDs are
	// valid in one portfolio, so numbers in one portfolio should return equal scopes. nil means
	// the zero Scope for all numbers. Scope can't report an error: if scopes are in a database,
	// read those of a webhook's events first, and create an engine for the webhook, which costs
	// nothing.
	Scope func(phoneNumberID string) Scope
}

// An Engine keeps people up to date as facts arrive. After each call, its people are those that
// [Partition] returns for all facts observed so far. Several goroutines can use an Engine,
// and several engines can share a store.
//
// A call locks and reads its facts' aliases and, unless only the latest times and names change,
// their neighborhood: everybody who ever had one of them, and all facts about these people.
type Engine struct {
	store  store.Store
	config Config
}

// NewEngine returns an engine that uses a store: [store.NewMemory], or one from package sqlstore.
func NewEngine(s store.Store, config Config) *Engine {
	return &Engine{s, config}
}

// WithTx returns an engine that works within the caller's transaction. If a method returns an
// error, roll the transaction back. A transaction should observe all its facts in one call;
// otherwise it can deadlock with others.
func (e *Engine) WithTx(tx store.Tx) *Engine { return &Engine{callers{tx}, e.config} }

// callers is a store within the caller's transaction.
type callers struct{ tx store.Tx }

func (s callers) Update(_ context.Context, f func(store.Tx) error) error { return f(s.tx) }
func (s callers) View(_ context.Context, f func(store.Tx) error) error   { return f(s.tx) }

// A Sighting identifies who a fact or an event is about. Store Alias and At with a message,
// because a [Moved] selects messages by both. Messages stored under a stable ID before it's [Crowded], so
// beside at most 10 numbers or BSUIDs, stay with its person.
type Sighting struct {
	Person PersonID // zero if the person isn't known
	Alias  Alias    // the BSUID, otherwise the parent BSUID, otherwise the number; crowded only if there's no other
	At     int64    // Unix seconds
}

func errZeroFact() error {
	return problem.New("", CodeInvalidFact, "the zero Fact can't be observed: use Seen, Changed or another function that returns a Fact")
}

// Observe adds facts in one transaction. It returns a [Sighting] for each fact, in their order,
// and the changes. There are none if everything was known or only times and names are new. Known
// facts aren't written again. After an error, nothing has changed.
//
// The sighting for an ID change contains the current alias, for an operator's statement about
// two aliases the lesser one, and for a handover the number.
func (e *Engine) Observe(ctx context.Context, facts ...Fact) ([]Sighting, []Change, error) {
	mentions := make([]mention, len(facts))
	for i := range facts {
		if facts[i].rule.Kind == 0 {
			return nil, nil, errZeroFact()
		}
		mentions[i] = mentionOf(&facts[i].rule)
	}
	return e.observe(ctx, facts, mentions)
}

// ObserveWebhook observes a webhook's facts as [FactsOf] returns them. arrived is the webhook's
// arrival time. It returns a [Sighting] for each element in webhook.Events, not for each fact, so
// the alias is from the event's own IDs, for ID changes and handovers, too. If an event isn't
// evidence, its sighting contains the person known by its IDs, if any.
func (e *Engine) ObserveWebhook(ctx context.Context, webhook webhooknorm.Webhook, arrived time.Time) ([]Sighting, []Change, error) {
	b := newFactBuilder(arrived, e.config.Scope)
	mentions := make([]mention, len(webhook.Events))
	for i := range webhook.Events {
		mentions[i] = b.mention(&webhook.Events[i])
	}
	return e.observe(ctx, FactsOf(webhook, arrived, e.config.Scope), mentions)
}

// observe observes facts and returns a sighting for each mention.
func (e *Engine) observe(ctx context.Context, facts []Fact, mentions []mention) ([]Sighting, []Change, error) {
	seen, err := update(e, ctx, func(c *call) (observed, error) { return c.observe(rulesOf(facts), mentions) })
	return seen.sightings, seen.changes, err
}

// observed is the result of an observation.
type observed struct {
	sightings []Sighting
	changes   []Change
}

func update[R any](e *Engine, ctx context.Context, f func(*call) (R, error)) (result R, err error) {
	err = e.store.Update(ctx, func(tx store.Tx) error {
		result, err = f(e.newCall(ctx, tx))
		return err
	})
	if err != nil {
		var none R
		return none, err
	}
	return result, nil
}

func view[R any](e *Engine, ctx context.Context, f func(*call) (R, error)) (result R, err error) {
	err = e.store.View(ctx, func(tx store.Tx) error {
		result, err = f(e.newCall(ctx, tx))
		return err
	})
	return result, err
}

// observe adds facts, and returns a sighting for each mention.
func (c *call) observe(facts []rules.Fact, mentions []mention) (observed, error) {
	r, err := c.addOrExtend(facts)
	if err != nil {
		return observed{}, err
	}
	held := byAlias(r.holdings)
	sightings := make([]Sighting, len(mentions))
	var unknown []string
	for i, m := range mentions {
		sightings[i] = m.sighting(r.crowded)
		if text := sightings[i].Alias.String(); text != "" && !r.near[text] {
			unknown = append(unknown, text)
		}
	}
	stored, err := c.holdingsOf(unknown)
	maps.Copy(held, stored)
	for i := range sightings {
		s := &sightings[i]
		s.Person = PersonID(holderIn(held[s.Alias.String()], s.At))
	}
	return observed{sightings, r.changes}, err
}

// addOrExtend adds facts.
func (c *call) addOrExtend(facts []rules.Fact) (*outcome, error) {
	if len(facts) == 0 {
		return &outcome{}, nil
	}
	n, rest, err := c.extend(facts)
	switch {
	case err != nil:
		return nil, err
	case len(rest) == 0:
		return n.outcome(), nil
	}
	known := n.outcome()
	if countRows(&n.rows) > 0 { // otherwise there's nothing around them
		if n, err = c.load(aliasesOf(rest)); err != nil {
			return nil, err
		}
	}
	r, err := c.add(n, rest, nil)
	if err != nil {
		return nil, err
	}
	return r.with(known), nil
}
