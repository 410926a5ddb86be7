package repotest

import (
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/qrcode"
)

// A value is what every value type of this module implements.
type value interface {
	comparable
	fmt.Stringer
	encoding.TextMarshaler
}

// testDatabaseForm holds a value type to its form in a database: text, which is read back
// from strings and bytes, and NULL for the zero value. Its Must function panics on bad text.
func testDatabaseForm[T interface {
	value
	driver.Valuer
}](t *testing.T, must func(string) T, text, bad string) {
	t.Helper()
	v, zero := must(text), *new(T)
	t.Run(fmt.Sprintf("%T", v), func(t *testing.T) {
		stored, err := driver.DefaultParameterConverter.ConvertValue(v)
		require.NoError(t, err)
		require.Equal(t, v.String(), stored)
		null, err := driver.DefaultParameterConverter.ConvertValue(zero)
		require.NoError(t, err)
		require.Nil(t, null)
		for _, src := range []any{stored, []byte(v.String())} {
			read := zero
			require.NoError(t, any(&read).(sql.Scanner).Scan(src))
			require.Equal(t, v, read)
		}
		for _, src := range []any{bad, []byte(bad), 16505551234, 1.5, true} {
			read := v
			require.Error(t, any(&read).(sql.Scanner).Scan(src))
			require.Equal(t, v, read, "unchanged")
		}
		for _, src := range []any{nil, "", []byte{}} {
			read := v
			require.NoError(t, any(&read).(sql.Scanner).Scan(src))
			require.Equal(t, zero, read)
		}
		require.Panics(t, func() { must(bad) })
	})
}

func TestDatabaseForms(t *testing.T) {
	atRoot(t)
	testDatabaseForm(t, busname.MustParse, "jane.doe", "Jane")
	testDatabaseForm(t, bsuid.MustParseBSUID, "US.1", "US")
	testDatabaseForm(t, phone.MustParse, "+1 650 555 1234", "01512 3456789")
	testDatabaseForm(t, chatlink.MustParseLink, "wa.me/jane.doe?text=Hi", "example.com")
}

// testTextForm holds a value type to its text form: String, MarshalText and
// JSON agree, reading it returns an equal value, empty text is the zero value, and a
// text that cannot be read leaves the value unchanged.
func testTextForm[T value](t *testing.T, v T, bad string) {
	t.Helper()
	t.Run(fmt.Sprintf("%T", v), func(t *testing.T) {
		var zero T
		for _, v := range []T{v, zero} {
			text, err := v.MarshalText()
			require.NoError(t, err)
			require.Equal(t, v.String(), string(text))
			inJSON, err := json.Marshal(v)
			require.NoError(t, err)
			var again T
			require.NoError(t, json.Unmarshal(inJSON, &again))
			require.Equal(t, v, again)
			require.True(t, v == again, "values compare equal")
		}
		require.NotEqual(t, v, zero)
		read := v
		unmarshaler := any(&read).(encoding.TextUnmarshaler)
		require.Error(t, unmarshaler.UnmarshalText([]byte(bad)))
		require.Equal(t, v, read)
		require.NoError(t, unmarshaler.UnmarshalText(nil))
		require.Equal(t, zero, read)
		require.True(t, reflect.TypeFor[T]().Comparable())
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestTextForms(t *testing.T) {
	atRoot(t)
	testTextForm(t, busname.MustParse("jane.doe"), "Jane")
	testTextForm(t, bsuid.MustParseBSUID("US.1"), "US")
	testTextForm(t, must(bsuid.ParseBSUID("US.ENT.1A")), "us.1")
	testTextForm(t, phone.MustParse("+1 650 555 1234"), "01512 3456789")
	testTextForm(t, chatlink.MustParseLink("wa.me/jane.doe?text=Hi"), "example.com")

	// Image options have text forms, too.
	var options, again struct {
		Color  qrcode.Color
		Format qrcode.Format
		Level  qrcode.Level
	}
	options.Color, options.Format, options.Level = must(qrcode.ParseColor("25d366")), qrcode.SVG, qrcode.LevelH
	text, err := json.Marshal(options)
	require.NoError(t, err)
	require.JSONEq(t, `{"Color":"25d366","Format":"svg","Level":"H"}`, string(text))
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, options, again)
}
