// Package testenv describes the machine on which tests run.
package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Needs returns the path of a program of another project. Without the program, it does
// what Missing does. The source says where the program comes from, such as "Debian package
// nodejs".
func Needs(t testing.TB, program, source string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Missing(t, filepath.Base(program), source)
	}
	return path
}

// Missing skips a test that needs a program which is not installed. With
// HAILMARK_REQUIRE_TOOLS=1 in the environment, it fails the test instead.
func Missing(t testing.TB, program, source string) {
	t.Helper()
	if os.Getenv("HAILMARK_REQUIRE_TOOLS") == "1" {
		t.Fatalf("%s is missing (%s), and HAILMARK_REQUIRE_TOOLS=1 requires it", program, source)
	}
	t.Skipf("skipped: %s is missing (%s)", program, source)
}

// Slow marks a test of the second tier: one that needs more than a second, a browser, a
// database, or another program. It runs only with HAILMARK_TESTS=all in the environment,
// which CI sets.
func Slow(t testing.TB) {
	t.Helper()
	if os.Getenv("HAILMARK_TESTS") != "all" {
		t.Skip("skipped: this test runs with HAILMARK_TESTS=all")
	}
}

// Main runs the tests of a package that all belong to the second tier.
func Main(m *testing.M) {
	if os.Getenv("HAILMARK_TESTS") != "all" {
		fmt.Println("skipped: these tests run with HAILMARK_TESTS=all") //nolint:forbidigo // it is the output of a test
		return
	}
	os.Exit(m.Run())
}

// Trials returns how often a test tries something: n times, or a quarter of that under the
// race detector, which makes programs up to ten times as slow.
func Trials(n int) int {
	if RaceEnabled {
		return n / 4
	}
	return n
}
