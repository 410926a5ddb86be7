// Package textvalue implements text and database forms for value types. Empty text and NULL
// represent the zero value.
package textvalue

import (
	"database/sql/driver"
	"encoding"
	"fmt"
)

// Unmarshal implements [encoding.TextUnmarshaler] with parse. An error leaves v unchanged.
func Unmarshal[T any](v *T, text []byte, parse func(string) (T, error)) error {
	var parsed T
	if len(text) > 0 {
		var err error
		if parsed, err = parse(string(text)); err != nil {
			return err
		}
	}
	*v = parsed
	return nil
}

// Parse parses s as T's UnmarshalText does.
func Parse[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](s string) (T, error) {
	var v T
	err := P(&v).UnmarshalText([]byte(s))
	return v, err
}

// Scan implements [database/sql.Scanner] for text columns.
func Scan(v encoding.TextUnmarshaler, src any) error {
	switch src := src.(type) {
	case nil:
		return v.UnmarshalText(nil)
	case string:
		return v.UnmarshalText([]byte(src))
	case []byte:
		return v.UnmarshalText(src)
	default:
		return fmt.Errorf("%T cannot be scanned into %T; only text can", src, v)
	}
}

// Value implements [driver.Valuer].
func Value(text string) (driver.Value, error) {
	if text == "" {
		return nil, nil
	}
	return text, nil
}
