package qrcode_test

import (
	"fmt"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
)

// otherValues contains a value for each type of option that isn't a default.
var otherValues = map[reflect.Type]any{
	reflect.TypeFor[qrcode.Format](): qrcode.SVG,
	reflect.TypeFor[qrcode.Level]():  qrcode.LevelH,
	reflect.TypeFor[qrcode.Color]():  qrcode.RGB(1, 2, 3),
	reflect.TypeFor[int]():           128,
	reflect.TypeFor[string]():        "x",
}

// Each field of Options changes the key, and has a setting that changes the same field.
func TestCacheKeyComesFromAllOptions(t *testing.T) {
	keys := map[string]string{qrcode.Options{}.CacheKey("a"): "no field"}
	fields := 0
	var visit func(o *qrcode.Options, v reflect.Value)
	visit = func(o *qrcode.Options, v reflect.Value) {
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if v.Field(i).Kind() == reflect.Struct && v.Type().Field(i).Anonymous {
				visit(o, v.Field(i))
				continue
			}
			other := otherValues[v.Field(i).Type()]
			require.NotNil(t, other, "add a value of the type of Options.%s to this test", name)
			if name == "Margin" {
				other = 7
			}
			v.Field(i).Set(reflect.ValueOf(other))
			key := o.CacheKey("a")
			require.NotContains(t, keys, key, "Options.%s doesn't change the key: add it to the table in qrcode/settings.go", name)
			keys[key] = name
			v.Field(i).SetZero()
			fields++
		}
	}
	o := qrcode.Options{}
	visit(&o, reflect.ValueOf(&o).Elem())
	require.Len(t, qrcode.Settings(), fields)
	require.NotContains(t, keys, qrcode.Options{}.CacheKey("b"))
	require.NotEqual(t, qrcode.Options{Title: `a" size="1`}.CacheKey("a"), qrcode.Options{Title: "a"}.CacheKey(`a" size="1`))
}

// A setting's default, its values and its limits are those of its parser.
func TestSettings(t *testing.T) {
	for _, s := range qrcode.Settings() {
		var o qrcode.Options
		require.NoError(t, o.Set(s.Name, s.Default))
		require.Equal(t, qrcode.Options{}.CacheKey("a"), o.CacheKey("a"), s.Name)
		for _, value := range s.Values {
			require.NoError(t, o.Set(s.Name, value))
		}
		if s.Values != nil {
			require.Error(t, o.Set(s.Name, "x"), s.Name)
		}
		if s.Most > 0 {
			require.NoError(t, o.Set(s.Name, strconv.Itoa(s.Least)))
			require.NoError(t, o.Set(s.Name, strconv.Itoa(s.Most)))
			require.Error(t, o.Set(s.Name, strconv.Itoa(s.Least-1)))
			require.Error(t, o.Set(s.Name, strconv.Itoa(s.Most+1)))
			require.Error(t, o.Set(s.Name, "-1"))
		}
	}
	var o qrcode.Options
	require.ErrorContains(t, o.Set("Color", "25d366"), "Color")
	require.Zero(t, o)
}

func ExampleOptions_Set() {
	var o qrcode.Options
	for name, text := range map[string]string{"format": "svg", "bg": "25d366", "margin": "0"} {
		if err := o.Set(name, text); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(o.Format, o.Background, o.Margin == qrcode.NoMargin)
	fmt.Println(o.Set("level", "X"))
	// Output:
	// svg 25d366 true
	// level isn't L, M, Q or H
}

func ExampleOptions_CacheKey() {
	same := qrcode.Options{Size: 512}.CacheKey("https://wa.me/jane.doe") == qrcode.Options{}.CacheKey("https://wa.me/jane.doe")
	fmt.Println(same) // 512 is the default
	// Output: true
}

func ExampleSettings() {
	for _, s := range qrcode.Settings()[:2] {
		fmt.Println(s.Name, s.Default, s.Values, s.Least, s.Most)
	}
	// Output:
	// format png [png svg] 0 0
	// size 512 [] 128 16384
}
