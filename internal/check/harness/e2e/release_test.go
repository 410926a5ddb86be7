package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

const (
	root    = "github.com/hailmark/hailmark"
	version = "v0.99.0"
)

// A release of this commit can be installed from a proxy that serves its tags, with an empty
// module cache.
func TestReleaseCanBeInstalled(t *testing.T) {
	testenv.Slow(t)
	testenv.Needs(t, "buildah", "Debian package buildah")
	testenv.Needs(t, "npm", "Debian package npm")
	clone := cloneRepository(t)
	released := releasedModules(t)
	proxy := t.TempDir()
	env := newcomer(t, proxy)
	for _, dir := range released {
		t.Run("release "+dir, func(t *testing.T) {
			runCommand(t, clone, append(os.Environ(), "GOPROXY="+proxyOf(env)), ".ci/release", dir, version)
			require.Empty(t, runCommand(t, clone, os.Environ(), "git", "status", "--porcelain"))
			tag, folder := dir+"/"+version, dir
			if dir == "." {
				tag, folder = version, ""
			}
			runCommand(t, filepath.Join(clone, "internal", "check", "tools"), append(os.Environ(), "GOWORK=off"),
				"go", "run", "./modproxy", "-repo", "../../..", "-rev", tag, "-dir", folder, "-version", version, proxy)
			// Somebody can use it before anything else is released.
			user := t.TempDir()
			runCommand(t, user, env, "go", "mod", "init", "user")
			runCommand(t, user, env, "go", "get", strings.TrimSuffix(root+"/"+folder, "/")+"@"+version)
			runCommand(t, clone, env, "git", "checkout", "--quiet", tag)
			require.Empty(t, runCommand(t, filepath.Join(clone, dir), env, "go", "mod", "tidy", "-diff"))
			runCommand(t, clone, env, "git", "checkout", "--quiet", "-")
		})
	}
	t.Run("install the programs", func(t *testing.T) {
		bin := t.TempDir()
		runCommand(t, t.TempDir(), append(env, "GOBIN="+bin), "go", "install", root+"/cmd/hailmark@"+version, root+"/cmd/server@"+version)
		require.Contains(t, runCommand(t, bin, env, "./hailmark", "version"), "hailmark "+version)
		require.Contains(t, runCommand(t, bin, env, "./server", "--version"), "hailmark "+version)
		require.Contains(t, readFile(t, filepath.Join(bin, "server")), "built/core.wasm.br", "the page's module isn't embedded")
	})
	few := []string{"TARGETS=linux/" + runtime.GOARCH, "IMAGES=" + runtime.GOARCH}
	t.Run("build the artifacts twice", func(t *testing.T) {
		dist, first := t.TempDir(), t.TempDir()
		runCommand(t, clone, append(env, few...), ".ci/artifacts", version, first)
		runCommand(t, clone, append(env, few...), ".ci/artifacts", version, dist)
		require.Empty(t, runCommand(t, clone, env, "git", "status", "--porcelain"))
		sums := runCommand(t, dist, env, "sha256sum", "--check", "SHA256SUMS")
		require.Equal(t, 13, strings.Count(sums, ": OK"), sums)
		require.Equal(t, readFile(t, filepath.Join(first, "SHA256SUMS")), readFile(t, filepath.Join(dist, "SHA256SUMS")),
			"equal sources should give equal bytes")

		// The program has its version and the page's module.
		name := "hailmark_0.99.0_linux_" + runtime.GOARCH
		runCommand(t, dist, env, "tar", "-xzf", name+".tar.gz")
		require.Contains(t, runCommand(t, filepath.Join(dist, name), env, "./hailmark", "version"), "hailmark "+version+" ")
		require.Contains(t, readFile(t, filepath.Join(dist, name, "server")), "built/core.wasm.br", "the page's module isn't embedded")

		// Each list names a library that its artifact contains.
		for name, library := range map[string]string{
			name: "github.com/spf13/cobra",
			"hailmark-server_0.99.0_" + runtime.GOARCH: "github.com/redis/go-redis/v9",
			"hailmark-0.99.0":                          root + "/qrcode/qrprint",
			"redislimit-module_0.99.0":                 "github.com/redis/go-redis/v9",
		} {
			require.Contains(t, readFile(t, filepath.Join(dist, name+".cdx.json")), library)
		}
	})
	t.Run("get the Redis limiter", func(t *testing.T) {
		dir := t.TempDir()
		main := "package main\n\nimport _ \"" + root + "/httpapi/redislimit\"\n\nfunc main() {}\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o600))
		for _, command := range []string{"go mod init consumer", "go get " + root + "/httpapi/redislimit@" + version, "go mod tidy", "go build ./..."} {
			runCommand(t, dir, env, strings.Fields(command)...)
		}
	})
}

// releasedModules returns the folders in .ci/modules.
func releasedModules(t *testing.T) (folders []string) {
	t.Helper()
	for line := range strings.Lines(readFile(t, "../../../../.ci/modules")) {
		if !strings.HasPrefix(line, "#") {
			folders = append(folders, strings.Fields(line)[0])
		}
	}
	return folders
}

// proxyOf returns the module proxies of an environment.
func proxyOf(env []string) (proxies string) {
	for _, variable := range env {
		if value, found := strings.CutPrefix(variable, "GOPROXY="); found {
			proxies = value
		}
	}
	return proxies
}

// cloneRepository returns a clone that has the working tree as its last commit, so
// that a change is tested before it is committed.
func cloneRepository(t *testing.T) string {
	t.Helper()
	testenv.Needs(t, "git", "Debian package git")
	clone := t.TempDir()
	repo, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	runCommand(t, repo, os.Environ(), "git", "clone", "--quiet", ".", clone)
	files := runCommand(t, repo, os.Environ(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for name := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(repo, name))
		if os.IsNotExist(err) {
			require.NoError(t, os.Remove(filepath.Join(clone, name)))
			continue
		}
		require.NoError(t, err)
		info, err := os.Stat(filepath.Join(repo, name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(clone, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(clone, name), content, info.Mode()))
	}
	for _, args := range [][]string{
		{"config", "user.name", "Test"},
		{"config", "user.email", "test@example.com"},
		{"add", "--all"},
		{"commit", "--quiet", "--allow-empty", "--message=the working tree"},
	} {
		runCommand(t, clone, os.Environ(), append([]string{"git"}, args...)...)
	}
	return clone
}

// newcomer returns the environment of somebody who never built this project: an empty
// module cache, and proxy in front of what the module cache of this machine holds. Without
// the paths of files in it, what is built once stays in the build cache.
func newcomer(t *testing.T, proxy string) []string {
	t.Helper()
	cache := t.TempDir()
	env := append(os.Environ(), "GOWORK=off", "GOMODCACHE="+cache, "GOFLAGS=-modcacherw -trimpath", "GONOSUMDB="+root)
	known := strings.TrimSpace(runCommand(t, ".", os.Environ(), "go", "env", "GOMODCACHE"))
	upstream := strings.TrimSpace(runCommand(t, ".", os.Environ(), "go", "env", "GOPROXY"))
	return append(env, "GOPROXY=file://"+proxy+",file://"+known+"/cache/download,"+upstream)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(content)
}

// runCommand runs a program in a folder and returns its output.
func runCommand(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	out, messages, err := execute(t, dir, env, command)
	require.NoError(t, err, "%s: %s", strings.Join(command, " "), messages)
	return out
}

// execute runs a program in a folder and returns what it wrote to the standard output and to standard error.
func execute(t *testing.T, dir string, env, command []string) (out, messages string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, env
	if name := filepath.Join(dir, command[0]); strings.HasPrefix(command[0], ".") {
		cmd.Path = name
	}
	var said, written strings.Builder
	cmd.Stderr, cmd.Stdout = &said, &written
	err = cmd.Run()
	return written.String(), said.String(), err
}
