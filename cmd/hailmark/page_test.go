package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/page"
)

func TestPage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "hailmark.html")
	status, stdout, stderr := runTool(t, "", "page", "-o", name)
	require.Empty(t, stdout)
	if !page.HasModule() {
		require.Equal(t, 1, status)
		require.Contains(t, stderr, "run cmd/wasm/build")
		require.NoFileExists(t, name)
		return
	}
	require.Zero(t, status, stderr)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Regexp(t, `^<!DOCTYPE html>\n<html`, string(text[:40]))
	require.Regexp(t, `</html>\n$`, string(text[len(text)-20:]))
}
