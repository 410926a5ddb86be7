package problem_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
)

const (
	codeA problem.Code = "a"
	codeB problem.Code = "b"
)

func TestErrorsIsFindsEachCodeThroughWrapping(t *testing.T) {
	list := problem.List{problem.New(codeA, "first %d", 1), problem.New(codeB, "second")}
	err := fmt.Errorf("wrapped: %w", list.Err())

	require.ErrorIs(t, err, codeA)
	require.ErrorIs(t, err, codeB)
	require.NotErrorIs(t, err, problem.Code("c"))
}

func TestAll(t *testing.T) {
	a, b := problem.New(codeA, "first"), problem.New(codeB, "second")

	list := problem.All(fmt.Errorf("wrapped: %w", problem.List{a, b}))
	require.Equal(t, problem.List{a, b}, list)
	require.Equal(t, []problem.Code{codeA, codeB}, list.Codes())

	require.Equal(t, problem.List{b}, problem.All(fmt.Errorf("wrapped: %w", b)))
	require.Nil(t, problem.All(errors.New("not about a value")))
	require.Nil(t, problem.All(nil).Codes())
}

func TestListErr(t *testing.T) {
	require.NoError(t, problem.List(nil).Err(), "an empty list is no error")
	require.NoError(t, problem.List{}.Err(), "an empty list is no error")
	require.EqualError(t, problem.List{problem.New(codeA, "first")}.Err(), "first")
	require.EqualError(t, problem.List{
		problem.New(codeA, "first"), problem.New(codeB, "second"), problem.New(codeB, "third"),
	}.Err(), "first (and 2 more)")
}

func ExampleAll() {
	err := fmt.Errorf("row 7: %w", problem.New("username_length", "username must be 3-35 characters long; got %d", 2))
	for _, p := range problem.All(err) {
		fmt.Println(p.Code)
		fmt.Println(p.Message)
	}
	// Output:
	// username_length
	// username must be 3-35 characters long; got 2
}

func ExampleNew() {
	const codeTooYoung problem.Code = "too_young"
	err := fmt.Errorf("row 7: %w", problem.New(codeTooYoung, "age must be at least %d; got %d", 18, 17))
	fmt.Println(err, errors.Is(err, codeTooYoung))
	// Output: row 7: age must be at least 18; got 17 true
}

func ExampleList_Err() {
	check := func(age int) error {
		var list problem.List
		if age < 18 {
			list = append(list, problem.New("too_young", "age must be at least 18; got %d", age))
		}
		return list.Err()
	}
	fmt.Println(check(17))
	fmt.Println(check(18))
	// Output:
	// age must be at least 18; got 17
	// <nil>
}
