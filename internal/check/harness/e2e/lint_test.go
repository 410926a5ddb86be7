package e2e_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

// documentFile writes the document to a file. Its server is not that of the vectors, since
// linters object to example.com.
func documentFile(t *testing.T) string {
	t.Helper()
	server := serve(t, func(cfg *httpapi.Config) { cfg.BaseURL = "https://hailmark.test" })
	file := filepath.Join(t.TempDir(), "openapi.json")
	require.NoError(t, os.WriteFile(file, document(t, server.URL), 0o600))
	return file
}

// run runs a program and returns its standard output.
func run(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	return runInDir(t, "", program, args...)
}

// runInDir is run in a folder.
func runInDir(t *testing.T, dir, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
	out, err := cmd.Output()
	var messages []byte
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		messages = failed.Stderr
	}
	require.NoError(t, err, "%s%s", out, messages)
	return out
}

func TestRedoclyLint(t *testing.T) {
	testenv.Slow(t)
	redocly := needsNode(t, "redocly")
	out := run(t, redocly, "lint", "--extends=recommended", "--format=json", documentFile(t))
	var report struct {
		Totals   struct{ Errors, Warnings int }
		Problems []struct {
			RuleID, Severity, Message string
			Location                  []struct{ Pointer string }
		}
	}
	require.NoError(t, json.Unmarshal(out, &report))
	for _, p := range report.Problems {
		t.Errorf("%s %s: %s %v", p.Severity, p.RuleID, p.Message, p.Location)
	}
	require.Zero(t, report.Totals.Errors+report.Totals.Warnings)
}
