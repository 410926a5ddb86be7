package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// needs returns the path of a foreign program. Where it is missing, the test is
// skipped, or fails if all programs are required.
func needs(t *testing.T, program, source string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	name := filepath.Base(program)
	if os.Getenv("HAILMARK_REQUIRE_TOOLS") == "1" {
		t.Fatalf("%s is missing (%s), and HAILMARK_REQUIRE_TOOLS=1 wants it", name, source)
	}
	t.Skipf("skipped: %s is missing (%s)", name, source)
	return ""
}

// needsNode returns the path of a program that package.json names.
func needsNode(t *testing.T, program string) string {
	t.Helper()
	needs(t, "node", "Debian package nodejs")
	return needs(t, filepath.Join("node_modules", ".bin", program), "npm ci --prefix internal/harness/e2e")
}
