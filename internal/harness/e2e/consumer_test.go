package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The bill of a program that imports one pure package: what it has to require, what
// comes into its module graph, and what into its binary.
func TestConsumerPaysForWhatItUses(t *testing.T) {
	graph := []string{"redis", "prometheus", "gozxing", "kin-openapi", "jsonschema"}
	binary := []string{"rsc.io/qr", "github.com/ajstarks/svgo", "github.com/go-json-experiment/json", "github.com/stretchr", "net/http", "image"}
	for _, pkg := range []string{"bsuid", "busname", "chatlink", "contact", "webhooknorm"} {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			c := newConsumer(t, pkg)

			var mod struct {
				Require []struct {
					Path     string
					Indirect bool
				}
			}
			require.NoError(t, json.Unmarshal([]byte(c.run("mod", "edit", "-json")), &mod))
			var direct, indirect []string
			for _, r := range mod.Require {
				if r.Indirect {
					indirect = append(indirect, r.Path)
				} else {
					direct = append(direct, r.Path)
				}
			}
			require.Equal(t, []string{"github.com/hailmark/hailmark"}, direct)
			require.Empty(t, indirect)

			for line := range strings.Lines(c.run("list", "-m", "all")) {
				for _, part := range graph {
					require.NotContains(t, line, part)
				}
			}
			c.run("build", "-o", os.DevNull, ".")
			for pkg := range strings.Lines(c.run("list", "-deps", ".")) {
				for _, path := range binary {
					require.False(t, strings.HasPrefix(strings.TrimSpace(pkg)+"/", path+"/"), pkg)
				}
			}
		})
	}
}

// A consumer is a module of somebody else's.
type consumer struct {
	t   *testing.T
	dir string
}

// newConsumer makes a tidy module whose one program imports one package.
func newConsumer(t *testing.T, pkg string) consumer {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	c := consumer{t, t.TempDir()}
	c.write("go.mod", "module consumer\n\ngo 1.26\n")
	c.write("main.go", "package main\n\nimport _ \"github.com/hailmark/hailmark/"+pkg+"\"\n\nfunc main() {}\n")
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
