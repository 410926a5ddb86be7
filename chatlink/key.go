package chatlink

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
)

// The length of a username key, in characters.
const (
	minKeyLength = 4
	maxKeyLength = 8
)

// A Key is a valid username key. People can require their key from strangers who write to their
// username for the first time. A link never contains one. Keys are secret, so they print as "(key)"
// and can't be marshaled by accident; [Key.Text] returns the key. Keys are comparable. The zero Key
// isn't valid.
type Key struct {
	key string
}

// ParseKey parses a username key of 4 to 8 ASCII letters and digits, such as "aB3d". Case is kept.
// The error is a [problem.Problem] with [CodeInvalidKey], and its message doesn't quote s.
func ParseKey(s string) (Key, error) {
	if n := utf8.RuneCountInString(s); n < minKeyLength || n > maxKeyLength {
		characters := "characters"
		if n == 1 {
			characters = "character"
		}
		return Key{}, problem.New("key", CodeInvalidKey, "key has %d %s; %d to %d letters or digits are allowed", n, characters, minKeyLength, maxKeyLength)
	}
	if !isAlphanumeric(s) {
		return Key{}, problem.New("key", CodeInvalidKey, "key contains a character other than the letters a-z, A-Z and digits")
	}
	return Key{s}, nil
}

func isAlphanumeric(s string) bool {
	for _, r := range s {
		if !isASCIILetter(r) && (r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// MustParseKey calls [ParseKey] and panics on an error. Use it in tests and for constants.
func MustParseKey(s string) Key {
	k, err := ParseKey(s)
	if err != nil {
		panic(err)
	}
	return k
}

// Text returns the key, or "" for the zero Key.
func (k Key) Text() string { return k.key }

// String returns "(key)", or "" for the zero Key, so that the key doesn't get into logs.
func (k Key) String() string {
	if k == (Key{}) {
		return ""
	}
	return "(key)"
}

// Format implements [fmt.Formatter]: every verb prints String.
func (k Key) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(k.String())) }

// MarshalText returns an error unless k is the zero Key, because package slog marshals what it logs.
// To write a key as text or JSON, write [Key.Text].
func (k Key) MarshalText() ([]byte, error) {
	if k != (Key{}) {
		return nil, errors.New("chatlink: a Key is secret, so it isn't marshaled; write Key.Text if it may be read there")
	}
	return nil, nil
}

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseKey]. Empty text is the zero Key.
func (k *Key) UnmarshalText(text []byte) error { return textvalue.Unmarshal(k, text, ParseKey) }

// Scan implements [database/sql.Scanner] with UnmarshalText. NULL is the zero Key.
func (k *Key) Scan(src any) error { return textvalue.Scan(k, src) }

// Value implements [driver.Valuer]. The zero Key is NULL.
func (k Key) Value() (driver.Value, error) { return textvalue.Value(k.key) }
