package identity

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// Memory is a store in memory.
type Memory = store.Memory

// A Config configures an [Engine]. The zero Config is usable.
type Config struct {
	// Scope returns the scope of a business number, by its phone number ID. nil means the
	// zero Scope for all.
	Scope func(phoneNumberID string) Scope

	// MaxSilence keeps the holders of a phone number apart if nothing names the number for
	// longer. 0 means no limit; less than 30 days means 30 days. It's part of the rules:
	// all engines that share a store need the same value, for the life of the store.
	MaxSilence time.Duration

	// Done is called for metrics after each call that may write. It receives how often the
	// transaction ran, which is more than once after lost races, and how many rows its last
	// run read and wrote. nil means no calls.
	Done func(runs, read, written int)

	random io.Reader // for tests; nil means crypto/rand
}

// silence returns the limit in seconds, or 0.
func (c Config) silence() int64 {
	if c.MaxSilence <= 0 {
		return 0
	}
	return max(period, int64(c.MaxSilence/time.Second))
}

// An Engine keeps the persons up to date as facts arrive. After each call its persons are
// those of [Config.Partition] for all facts observed so far. It may be used by several
// goroutines at the same time, and several engines may share a store.
//
// A call locks and reads the neighborhood of its facts only: the persons who ever had one
// of their aliases, with all facts about these.
type Engine struct {
	store  store.Store
	config Config
	mu     *sync.Mutex // guards config.random
}

// NewEngine returns an engine that keeps its data in a store, for example a new [Memory].
func NewEngine(s store.Store, config Config) *Engine {
	if config.random == nil {
		config.random = rand.Reader
	}
	return &Engine{s, config, new(sync.Mutex)}
}

// WithTx returns an engine that works within a transaction of the caller. If one of its
// methods returns an error, roll the transaction back. To avoid deadlocks, a transaction
// should observe all its facts in one call.
func (e *Engine) WithTx(tx store.Tx) *Engine { return &Engine{callers{tx}, e.config, e.mu} }

// callers is a store within a transaction of the caller.
type callers struct{ tx store.Tx }

func (s callers) Update(_ context.Context, f func(store.Tx) error) error { return f(s.tx) }
func (s callers) View(_ context.Context, f func(store.Tx) error) error   { return f(s.tx) }

// A Sighting tells whom a fact or an event is about. Alias and At are what a [Moved]
// finds a row by: the least stable alias, or else the number.
type Sighting struct {
	Person PersonID // zero if the person isn't known
	Alias  Alias
	At     int64
}

// A Result is what Observe returns.
type Result struct {
	Sightings []Sighting // one for each fact or event, in their order
	Changes   []Change   // empty if all was known or only times and labels are new
}

func errZeroFact() error {
	return problem.New(CodeFact, "the zero Fact can't be observed: use Seen, Changed or another function that returns a Fact")
}

// Observe adds facts, in one transaction. Facts that are known already are not written
// again. If it returns an error, nothing has changed.
//
// The Sighting of a changed is that of the current IDs, of a joined or withdrawn that of
// the lesser alias, and of a handed_over that of the number.
func (e *Engine) Observe(ctx context.Context, facts ...Fact) (Result, error) {
	return update(e, ctx, func(c *call) (Result, error) { return c.observe(facts) })
}

// ObserveWebhook observes [FactsOf] a webhook. The result has one Sighting for each of
// webhook.Events. An event that is no evidence has the person who is known by its IDs.
// arrived is when the webhook arrived.
func (e *Engine) ObserveWebhook(ctx context.Context, webhook webhooknorm.Webhook, arrived time.Time) (Result, error) {
	return update(e, ctx, func(c *call) (Result, error) { return c.observeWebhook(webhook, arrived) })
}

// update runs f in a transaction.
func update[R any](e *Engine, ctx context.Context, f func(*call) (R, error)) (result R, err error) {
	var c *call
	runs := 0
	err = e.store.Update(ctx, func(tx store.Tx) error {
		runs++
		c = e.newCall(ctx, tx)
		result, err = f(c)
		return err
	})
	if e.config.Done != nil && c != nil {
		e.config.Done(runs, len(c.rows.Facts)+len(c.rows.Holdings)+len(c.rows.Persons), c.written)
	}
	if err != nil {
		var none R
		return none, err
	}
	return result, nil
}

// view runs f in a transaction that reads.
func view[R any](e *Engine, ctx context.Context, f func(*call) (R, error)) (result R, err error) {
	err = e.store.View(ctx, func(tx store.Tx) error {
		result, err = f(e.newCall(ctx, tx))
		return err
	})
	return result, err
}

func (c *call) observe(facts []Fact) (Result, error) {
	keys := make([]Sighting, len(facts))
	for i := range facts {
		if facts[i].kind == 0 {
			return Result{}, errZeroFact()
		}
		keys[i] = facts[i].key()
	}
	return c.observeKeys(facts, keys)
}

func (c *call) observeWebhook(webhook webhooknorm.Webhook, arrived time.Time) (Result, error) {
	b := newFactBuilder(arrived, c.engine.config.Scope)
	keys := make([]Sighting, len(webhook.Events))
	for i := range webhook.Events {
		keys[i] = b.key(&webhook.Events[i])
	}
	return c.observeKeys(FactsOf(webhook, arrived, c.engine.config.Scope), keys)
}

// observeKeys observes facts and completes the sightings with their persons.
func (c *call) observeKeys(facts []Fact, keys []Sighting) (Result, error) {
	result := Result{Sightings: keys}
	var aliases []Alias
	for i := range facts {
		aliases = facts[i].appendAliases(aliases)
	}
	holdings := map[string][]store.Holding{}
	if len(facts) > 0 {
		changes, err := c.add(facts, texts(aliases), nil)
		if err != nil {
			return Result{}, err
		}
		result.Changes = changes
		for _, h := range c.holdings {
			holdings[h.Alias] = append(holdings[h.Alias], h)
		}
	}
	var unknown []string
	for _, k := range keys {
		if text := k.Alias.String(); text != "" && !c.near[text] {
			unknown = append(unknown, text)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		rows, err := c.tx.Holdings(c.ctx, slices.Compact(unknown))
		if err != nil {
			return Result{}, err
		}
		for _, h := range rows {
			holdings[h.Alias] = append(holdings[h.Alias], h)
		}
	}
	for i := range keys {
		keys[i].Person = PersonID(holderIn(holdings[keys[i].Alias.String()], keys[i].At))
	}
	return result, nil
}

// holderIn returns the person in the holdings of one alias who had it at a time.
func holderIn(holdings []store.Holding, at int64) store.ID {
	for i := range holdings {
		if h := &holdings[i]; h.Since <= at && at <= h.Until {
			return h.Person
		}
	}
	return store.ID{}
}

// texts returns the texts of aliases, sorted and distinct.
func texts(aliases []Alias) []string {
	out := make([]string, len(aliases))
	for i, a := range aliases {
		out[i] = a.String()
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// newID returns a new random ID.
func (e *Engine) newID() (id store.ID, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id == (store.ID{}) {
		if _, err := io.ReadFull(e.config.random, id[:]); err != nil {
			return id, fmt.Errorf("identity: read random bytes for a person ID: %w", err)
		}
		id[6] = id[6]&0x0f | 0x40 // version 4
		id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	}
	return id, nil
}

// A contact is what [Engine.Import] adds at once.
type contact struct {
	id    PersonID
	facts []Fact
	age   int64
}

// importSize is how many contacts are imported in one transaction.
const importSize = 1000

// Import adds contacts, the oldest first, so that the oldest keeps its ID where contacts
// turn out to be one person. A contact consists of the caller's own ID for the person, or
// zero for a new one, and of facts. Import calls progress, if it isn't nil, with the number
// of contacts stored so far and the changes since the last call. Contacts imported before
// an error stay. Importing them again changes nothing.
func (e *Engine) Import(ctx context.Context, contacts iter.Seq2[PersonID, []Fact], progress func(done int, changes []Change)) error {
	var all []contact
	for id, facts := range contacts {
		c := contact{id, facts, math.MaxInt64}
		for i := range facts {
			if facts[i].kind == 0 {
				return errZeroFact()
			}
			c.age = min(c.age, facts[i].at)
		}
		if len(facts) > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b contact) int { return cmp.Compare(a.age, b.age) })
	done := 0
	for chunk := range slices.Chunk(all, importSize) {
		var facts []Fact
		var aliases []Alias
		var seeds []store.Person
		for _, c := range chunk {
			first := slices.MinFunc(c.facts, func(a, b Fact) int { return cmp.Compare(a.at, b.at) })
			for i := range c.facts {
				aliases = c.facts[i].appendAliases(aliases)
			}
			facts = append(facts, c.facts...)
			if !c.id.IsZero() {
				seeds = append(seeds, store.Person{ID: store.ID(c.id), Anchor: first.key().Alias.String(), At: first.at})
			}
		}
		changes, err := update(e, ctx, func(c *call) ([]Change, error) { return c.add(facts, texts(aliases), seeds) })
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
