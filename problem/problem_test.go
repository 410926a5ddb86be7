package problem_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

const (
	codeA problem.Code = "a"
	codeB problem.Code = "b"
)

func TestErrorsIsFindsEachCodeThroughWrapping(t *testing.T) {
	list := problem.List{problem.New("", codeA, "first %d", 1), problem.New("", codeB, "second")}
	err := fmt.Errorf("wrapped: %w", list.Err())

	require.ErrorIs(t, err, codeA)
	require.ErrorIs(t, err, codeB)
	require.NotErrorIs(t, err, problem.Code("c"))
}

func TestAll(t *testing.T) {
	a, b, c := problem.New("", codeA, "first"), problem.New("key", codeB, "second"), problem.New("", codeA, "third")
	other := errors.New("not about a value")
	wrap := func(err error) error { return fmt.Errorf("wrapped: %w", err) }

	for _, tt := range []struct {
		err  error
		want problem.List
	}{
		{nil, nil},
		{other, nil},
		{codeA, nil},
		{a, problem.List{a}},
		{wrap(b), problem.List{b}},
		{wrap(problem.List{a, b}.Err()), problem.List{a, b}},
		{errors.Join(a, b), problem.List{a, b}},
		{errors.Join(b, problem.List{a, c}.Err()), problem.List{b, a, c}},
		{errors.Join(problem.List{a}.Err(), other, wrap(b), problem.List{c}.Err()), problem.List{a, b, c}},
		{fmt.Errorf("%w and %w", c, wrap(errors.Join(b, wrap(problem.List{a}.Err())))), problem.List{c, b, a}},
		{&a, problem.List{a}},
		{wrap(&b), problem.List{b}},
		{errors.Join(nil, (*problem.Problem)(nil)), nil},
		{errors.Join(nil, problem.List(nil).Err()), nil},
	} {
		list := problem.All(tt.err)
		require.Equal(t, tt.want, list, "%v", tt.err)
		for _, p := range tt.want {
			require.ErrorIs(t, tt.err, p.Code)
		}
	}
	require.Equal(t, []problem.Code{codeA, codeB}, problem.List{a, b}.Codes())
	require.Nil(t, problem.All(nil).Codes())
}

// Programs compare errors with ==, so no error of this module may panic then.
func TestErrorsAreComparable(t *testing.T) {
	list := problem.List{problem.New("", codeA, "first")}
	first, second := list.Err(), list.Err()
	require.NotPanics(t, func() { require.False(t, first == second) }) //nolint:errorlint // it's about ==
	require.True(t, problem.New("", codeA, "first") == list[0])
}

func TestJSON(t *testing.T) {
	text, err := json.Marshal(problem.List{problem.New("", codeA, "first"), problem.New("key", codeB, "second")})
	require.NoError(t, err)
	require.JSONEq(t, `[{"code":"a","message":"first"},{"field":"key","code":"b","message":"second"}]`, string(text))
}

func TestListErr(t *testing.T) {
	require.NoError(t, problem.List(nil).Err(), "an empty list is no error")
	require.NoError(t, problem.List{}.Err(), "an empty list is no error")
	require.EqualError(t, problem.List{problem.New("", codeA, "first")}.Err(), "first")
	require.EqualError(t, problem.List{
		problem.New("", codeA, "first"), problem.New("", codeB, "second"), problem.New("", codeB, "third"),
	}.Err(), "first (and 2 more)")
}

func TestSuggestions(t *testing.T) {
	bare := problem.New("key", codeA, "first")
	for _, tt := range []struct {
		values        []string
		message, text string
	}{
		{nil, "first", `{"field":"key","code":"a","message":"first"}`},
		{[]string{""}, "first", `{"field":"key","code":"a","message":"first"}`},
		{[]string{"x"}, "first (did you mean x?)", `{"field":"key","code":"a","message":"first (did you mean x?)","suggestions":["x"]}`},
		{[]string{"x", "", "y", "x"}, "first (did you mean x or y?)", `{"field":"key","code":"a","message":"first (did you mean x or y?)","suggestions":["x","y"]}`},
		{[]string{"1", "2", "3", "4"}, "first (did you mean 1, 2 or 3?)", `{"field":"key","code":"a","message":"first (did you mean 1, 2 or 3?)","suggestions":["1","2","3"]}`},
	} {
		s := problem.NewSuggestions(tt.values...)
		p := bare.WithSuggestions(s)
		require.EqualError(t, p, tt.message)
		require.Equal(t, s, problem.NewSuggestions(s.All()...))
		require.True(t, p == bare.WithSuggestions(problem.NewSuggestions(tt.values...)), "problems are comparable")
		text, err := json.Marshal(p)
		require.NoError(t, err)
		require.JSONEq(t, tt.text, string(text))
		var again problem.Problem
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, p, again)
	}
	require.Nil(t, problem.Suggestions{}.All())
	require.Error(t, new(problem.Suggestions).UnmarshalJSON([]byte(`"x"`)))
}

// A form offers each suggestion as a button.
func ExampleSuggestions() {
	_, err := busname.Parse("Jane.Doe")
	for _, p := range problem.All(err) {
		fmt.Println(p.Code, p.Suggestions.All())
	}
	// Output: username_invalid_chars [jane.doe]
}

func ExampleProblem_WithSuggestions() {
	p := problem.New("color", "unknown_color", "color %q is unknown", "gray").WithSuggestions(problem.NewSuggestions("grey"))
	fmt.Println(p)
	// Output: color "gray" is unknown (did you mean grey?)
}

func ExampleAll() {
	err := fmt.Errorf("row 7: %w", problem.New("", "username_length", "username has %d characters; the length must be 3-35 characters", 2))
	for _, p := range problem.All(err) {
		fmt.Println(p.Code)
		fmt.Println(p.Message)
	}
	// Output:
	// username_length
	// username has 2 characters; the length must be 3-35 characters
}

// A form marks its inputs.
func ExampleProblem() {
	_, badName := busname.Parse("jd")
	_, badNumber := phone.ParseDigits("12345")
	for _, p := range problem.All(errors.Join(badName, badNumber)) {
		fmt.Println(p.Field+":", p.Message)
	}
	// Output:
	// username: username has 2 characters; the length must be 3-35 characters
	// phone: phone has 5 digits; 8 to 15 are allowed, including the country code
}

func ExampleNew() {
	const codeTooYoung problem.Code = "too_young"
	err := fmt.Errorf("row 7: %w", problem.New("age", codeTooYoung, "age is %d; at least %d is required", 17, 18))
	fmt.Println(err, errors.Is(err, codeTooYoung))
	// Output: row 7: age is 17; at least 18 is required true
}

func ExampleList_Err() {
	check := func(age int) error {
		var list problem.List
		if age < 18 {
			list = append(list, problem.New("age", "too_young", "age is %d; at least 18 is required", age))
		}
		return list.Err()
	}
	fmt.Println(check(17))
	fmt.Println(check(18))
	// Output:
	// age is 17; at least 18 is required
	// <nil>
}
