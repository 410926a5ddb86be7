package chatlink

import "github.com/hailmark/hailmark/problem"

// CodeKey is reported for a text that is not a username key.
const CodeKey problem.Code = "key_invalid_format"

// The length of a username key.
const (
	MinKeyLength = 4
	MaxKeyLength = 8
)

// A Key is a username key: the code that a person may ask for before somebody who
// knows only the username can write. No link carries it. The zero Key is no key.
type Key struct {
	s string
}

// ParseKey reads a key of 4-8 ASCII letters or digits and keeps its case. Whether it
// is the right key for anybody is not checked. The error is a [problem.Problem] with
// [CodeKey].
func ParseKey(s string) (Key, error) {
	valid := MinKeyLength <= len(s) && len(s) <= MaxKeyLength
	for i := 0; valid && i < len(s); i++ {
		c := s[i]
		valid = '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
	}
	if !valid {
		return Key{}, problem.New(CodeKey, "key must be %d-%d letters a-z, A-Z or digits", MinKeyLength, MaxKeyLength)
	}
	return Key{s}, nil
}

// String returns the key as it was given, or "" for the zero value.
func (k Key) String() string { return k.s }
