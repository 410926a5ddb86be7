package identity

import (
	"encoding/hex"

	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/problem"
)

// A PersonID permanently identifies a person. It's a random version 4 UUID, independent of any
// alias. The zero PersonID means nobody.
type PersonID store.ID

// IsZero reports whether id is the zero PersonID.
func (id PersonID) IsZero() bool { return id == PersonID{} }

// String returns a lowercase UUID, or "" for the zero PersonID.
func (id PersonID) String() string {
	if id.IsZero() {
		return ""
	}
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// MarshalText implements [encoding.TextMarshaler].
func (id PersonID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero PersonID. The error
// is a [problem.Problem] with [CodePersonID].
func (id *PersonID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = PersonID{}
		return nil
	}
	v, err := ParsePersonID(string(text))
	if err == nil {
		*id = v
	}
	return err
}

// ParsePersonID parses [PersonID.String]. The error is a [problem.Problem] with [CodePersonID].
func ParsePersonID(s string) (PersonID, error) {
	var id PersonID
	if len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		digits := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
		if _, err := hex.Decode(id[:], []byte(digits)); err == nil && !id.IsZero() {
			return id, nil
		}
	}
	return PersonID{}, problem.New(CodePersonID, "a person id must be a UUID as PersonID.String returns it")
}
