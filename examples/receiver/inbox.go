package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	_ "modernc.org/sqlite" // the driver named sqlite

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The table of messages stands beside the tables of the persons, in one database.
//
// alias is the id that a message is known by, and fact is what the message says about
// its sender, as JSON. Both are empty if a message has no id or no time: such a message
// has no person.
const schema = `
CREATE TABLE IF NOT EXISTS message (
	key    TEXT    NOT NULL PRIMARY KEY,
	person TEXT    NOT NULL,
	at     INTEGER NOT NULL,
	alias  TEXT    NOT NULL,
	fact   TEXT    NOT NULL,
	event  TEXT    NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS message_person ON message (person, at);
CREATE INDEX IF NOT EXISTS message_alias ON message (alias);
`

// patience is how long a webhook waits for the database. The platform sends it again.
const patience = 5 * time.Second

// An inbox keeps messages and the persons who sent them in a SQLite file.
type inbox struct {
	db     *sql.DB
	store  *sqlstore.Store
	engine *identity.Engine

	// source returns the scope of a business number.
	source func(phoneNumberID string) identity.Scope

	// stored is called for each new message after it is on the disk. A process that dies
	// does not call it for its last messages, so it suits a log or a wake-up of a worker
	// that reads the table.
	stored func(webhooknorm.Event)
}

// openInbox opens a file and creates the tables that it does not have yet.
func openInbox(ctx context.Context, file string) (*inbox, error) {
	// synchronous FULL: what is committed survives a power cut.
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	store, err := sqlstore.New(db, sqlstore.Config{Dialect: sqlstore.SQLite})
	if err == nil {
		err = store.Migrate(ctx)
	}
	if err == nil {
		_, err = db.ExecContext(ctx, schema)
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &inbox{db: db, store: store, engine: identity.NewEngine(store, identity.Config{})}, nil
}

func (b *inbox) close() {
	_ = b.store.Close()
	_ = b.db.Close() // what was committed is on the disk
}

// A message is an event with the key under which it is stored.
type message struct {
	key   string
	event webhooknorm.Event
}

// receive stores the messages of a webhook, and what the webhook says about people, in
// one transaction. Once it returns nil everything is on the disk, and the webhook can be
// acknowledged. A webhook that arrives again changes nothing.
func (b *inbox) receive(ctx context.Context, webhook webhooknorm.Webhook) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	facts := identity.FactsOf(webhook, b.source)
	var added []message
	err := b.store.Transact(ctx, func(tx *sqlstore.Tx) error {
		added = added[:0] // the function may run several times
		for _, event := range webhook.Events {
			if !wrote(event.Kind) || announces(webhook, event) {
				continue
			}
			// Without an id a message cannot be compared: it counts as new.
			m := message{cmp.Or(event.Key(), rand.Text()), event}
			isNew, err := b.insert(ctx, tx, m)
			if err != nil {
				return err
			}
			if isNew {
				added = append(added, m)
			}
		}
		result, err := b.engine.ObserveTx(ctx, tx, facts...)
		if err != nil {
			return err
		}
		for _, m := range added {
			if err := b.assign(ctx, tx, m.key); err != nil {
				return err
			}
		}
		return b.follow(ctx, tx, result.Changes)
	})
	if err != nil {
		return err
	}
	if b.stored != nil {
		for _, m := range added {
			b.stored(m.event)
		}
	}
	return nil
}

// wrote reports whether an event of a kind is a message that a person wrote.
func wrote(kind webhooknorm.Kind) bool {
	return kind == webhooknorm.KindMessage || kind == webhooknorm.KindHistory
}

// announces reports whether an event is the system message of a change of ids, which is
// not a message of the person.
func announces(webhook webhooknorm.Webhook, event webhooknorm.Event) bool {
	return event.MessageID != "" && slices.ContainsFunc(webhook.Changes, func(c webhooknorm.IdentityChange) bool {
		return c.MessageID == event.MessageID
	})
}

// insert stores a message without its person. It reports whether the message is new.
func (b *inbox) insert(ctx context.Context, tx *sqlstore.Tx, m message) (isNew bool, err error) {
	var alias, fact string
	var at int64
	if facts := identity.FactsOf(webhooknorm.Webhook{Events: []webhooknorm.Event{m.event}}, b.source); len(facts) > 0 {
		text, err := json.Marshal(facts[0])
		if err != nil {
			return false, err
		}
		alias, fact, at = b.aliasOf(m.event), string(text), facts[0].At()
	}
	text, err := json.Marshal(m.event)
	if err != nil {
		return false, err
	}
	result, err := tx.ExecContext(ctx,
		"INSERT INTO message (key, person, at, alias, fact, event) VALUES (?, '', ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		m.key, at, alias, fact, string(text))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// aliasOf returns the text of the first id of an event that identifies a person.
func (b *inbox) aliasOf(event webhooknorm.Event) string {
	var scope identity.Scope
	if b.source != nil {
		scope = b.source(event.PhoneNumberID)
	}
	for _, id := range []struct {
		kind         identity.Kind
		scope, value string
	}{
		{identity.KindBSUID, scope.Portfolio, event.BSUID},
		{identity.KindParent, scope.Group, event.ParentBSUID},
		{identity.KindParent, scope.Group, event.BSUID},
		{identity.KindPhone, scope.Portfolio, event.Phone},
	} {
		if a, err := identity.NewAlias(id.kind, id.scope, id.value); err == nil {
			return a.String()
		}
	}
	return ""
}

// follow moves messages to where the changes of persons lead.
func (b *inbox) follow(ctx context.Context, tx *sqlstore.Tx, changes []identity.Change) error {
	var moved []identity.Alias // messages known by these may belong to another person now
	for _, change := range changes {
		switch c := change.(type) {
		case identity.Merged:
			if _, err := tx.ExecContext(ctx, "UPDATE message SET person = ? WHERE person = ?", c.Into.String(), c.From.String()); err != nil {
				return err
			}
		case identity.Split:
			moved = append(moved, c.Aliases...)
		case identity.Created:
			moved = append(moved, c.Aliases...)
		case identity.AliasAdded:
			moved = append(moved, c.Alias)
		case identity.Moved:
			moved = append(moved, c.Phone)
		case identity.Conflicted:
			moved = append(moved, c.Phone)
		}
	}
	for _, alias := range moved {
		keys, err := b.keys(ctx, tx, alias)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := b.assign(ctx, tx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// keys returns the messages that are known by an alias.
func (b *inbox) keys(ctx context.Context, tx *sqlstore.Tx, a identity.Alias) (keys []string, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT key FROM message WHERE alias = ?", a.String())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// assign sets the person of a message. The fact of the message is known, so to observe it
// again writes nothing and returns whoever sent the message, as far as is known by now.
func (b *inbox) assign(ctx context.Context, tx *sqlstore.Tx, key string) error {
	var text string
	if err := tx.QueryRowContext(ctx, "SELECT fact FROM message WHERE key = ?", key).Scan(&text); err != nil {
		return err
	}
	if text == "" {
		return nil
	}
	var fact identity.Fact
	if err := json.Unmarshal([]byte(text), &fact); err != nil {
		return err
	}
	result, err := b.engine.ObserveTx(ctx, tx, fact)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE message SET person = ? WHERE key = ?", result.Persons[0].String(), key)
	return err
}
