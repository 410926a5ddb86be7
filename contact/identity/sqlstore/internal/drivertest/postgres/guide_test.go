//go:build drivers

package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
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
	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/simulate"
)

// The functions below contain the Go code in docs/guide-webhooks.md, docs/identity.md and docs/migrate-contacts.md.

func setUp(ctx context.Context, db *sql.DB) (*sqlstore.Store, *identity.Engine, error) {
	store, err := sqlstore.NewPostgres(db, sqlstore.Config{})
	if err != nil {
		return nil, nil, err
	}
	err = store.Migrate(ctx) // creates tables named hailmark_…
	engine := identity.NewEngine(store, identity.Config{})
	return store, engine, err
}

// An app is a receiver that's made of the guide's code.
type app struct {
	db     *sql.DB
	store  *sqlstore.Store
	engine *identity.Engine
	now    func() time.Time
	send   func(ctx context.Context, phoneNumberID string, to contact.Address, text string) error
}

func (a *app) receive(ctx context.Context, webhook webhooknorm.Webhook) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return a.store.Transact(ctx, func(tx *sqlstore.Tx) error {
		sightings, changes, err := a.engine.WithTx(tx).ObserveWebhook(ctx, webhook, a.now())
		if err != nil {
			return err
		}
		if err := applyMoved(ctx, tx, changes); err != nil {
			return err
		}
		for i, event := range webhook.Events {
			key, err := insert(ctx, tx.Tx, event)
			if err != nil {
				return err
			}
			s := sightings[i]
			_, err = tx.ExecContext(ctx, `UPDATE message SET person = NULLIF($1, '')::uuid, alias = $2, at = $3
				WHERE key = $4 AND alias IS NULL`, s.Person.String(), s.Alias.String(), s.At, key)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func applyMoved(ctx context.Context, tx *sqlstore.Tx, changes []identity.Change) error {
	var person, alias []string
	var since, until []int64
	for _, c := range changes {
		if c.Kind == identity.Moved {
			person, alias = append(person, c.To.String()), append(alias, c.Alias.String())
			since, until = append(since, c.Since), append(until, c.Until)
		}
	}
	if len(person) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE message SET person = moved.person
		FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) moved (person, alias, since, until)
		WHERE message.alias = moved.alias AND at BETWEEN since AND until`, person, alias, since, until)
	return err
}

func storeEvents(ctx context.Context, db *sql.DB, events []webhooknorm.Event) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, event := range events {
		if _, err := insert(ctx, tx, event); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

func insert(ctx context.Context, tx *sql.Tx, event webhooknorm.Event) (key string, err error) {
	if event.Kind != webhooknorm.KindMessage && event.Kind != webhooknorm.KindHistory || event.Type == "system" {
		return "", nil // not written by a person
	}
	text, err := json.Marshal(event)
	if err != nil {
		return "", err
	}
	_, wanted := event.Reply()
	key = cmp.Or(event.ContentKey(), rand.Text()) // the same, however the message arrives
	_, err = tx.ExecContext(ctx, `INSERT INTO message (key, event, due) VALUES ($1, $2, CASE WHEN $3::boolean THEN now() END)
		ON CONFLICT (key) DO UPDATE SET event = excluded.event
		WHERE message.event LIKE '%"type":"media_placeholder"%'`, key, string(text), wanted)
	return key, err
}

func (a *app) replyToOne(ctx context.Context) (found bool, err error) {
	var key, text string
	err = a.db.QueryRowContext(ctx, `UPDATE message SET due = now() + interval '1 minute' WHERE key =
		(SELECT key FROM message WHERE due <= now() ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING key, event`).Scan(&key, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var event webhooknorm.Event
	if err := json.Unmarshal([]byte(text), &event); err != nil {
		return true, err
	}
	to, _ := event.Reply()
	if err := a.send(ctx, event.PhoneNumberID, to, "Yes, it is."); err != nil {
		return true, err
	}
	_, err = a.db.ExecContext(ctx, `UPDATE message SET due = NULL WHERE key = $1`, key)
	return true, err
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

func importContacts(ctx context.Context, store *sqlstore.Store, engine *identity.Engine, scope identity.Scope, contacts []oldContact) error {
	for rows := range slices.Chunk(contacts, 1000) {
		var chunk []identity.Contact
		for _, row := range rows {
			one := identity.Contact{ID: personID(row.id)}
			for _, m := range row.messages {
				ids := contact.IDs{Phone: m.phone, BSUID: m.bsuid} // as in this message
				fact, err := identity.Seen(m.at, scope, contact.Person{IDs: ids, DisplayName: row.name})
				if err != nil {
					log.Printf("contact %d: %v", row.id, err)
					continue
				}
				one.Facts = append(one.Facts, fact)
			}
			chunk = append(chunk, one)
		}
		err := store.Transact(ctx, func(tx *sqlstore.Tx) error {
			changes, err := engine.WithTx(tx).Import(ctx, chunk)
			if err != nil {
				return err
			}
			return applyMoved(ctx, tx, changes)
		})
		if err != nil {
			return err
		}
	}
	return nil
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
func guide(t testing.TB, page, language string) (blocks []string) {
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
	for _, block := range slices.Concat(guide(t, "guide-webhooks.md", "go"), guide(t, "identity.md", "go"), guide(t, "migrate-contacts.md", "go")) {
		rest := string(code)
		for line := range strings.Lines(block) {
			_, after, found := strings.Cut(rest, strings.TrimSpace(line)+"\n")
			require.True(t, found, "%s is not in guide_test.go", line)
			rest = after
		}
	}
}

// newGuideDatabase returns a database with the tables of the engine and of the guides.
func newGuideDatabase(t *testing.T) (*sql.DB, *sqlstore.Store, *identity.Engine) {
	t.Helper()
	db := pgx.Open(t, pgx.NewDatabase(t))
	store, engine, err := setUp(t.Context(), db)
	require.NoError(t, err)
	for _, page := range []string{"guide-webhooks.md", "identity.md"} {
		_, err = db.Exec(guide(t, page, "sql")[0])
		require.NoError(t, err)
	}
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
	a := &app{db: db, store: store, engine: engine, now: time.Now}
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
		require.NoError(t, a.receive(ctx, webhook))
		require.NoError(t, a.receive(ctx, webhook))
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
	_, err = db.Exec("INSERT INTO message (key, alias, at, event) VALUES ('old', $1, 1700000000, '')", alias)
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

// The receivers of the guides and their worker make no mistake in the rehearsal. The one without
// package identity knows nobody, so it isn't asked who wrote what.
func TestGuideRehearsal(t *testing.T) {
	testenv.Slow(t)
	t.Run("webhooks", func(t *testing.T) {
		db := pgx.Open(t, pgx.NewDatabase(t))
		_, err := db.Exec(guide(t, "guide-webhooks.md", "sql")[0])
		require.NoError(t, err)
		rehearse(t, &app{db: db}, "", func(ctx context.Context, webhook webhooknorm.Webhook) error {
			return storeEvents(ctx, db, webhook.Events)
		})
	})
	t.Run("identity", func(t *testing.T) {
		db, store, engine := newGuideDatabase(t)
		a := &app{db: db, store: store, engine: engine, now: func() time.Time { return time.Time{} }}
		rehearse(t, a, "/ask", a.receive)
	})
}

// rehearse runs a receiver and the guide's worker in the rehearsal. A path to ask who wrote a message is optional.
func rehearse(t *testing.T, a *app, ask string, receive func(context.Context, webhooknorm.Webhook) error) {
	t.Helper()
	stage := simulate.NewStage(simulate.Rehearsal{Story: lives.Scenarios(0, lives.Conditions{Repeat: 0.2}, nil), Secret: "secret", Wait: 3 * time.Second})
	graph := httptest.NewServer(stage.Graph())
	defer graph.Close()
	a.send = sender(graph.URL)

	work, worked := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(worked)
		for range work {
			for {
				found, err := a.replyToOne(t.Context())
				if err != nil {
					t.Error(err)
				}
				if !found || err != nil {
					break
				}
			}
		}
	}()
	handler, err := webhookhttp.New(webhookhttp.Config{AppSecrets: [][]byte{[]byte("secret")}, VerifyToken: "token", Receive: func(ctx context.Context, webhook webhooknorm.Webhook) error {
		err := receive(ctx, webhook)
		select {
		case work <- struct{}{}:
		default: // it's awake
		}
		return err
	}})
	require.NoError(t, err)
	var mux http.ServeMux
	mux.Handle("/webhook", handler)
	mux.HandleFunc("/ask", func(w http.ResponseWriter, r *http.Request) {
		var question struct{ Message string }
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
			t.Error(err)
		}
		var contact string
		err := a.db.QueryRow("SELECT coalesce(person::text, 'nobody') FROM message WHERE key LIKE '%:' || $1", question.Message).Scan(&contact)
		if errors.Is(err, sql.ErrNoRows) {
			http.NotFound(w, r)
			return
		}
		if err := cmp.Or(err, json.NewEncoder(w).Encode(map[string]string{"contact": contact})); err != nil {
			t.Error(err)
		}
	})
	receiver := httptest.NewServer(&mux)
	defer receiver.Close()
	stage.Webhook = receiver.URL + "/webhook"
	if ask != "" {
		stage.Ask = receiver.URL + ask
	}
	result, err := stage.Run(t.Context())
	close(work)
	<-worked
	require.NoError(t, err)
	for _, m := range result.Mistakes {
		t.Error(m.Text)
	}
	require.Positive(t, result.Replies)
}

// sender returns a function that sends messages to a stand-in for the Graph API.
func sender(graph string) func(ctx context.Context, phoneNumberID string, to contact.Address, text string) error {
	return func(ctx context.Context, phoneNumberID string, to contact.Address, text string) error {
		body, err := json.Marshal(map[string]any{
			"messaging_product": "whatsapp", "recipient_type": "individual", to.Field: to.Value, "type": "text", "text": map[string]string{"body": text},
		})
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, graph+"/v25.0/"+phoneNumberID+"/messages", bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer token")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			err = errors.New(response.Status)
		}
		return errors.Join(err, response.Body.Close())
	}
}

// BenchmarkImport imports 50,000 contacts with a stored message each, and moves these to their people.
func BenchmarkImport(b *testing.B) {
	const n = 50_000
	for range b.N {
		db := pgx.Open(b, pgx.NewDatabase(b))
		store, engine, err := setUp(b.Context(), db)
		require.NoError(b, err)
		for _, page := range []string{"guide-webhooks.md", "identity.md"} {
			_, err = db.Exec(guide(b, page, "sql")[0])
			require.NoError(b, err)
		}
		var contacts []oldContact
		for i := range n {
			number := fmt.Sprintf("1650%07d", i)
			contacts = append(contacts, oldContact{uint64(i + 1), "Jane", []oldMessage{{1700000000 + int64(i), number, ""}}})
		}
		_, err = db.Exec(`INSERT INTO message (key, alias, at, event)
			SELECT i, 'phone' || chr(9) || chr(9) || '1650' || lpad(i::text, 7, '0'), 1700000000 + i, '' FROM generate_series(0, $1) i`, n-1)
		require.NoError(b, err)
		b.ResetTimer()
		require.NoError(b, importContacts(b.Context(), store, engine, identity.Scope{}, contacts))
		b.StopTimer()
		var left int
		require.NoError(b, db.QueryRow("SELECT count(*) FROM message WHERE person IS NULL").Scan(&left))
		require.Zero(b, left)
	}
}
