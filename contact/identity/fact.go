package identity

import (
	"cmp"
	"strings"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/problem"
)

var factNames = [...]string{
	rules.Seen: "seen", rules.Changed: "changed", rules.Joined: "joined", rules.Withdrawn: "withdrawn", rules.HandedOver: "handed_over",
}

// A Scope specifies where IDs are valid. The caller chooses both names. Accounts with one
// portfolio use the zero Scope.
type Scope struct {
	Portfolio string `json:"portfolio,omitempty"` // scopes BSUIDs and phone numbers
	Group     string `json:"group,omitempty"`     // linked portfolios; scopes parent BSUIDs
}

// A Fact is evidence about people's IDs. [Seen], [Changed], [Joined], [Withdrawn], [HandedOver],
// [NotHandedOver] and [FactsOf] return facts. A Fact is comparable. The zero Fact is invalid.
type Fact struct{ rule rules.Fact }

// Kind returns "seen", "changed", "joined", "withdrawn" or "handed_over", as in JSON, and
// "" for the zero Fact.
func (f Fact) Kind() string { return nameOf(factNames[:], f.rule.Kind) }

// At returns the time in Unix seconds.
func (f Fact) At() int64 { return f.rule.At }

// Aliases returns the fact's aliases, previous IDs first.
func (f Fact) Aliases() []Alias {
	var aliases []Alias
	for _, a := range f.rule.Aliases() {
		aliases = append(aliases, Alias{a})
	}
	return aliases
}

// A mention is the IDs that identify who a fact or an event is about, and the time.
type mention struct {
	ids rules.Side
	at  int64
}

func mentionOf(f *rules.Fact) mention {
	ids := f.A.Side
	if f.Kind == rules.Changed && (f.B.Stable().IsValid() || !f.A.Stable().IsValid()) {
		ids = f.B.Side
	}
	return mention{ids, f.At}
}

// sighting returns the alias that a person is known by, which is crowded only if there's no other.
func (m mention) sighting(crowded map[rules.Alias]bool) Sighting {
	counts := m.ids.Without(func(a rules.Alias) bool { return crowded[a] })
	return Sighting{Alias: Alias{cmp.Or(counts, m.ids).Key()}, At: m.at}
}

func rulesOf(facts []Fact) []rules.Fact {
	out := make([]rules.Fact, len(facts))
	for i := range facts {
		out[i] = facts[i].rule
	}
	return out
}

// Seen returns the fact that these IDs were one person's at a time, because a webhook contained
// them together. At least one ID is required, and the phone number must consist of digits.
// Usernames and names help users recognize a person, but don't identify anybody.
//
// For every fact, at is the webhook's own timestamp in Unix seconds, not its arrival time. Values
// from 100,000,000,000 are milliseconds. The error is a [problem.Problem] with
// [CodeInvalidAlias] or [CodeInvalidFact].
func Seen(at int64, scope Scope, person contact.Person) (Fact, error) {
	a, err := newMembers(scope, person.IDs)
	if err == nil && a.Side == (rules.Side{}) {
		err = problem.New("", CodeInvalidFact, "seen requires at least one of bsuid, parent and phone")
	}
	f := rules.Fact{Kind: rules.Seen, A: a, Username: cleanLabel(person.Username), Name: cleanLabel(person.DisplayName)}
	return newFact(f, at, err)
}

// Changed returns the fact that a person's IDs changed at a time. Each side requires at least one
// ID. A change between equal sides has no effect.
func Changed(at int64, scope Scope, previous, current contact.IDs) (Fact, error) {
	a, aErr := newMembers(scope, previous)
	b, bErr := newMembers(scope, current)
	err := cmp.Or(aErr, bErr)
	if err == nil && (a.Side == (rules.Side{}) || b.Side == (rules.Side{})) {
		err = problem.New("", CodeInvalidFact, "changed requires at least one of bsuid, parent and phone in previous and in current")
	}
	return newFact(rules.Fact{Kind: rules.Changed, A: a, B: b}, at, err)
}

// Joined returns an operator's statement that two IDs belong to one person, for example because the
// announcement of a new BSUID was lost. A [Sighting] of each is required; its Person is ignored. A number
// was theirs at its Sighting's At, or at the statement's time if that's 0, so two numbers can be joined
// that the person had in different years: pass the Alias and At of a message sent with each.
//
// For each pair, the latest Joined or [Withdrawn] applies; at equal times, Withdrawn does.
func Joined(at int64, a, b Sighting) (Fact, error) {
	at, err := seconds(at)
	if err != nil {
		return Fact{}, err
	}
	for _, s := range [...]*Sighting{&a, &b} {
		s.Person = PersonID{}
		switch {
		case s.Alias.Kind() != KindPhone:
			s.At = 0
		case s.At == 0:
			s.At = at
		default:
			if s.At, err = seconds(s.At); err != nil {
				return Fact{}, err
			}
		}
	}
	if a == b {
		return Fact{}, problem.New("", CodeInvalidFact, "joined requires two different aliases, or one number at two times")
	}
	if c := a.Alias.id.Compare(b.Alias.id); c > 0 || c == 0 && a.At > b.At {
		a, b = b, a
	}
	f, err := newVerdict(rules.Joined, at, a.Alias, b.Alias)
	f.rule.A.At, f.rule.B.At = a.At, b.At
	return f, err
}

// Withdrawn returns an operator's statement that two IDs don't belong to one person, although a [Joined],
// an event or an announcement says so. A number that's withdrawn from a BSUID keeps its messages, as
// another person's. A number with itself takes back a Joined of two of its times. For what happened later
// than a time only, use [HandedOver].
func Withdrawn(at int64, a, b Alias) (Fact, error) {
	if a == b && a.Kind() != KindPhone {
		return Fact{}, problem.New("", CodeInvalidFact, "withdrawn requires two different aliases, or a number that was joined with itself")
	}
	if a.id.Compare(b.id) > 0 {
		a, b = b, a
	}
	return newVerdict(rules.Withdrawn, at, a, b)
}

func newVerdict(kind rules.FactKind, at int64, a, b Alias) (Fact, error) {
	var err error
	if !a.id.IsValid() || !b.id.IsValid() {
		err = problem.New("", CodeInvalidFact, "%s requires two aliases", factNames[kind])
	}
	f := rules.Fact{Kind: kind}
	f.A.Set(a.id)
	f.B.Set(b.id)
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
	if err == nil && a.Side == (rules.Side{}) {
		err = problem.New("", CodeInvalidFact, "handed_over requires a phone")
	}
	return newFact(rules.Fact{Kind: rules.HandedOver, Undo: undo, A: a}, at, err)
}

// newFact returns f with its time. An invalid time is an error before err.
func newFact(f rules.Fact, at int64, err error) (Fact, error) {
	at, atErr := seconds(at)
	if err := cmp.Or(atErr, err); err != nil {
		return Fact{}, err
	}
	f.At = at
	return Fact{f}, nil
}

// firstMillisecond is the least time in milliseconds. In seconds, it's the year 5138.
const firstMillisecond = 100_000_000_000

func seconds(at int64) (int64, error) {
	if at >= firstMillisecond {
		at /= 1000
	}
	if at <= 0 {
		return 0, problem.New("at", CodeInvalidFact, "at is %d; use the webhook's timestamp, a Unix time above 0", at)
	}
	return at, nil
}

// newMembers returns the valid aliases, and the first error.
func newMembers(scope Scope, ids contact.IDs) (m rules.Members, err error) {
	set := func(kind Kind, scope, value string) {
		if value != "" {
			a, invalid := NewAlias(kind, scope, value)
			m.Set(a.id)
			err = cmp.Or(err, invalid)
		}
	}
	set(KindBSUID, scope.Portfolio, ids.BSUID)
	set(KindParent, scope.Group, ids.ParentBSUID)
	set(KindPhone, scope.Portfolio, ids.Phone)
	if m.Phone.IsValid() {
		m.Received = ids.Phone
	}
	return m, err
}

// cleanLabel makes a label storable, because databases reject NUL and JSON is UTF-8.
func cleanLabel(name string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "")
}
