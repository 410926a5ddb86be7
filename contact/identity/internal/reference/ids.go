package reference

import (
	"cmp"
	"slices"
)

// An ID is a BSUID, a parent BSUID or a number (section 1).
type ID struct{ Kind, Scope, Value string }

const (
	bsuid  = "bsuid"
	parent = "parent"
	number = "phone"
)

func (id ID) text() string { return id.Kind + "\t" + id.Scope + "\t" + id.Value }

func compareIDs(a, b ID) int { return cmp.Compare(a.text(), b.text()) }

// ids are the IDs of one sighting, or of one side of a change. Missing ones are zero.
type ids struct{ bsuid, parent, number ID }

// stable returns the BSUID and the parent, least first.
func (s ids) stable() []ID { return present(s.bsuid, s.parent) }

func (s ids) all() []ID { return present(s.bsuid, s.parent, s.number) }

func (s ids) has(id ID) bool { return slices.Contains(s.all(), id) }

// least returns the least stable ID, or the zero ID.
func (s ids) least() ID {
	if s.bsuid != (ID{}) {
		return s.bsuid
	}
	return s.parent
}

// bare reports whether there is a number without a stable ID.
func (s ids) bare() bool { return s.number != ID{} && s.least() == ID{} }

// keep returns the IDs for which f is true.
func (s ids) keep(f func(ID) bool) ids {
	for _, id := range []*ID{&s.bsuid, &s.parent, &s.number} {
		if *id != (ID{}) && !f(*id) {
			*id = ID{}
		}
	}
	return s
}

func (s ids) without(id ID) ids { return s.keep(func(other ID) bool { return other != id }) }

func present(list ...ID) []ID {
	return slices.DeleteFunc(list, func(id ID) bool { return id == ID{} })
}

// A label is a text and the time when it was told.
type label struct {
	at   int64
	text string
}

// later returns the later label, and of two at one time the one with the greater text. A label
// without a text says nothing.
func (l label) later(m label) label {
	if m.text == "" || l.text != "" && cmp.Or(cmp.Compare(l.at, m.at), cmp.Compare(l.text, m.text)) >= 0 {
		return l
	}
	return m
}
