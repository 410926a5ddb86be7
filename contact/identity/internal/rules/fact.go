package rules

import "cmp"

// A FactKind is the kind of a [Fact].
type FactKind uint8

const (
	Seen       FactKind = iota + 1 // IDs that belonged to one person at a time
	Changed                        // a person's IDs before and after a change
	Joined                         // an operator states that two IDs belong to one person
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

// A Side contains the IDs of a sighting, or on one side of a change.
type Side struct{ BSUID, Parent, Phone Alias }

// Members contains a side: a sighting's, the previous or current IDs in a change, an ID in an operator's
// statement, or a handover's number.
type Members struct {
	Side
	Received string // the phone number as received
	At       int64  // in a joined, when the phone number was theirs
}

// Stable returns the least stable ID, or the zero Alias.
func (s Side) Stable() Alias { return cmp.Or(s.BSUID, s.Parent) }

// Key returns the least stable ID, or otherwise the phone number.
func (s Side) Key() Alias { return cmp.Or(s.BSUID, s.Parent, s.Phone) }

// IDs returns the IDs in the order of their kinds.
func (s Side) IDs() []Alias {
	ids := make([]Alias, 0, 3)
	for _, a := range [...]Alias{s.BSUID, s.Parent, s.Phone} {
		if a.IsValid() {
			ids = append(ids, a)
		}
	}
	return ids
}

// StableIDs returns the stable IDs.
func (s Side) StableIDs() []Alias { return Side{BSUID: s.BSUID, Parent: s.Parent}.IDs() }

// Of returns the ID of a kind, or the zero Alias.
func (s Side) Of(kind Kind) Alias { return [...]Alias{{}, s.BSUID, s.Parent, s.Phone}[kind] }

// Has reports whether s contains an ID.
func (s Side) Has(a Alias) bool { return a.IsValid() && s.Of(a.Kind) == a }

// IsBare reports whether s contains a number without a stable ID.
func (s Side) IsBare() bool { return s.Phone.IsValid() && !s.Stable().IsValid() }

// Set adds an ID, or replaces that of its kind.
func (s *Side) Set(a Alias) {
	switch a.Kind {
	case BSUID:
		s.BSUID = a
	case Parent:
		s.Parent = a
	case Phone:
		s.Phone = a
	}
}

// Without returns s without the IDs for which drop reports true.
func (s Side) Without(drop func(Alias) bool) Side {
	var rest Side
	for _, a := range s.IDs() {
		if !drop(a) {
			rest.Set(a)
		}
	}
	return rest
}

// Compare compares the IDs in the order of their kinds. A missing ID is less than any.
func (s Side) Compare(t Side) int {
	return cmp.Or(s.BSUID.Compare(t.BSUID), s.Parent.Compare(t.Parent), s.Phone.Compare(t.Phone))
}

// Aliases returns the fact's IDs, previous ones first.
func (f *Fact) Aliases() []Alias { return append(f.A.IDs(), f.B.IDs()...) }

// CompareFacts orders facts by time, kind, IDs and the rest, so that different facts differ.
func CompareFacts(a, b Fact) int {
	undo := func(f *Fact) int {
		if f.Undo {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), a.A.Compare(b.A.Side), a.B.Compare(b.B.Side),
		cmp.Compare(a.A.At, b.A.At), cmp.Compare(a.B.At, b.B.At), undo(&a)-undo(&b),
		cmp.Compare(a.A.Received, b.A.Received), cmp.Compare(a.B.Received, b.B.Received),
		cmp.Compare(a.Username, b.Username), cmp.Compare(a.Name, b.Name))
}
