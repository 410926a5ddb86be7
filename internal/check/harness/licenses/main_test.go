package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every module that the programs link has a license file, and so has Go itself.
func TestLicenses(t *testing.T) {
	text, err := licenses("../../../../cmd", []string{"./server", "./hailmark"})
	require.NoError(t, err)
	for _, title := range []string{"\nGo: LICENSE\n", "\ngithub.com/hailmark/hailmark: LICENSE\n", "\ngithub.com/spf13/cobra v", "\ngithub.com/redis/go-redis/v9 v"} {
		require.Contains(t, text, title)
	}
	require.ErrorContains(t, folder{"a module", t.TempDir(), true}.write(nil), "a module has no license file")
}
