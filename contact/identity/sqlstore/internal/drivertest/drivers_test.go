package drivertest

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// The tag keeps drivers that take minutes to compile out of all other builds. Package
// modernc is always tested.
func TestDrivers(t *testing.T) {
	testenv.Slow(t)
	out, err := exec.CommandContext(t.Context(), "go", "test", "-tags=drivers", "./postgres").CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}
