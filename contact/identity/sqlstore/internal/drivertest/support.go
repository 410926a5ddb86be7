package drivertest

import (
	"cmp"
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
)

// testSupport runs the guide's query, which returns the holders of a number in the order of time.
func (d Driver) testSupport(t *testing.T) {
	ctx := context.Background()
	page, err := os.ReadFile("../../../../../../docs/identity.md")
	require.NoError(t, err)
	query := string(regexp.MustCompile(`(?s)SELECT person, to_timestamp.*?;`).Find(page))
	require.NotEmpty(t, query)
	if d.isSQLite() {
		query = strings.NewReplacer("to_timestamp(since_at)", "datetime(since_at, 'unixepoch')", "chr(", "char(").Replace(query)
	}
	store, db := d.NewStore(t)
	e := identity.NewEngine(store, identity.Config{})
	_, _, err = e.Observe(ctx, seen(t, 1786000000, "US.1", "16505551234"), seen(t, 1796000000, "US.2", "16505551234"),
		seen(t, 1786000000, "US.3", "16505551235"))
	require.NoError(t, err)
	holders, err := e.Holders(ctx, mustAlias(identity.KindPhone, "16505551234"))
	require.NoError(t, err)
	require.Len(t, holders, 2)
	slices.SortFunc(holders, func(a, b identity.Holder) int { return cmp.Compare(a.Since, b.Since) })
	var want, got []string
	for _, h := range holders {
		want = append(want, h.Person.String())
	}
	result, err := db.Query(query)
	require.NoError(t, err)
	current := 0
	for result.Next() {
		var person string
		var since any
		var isCurrent bool
		require.NoError(t, result.Scan(&person, &since, &isCurrent))
		got = append(got, person)
		if isCurrent {
			current++
		}
	}
	require.NoError(t, result.Err())
	require.NoError(t, result.Close())
	require.Equal(t, 1, current)
	require.Equal(t, want, got)
}
