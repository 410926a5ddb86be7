package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A contact has BSUIDs for ever. A number leads to its last contact, unless that left it: what's
// older is still of who left.
const schema = `
CREATE TABLE IF NOT EXISTS contact (id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS bsuid (bsuid TEXT PRIMARY KEY, contact INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS bsuid_contact ON bsuid (contact);
CREATE TABLE IF NOT EXISTS number (phone TEXT PRIMARY KEY, contact INTEGER, left_by INTEGER, left_at INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX IF NOT EXISTS number_contact ON number (contact);
CREATE TABLE IF NOT EXISTS message (key TEXT PRIMARY KEY, id TEXT NOT NULL, contact INTEGER, at INTEGER NOT NULL, raw TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS message_contact ON message (contact, at);
`

// An inbox receives webhooks.
type inbox struct{ db *sql.DB }

// receive stores a webhook in one transaction, so that the platform can send it again.
func (in inbox) receive(ctx context.Context, webhook webhooknorm.Webhook) error {
	tx, err := in.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	b := &book{ctx: ctx, tx: tx}
	for _, e := range webhook.Events {
		if c := e.Change; c != nil {
			b.follow(c.Previous, c.Current, seconds(e.Source))
		}
	}
	for _, e := range webhook.Events {
		if (e.Kind == webhooknorm.KindMessage || e.Kind == webhooknorm.KindHistory) && e.Type != "system" {
			b.store(e)
		}
	}
	if b.err != nil {
		return errors.Join(b.err, tx.Rollback())
	}
	return tx.Commit()
}

func seconds(s webhooknorm.Source) int64 {
	at, _ := s.Time()
	return at.Unix()
}

// A book finds contacts in a transaction. It keeps the first error.
type book struct {
	ctx context.Context
	tx  *sql.Tx
	err error
}

func (b *book) exec(query string, args ...any) {
	if b.err == nil {
		_, b.err = b.tx.ExecContext(b.ctx, query, args...)
	}
}

// get returns the number that a query selects, or 0.
func (b *book) get(query string, args ...any) (n int64) {
	if b.err == nil {
		err := b.tx.QueryRowContext(b.ctx, query, args...).Scan(&n)
		if !errors.Is(err, sql.ErrNoRows) {
			b.err = err
		}
	}
	return n
}

// store stores a message with its contact. It can arrive live, in standby and in the history.
func (b *book) store(e webhooknorm.Event) {
	at := seconds(e.Source)
	c := cmp.Or(b.byBSUID(e.BSUID), b.byNumber(e.IDs, at))
	if c == 0 && e.BSUID+e.Phone != "" {
		c = b.get("INSERT INTO contact DEFAULT VALUES RETURNING id")
	}
	b.write(c, e.IDs, at)
	id, raw := e.MessageID, string(e.Raw)
	e.Kind, e.Standby = webhooknorm.KindMessage, false
	b.exec("INSERT INTO message (key, id, contact, at, raw) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", cmp.Or(e.Key(), rand.Text()), id, c, at, raw)
}

func (b *book) byBSUID(bsuid string) int64 {
	return b.get("SELECT contact FROM bsuid WHERE bsuid = ?", bsuid)
}

// byNumber returns the contact of a number. With a new BSUID, a contact that has one is somebody else.
func (b *book) byNumber(ids contact.IDs, at int64) int64 {
	if ids.Phone == "" {
		return 0
	}
	if c := b.get("SELECT left_by FROM number WHERE phone = ? AND ? <= left_at", ids.Phone, at); c != 0 {
		return c
	}
	c := b.get("SELECT contact FROM number WHERE phone = ? AND contact IS NOT NULL", ids.Phone)
	if ids.BSUID != "" && b.get("SELECT EXISTS (SELECT 1 FROM bsuid WHERE contact = ?)", c) == 1 {
		return 0
	}
	return c
}

// write notes that a contact has these IDs.
func (b *book) write(c int64, ids contact.IDs, at int64) {
	if ids.BSUID != "" {
		b.exec("INSERT INTO bsuid (bsuid, contact) VALUES (?, ?) ON CONFLICT DO UPDATE SET contact = excluded.contact", ids.BSUID, c)
	}
	if ids.Phone != "" {
		b.exec("INSERT INTO number (phone, contact) VALUES (?, ?) ON CONFLICT DO UPDATE SET contact = excluded.contact WHERE left_at < ?", ids.Phone, c, at)
	}
}

// follow moves a contact to other IDs. Its other numbers can be somebody else's from now on.
func (b *book) follow(before, after contact.IDs, at int64) {
	c := int64(0)
	for _, other := range []int64{b.byBSUID(before.BSUID), b.byNumber(before, at), b.byBSUID(after.BSUID)} {
		if c != 0 && other != 0 && other != c {
			b.merge(other, c)
		}
		c = cmp.Or(c, other)
	}
	if c == 0 {
		c = b.get("INSERT INTO contact DEFAULT VALUES RETURNING id")
	}
	b.exec("UPDATE number SET contact = NULL, left_by = ?, left_at = ? WHERE contact = ? AND phone <> ? AND left_at < ?", c, at, c, after.Phone, at)
	if before.Phone != "" && before.Phone != after.Phone {
		b.exec(`INSERT INTO number (phone, left_by, left_at) VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET left_by = excluded.left_by, left_at = excluded.left_at WHERE left_at < excluded.left_at`, before.Phone, c, at)
	}
	b.write(c, contact.IDs{BSUID: before.BSUID}, at) // older messages can arrive later
	b.write(c, after, at)
}

// merge gives one contact's rows to another, who turned out to be the same person.
func (b *book) merge(from, to int64) {
	b.exec("UPDATE bsuid SET contact = ? WHERE contact = ?", to, from)
	b.exec("UPDATE number SET contact = ? WHERE contact = ?", to, from)
	b.exec("UPDATE number SET left_by = ? WHERE left_by = ?", to, from)
	b.exec("UPDATE message SET contact = ? WHERE contact = ?", to, from)
	b.exec("DELETE FROM contact WHERE id = ?", from)
}
