package people

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/problem"
)

// The codes of contacts that cannot be planned.
const (
	CodeContactID      problem.Code = "contact_invalid_id"      // the id is missing, or that of another row
	CodeContactCreated problem.Code = "contact_invalid_created" // the time is in none of the known forms
)

// Columns are the columns of a table of contacts. All but the id may be missing.
var Columns = []string{"id", "phone", "bsuid", "username", "name", "created", "portfolio", "group"}

// A Contact is a row of a table that has to become part of a person. The username and the
// name are not used, because they do not say who somebody is.
type Contact struct {
	ID      string
	Phone   identity.Alias // or the zero Alias
	Stable  identity.Alias // the BSUID or parent BSUID, or the zero Alias
	Created int64          // Unix seconds, or 0
}

// key returns the alias by which the contact is known: the BSUID, else the number.
func (c *Contact) key() identity.Alias {
	if c.Stable != (identity.Alias{}) {
		return c.Stable
	}
	return c.Phone
}

// ReadContacts reads a table of contacts. It calls bad for each row that it skips. The
// portfolio is that of rows without one.
func ReadContacts(r io.Reader, config table.Config, portfolio string, bad func(row int, err error)) ([]Contact, error) {
	config.Columns = Columns
	t, err := table.NewReader(r, config)
	if err != nil {
		return nil, err
	}
	if !t.Has("id") || !t.Has("phone") && !t.Has("bsuid") {
		return nil, errors.New("the table needs a column id, and phone or bsuid")
	}
	var contacts []Contact
	ids := map[string]bool{}
	for {
		row, err := t.Next()
		if errors.Is(err, io.EOF) {
			return contacts, nil
		}
		if err != nil {
			return nil, err
		}
		if row.IsEmpty() {
			continue
		}
		c, err := parseContact(&row, portfolio)
		if err == nil && ids[c.ID] {
			err = problem.New("", CodeContactID, "duplicate id; each contact needs its own")
		}
		if err != nil {
			bad(row.Number, err)
			continue
		}
		ids[c.ID] = true
		contacts = append(contacts, c)
	}
}

func parseContact(row *table.Row, portfolio string) (c Contact, err error) {
	if row.Err != nil {
		return c, row.Err
	}
	for i := range row.Values {
		row.Values[i] = strings.TrimSpace(row.Values[i])
	}
	id, phone, stable, created := row.Values[0], row.Values[1], row.Values[2], row.Values[5]
	if row.Values[6] != "" {
		portfolio = row.Values[6]
	}
	if c.ID = id; id == "" {
		return c, problem.New("", CodeContactID, "the contact has no id")
	}
	if phone != "" {
		p, _, err := table.InspectPhone(phone, "")
		if err != nil {
			return c, err
		}
		if c.Phone, err = identity.NewAlias(identity.KindPhone, portfolio, p.String()); err != nil {
			return c, err
		}
	}
	if stable != "" {
		b, err := bsuid.ParseBSUID(stable)
		if err != nil {
			return c, err
		}
		kind, scope := identity.KindBSUID, portfolio
		if b.IsParent() {
			kind, scope = identity.KindParent, row.Values[7]
		}
		if c.Stable, err = identity.NewAlias(kind, scope, stable); err != nil {
			return c, err
		}
	}
	c.Created, err = parseTime(created)
	return c, err
}

// parseTime reads a time as databases and spreadsheets export it. Times without a zone
// are in UTC.
func parseTime(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n > 0 {
		if n >= 100_000_000_000 { // milliseconds
			n /= 1000
		}
		return n, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil && t.Unix() > 0 {
			return t.Unix(), nil
		}
	}
	return 0, problem.New("", CodeContactCreated, "created isn't a time such as 2026-11-21T09:30:00Z, 2026-11-21 09:30:00 or 1795253400")
}
