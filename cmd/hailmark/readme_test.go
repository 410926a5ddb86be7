package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every command in the README prints the results and messages below it.
func TestREADME(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the commands need a shell")
	}
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	bin, dir := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "hailmark")))
	for name, text := range exampleFiles {
		write(t, dir, name, text)
	}
	tried := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for entry := range strings.SplitSeq(strings.TrimPrefix(block[1], "$ "), "\n$ ") {
			line, want, _ := strings.Cut(strings.TrimSpace(entry), "\n")
			cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec 2>&1; "+line)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HAILMARK_TEST_RUN_MAIN=1")
			out, _ := cmd.Output()
			require.Equal(t, want, strings.TrimSpace(string(out)), line)
			tried++
		}
	}
	require.Greater(t, tried, 8)
	require.LessOrEqual(t, len(strings.Fields(string(page))), 900)
}
