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

func TestFirst(t *testing.T) {
	a, b := problem.New(codeA, "first"), problem.New(codeB, "second")

	got, ok := problem.First(fmt.Errorf("wrapped: %w", problem.List{a, b}))
	require.True(t, ok)
	require.Equal(t, a, got)

	got, ok = problem.First(fmt.Errorf("wrapped: %w", b))
	require.True(t, ok)
	require.Equal(t, b, got)

	_, ok = problem.First(errors.New("not about a value"))
	require.False(t, ok)
	_, ok = problem.First(nil)
	require.False(t, ok)
}

func TestListErr(t *testing.T) {
	require.NoError(t, problem.List(nil).Err(), "an empty list is no error")
	require.NoError(t, problem.List{}.Err(), "an empty list is no error")
	require.EqualError(t, problem.List{problem.New(codeA, "first")}.Err(), "first")
	require.EqualError(t, problem.List{
		problem.New(codeA, "first"), problem.New(codeB, "second"), problem.New(codeB, "third"),
	}.Err(), "first (and 2 more)")
}

func ExampleFirst() {
	err := fmt.Errorf("row 7: %w", problem.New("username_length", "username must be 3-35 characters long, not %d", 2))
	if p, ok := problem.First(err); ok {
		fmt.Println(p.Code)
		fmt.Println(p.Message)
	}
	// Output:
	// username_length
	// username must be 3-35 characters long, not 2
}
