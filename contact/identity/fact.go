package identity

import (
	"cmp"
	"strings"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/problem"
)

type factKind uint8

const (
	factSeen       factKind = iota + 1 // ids that belonged to one person at a time
	factChanged                        // a person's ids before and after a change
	factJoined                         // an operator states that two aliases belong to one person
	factWithdrawn                      // an operator states that they do not
	factHandedOver                     // an operator states that a number passed to another person
)

var factNames = [...]string{
	factSeen: "seen", factChanged: "changed", factJoined: "joined", factWithdrawn: "withdrawn", factHandedOver: "handed_over",
}

func (k factKind) String() string { return nameOf(factNames[:], k) }

// A Scope specifies where IDs are valid. The caller chooses both names. Accounts with one
// portfolio use the zero Scope.
type Scope struct {
	Portfolio string `json:"portfolio,omitempty"` // scopes BSUIDs and phone numbers
	Group     string `json:"group,omitempty"`     // linked portfolios; scopes parent BSUIDs
}

// A Fact is evidence about people's IDs. [Seen], [Changed], [Joined], [Withdrawn], [HandedOver],
// [NotHandedOver] and [FactsOf] return facts. A Fact is comparable. The zero Fact is invalid.
type Fact struct {
	kind factKind
	undo bool  // the handed_over is taken back
	at   int64 // seconds
	a, b members

	username, name string // a sighting only
}

// members contains the aliases on one side: a sighting's, the previous or current aliases in an
// ID change, an alias in an operator's statement, or a handover's number.
type members struct {
	bsuid, parent, phone Alias
	received             string // the phone number as received
}

// Kind returns "seen", "changed", "joined", "withdrawn" or "handed_over", as in JSON, and
// "" for the zero Fact.
func (f Fact) Kind() string { return f.kind.String() }

// At returns the time in Unix seconds.
func (f Fact) At() int64 { return f.at }

// Aliases returns the fact's aliases, previous IDs first.
func (f Fact) Aliases() []Alias {
	var aliases []Alias
	for _, a := range [...]Alias{f.a.bsuid, f.a.parent, f.a.phone, f.b.bsuid, f.b.parent, f.b.phone} {
		if a.isValid() {
			aliases = append(aliases, a)
		}
	}
	return aliases
}

// key returns the alias that a person is known by, and the time.
func (f Fact) key() Sighting {
	m := &f.a
	if f.kind == factChanged && (f.b.stable().isValid() || !f.a.stable().isValid()) {
		m = &f.b
	}
	return Sighting{Alias: m.key(), At: f.at}
}

// Seen returns the fact that these IDs were one person's at a time, because a webhook contained
// them together. At least one ID is required, and the phone number must consist of digits.
// Usernames and names help users recognize a person, but don't identify anybody.
//
// For every fact, at is the webhook's own timestamp in Unix seconds, not its arrival time. Values
// from 100,000,000,000 are milliseconds. The error is a [problem.Problem] with the code
// identity_invalid_alias or identity_invalid_fact.
func Seen(at int64, scope Scope, person contact.Person) (Fact, error) {
	a, err := newMembers(scope, person.IDs)
	if err == nil && a.count() == 0 {
		err = problem.New("", codeFact, "seen requires at least one of bsuid, parent and phone")
	}
	f := Fact{kind: factSeen, a: a, username: cleanLabel(person.Username), name: cleanLabel(person.DisplayName)}
	return newFact(f, at, err)
}

// Changed returns the fact that a person's IDs changed at a time. Each side requires at least one
// ID. A change between equal sides has no effect.
func Changed(at int64, scope Scope, previous, current contact.IDs) (Fact, error) {
	a, aErr := newMembers(scope, previous)
	b, bErr := newMembers(scope, current)
	err := cmp.Or(aErr, bErr)
	if err == nil && (a.count() == 0 || b.count() == 0) {
		err = problem.New("", codeFact, "changed requires at least one of bsuid, parent and phone in previous and in current")
	}
	return newFact(Fact{kind: factChanged, a: a, b: b}, at, err)
}

// Joined returns an operator's statement that two aliases belong to one person, for example
// because the announcement of a new BSUID was lost. A phone number means whoever had it at the
// time.
func Joined(at int64, a, b Alias) (Fact, error) { return newVerdict(factJoined, at, a, b) }

// Withdrawn returns an operator's statement that two aliases don't belong to one person. For each
// pair, the latest Joined or Withdrawn applies; at equal times, Withdrawn does. It separates
// aliases that Joined or a common fact joined. If an ID change without a BSUID joined the
// holders of a number, a [HandedOver] before the change separates them instead.
func Withdrawn(at int64, a, b Alias) (Fact, error) { return newVerdict(factWithdrawn, at, a, b) }

func newVerdict(kind factKind, at int64, a, b Alias) (Fact, error) {
	var err error
	switch {
	case !a.isValid() || !b.isValid():
		err = problem.New("", codeFact, "%s requires two aliases", kind)
	case a == b:
		err = problem.New("", codeFact, "%s requires two different aliases", kind)
	case a.compare(b) > 0:
		a, b = b, a
	}
	f := Fact{kind: kind}
	f.a.set(a)
	f.b.set(b)
	return newFact(f, at, err)
}

// HandedOver returns an operator's statement that a phone number has another holder from a time
// on.
func HandedOver(at int64, portfolio, phone string) (Fact, error) {
	return newHandover(at, portfolio, phone, false)
}

// NotHandedOver permanently withdraws the [HandedOver] with the same number and time.
func NotHandedOver(at int64, portfolio, phone string) (Fact, error) {
	return newHandover(at, portfolio, phone, true)
}

func newHandover(at int64, portfolio, phone string, undo bool) (Fact, error) {
	a, err := newMembers(Scope{Portfolio: portfolio}, contact.IDs{Phone: phone})
	if err == nil && a.count() == 0 {
		err = problem.New("", codeFact, "handed_over requires a phone")
	}
	return newFact(Fact{kind: factHandedOver, undo: undo, a: a}, at, err)
}

// newFact returns f with its time. An invalid time is an error before err.
func newFact(f Fact, at int64, err error) (Fact, error) {
	at, atErr := seconds(at)
	if err := cmp.Or(atErr, err); err != nil {
		return Fact{}, err
	}
	f.at = at
	return f, nil
}

// firstMillisecond is the least time in milliseconds. In seconds, it's the year 5138.
const firstMillisecond = 100_000_000_000

func seconds(at int64) (int64, error) {
	if at >= firstMillisecond {
		at /= 1000
	}
	if at <= 0 {
		return 0, problem.New("at", codeFact, "at must be a Unix time above 0: use the timestamp of the webhook")
	}
	return at, nil
}

// newMembers returns the valid aliases, and the first error.
func newMembers(scope Scope, ids contact.IDs) (m members, err error) {
	set := func(kind Kind, scope, value string) {
		if value != "" {
			a, invalid := NewAlias(kind, scope, value)
			m.set(a)
			err = cmp.Or(err, invalid)
		}
	}
	set(KindBSUID, scope.Portfolio, ids.BSUID)
	set(KindParent, scope.Group, ids.ParentBSUID)
	set(KindPhone, scope.Portfolio, ids.Phone)
	if m.phone.isValid() {
		m.received = ids.Phone
	}
	return m, err
}

// count returns how many aliases there are.
func (m *members) count() (n int) {
	for _, a := range [...]Alias{m.bsuid, m.parent, m.phone} {
		if a.isValid() {
			n++
		}
	}
	return n
}

func (m *members) sameAliases(n *members) bool {
	return m.bsuid == n.bsuid && m.parent == n.parent && m.phone == n.phone
}

// stable returns the least stable alias, or the zero Alias.
func (m *members) stable() Alias { return cmp.Or(m.bsuid, m.parent) }

// key returns the least stable alias, or otherwise the phone number.
func (m *members) key() Alias { return cmp.Or(m.bsuid, m.parent, m.phone) }

func (m *members) set(a Alias) {
	switch a.kind {
	case KindBSUID:
		m.bsuid = a
	case KindParent:
		m.parent = a
	case KindPhone:
		m.phone = a
	}
}

// cleanLabel makes a label storable, because databases reject NUL and JSON is UTF-8.
func cleanLabel(name string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "")
}
