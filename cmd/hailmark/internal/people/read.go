// Package people finds out who is who in facts and webhooks, and plans how the contacts
// of a table become people.
package people

import (
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/hailmark/hailmark/cmd/internal/ndjson"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A Source says what the lines of an input are.
type Source struct {
	// Webhooks says that each line is a webhook, not a fact.
	Webhooks bool

	// Portfolios and Groups have the names that scope the ids of a business number, by
	// its phone number ID.
	Portfolios, Groups map[string]string
}

// Portfolio returns the name of the only portfolio, or "" if there are several or none.
func (s *Source) Portfolio() string {
	names := slices.Compact(slices.Sorted(maps.Values(s.Portfolios)))
	if len(names) != 1 {
		return ""
	}
	return names[0]
}

// An Input is what was read.
type Input struct {
	Facts     []identity.Fact // with the same people as all that were read
	FactCount int             // repeated ones included
	Bad       int             // lines that were skipped

	// Unknown are the IDs of business numbers that are in no portfolio, although others
	// are.
	Unknown []string
}

// Read reads facts or webhooks, one a line. It calls bad for each line that it skips, and
// progress after each line.
func Read(r io.Reader, source Source, bad func(line int, err error), progress func(*Input)) (*Input, error) {
	in := new(Input)
	unknown := map[string]bool{}
	scope := func(phoneNumberID string) identity.Scope {
		portfolio, known := source.Portfolios[phoneNumberID]
		if !known && len(source.Portfolios) > 0 {
			unknown[phoneNumberID] = true
		}
		return identity.Scope{Portfolio: portfolio, Group: source.Groups[phoneNumberID]}
	}
	var facts []identity.Fact
	condenseAt := 100_000
	for lines := ndjson.NewReader(r); ; {
		line, number, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			in.Facts = identity.Condense(in.Facts)
			in.Unknown = slices.Sorted(maps.Keys(unknown))
			return in, nil
		case err != nil && !errors.Is(err, ndjson.ErrLongLine):
			return nil, err
		case err == nil && source.Webhooks:
			var webhook webhooknorm.Webhook
			webhook, err = webhooknorm.Read(line)
			facts = identity.FactsOf(webhook, time.Time{}, scope)
		case err == nil:
			var fact identity.Fact
			err = fact.UnmarshalJSON(line)
			facts = append(facts[:0], fact)
		}
		if err != nil {
			in.Bad++
			bad(number, err)
			continue
		}
		in.Facts = append(in.Facts, facts...)
		if len(in.Facts) > condenseAt {
			in.Facts = identity.Condense(in.Facts)
			condenseAt = max(condenseAt, 2*len(in.Facts))
		}
		in.FactCount += len(facts)
		progress(in)
	}
}
