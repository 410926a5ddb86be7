package drivertest

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// population is how many people a benchmark begins with.
const population = 2000

// Benchmark measures one Observe against the least that any store does in a transaction
// with the same durability: it looks two aliases up, and updates one row of a known person
// or inserts a person and two aliases. The two alternate, and the metric ratio is the time
// of the first divided by that of the second. Set SQLSTORE_FSYNC=on for Postgres, and
// SQLSTORE_SYNCHRONOUS=FULL for SQLite, so that both wait for the disk.
func (d Driver) Benchmark(b *testing.B) {
	ctx := context.Background()
	store, db := d.NewStore(b)
	e := identity.NewEngine(store, identity.Config{})
	bare := newBare(b, d, d.Open(b, d.NewDatabase(b))) // in SQLite, connections to one file empty each other's cache
	observe := func(i int, at int64) {
		bsuid, phone := ids(i)
		f, err := identity.Seen(at, identity.Scope{}, contact.Person{IDs: contact.IDs{BSUID: bsuid, Phone: phone}, DisplayName: "Jane"})
		require.NoError(b, err)
		_, _, err = e.Observe(ctx, f)
		require.NoError(b, err)
	}
	next := 0
	for ; next < population; next++ {
		observe(next, 1786000000)
		bare.insert(next)
	}
	if !d.isSQLite() {
		_, err := db.Exec("ANALYZE")
		require.NoError(b, err)
	}
	b.Run("known", func(b *testing.B) {
		i := 0
		compare(b, func() { observe(i%population, int64(1786000001+i)) }, func() { bare.touch(i % population); i += 7 })
	})
	b.Run("new", func(b *testing.B) {
		compare(b, func() { observe(next, 1786000000) }, func() { bare.insert(next); next++ })
	})
	b.Run("import", d.benchmarkImport)
	b.Run("years", d.benchmarkYears)
	b.Run("writers", d.benchmarkWriters)
	b.Run("size", d.benchmarkSize)
}

// benchmarkWriters reports how many webhooks per second 1, 4 and 16 writers observe, each about other
// people who are known.
func (d Driver) benchmarkWriters(b *testing.B) {
	store, db := d.NewStore(b)
	db.SetMaxIdleConns(16) // by default, two connections stay open
	e := identity.NewEngine(store, identity.Config{})
	observe := func(i int, at int64) error {
		bsuid, phone := ids(i)
		f, err := identity.Seen(at, identity.Scope{}, contact.Person{IDs: contact.IDs{BSUID: bsuid, Phone: phone}})
		if err == nil {
			_, _, err = e.Observe(context.Background(), f)
		}
		return err
	}
	for i := range population {
		require.NoError(b, observe(i, 1786000000))
	}
	at := int64(1786000000)
	for _, writers := range []int{1, 4, 16} {
		b.Run(strconv.Itoa(writers), func(b *testing.B) {
			errs := make([]error, writers)
			at++
			var done sync.WaitGroup
			for w := range writers {
				done.Go(func() {
					for i := w; i < b.N && errs[w] == nil; i += writers {
						errs[w] = observe(i%population, at+int64(i/population))
					}
				})
			}
			done.Wait()
			at += int64(b.N/population) + 1
			require.NoError(b, errors.Join(errs...))
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "webhooks/s")
		})
	}
}

// benchmarkSize reports the bytes of all tables and indexes for each person and year of a simulated
// world, without the room of deleted rows.
func (d Driver) benchmarkSize(b *testing.B) {
	const people, years, year = 200, 3, 365 * 24 * time.Hour
	for range b.N {
		store, db := d.NewStore(b)
		e := identity.NewEngine(store, identity.Config{})
		size := func() (bytes int64) {
			text := "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname LIKE 'hailmark%' AND relkind = 'r'"
			clean := "VACUUM FULL"
			if d.isSQLite() {
				text, clean = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", "VACUUM"
			}
			_, err := db.Exec(clean)
			require.NoError(b, err)
			require.NoError(b, db.QueryRow(text).Scan(&bytes))
			return bytes
		}
		empty, last := size(), int64(0)
		var first int64
		webhooks := 0
		for hook := range lives.NewWorld(1, people, years*year).Webhooks() {
			webhook, err := webhooknorm.Read(hook)
			require.NoError(b, err)
			for _, f := range identity.FactsOf(webhook, time.Time{}, nil) {
				if first == 0 || f.At() < first+int64(year/time.Second) {
					first = cmp.Or(first, f.At())
				} else if last == 0 {
					last = size()
				}
			}
			_, _, err = e.ObserveWebhook(context.Background(), webhook, time.Time{})
			require.NoError(b, err)
			webhooks++
		}
		end := size()
		b.ReportMetric(float64(last-empty)/people, "bytes/person-first-year")
		b.ReportMetric(float64(end-last)/people/(years-1), "bytes/person-later-year")
		b.ReportMetric(float64(webhooks)/people/years, "webhooks/person-year")
	}
	b.ReportMetric(0, "ns/op")
}

// benchmarkImport imports 100,000 contacts into an empty store. The metric bare-contacts/s is for
// inserting a person and two aliases each, 1,000 in a statement and a transaction.
func (d Driver) benchmarkImport(b *testing.B) {
	const n = 100_000
	ctx := context.Background()
	var ours, theirs time.Duration
	for range b.N {
		store, _ := d.NewStore(b)
		start := time.Now()
		e := identity.NewEngine(store, identity.Config{})
		for i := 0; i < n; i += 1000 {
			contacts := make([]identity.Contact, 1000)
			for j := range contacts {
				bsuid, phone := ids(i + j)
				at := 1700000000 + int64((i+j)*7919%n)*600 // not in the order of age
				f, err := identity.Seen(at, identity.Scope{}, contact.Person{IDs: contact.IDs{BSUID: bsuid, Phone: phone}, DisplayName: "Jane"})
				require.NoError(b, err)
				contacts[j].Facts = []identity.Fact{f}
			}
			_, err := e.Import(ctx, contacts)
			require.NoError(b, err)
		}
		ours += time.Since(start)
		bare := newBare(b, d, d.Open(b, d.NewDatabase(b)))
		start = time.Now()
		for i := 0; i < n; i += 1000 {
			bare.insertMany(i, 1000)
		}
		theirs += time.Since(start)
	}
	b.ReportMetric(float64(n*b.N)/ours.Seconds(), "contacts/s")
	b.ReportMetric(float64(n*b.N)/theirs.Seconds(), "bare-contacts/s")
	b.ReportMetric(0, "ns/op")
}

// benchmarkYears observes the webhooks of people who change numbers three times as often as usual,
// a third of the new numbers from others, for ten years. A bare transaction follows each webhook, so
// that the metrics don't depend on what else the machine does: the mean time in the first and the
// last year, in bare transactions, their ratio, and the last year's 99th percentile divided by its
// median. The variable IDENTITY_PEOPLE is the number of people, 300 by default.
func (d Driver) benchmarkYears(b *testing.B) {
	const years, year = 10, 365 * 86_400
	people := 300
	if text := os.Getenv("IDENTITY_PEOPLE"); text != "" {
		var err error
		people, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	for range b.N {
		store, _ := d.NewStore(b)
		e := identity.NewEngine(store, identity.Config{})
		bare := newBare(b, d, d.Open(b, d.NewDatabase(b)))
		for i := range population {
			bare.insert(i)
		}
		world := lives.NewWorld(1, people, years*year*time.Second)
		world.Change = 0.2
		var ours, theirs [years][]time.Duration
		first, now, n := int64(0), 0, 0
		for hook := range world.Webhooks() {
			webhook, err := webhooknorm.Read(hook)
			require.NoError(b, err)
			facts := identity.FactsOf(webhook, time.Time{}, nil)
			for i := range facts {
				first = cmp.Or(first, facts[i].At())
				now = min(max(now, int((facts[i].At()-first)/year)), years-1)
			}
			start := time.Now()
			_, _, err = e.ObserveWebhook(context.Background(), webhook, time.Time{})
			require.NoError(b, err)
			middle := time.Now()
			bare.touch(n % population)
			if n++; len(facts) > 0 {
				ours[now], theirs[now] = append(ours[now], middle.Sub(start)), append(theirs[now], time.Since(middle))
			}
		}
		var means [years]float64
		for i := range years {
			means[i] = float64(total(ours[i])) / float64(total(theirs[i]))
			b.Logf("year %2d: %6d webhooks, mean %.2f bare transactions, median %v, p99 %v, bare median %v",
				i+1, len(ours[i]), means[i], median(ours[i]), ours[i][len(ours[i])*99/100], median(theirs[i]))
		}
		last := ours[years-1]
		b.ReportMetric(means[0], "first")
		b.ReportMetric(means[years-1], "last")
		b.ReportMetric(means[years-1]/means[0], "ratio")
		b.ReportMetric(float64(last[len(last)*99/100])/float64(last[len(last)/2]), "p99/median")
	}
	b.ReportMetric(0, "ns/op")
}

func ids(i int) (bsuid, phone string) {
	return fmt.Sprintf("US.%016d", i), fmt.Sprintf("1650%07d", i)
}

// compare runs both functions in turns. It reports the ratio of their total times and that
// of their median times, which depends less on what else the machine does.
func compare(b *testing.B, store, bare func()) {
	var ours, theirs []time.Duration
	for b.Loop() {
		start := time.Now()
		store()
		middle := time.Now()
		bare()
		ours, theirs = append(ours, middle.Sub(start)), append(theirs, time.Since(middle))
	}
	b.ReportMetric(float64(total(ours))/float64(total(theirs)), "ratio")
	b.ReportMetric(float64(median(ours))/float64(median(theirs)), "median-ratio")
	b.ReportMetric(float64(median(ours).Nanoseconds()), "store-ns")
	b.ReportMetric(float64(median(theirs).Nanoseconds()), "bare-ns")
	b.ReportMetric(0, "ns/op")
}

func total(times []time.Duration) (sum time.Duration) {
	for _, t := range times {
		sum += t
	}
	return sum
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// bare is the loop to compare with. It uses prepared statements on one connection.
type bare struct {
	b                                           *testing.B
	conn                                        *sql.Conn
	begin                                       string
	lookup, update, insertPerson, insertAliases *sql.Stmt
}

func newBare(b *testing.B, d Driver, db *sql.DB) *bare {
	ctx := context.Background()
	for _, text := range []string{
		"CREATE TABLE bare_person (id VARCHAR(36) NOT NULL PRIMARY KEY, last_seen BIGINT NOT NULL)",
		"CREATE TABLE bare_alias (kind TEXT NOT NULL, value TEXT NOT NULL, person VARCHAR(36) NOT NULL, PRIMARY KEY (kind, value))",
	} {
		if d.isSQLite() {
			text += " WITHOUT ROWID"
		}
		_, err := db.Exec(text)
		require.NoError(b, err)
	}
	conn, err := db.Conn(ctx)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, conn.Close()) })
	prepare := func(text string) *sql.Stmt {
		if !d.isSQLite() {
			for n := 1; strings.Contains(text, "?"); n++ {
				text = strings.Replace(text, "?", fmt.Sprintf("$%d", n), 1)
			}
		}
		stmt, err := conn.PrepareContext(ctx, text)
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, stmt.Close()) })
		return stmt
	}
	begin := "BEGIN"
	if d.isSQLite() {
		begin = "BEGIN IMMEDIATE"
	}
	return &bare{
		b, conn, begin,
		prepare("SELECT person FROM bare_alias WHERE kind = ? AND value = ? UNION ALL SELECT person FROM bare_alias WHERE kind = ? AND value = ?"),
		prepare("UPDATE bare_person SET last_seen = ? WHERE id = ?"),
		prepare("INSERT INTO bare_person (id, last_seen) VALUES (?, ?)"),
		prepare("INSERT INTO bare_alias (kind, value, person) VALUES (?, ?, ?), (?, ?, ?)"),
	}
}

func (l *bare) exec(text string) {
	_, err := l.conn.ExecContext(context.Background(), text)
	require.NoError(l.b, err)
}

func (l *bare) find(i int) (person string) {
	bsuid, phone := ids(i)
	rows, err := l.lookup.Query("bsuid", bsuid, "phone", phone)
	require.NoError(l.b, err)
	defer rows.Close()
	for rows.Next() {
		require.NoError(l.b, rows.Scan(&person))
	}
	require.NoError(l.b, rows.Err())
	return person
}

func (l *bare) touch(i int) {
	l.exec(l.begin)
	_, err := l.update.Exec(time.Now().UnixNano(), l.find(i))
	require.NoError(l.b, err)
	l.exec("COMMIT")
}

func (l *bare) insert(i int) {
	l.exec(l.begin)
	require.Empty(l.b, l.find(i))
	bsuid, phone := ids(i)
	id := fmt.Sprintf("%08x-0000-4000-8000-%012d", rand.Uint32(), i) // random, as the ids of people are
	_, err := l.insertPerson.Exec(id, time.Now().UnixNano())
	require.NoError(l.b, err)
	_, err = l.insertAliases.Exec("bsuid", bsuid, id, "phone", phone, id)
	require.NoError(l.b, err)
	l.exec("COMMIT")
}

// insertMany inserts n people, with two statements in a transaction.
func (l *bare) insertMany(first, n int) {
	var persons, aliases strings.Builder
	for i := range n {
		bsuid, phone := ids(first + i)
		id := fmt.Sprintf("%08x-0000-4000-8000-%012d", rand.Uint32(), first+i)
		fmt.Fprintf(&persons, ", ('%s', 1786000000)", id)
		fmt.Fprintf(&aliases, ", ('bsuid', '%s', '%[3]s'), ('phone', '%[2]s', '%[3]s')", bsuid, phone, id)
	}
	l.exec(l.begin)
	l.exec("INSERT INTO bare_person (id, last_seen) VALUES " + persons.String()[2:])
	l.exec("INSERT INTO bare_alias (kind, value, person) VALUES " + aliases.String()[2:])
	l.exec("COMMIT")
}
