package identity

import (
	"encoding/hex"
	"strings"

	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/problem"
)

// A PersonID permanently identifies a person. It's a random version 4 UUID, unless the caller
// chose it for [Engine.Import]. The zero PersonID means nobody.
type PersonID store.ID

// IsZero reports whether id is the zero PersonID.
func (id PersonID) IsZero() bool { return id == PersonID{} }

// String returns a lowercase UUID, or "" for the zero PersonID.
func (id PersonID) String() string {
	if id.IsZero() {
		return ""
	}
	return store.ID(id).String()
}

// MarshalText implements [encoding.TextMarshaler].
func (id PersonID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText parses [PersonID.String]. Empty text is the zero PersonID. The error is a
// [problem.Problem] with [CodeInvalidPersonID].
func (id *PersonID) UnmarshalText(text []byte) error {
	var v PersonID
	plain, _ := hex.DecodeString(strings.ReplaceAll(string(text), "-", ""))
	copy(v[:], plain)
	if v.String() != strings.ToLower(string(text)) {
		return problem.New("", CodeInvalidPersonID, "the person ID isn't a UUID as PersonID.String returns it")
	}
	*id = v
	return nil
}
