package chatlink

import (
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
)

// CodeInvalidKey is the code of a text that is not a username key.
const CodeInvalidKey problem.Code = "key_invalid_format"

// The length of a username key.
const (
	MinKeyLength = 4
	MaxKeyLength = 8
)

// A Key is a username key: a code that a person can require from strangers who contact
// them by username. It is never part of a link. The zero Key means no key.
type Key struct {
	s string
}

// ParseKey reads a key of 4-8 ASCII letters or digits, such as "aB3d". It keeps the case
// and trims nothing. Whether the key is the key of a person is not checked. The error is a
// [problem.Problem] with [CodeInvalidKey]; its message does not quote the key.
func ParseKey(s string) (Key, error) {
	valid := MinKeyLength <= len(s) && len(s) <= MaxKeyLength
	for i := 0; valid && i < len(s); i++ {
		c := s[i]
		valid = '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
	}
	if !valid {
		return Key{}, problem.New(CodeInvalidKey, "key must be %d to %d letters a-z, A-Z or digits", MinKeyLength, MaxKeyLength).In("key")
	}
	return Key{s}, nil
}

// String returns the key, or "" for the zero value.
func (k Key) String() string { return k.s }

// AppendText implements [encoding.TextAppender].
func (k Key) AppendText(dst []byte) ([]byte, error) { return append(dst, k.s...), nil }

// MarshalText implements [encoding.TextMarshaler]. The zero Key is empty text.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.s), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero Key; all
// other text is read by [ParseKey].
func (k *Key) UnmarshalText(text []byte) error { return textvalue.Unmarshal(k, text, ParseKey) }
