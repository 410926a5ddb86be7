package identity

import (
	"encoding/hex"

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
// [problem.Problem] with the code identity_invalid_person_id.
func (id *PersonID) UnmarshalText(text []byte) error {
	var v PersonID
	if s := string(text); s != "" {
		if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
			return errPersonID()
		}
		if _, err := hex.Decode(v[:], []byte(s[:8]+s[9:13]+s[14:18]+s[19:23]+s[24:])); err != nil || v.IsZero() {
			return errPersonID()
		}
	}
	*id = v
	return nil
}

func errPersonID() error {
	return problem.New("", codePersonID, "a person ID must be a UUID as PersonID.String returns it")
}
