// Package testenv describes the machine that runs the tests.
package testenv

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Needs returns the path to a program, or otherwise calls [Missing]. The source specifies how
// to install it, for example "Debian package nodejs".
func Needs(t testing.TB, program, source string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Missing(t, filepath.Base(program), source)
	}
	return path
}

// Missing skips a test whose program isn't installed. If the environment contains
// HAILMARK_REQUIRE_TOOLS=1, it fails the test instead.
func Missing(t testing.TB, program, source string) {
	t.Helper()
	if os.Getenv("HAILMARK_REQUIRE_TOOLS") == "1" {
		t.Fatalf("%s is missing (%s), and HAILMARK_REQUIRE_TOOLS=1 requires it", program, source)
	}
	t.Skipf("skipped: %s is missing (%s)", program, source)
}

// Slow marks a test in the second tier, which needs more than a second, a browser, a database
// or another program. It only runs if the environment contains HAILMARK_TESTS=all, as in CI.
func Slow(t testing.TB) {
	t.Helper()
	if os.Getenv("HAILMARK_TESTS") != "all" {
		t.Skip("skipped: it's slow, and runs with HAILMARK_TESTS=all in the environment")
	}
}

var ports sync.Map // that FreePort returned

// FreePort returns a TCP port of 127.0.0.1 for a program that can't report its own, or that starts
// again on the same port. Linux assigns the ports from 32768 to connections, so it could assign one
// of those before the program starts. No two calls in a process return the same port.
func FreePort() int {
	for {
		port := 20_000 + rand.IntN(12_000)
		if _, given := ports.LoadOrStore(port, true); given {
			continue
		}
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = l.Close()
			return port
		}
	}
}
