package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// A program that imports the pure packages requires this module alone, and no dependency
// of other packages gets into its module graph or its binary.
func TestConsumerPaysForWhatItUses(t *testing.T) {
	testenv.Slow(t)
	c := newConsumer(t, "bsuid", "busname", "chatlink", "contact", "phone", "webhooknorm")
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(c.run("mod", "edit", "-json")), &mod))
	require.Len(t, mod.Require, 1)
	require.Equal(t, "github.com/hailmark/hailmark", mod.Require[0].Path)
	for line := range strings.Lines(c.run("list", "-m", "all")) {
		for _, part := range []string{"redis", "prometheus", "gozxing", "kin-openapi", "jsonschema"} {
			require.NotContains(t, line, part)
		}
	}
	c.run("build", "-o", os.DevNull, ".")
	for pkg := range strings.Lines(c.run("list", "-deps", ".")) {
		for _, path := range []string{"rsc.io/qr", "github.com/ajstarks/svgo", "github.com/go-json-experiment/json", "github.com/stretchr", "net/http", "image"} {
			require.False(t, strings.HasPrefix(strings.TrimSpace(pkg)+"/", path+"/"), pkg)
		}
	}
}

// A consumer is a module of another project.
type consumer struct {
	t   *testing.T
	dir string
}

// newConsumer makes a tidy module whose one program imports packages.
func newConsumer(t *testing.T, packages ...string) consumer {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	c := consumer{t, t.TempDir()}
	c.write("go.mod", "module consumer\n\ngo 1.26\n")
	program := "package main\n\n"
	for _, pkg := range packages {
		program += "import _ \"github.com/hailmark/hailmark/" + pkg + "\"\n"
	}
	c.write("main.go", program+"\nfunc main() {}\n")
	sums, err := os.ReadFile(filepath.Join(root, "go.sum")) // so that no checksum has to be looked up
	require.NoError(t, err)
	c.write("go.sum", string(sums))
	c.run("mod", "edit", "-replace=github.com/hailmark/hailmark="+root)
	c.run("mod", "tidy")
	return c
}

func (c consumer) write(name, content string) {
	c.t.Helper()
	require.NoError(c.t, os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o600))
}

// run runs the go command outside of any workspace.
func (c consumer) run(args ...string) string {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "go", args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var messages strings.Builder
	cmd.Stderr = &messages
	out, err := cmd.Output()
	require.NoError(c.t, err, "go %s: %s", strings.Join(args, " "), &messages)
	return string(out)
}
