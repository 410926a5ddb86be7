package e2e_test

import (
	"path/filepath"
	"testing"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// needsNode returns the path of a program that package.json names.
func needsNode(t *testing.T, program string) string {
	t.Helper()
	testenv.Needs(t, "node", "Debian package nodejs")
	return testenv.Needs(t, filepath.Join("node_modules", ".bin", program), "npm ci --prefix internal/check/harness/e2e")
}
