package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// A Config configures an [Engine]. The zero Config is usable.
type Config struct {
	// Random is the source of person ids. nil means crypto/rand. An Engine reads from it
	// only within transactions, one at a time.
	Random io.Reader
}

// An Engine keeps the persons up to date as facts arrive. After each call its persons are
// those of [Partition] for all facts observed so far. It may be used by several
// goroutines at the same time, and several engines may share a store.
type Engine struct {
	store  Store
	random io.Reader
	mu     sync.Mutex // guards random
	calls  sync.Pool  // holds *observation
	noFast bool       // in tests: always load the cluster
	slowly bool       // in tests: load the cluster for rotations and after them
}

// NewEngine returns an engine that keeps its data in a store.
func NewEngine(store Store, config Config) *Engine {
	e := &Engine{store: store, random: config.Random}
	if e.random == nil {
		e.random = rand.Reader
	}
	e.calls.New = func() any {
		o := &observation{engine: e}
		o.run = o.observe
		return o
	}
	return e
}

// A Result is what a call of [Engine.Observe] returns.
type Result struct {
	// Persons has one person for each fact, in the order of the facts: for a seen, the
	// person who was seen; for a changed, the person who has the current ids; for a
	// joined or withdrawn, the person who has the lesser alias; for a handed_over, the
	// person who has the number from then on. It is zero if that person is not known.
	Persons []PersonID

	// Changes lists the effects of the facts, in order. It is empty if all facts were
	// known or added only times and labels.
	Changes []Change
}

// ErrInvalidFact is returned for a zero Fact.
var ErrInvalidFact = errors.New("identity: the zero Fact cannot be observed: make facts with Seen, Changed and so on")

// Observe adds facts, in one transaction. Facts that are known already are not written
// again. If it returns an error, nothing has changed.
func (e *Engine) Observe(ctx context.Context, facts ...Fact) (Result, error) {
	if err := checkFacts(facts); err != nil {
		return Result{}, err
	}
	o := e.calls.Get().(*observation)
	o.ctx, o.facts = ctx, facts
	err := e.store.Update(ctx, o.run)
	return o.end(err)
}

// ObserveTx is Observe within a transaction of the caller, so that the caller's own rows
// change together with the persons. If it returns an error, roll the transaction back.
// Observe all facts of a transaction in one call: calls one after the other lock in an
// order that can make two transactions wait for each other.
func (e *Engine) ObserveTx(ctx context.Context, tx Tx, facts ...Fact) (Result, error) {
	if err := checkFacts(facts); err != nil {
		return Result{}, err
	}
	o := e.calls.Get().(*observation)
	o.ctx, o.facts = ctx, facts
	return o.end(o.observe(tx))
}

func checkFacts(facts []Fact) error {
	for i := range facts {
		if !facts[i].IsValid() {
			return ErrInvalidFact
		}
	}
	return nil
}

// Find returns the person who has an alias. For a phone number that is the person who
// uses it now. It reports false if there is no such person. It writes nothing.
func (e *Engine) Find(ctx context.Context, alias Alias) (id PersonID, found bool, err error) {
	err = e.store.View(ctx, func(tx Tx) error {
		id, err = e.FindTx(ctx, tx, alias)
		return err
	})
	if err != nil {
		return PersonID{}, false, err
	}
	return id, !id.IsZero(), nil
}

// FindTx is Find within a transaction of the caller. It returns the zero PersonID if
// there is no such person.
func (e *Engine) FindTx(ctx context.Context, tx Tx, alias Alias) (PersonID, error) {
	if !alias.IsValid() {
		return PersonID{}, nil
	}
	var row [1]AliasRow
	if err := tx.Lookup(ctx, []Alias{alias}, row[:], nil); err != nil {
		return PersonID{}, err
	}
	return row[0].Person, nil
}

// A Profile is a [Person] with its id. For the id of a person who was merged into another
// one, it has the id of the other person. It has no aliases if an operator has withdrawn
// all that led to the person.
type Profile struct {
	ID PersonID
	Person
}

// Person returns the aliases and labels of a person. It reports false if no person ever had
// that id, or if the person was forgotten. It writes nothing.
func (e *Engine) Person(ctx context.Context, id PersonID) (profile Profile, found bool, err error) {
	err = e.store.View(ctx, func(tx Tx) error {
		profile, found, err = e.PersonTx(ctx, tx, id)
		return err
	})
	return profile, found, err
}

// PersonTx is Person within a transaction of the caller.
func (e *Engine) PersonTx(ctx context.Context, tx Tx, id PersonID) (Profile, bool, error) {
	row, known, err := tx.Person(ctx, id)
	if err != nil || !known {
		return Profile{}, false, err
	}
	if !row.Into.IsZero() {
		id = row.Into
	}
	c, err := tx.Load(ctx, []int64{row.Cluster})
	if err != nil {
		return Profile{}, false, err
	}
	people := newPopulation(&c)
	if i, used := people.indexOf[id]; used {
		return Profile{id, people.persons[i]}, true, nil
	}
	return Profile{ID: id}, true, nil
}

// newID returns a new random id.
func (e *Engine) newID() (PersonID, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var id PersonID
	for id.IsZero() {
		if _, err := io.ReadFull(e.random, id[:]); err != nil {
			return PersonID{}, fmt.Errorf("identity: read random bytes for a person id: %w", err)
		}
		id[6] = id[6]&0x0f | 0x40 // version 4
		id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	}
	return id, nil
}

// An observation is one call of Observe. It is reused.
type observation struct {
	engine *Engine
	run    func(Tx) error // observe, bound once
	ctx    context.Context
	facts  []Fact
	result Result

	// recomputed says that a fact may have moved what others are about. Not every move is
	// a Change.
	recomputed bool

	aliases []Alias
	rows    []AliasRow
	cell    Cell // the cell of the fact: as stored, then with the fact
	stored  span // the times of the cell as stored
	batch   Batch
}

// A span is the least and the greatest time of a cell.
type span struct{ first, last int64 }

// end returns the result, and o to the pool.
func (o *observation) end(err error) (Result, error) {
	result := o.result
	o.ctx, o.facts, o.result = nil, nil, Result{}
	o.engine.calls.Put(o)
	if err != nil {
		return Result{}, err
	}
	return result, nil
}

// observe may run several times.
func (o *observation) observe(tx Tx) error {
	o.result, o.recomputed = Result{Persons: make([]PersonID, 0, len(o.facts))}, false
	if len(o.facts) > 1 {
		o.aliases = o.aliases[:0]
		for i := range o.facts {
			o.aliases = o.facts[i].appendAliases(o.aliases)
		}
		if err := o.lookup(tx, nil); err != nil { // locks
			return err
		}
	}
	for i := range o.facts {
		person, err := o.add(tx, &o.facts[i])
		if err != nil {
			return err
		}
		o.result.Persons = append(o.result.Persons, person)
	}
	if len(o.facts) > 1 && (o.recomputed || len(o.result.Changes) > 0) {
		// A later fact may have changed whom an earlier one is about.
		for i := range o.facts {
			person, err := o.add(tx, &o.facts[i])
			if err != nil {
				return err
			}
			o.result.Persons[i] = person
		}
	}
	return nil
}

// lookup sorts o.aliases and sets o.rows to their rows.
func (o *observation) lookup(tx Tx, cell *Cell) error {
	slices.SortFunc(o.aliases, Alias.Compare)
	o.aliases = slices.Compact(o.aliases)
	o.rows = slices.Grow(o.rows[:0], len(o.aliases))[:len(o.aliases)]
	return tx.Lookup(o.ctx, o.aliases, o.rows, cell)
}

// row returns the row of an alias of the last lookup.
func (o *observation) row(a Alias) *AliasRow {
	for i := range o.aliases {
		if o.aliases[i] == a {
			return &o.rows[i]
		}
	}
	return nil
}

// add adds one fact and returns its person.
func (o *observation) add(tx Tx, f *Fact) (PersonID, error) {
	o.aliases = f.appendAliases(o.aliases[:0])
	if f.kind != FactSeen {
		if err := o.lookup(tx, nil); err != nil {
			return PersonID{}, err
		}
		if f.kind == FactChanged && !o.engine.noFast && !o.engine.slowly {
			if person, done, err := o.addRotation(tx, f); done || err != nil {
				return person, err
			}
		}
		return o.recompute(tx, f)
	}
	o.cell = Cell{CellKey: CellKey{f.a.bsuid, f.a.parent, f.a.phone, f.at / period}}
	if err := o.lookup(tx, &o.cell); err != nil {
		return PersonID{}, err
	}
	o.stored = span{o.cell.First, o.cell.Last}
	if !o.engine.noFast {
		if person, done, err := o.addSeen(tx, f); done || err != nil {
			return person, err
		}
		if !o.engine.slowly {
			if person, done, err := o.addSighting(tx, f); done || err != nil {
				return person, err
			}
		}
	}
	return o.recompute(tx, f)
}

// addSeen adds a seen fact if its rows show that it does not change the aliases of any
// person, or that it is the first of a new person on a number that others share. It
// reports whether it did.
func (o *observation) addSeen(tx Tx, f *Fact) (person PersonID, done bool, err error) {
	var phone *AliasRow
	if f.a.phone.IsValid() {
		if phone = o.row(f.a.phone); phone.Cluster == 0 {
			return PersonID{}, false, nil
		}
	}
	stable := f.a.stable()
	added := f.cell()
	changed, known := true, o.cell.First != 0
	if known {
		changed = o.cell.join(&added)
	} else {
		o.cell = added
	}
	if !stable.IsValid() {
		// A number alone.
		person = phone.Person
		if person.IsZero() || phone.Shared && f.at < phone.Latest {
			return PersonID{}, false, nil
		}
		if !phone.Alone && !o.isSettled(phone, f, known) {
			return PersonID{}, false, nil
		}
		return person, true, o.write(tx, phone.Cluster, changed, nil)
	}
	row := o.row(stable)
	if row.Cluster == 0 {
		return o.addFirst(tx, f, phone)
	}
	person = row.Person
	if person.IsZero() {
		return PersonID{}, false, nil
	}
	if !changed {
		return person, true, nil
	}
	if f.a.bsuid.IsValid() && f.a.parent.IsValid() && (!known || o.row(f.a.parent).Person != person) {
		return PersonID{}, false, nil // the fact may connect two components
	}
	if phone == nil {
		return person, true, o.write(tx, row.Cluster, true, nil)
	}
	if phone.Cluster != row.Cluster || row.Ended || (row.Changed || phone.Shared) && !known || !o.isSettled(phone, f, known) {
		return PersonID{}, false, nil
	}
	done, err = o.addNext(tx, phone, person, f.at)
	return person, done, err
}

// addNext adds a sighting of a phone number with a stable alias of a person that it was
// seen with before. It reports whether it did.
func (o *observation) addNext(tx Tx, phone *AliasRow, person PersonID, at int64) (done bool, err error) {
	switch {
	case !phone.Shared && phone.Person == person:
		return true, o.write(tx, phone.Cluster, true, nil)
	case !phone.Shared, at <= phone.Latest, phone.Person.IsZero():
		return false, nil
	}
	o.moveTo(phone, person, at)
	return true, o.write(tx, phone.Cluster, true, phone)
}

// isSettled reports whether a seen fact cannot change who anybody is because of its
// phone number: neither the time that it adds to its cell nor the one that it replaces.
func (o *observation) isSettled(phone *AliasRow, f *Fact, known bool) bool {
	if phone.Settled == 0 {
		return true
	}
	if f.at <= phone.Settled {
		return false
	}
	return !known || o.stored.first == o.stored.last || o.stored.last > phone.Settled
}

// addFirst adds the first fact of a stable alias on a phone number that several
// persons share.
func (o *observation) addFirst(tx Tx, f *Fact, phone *AliasRow) (person PersonID, done bool, err error) {
	if phone == nil || !phone.Shared || f.at <= phone.Latest || f.at <= phone.Settled || phone.Person.IsZero() {
		return PersonID{}, false, nil
	}
	if f.a.bsuid.IsValid() && f.a.parent.IsValid() && o.row(f.a.parent).Cluster != 0 {
		return PersonID{}, false, nil
	}
	if person, err = o.engine.newID(); err != nil {
		return PersonID{}, false, err
	}
	next, err := tx.Sequence(o.ctx, len(o.aliases))
	if err != nil {
		return PersonID{}, false, err
	}
	o.result.Changes = append(o.result.Changes, Created{person, slices.Clone(o.aliases)})
	o.batch.Persons = append(o.batch.Persons, PersonRow{ID: person, Cluster: phone.Cluster, Born: next})
	for _, a := range o.aliases {
		if a.IsStable() {
			next++
			o.batch.Aliases = append(o.batch.Aliases, AliasRow{Alias: a, Cluster: phone.Cluster, Added: next, Person: person})
		}
	}
	o.moveTo(phone, person, f.at)
	return person, true, o.write(tx, phone.Cluster, true, phone)
}

// moveTo makes a person the user of a phone number that others used until then.
func (o *observation) moveTo(phone *AliasRow, person PersonID, at int64) {
	if phone.Person != person {
		o.result.Changes = append(o.result.Changes,
			Conflicted{phone.Alias, phone.Person, person, at}, Moved{phone.Alias, phone.Person, person})
	}
	phone.Person, phone.Latest = person, at
}

// write writes o.cell if it changed, and the row of a phone number if it is not nil.
func (o *observation) write(tx Tx, cluster int64, changed bool, phone *AliasRow) error {
	b := &o.batch
	b.Cluster = cluster
	if changed {
		b.Cells = append(b.Cells, o.cell)
	}
	if phone != nil {
		b.Aliases = append(b.Aliases, *phone)
	}
	if !changed && phone == nil {
		return nil
	}
	err := tx.Write(o.ctx, b)
	clear(b.Cells)
	clear(b.Aliases)
	clear(b.Persons)
	b.Cells, b.Aliases, b.Persons = b.Cells[:0], b.Aliases[:0], b.Persons[:0]
	return err
}
