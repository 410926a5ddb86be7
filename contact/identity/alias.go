package identity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// A Kind is the kind of an [Alias].
type Kind uint8

const (
	KindBSUID  = Kind(rules.BSUID)  // a business-scoped user ID, scoped to a portfolio
	KindParent = Kind(rules.Parent) // a parent BSUID, scoped to a group of linked portfolios
	KindPhone  = Kind(rules.Phone)  // a phone number, scoped to a portfolio
)

// String returns "bsuid", "parent" or "phone", or "" for the zero Kind.
func (k Kind) String() string { return rules.Kind(k).String() }

func nameOf[K ~uint8](names []string, k K) string {
	if int(k) >= len(names) {
		return ""
	}
	return names[k]
}

// MarshalText implements [encoding.TextMarshaler].
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. The error is a [problem.Problem] with
// [CodeInvalidAlias].
func (k *Kind) UnmarshalText(text []byte) error {
	for _, kind := range [...]Kind{KindBSUID, KindParent, KindPhone} {
		if kind.String() == string(text) {
			*k = kind
			return nil
		}
	}
	return errKind
}

var errKind = problem.New("kind", CodeInvalidAlias, "kind isn't bsuid, parent or phone")

const (
	// maxText limits portfolios and groups, in bytes, so that an alias fits any database's index
	// entry.
	maxText = 256

	// maxPhone limits a phone number's digits. E.164 allows 15, but webhooks are accepted as they
	// are.
	maxPhone = 32
)

// An Alias is a person's ID: a BSUID or a phone number within a portfolio, or a parent BSUID
// within a group. It's comparable. The zero Alias is invalid.
type Alias struct{ id rules.Alias }

// NewAlias returns an alias. The scope is the portfolio's name for a BSUID or a phone number,
// and the group's name for a parent BSUID. The caller chooses these names; use "" if there is
// only one. They are UTF-8 of up to 256 bytes without control characters.
//
// A BSUID or parent BSUID is one that [bsuid.ParseBSUID] accepts; parent BSUIDs contain
// ENT, and BSUIDs don't. It keeps its case.
//
// A phone number consists of 1 to 32 digits, country code first. If it has two forms, the value is that
// of [phone.Number.Canonical].
//
// The error is a [problem.Problem] with [CodeInvalidAlias].
func NewAlias(kind Kind, scope, value string) (Alias, error) {
	if kind < KindBSUID || kind > KindPhone {
		return Alias{}, errKind
	}
	if err := checkText("portfolio or group", scope); err != nil {
		return Alias{}, err
	}
	if value == "" {
		return Alias{}, problem.New("value", CodeInvalidAlias, "the value of a %s is empty; omit an ID that isn't known", kind)
	}
	if kind == KindPhone {
		switch {
		case strings.Trim(value, "0123456789") != "":
			return Alias{}, problem.New("phone", CodeInvalidAlias,
				"phone contains other characters than digits: give digits only, country code first, as phone.Parse returns them")
		case len(value) > maxPhone:
			return Alias{}, problem.New("phone", CodeInvalidAlias, "phone has %d digits; at most %d are allowed", len(value), maxPhone)
		}
		return Alias{rules.Alias{Kind: rules.Phone, Scope: scope, Value: canonicalPhone(value)}}, nil
	}
	b, err := bsuid.ParseBSUID(value)
	switch name := kind.String(); {
	case err != nil && strings.Trim(value, "0123456789") == "":
		return Alias{}, problem.New(name, CodeInvalidAlias, "%s has %d digits and no country code, like a phone number: give that as phone", name, len(value))
	case err != nil:
		return Alias{}, problem.New(name, CodeInvalidAlias,
			"%s has %d bytes but not the form of a BSUID, which is two capital letters, a period, and 1-128 letters or digits", name, len(value))
	case kind == KindBSUID && b.IsParent():
		return Alias{}, problem.New(name, CodeInvalidAlias, "bsuid is a parent BSUID, which contains ENT: give that as parent")
	case kind == KindParent && !b.IsParent():
		return Alias{}, problem.New(name, CodeInvalidAlias, "parent is a BSUID without ENT, so it isn't a parent BSUID: give that as bsuid")
	}
	return Alias{rules.Alias{Kind: rules.Kind(kind), Scope: scope, Value: value}}, nil
}

// Kind returns the kind, or 0 for the zero Alias.
func (a Alias) Kind() Kind { return Kind(a.id.Kind) }

// Scope returns the portfolio's name, or a parent BSUID's group.
func (a Alias) Scope() string { return a.id.Scope }

// Value returns the ID.
func (a Alias) Value() string { return a.id.Value }

// String returns kind, scope and value, separated by tabs, or "" for the zero Alias. The text
// is personal data and shouldn't be logged.
func (a Alias) String() string { return a.id.String() }

// parseAlias reads a text of [Alias.String].
func parseAlias(text string) Alias {
	id, _ := rules.ParseAlias(text)
	return Alias{id}
}

func isParent(value string) bool {
	b, err := bsuid.ParseBSUID(value)
	return err == nil && b.IsParent()
}

// checkText returns an error if a text could break a row or a database.
func checkText(name, text string) error {
	if len(text) > maxText {
		return problem.New(name, CodeInvalidAlias, "%s has %d bytes; at most %d are allowed", name, len(text), maxText)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return problem.New(name, CodeInvalidAlias, "%s isn't UTF-8 without control characters", name)
	}
	return nil
}

// canonicalPhone returns one form for both forms of a number. See [phone.Number.Canonical].
func canonicalPhone(digits string) string {
	p, err := phone.ParseDigits(digits)
	if err != nil {
		return digits
	}
	return p.Canonical().String()
}
