package frameworks

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// The tag keeps frameworks that take minutes to compile out of all other builds.
func TestTagged(t *testing.T) {
	testenv.Slow(t)
	out, err := exec.CommandContext(t.Context(), "go", "test", "-tags=frameworks", "-run", "^TestFrameworks$", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
}
