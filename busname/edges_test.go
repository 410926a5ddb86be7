package busname_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
)

// The edges of the range of capital letters: only they are reported as upper case.
func TestCapitalEdges(t *testing.T) {
	for _, c := range []string{"A", "Z"} {
		require.Contains(t, busname.Reasons("jane"+c), busname.Reason("uppercase_letter"), c)
		require.NotContains(t, busname.Reasons("123"+c), busname.Reason("no_letter"), c)
	}
	for _, c := range []string{"@", "["} {
		require.Contains(t, busname.Reasons("jane"+c), busname.Reason("invalid_character"), c)
		require.Contains(t, busname.Reasons("123"+c), busname.Reason("no_letter"), c)
	}
}

// A name can be a reserved suffix as a whole.
func TestSuffixAlone(t *testing.T) {
	require.Contains(t, busname.Reasons(".com"), busname.Reason("reserved_domain_suffix"))
}
