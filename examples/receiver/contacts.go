package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hailmark/hailmark/contact/identity"
)

// A line is a person in the list of contacts.
type line struct {
	person   identity.PersonID
	messages int
	last     int64 // the time of the last message, in Unix seconds
}

// contacts prints one line for each person who wrote, the latest first.
func (b *inbox) contacts(ctx context.Context, w io.Writer) error {
	lines, err := b.lines(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		profile, _, err := b.engine.Person(ctx, l.person)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n",
			time.Unix(l.last, 0).UTC().Format("2006-01-02 15:04"), describe(profile), l.messages, l.person)
	}
	return table.Flush()
}

func (b *inbox) lines(ctx context.Context) (lines []line, err error) {
	rows, err := b.db.QueryContext(ctx, "SELECT person, count(*), max(at) FROM message WHERE person <> '' GROUP BY person ORDER BY max(at) DESC, person")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var l line
		var person string
		if err := rows.Scan(&person, &l.messages, &l.last); err != nil {
			return nil, err
		}
		if err := l.person.UnmarshalText([]byte(person)); err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, rows.Err()
}

// describe returns the names and the current ids of a person.
func describe(p identity.Person) string {
	var parts []string
	if p.Name != "" {
		parts = append(parts, p.Name)
	}
	if p.Username != "" {
		parts = append(parts, "@"+p.Username)
	}
	for _, h := range p.Aliases {
		switch {
		case !h.Current:
		case h.Alias.Kind() == identity.KindPhone:
			parts = append(parts, "+"+h.Alias.Value())
		default:
			parts = append(parts, h.Alias.Value())
		}
	}
	return strings.Join(parts, " ")
}
