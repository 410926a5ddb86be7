package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"time"

	_ "modernc.org/sqlite" // the driver named sqlite

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The table of messages is next to the tables of the people, in one database.
//
// alias and at are how a change of the people finds a message. Without an id or a time a
// message has no person.
const schema = `
CREATE TABLE IF NOT EXISTS message (
	key    TEXT    NOT NULL PRIMARY KEY,
	person TEXT    NOT NULL,
	at     INTEGER NOT NULL,
	alias  TEXT    NOT NULL,
	event  TEXT    NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS message_person ON message (person, at);
CREATE INDEX IF NOT EXISTS message_alias ON message (alias, at);
`

// patience is how long a webhook waits for the database. The platform sends it again.
const patience = 5 * time.Second

// An inbox keeps messages and the people who sent them in a SQLite file.
type inbox struct {
	db     *sql.DB
	store  *sqlstore.Store
	engine *identity.Engine

	now func() time.Time // when a webhook arrives

	// stored is called for each new message after it is on the disk. A process that dies
	// does not call it for its last messages, so it suits a log or a wake-up of a worker
	// that reads the table.
	stored func(webhooknorm.Event)
}

// openInbox opens a file and creates the tables that it does not have yet.
func openInbox(ctx context.Context, file string, config identity.Config) (*inbox, error) {
	// synchronous FULL: what is committed survives a power cut.
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	store, err := sqlstore.NewSQLite(db, sqlstore.Config{})
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
	return &inbox{db: db, store: store, engine: identity.NewEngine(store, config), now: time.Now}, nil
}

func (b *inbox) close() {
	_ = b.db.Close() // what was committed is on the disk
}

// receive stores the messages of a webhook, and what the webhook says about people, in
// one transaction. Once it returns nil everything is on the disk, and the webhook can be
// acknowledged. A webhook that arrives again changes nothing.
func (b *inbox) receive(ctx context.Context, webhook webhooknorm.Webhook) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var added []webhooknorm.Event
	err := b.store.Transact(ctx, func(tx *sqlstore.Tx) error {
		added = added[:0] // the function may run several times
		sightings, changes, err := b.engine.WithTx(tx).ObserveWebhook(ctx, webhook, b.now())
		if err != nil {
			return err
		}
		for _, c := range changes {
			if c.Kind == identity.Moved {
				_, err := tx.ExecContext(ctx, "UPDATE message SET person = ? WHERE alias = ? AND at BETWEEN ? AND ?",
					c.To.String(), c.Alias.String(), c.Since, c.Until)
				if err != nil {
					return err
				}
			}
		}
		for i, event := range webhook.Events {
			if !wrote(event) {
				continue
			}
			isNew, err := insert(ctx, tx, event, sightings[i])
			if err != nil {
				return err
			}
			if isNew {
				added = append(added, event)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if b.stored != nil {
		for _, event := range added {
			b.stored(event)
		}
	}
	return nil
}

// wrote reports whether an event is a message that a person wrote. System messages come from the platform.
func wrote(event webhooknorm.Event) bool {
	return (event.Kind == webhooknorm.KindMessage || event.Kind == webhooknorm.KindHistory) && event.Type != "system"
}

// key identifies a message. The same message can arrive live, in standby and in the history, and is then stored
// once. Without an ID a message can't be compared: it counts as new.
func key(event webhooknorm.Event) string {
	return cmp.Or(event.ContentKey(), rand.Text())
}

// placeholder is the type of a message in the history whose file comes in a webhook of its own.
const placeholder = "media_placeholder"

// insert stores a message, or the file of one that is stored. It reports whether the message is new.
func insert(ctx context.Context, tx *sqlstore.Tx, event webhooknorm.Event, by identity.Sighting) (isNew bool, err error) {
	text, err := json.Marshal(event)
	if err != nil {
		return false, err
	}
	key := key(event)
	result, err := tx.ExecContext(ctx,
		"INSERT INTO message (key, person, at, alias, event) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		key, by.Person.String(), by.At, by.Alias.String(), string(text))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 && event.Type != placeholder {
		_, err = tx.ExecContext(ctx, "UPDATE message SET event = ? WHERE key = ? AND json_extract(event, '$.type') = ?", string(text), key, placeholder)
	}
	return n > 0, err
}
