package rules

import "cmp"

// A FactKind is the kind of a [Fact].
type FactKind uint8

const (
	Seen       FactKind = iota + 1 // IDs that belonged to one person at a time
	Changed                        // a person's IDs before and after a change
	Joined                         // an operator states that two aliases belong to one person
	Withdrawn                      // an operator states that they do not
	HandedOver                     // an operator states that a number passed to another person
)

// A Fact is evidence. Section 2. Package identity has checked it.
type Fact struct {
	Kind FactKind
	Undo bool  // the handover is taken back
	At   int64 // seconds
	A, B Members

	Username, Name string // a sighting only
}

// Members contains the aliases on one side: a sighting's, the previous or current aliases in an
// ID change, an alias in an operator's statement, or a handover's number.
type Members struct {
	BSUID, Parent, Phone Alias
	Received             string // the phone number as received
}

// Key returns the least stable alias, or otherwise the phone number.
func (m *Members) Key() Alias { return cmp.Or(m.BSUID, m.Parent, m.Phone) }

// Stable returns the least stable alias, or the zero Alias.
func (m *Members) Stable() Alias { return cmp.Or(m.BSUID, m.Parent) }

// Count returns how many aliases there are.
func (m *Members) Count() (n int) {
	for _, a := range [...]Alias{m.BSUID, m.Parent, m.Phone} {
		if a.IsValid() {
			n++
		}
	}
	return n
}

// SameAliases reports whether m and n contain the same aliases.
func (m *Members) SameAliases(n *Members) bool {
	return m.BSUID == n.BSUID && m.Parent == n.Parent && m.Phone == n.Phone
}

// Set adds an alias.
func (m *Members) Set(a Alias) {
	switch a.Kind {
	case BSUID:
		m.BSUID = a
	case Parent:
		m.Parent = a
	case Phone:
		m.Phone = a
	}
}

// Aliases returns the fact's aliases, previous IDs first.
func (f *Fact) Aliases() []Alias {
	var aliases []Alias
	for _, a := range [...]Alias{f.A.BSUID, f.A.Parent, f.A.Phone, f.B.BSUID, f.B.Parent, f.B.Phone} {
		if a.IsValid() {
			aliases = append(aliases, a)
		}
	}
	return aliases
}
