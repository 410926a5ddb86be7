//go:build drivers

package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The functions below contain the Go code in docs/identity.md, docs/migrate-contacts.md and docs/exports-and-deletion.md.

func setUp(ctx context.Context, db *sql.DB) (*sqlstore.Store, *identity.Engine, error) {
	store, err := sqlstore.NewPostgres(db, sqlstore.Config{})
	if err != nil {
		return nil, nil, err
	}
	err = store.Migrate(ctx) // creates tables named hailmark_…
	engine := identity.NewEngine(store, identity.Config{})
	return store, engine, err
}

func receive(ctx context.Context, store *sqlstore.Store, engine *identity.Engine, webhook webhooknorm.Webhook) error {
	err := store.Transact(ctx, func(tx *sqlstore.Tx) error {
		sightings, changes, err := engine.WithTx(tx).ObserveWebhook(ctx, webhook, time.Now())
		if err != nil {
			return err
		}
		for _, c := range changes {
			if c.Kind == identity.Moved {
				_, err := tx.ExecContext(ctx, `UPDATE message SET person = $1 WHERE alias = $2 AND at BETWEEN $3 AND $4`,
					c.To.String(), c.Alias.String(), c.Since, c.Until)
				if err != nil {
					return err
				}
			}
		}
		for i, event := range webhook.Events {
			if event.Kind != webhooknorm.KindMessage || event.Type == "system" {
				continue // not written by a person
			}
			s := sightings[i]
			_, err := tx.ExecContext(ctx, `INSERT INTO message (key, person, alias, at, raw)
			VALUES ($1, NULLIF($2, '')::uuid, $3, $4, $5) ON CONFLICT DO NOTHING`,
				cmp.Or(event.Key(), rand.Text()), s.Person.String(), s.Alias.String(), s.At, string(event.Raw))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

func scoped(store *sqlstore.Store) *identity.Engine {
	portfolios := map[string]string{"106540352242922": "shop", "106540352242923": "support"}
	engine := identity.NewEngine(store, identity.Config{
		Scope: func(phoneNumberID string) identity.Scope {
			return identity.Scope{Portfolio: portfolios[phoneNumberID]}
		},
	})
	return engine
}

func personID(contact uint64) (id identity.PersonID) {
	binary.BigEndian.PutUint64(id[8:], contact)
	return id
}

func oldAlias(scope identity.Scope) (string, error) {
	alias, err := identity.NewAlias(identity.KindPhone, scope.Portfolio, "16505551234") // digits only
	text := alias.String()
	return text, err
}

type oldMessage struct {
	at           int64
	phone, bsuid string
}

type oldContact struct {
	id       uint64
	name     string
	messages []oldMessage
}

func export(ctx context.Context, engine *identity.Engine, id identity.PersonID) ([]identity.PersonID, []identity.Fact, error) {
	ids, err := engine.IDs(ctx, id) // the person's own ID first
	if err != nil {
		return nil, nil, err
	}
	facts, err := engine.Facts(ctx, id) // which IDs the person had when
	return ids, facts, err
}

func applyMoved(ctx context.Context, tx *sqlstore.Tx, changes []identity.Change) error {
	for _, c := range changes {
		if c.Kind == identity.Moved {
			_, err := tx.ExecContext(ctx, `UPDATE message SET person = $1 WHERE alias = $2 AND at BETWEEN $3 AND $4`,
				c.To.String(), c.Alias.String(), c.Since, c.Until)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func forget(ctx context.Context, store *sqlstore.Store, engine *identity.Engine, id identity.PersonID) error {
	err := store.Transact(ctx, func(tx *sqlstore.Tx) error {
		gone, changes, err := engine.WithTx(tx).Forget(ctx, id)
		if err != nil {
			return err
		}
		for _, id := range gone {
			if _, err := tx.ExecContext(ctx, `DELETE FROM message WHERE person = $1`, id.String()); err != nil {
				return err
			}
		}
		return applyMoved(ctx, tx, changes)
	})
	return err
}

func importContacts(ctx context.Context, store *sqlstore.Store, engine *identity.Engine, scope identity.Scope, rows []oldContact) error {
	contacts := func(yield func(identity.PersonID, []identity.Fact) bool) {
		for _, row := range rows {
			var facts []identity.Fact
			for _, m := range row.messages {
				ids := contact.IDs{Phone: m.phone, BSUID: m.bsuid} // as in this message
				fact, err := identity.Seen(m.at, scope, contact.Person{IDs: ids, DisplayName: row.name})
				if err != nil {
					log.Printf("contact %d: %v", row.id, err)
					continue
				}
				facts = append(facts, fact)
			}
			if !yield(personID(row.id), facts) {
				return
			}
		}
	}
	err := store.Transact(ctx, func(tx *sqlstore.Tx) error {
		var changes []identity.Change
		err := engine.WithTx(tx).Import(ctx, contacts, func(done int, c []identity.Change) {
			log.Println(done, "contacts")
			changes = append(changes, c...)
		})
		if err != nil {
			return err
		}
		return applyMoved(ctx, tx, changes)
	})
	return err
}

func merged(ctx context.Context, engine *identity.Engine, contact uint64) (identity.PersonID, error) {
	person, found, err := engine.Person(ctx, personID(contact))
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	return person.ID, err
}

func correct(ctx context.Context, tx *sqlstore.Tx, engine *identity.Engine, a, b identity.Sighting) error {
	// a and b are sightings: the alias and the time of a message from each contact
	fact, err := identity.Joined(time.Now().Unix(), a, b)
	if err != nil {
		return err
	}
	changes, err := engine.WithTx(tx).Correct(ctx, fact) // apply the changes, as above
	if err != nil {
		return err
	}
	return applyMoved(ctx, tx, changes)
}

func decide(ctx context.Context, store *sqlstore.Store, engine *identity.Engine, a, b identity.Alias) error {
	fact, err := identity.Joined(time.Now().Unix(), identity.Sighting{Alias: a}, identity.Sighting{Alias: b}) // the aliases a and b are one person
	if err != nil {
		return err
	}
	err = store.Transact(ctx, func(tx *sqlstore.Tx) error {
		_, changes, err := engine.WithTx(tx).Observe(ctx, fact)
		if err != nil {
			return err
		}
		return applyMoved(ctx, tx, changes)
	})
	return err
}

// guide returns a page's code blocks in a language.
func guide(t *testing.T, page, language string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile("../../../../../../docs/" + page)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(m[1]))
	}
	require.NotEmpty(t, blocks)
	return blocks
}

// Each line of Go in the guides is in this file, in the same order.
func TestGuidesCompile(t *testing.T) {
	code, err := os.ReadFile("guide_test.go")
	require.NoError(t, err)
	for _, block := range slices.Concat(guide(t, "identity.md", "go"), guide(t, "migrate-contacts.md", "go"), guide(t, "exports-and-deletion.md", "go")) {
		rest := string(code)
		for line := range strings.Lines(block) {
			_, after, found := strings.Cut(rest, strings.TrimSpace(line)+"\n")
			require.True(t, found, "%s is not in guide_test.go", line)
			rest = after
		}
	}
}

// newGuideDatabase returns a database with the tables of the engine and of the guide.
func newGuideDatabase(t *testing.T) (*sql.DB, *sqlstore.Store, *identity.Engine) {
	t.Helper()
	db := pgx.Open(t, pgx.NewDatabase(t))
	store, engine, err := setUp(t.Context(), db)
	require.NoError(t, err)
	_, err = db.Exec(guide(t, "identity.md", "sql")[0])
	require.NoError(t, err)
	return db, store, engine
}

// writers returns the people who wrote the messages, in the order of their keys.
func writers(t *testing.T, db *sql.DB) (people []string) {
	t.Helper()
	rows, err := db.Query("SELECT coalesce(person::text, 'nobody') FROM message ORDER BY key")
	require.NoError(t, err)
	for rows.Next() {
		var person string
		require.NoError(t, rows.Scan(&person))
		people = append(people, person)
	}
	require.NoError(t, rows.Err())
	return people
}

// The guide's life leads to its people, each webhook delivered twice. Then one of them is deleted.
func TestGuideLife(t *testing.T) {
	testenv.Slow(t)
	ctx := t.Context()
	db, store, engine := newGuideDatabase(t)
	require.NotNil(t, scoped(store))
	for i, message := range []string{
		`"from":"16505550001","timestamp":"1767225600","type":"text"`,
		`"from":"16505550001","from_user_id":"US.1","timestamp":"1769904000","type":"text"`,
		`"from":"16505550001","timestamp":"1772323200","type":"system","system":{"type":"user_changed_number","wa_id":"16505550002","user_id":"US.2","previous_user_id":"US.1"}`,
		`"from_user_id":"US.2","timestamp":"1772409600","type":"text"`,
		`"from":"16505550001","timestamp":"1788220800","type":"text"`,
		`"timestamp":"1788220801","type":"text"`,
	} {
		webhook, err := webhooknorm.Read([]byte(`{"entry":[{"changes":[{"value":{"messages":[{"id":"wamid.` + string(rune('0'+i)) + `",` + message + `}]}}]}]}`))
		require.NoError(t, err)
		require.NoError(t, receive(ctx, store, engine, webhook))
		require.NoError(t, receive(ctx, store, engine, webhook))
	}
	people := writers(t, db)
	require.Len(t, people, 5, "the announcement isn't a message")
	jane, stranger := people[0], people[3]
	require.Equal(t, []string{jane, jane, jane, stranger, "nobody"}, people)
	require.NotEqual(t, jane, stranger)

	var id identity.PersonID
	require.NoError(t, id.UnmarshalText([]byte(jane)))
	ids, facts, err := export(ctx, engine, id)
	require.NoError(t, err)
	require.Equal(t, []identity.PersonID{id}, ids)
	require.NotEmpty(t, facts)

	require.NoError(t, forget(ctx, store, engine, id))
	require.Equal(t, []string{stranger, "nobody"}, writers(t, db))
	ids, facts, err = export(ctx, engine, id)
	require.NoError(t, err)
	require.Empty(t, ids)
	require.Empty(t, facts)
}

// Messages stored before a migration belong to imported contacts, and an operator's decision
// keeps the oldest contact's ID.
func TestGuideMigration(t *testing.T) {
	testenv.Slow(t)
	ctx := t.Context()
	db, store, engine := newGuideDatabase(t)
	alias, err := oldAlias(identity.Scope{})
	require.NoError(t, err)
	_, err = db.Exec("INSERT INTO message (key, alias, at, raw) VALUES ('old', $1, 1700000000, '')", alias)
	require.NoError(t, err)
	old := []oldContact{
		{id: 2, messages: []oldMessage{{1710000000, "16505551235", "US.1"}}},
		{id: 1, messages: []oldMessage{{1700000000, "16505551234", ""}, {1720000000, "16505551234", ""}}},
		{id: 3, messages: []oldMessage{{1700000000, "not a number", ""}}},
	}
	for range 2 {
		require.NoError(t, importContacts(ctx, store, engine, identity.Scope{}, old))
	}
	var person string
	require.NoError(t, db.QueryRow("SELECT person FROM message").Scan(&person))
	require.Equal(t, personID(1).String(), person)
	err = decide(ctx, store, engine, mustAlias(identity.KindPhone, "16505551234"), mustAlias(identity.KindBSUID, "US.1"))
	require.NoError(t, err)
	for _, c := range old[:2] {
		id, err := merged(ctx, engine, c.id)
		require.NoError(t, err)
		require.Equal(t, personID(1), id)
	}
	_, err = merged(ctx, engine, 3)
	require.ErrorIs(t, err, sql.ErrNoRows)
	err = store.Transact(ctx, func(tx *sqlstore.Tx) error {
		return correct(ctx, tx, engine, identity.Sighting{Alias: mustAlias(identity.KindPhone, "16505551234"), At: 1720000000},
			identity.Sighting{Alias: mustAlias(identity.KindBSUID, "US.1"), At: 1710000000})
	})
	require.NoError(t, err, "the number was theirs at another time, too")
	for _, c := range old[:2] {
		id, err := merged(ctx, engine, c.id)
		require.NoError(t, err)
		require.Equal(t, personID(1), id)
	}
}

func mustAlias(kind identity.Kind, value string) identity.Alias {
	a, err := identity.NewAlias(kind, "", value)
	if err != nil {
		panic(err)
	}
	return a
}
