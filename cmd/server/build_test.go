package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// copySources copies the workspace without its history and what npm has installed.
func copySources(t *testing.T, to string) {
	t.Helper()
	const from = "../.."
	require.NoError(t, filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inner, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		switch {
		case d.Name() == ".git" && d.IsDir() || d.Name() == "node_modules":
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, inner), 0o755)
		case !d.Type().IsRegular() || d.Name() == ".git":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, inner), text, 0o644)
	}))
}

// build builds the server as the script deploy/image does. The second build of a test uses the
// cache of the first for what does not depend on its folder.
func build(t *testing.T, dir string, env ...string) string {
	t.Helper()
	goTool, err := exec.LookPath("go")
	require.NoError(t, err)
	binary := filepath.Join(t.TempDir(), "server")
	cmd := exec.Command(goTool, "build", "-trimpath", "-ldflags=-s", "-o", binary, "./cmd/server")
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// The same sources give the same bytes in every folder, with and without a C compiler.
func TestReproducibleBuild(t *testing.T) {
	testenv.Slow(t)
	first, second := t.TempDir(), filepath.Join(t.TempDir(), "another", "folder")
	require.NoError(t, os.MkdirAll(second, 0o755))
	copySources(t, first)
	copySources(t, second)
	binary := build(t, first)
	one, err := os.ReadFile(binary)
	require.NoError(t, err)
	two, err := os.ReadFile(build(t, second, "PATH=", "CC=no-such-compiler"))
	require.NoError(t, err)
	require.True(t, string(one) == string(two), "the binaries differ")

	out, err := exec.Command(binary, "--version").Output()
	require.NoError(t, err)
	require.Regexp(t, `^hailmark \S+ go1\.\d+`, string(out))
}
