package sqlstore

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/contact/identity"
)

// A query is a statement with its arguments. In Postgres it may consist of several
// statements, which are sent as one to save the time of a reply from the server.
type query struct {
	tx    *Tx
	text  []byte
	args  []any
	bound int // the arguments that have placeholders
	parts int // statements before the last one
	start int // where the last statement begins
}

func (tx *Tx) query() *query { return &query{tx: tx, text: make([]byte, 0, 512)} }

func (q *query) add(text string) { q.text = append(q.text, text...) }

// arg appends a placeholder and its argument.
func (q *query) arg(v any) {
	q.args = append(q.args, v)
	q.addPlaceholder()
}

// addPlaceholders appends a row of placeholders for the last n arguments.
func (q *query) addPlaceholders(n int) {
	for i := range n {
		q.add([]string{"(", ", "}[min(i, 1)])
		q.addPlaceholder()
	}
	q.add(")")
}

func (q *query) addPlaceholder() {
	q.bound++
	if !q.tx.store.postgres {
		q.text = append(q.text, '?')
		return
	}
	q.text = append(q.text, '$')
	q.text = strconv.AppendInt(q.text, int64(q.bound), 10)
}

// addAliases appends aliases as the table v in Postgres.
func (q *query) addAliases(aliases []identity.Alias) {
	if len(aliases) > maxRows {
		q.addUnnested(aliases)
		return
	}
	// Postgres plans a statement with a list of values once. One with arrays it plans
	// each time, because it then knows their length.
	q.add("(VALUES ")
	for i, a := range aliases {
		if i > 0 {
			q.add(", ")
		}
		q.text = strconv.AppendInt(append(q.text, '('), int64(i), 10)
		for _, text := range [...]string{a.Kind().String(), a.Scope(), a.Value()} {
			q.add(", ")
			q.arg(text)
			q.add("::text")
		}
		q.add(")")
	}
	q.add(") AS v (n, kind, scope, value)")
}

// addIDs appends a list of ids of persons after IN or "= ANY": all in Postgres, and at
// most maxRows in SQLite. It returns the rest.
func (q *query) addIDs(ids []string) (rest []string) {
	if q.tx.store.postgres {
		q.add("(")
		q.arg(arrayOf(ids))
		q.add("::uuid[])")
		return nil
	}
	n := min(len(ids), maxRows)
	for _, id := range ids[:n] {
		q.args = append(q.args, id)
	}
	q.addPlaceholders(n)
	return ids[n:]
}

// addUnnested appends any number of aliases as the table v in Postgres.
func (q *query) addUnnested(aliases []identity.Alias) {
	kinds, scopes, values := make([]string, len(aliases)), make([]string, len(aliases)), make([]string, len(aliases))
	for i, a := range aliases {
		kinds[i], scopes[i], values[i] = a.Kind().String(), a.Scope(), a.Value()
	}
	q.add("(SELECT kind, scope, value, n - 1 AS n FROM unnest(")
	for i, texts := range [...][]string{kinds, scopes, values} {
		if i > 0 {
			q.add(", ")
		}
		q.arg(arrayOf(texts))
		q.add("::text[]")
	}
	q.add(") WITH ORDINALITY AS u (kind, scope, value, n)) v")
}

// next ends a statement and begins another one. In Postgres both are sent together, so
// they must not write the same rows. In SQLite the first one runs.
func (q *query) next(ctx context.Context) error {
	if len(q.text) == q.start {
		return nil
	}
	if !q.tx.store.postgres {
		return q.exec(ctx)
	}
	q.parts++
	q.add("\x00") // the end of a part
	q.start = len(q.text)
	return nil
}

// exec runs the statement and makes q empty.
func (q *query) exec(ctx context.Context) error {
	text, args := q.joined(), q.args
	q.text, q.args, q.bound, q.parts, q.start = q.text[:0], q.args[:0], 0, 0, 0
	if stmt := q.prepared(ctx, text); stmt != nil {
		_, err := stmt.ExecContext(ctx, args...)
		return err
	}
	_, err := q.tx.ExecContext(ctx, string(text), args...)
	return err
}

// joined returns the statements as one.
func (q *query) joined() []byte {
	if q.parts == 0 {
		return q.text
	}
	joined := append(make([]byte, 0, len(q.text)+32*q.parts), "WITH "...)
	part, from := 0, 0
	for i, c := range q.text[:q.start] {
		if c != 0 {
			continue
		}
		if part > 0 {
			joined = append(joined, ", "...)
		}
		joined = strconv.AppendInt(append(joined, "part"...), int64(part), 10)
		joined = append(append(append(joined, " AS ("...), q.text[from:i]...), ')')
		part, from = part+1, i+1
	}
	return append(append(joined, ' '), q.text[q.start:]...)
}

// prepared returns the prepared statement of a text, or nil. Postgres drivers prepare
// by themselves, as far as the connection allows.
func (q *query) prepared(ctx context.Context, text []byte) *sql.Stmt {
	if q.tx.store.postgres {
		return nil
	}
	stmt := q.tx.store.prepared.get(text)
	if stmt == nil {
		return nil
	}
	return q.tx.StmtContext(ctx, stmt)
}

func (q *query) rows(ctx context.Context) (*sql.Rows, error) {
	if stmt := q.prepared(ctx, q.text); stmt != nil {
		return stmt.QueryContext(ctx, q.args...)
	}
	return q.tx.QueryContext(ctx, string(q.text), q.args...)
}

// each runs the statement and calls f for each row.
func (q *query) each(ctx context.Context, f func(scan func(...any) error) error) error {
	rows, err := q.rows(ctx)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// arrayOf returns an array of texts as a literal of Postgres.
func arrayOf(texts []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, text := range texts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		b.WriteString(arrayEscapes.Replace(text))
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}

var arrayEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
