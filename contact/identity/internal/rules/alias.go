package rules

import (
	"cmp"
	"strings"
)

// A Kind is the kind of an [Alias].
type Kind uint8

const (
	BSUID Kind = iota + 1
	Parent
	Phone
)

var kindNames = [...]string{BSUID: "bsuid", Parent: "parent", Phone: "phone"}

// String returns "bsuid", "parent" or "phone", or "" for any other value.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return ""
	}
	return kindNames[k]
}

// An Alias is an ID with its scope. Section 1. Package identity has checked it.
type Alias struct {
	Kind         Kind
	Scope, Value string
}

// IsValid reports whether a isn't the zero Alias.
func (a Alias) IsValid() bool { return a.Kind != 0 }

// IsStable reports whether a is a BSUID or a parent BSUID.
func (a Alias) IsStable() bool { return a.Kind == BSUID || a.Kind == Parent }

// String returns kind, scope and value, separated by tabs, or "" for the zero Alias.
func (a Alias) String() string {
	if !a.IsValid() {
		return ""
	}
	return a.Kind.String() + "\t" + a.Scope + "\t" + a.Value
}

// ParseAlias reads a text of [Alias.String]. Empty text is the zero Alias.
func ParseAlias(text string) (Alias, bool) {
	if text == "" {
		return Alias{}, true
	}
	kind, rest, _ := strings.Cut(text, "\t")
	scope, value, ok := strings.Cut(rest, "\t")
	for _, k := range [...]Kind{BSUID, Parent, Phone} {
		if ok && k.String() == kind {
			return Alias{k, scope, value}, true
		}
	}
	return Alias{}, false
}

// Compare compares [Alias.String] byte by byte. Section 1.
func (a Alias) Compare(b Alias) int {
	// The kinds' names are in the order of the kinds. The separator is less than any byte in a scope.
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Scope, b.Scope), strings.Compare(a.Value, b.Value))
}
