package main

import (
	"debug/buildinfo"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
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

// build builds the server as the Dockerfile does. The second build of a test uses the
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

	out, err := exec.Command(binary, "-version").Output()
	require.NoError(t, err)
	require.Regexp(t, `^hailmark \S+ go1\.\d+`, string(out))
	testSBOM(t, binary)
}

// The SBOM lists each module of the binary once, and Go itself.
func testSBOM(t *testing.T, binary string) {
	out, err := exec.Command("../../deploy/sbom", binary).Output()
	require.NoError(t, err)
	type component struct{ Type, Name, Version, PURL string }
	var document struct {
		BOMFormat, SpecVersion string
		Version                int
		Metadata               struct{ Component component }
		Components             []component
	}
	require.NoError(t, json.Unmarshal(out, &document))
	require.Equal(t, "CycloneDX", document.BOMFormat)
	require.Equal(t, "1.5", document.SpecVersion)
	require.Equal(t, 1, document.Version)

	info, err := buildinfo.ReadFile(binary)
	require.NoError(t, err)
	require.Equal(t, component{"application", info.Main.Path, info.Main.Version, "pkg:golang/" + info.Main.Path + "@" + info.Main.Version}, document.Metadata.Component)
	version := info.GoVersion[len("go"):]
	want := []component{{"library", "std", version, "pkg:golang/std@" + version}}
	for _, m := range info.Deps {
		want = append(want, component{"library", m.Path, m.Version, "pkg:golang/" + m.Path + "@" + m.Version})
	}
	require.Equal(t, want, document.Components)
}
