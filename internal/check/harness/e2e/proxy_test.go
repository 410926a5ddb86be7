package e2e_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// Somebody who has nothing but the oldest or the newest Go gets each module from a proxy with one
// command, can then import all its packages, and can install the programs. No other program is in PATH,
// and the module cache is empty for each module. A Go that is too old says which one is needed.
func TestModulesFromProxy(t *testing.T) {
	testenv.Slow(t)
	const unreleased = "v0.0.0" // the version that the modules require of each other
	clone, proxy := cloneRepository(t), t.TempDir()
	for _, dir := range releasedModules(t) {
		runCommand(t, filepath.Join(clone, "internal", "check", "tools"), append(os.Environ(), "GOWORK=off"),
			"go", "run", "./modproxy", "-repo", "../../..", "-rev", "HEAD", "-dir", strings.TrimPrefix(dir, "."), "-version", unreleased, proxy)
	}
	for _, release := range []string{"go1.25.0", "go1.27.4"} {
		goroot := strings.TrimSpace(runCommand(t, ".", append(os.Environ(), "GOTOOLCHAIN="+release), "go", "env", "GOROOT"))
		command := filepath.Join(goroot, "bin", "go")
		for _, dir := range releasedModules(t) {
			if dir == "vectors" { // files without a package
				continue
			}
			t.Run(release+" "+dir, func(t *testing.T) {
				env := append(newcomer(t, proxy), "GOTOOLCHAIN=local", "PATH="+filepath.Dir(command))
				user, module := t.TempDir(), path.Join(root, dir)
				runCommand(t, user, env, command, "mod", "init", "user")
				needed := regexp.MustCompile(`(?m)^go (1\.\d+)`).FindStringSubmatch(readFile(t, filepath.Join(clone, dir, "go.mod")))[1]
				if needed == "1.26" && release == "go1.25.0" {
					_, messages, err := execute(t, user, env, []string{command, "get", module + "/..."})
					require.Error(t, err)
					require.Contains(t, messages, module+"@"+unreleased+" requires go >= 1.26.0")
					return
				}
				if dir == "cmd" {
					runCommand(t, user, append(env, "GOBIN="+user), command, "install", module+"/hailmark@latest", module+"/server@latest")
					require.Contains(t, runCommand(t, user, env, "./hailmark", "version"), "hailmark "+unreleased)
					require.Contains(t, runCommand(t, user, env, "./server", "--version"), "hailmark "+unreleased)
					return
				}
				readme := readFile(t, filepath.Join(clone, "README.md"))
				get := "go get " + module + "/..."
				require.Contains(t, readme, "\n"+get+"\n")
				runCommand(t, user, env, append([]string{command}, strings.Fields(get)[1:]...)...)
				program, output := importing(runCommand(t, user, env, command, "list", module+"/...")), ""
				if dir == "." {
					program, output = firstSnippet(readme, readFile(t, filepath.Join(clone, "example_test.go")))
				}
				require.NoError(t, os.WriteFile(filepath.Join(user, "main.go"), []byte(program), 0o600))
				require.Equal(t, output, runCommand(t, user, env, command, "run", "."))
			})
		}
	}
}

// importing returns a program that imports the packages that others may import.
func importing(packages string) string {
	program := "package main\n\n"
	for pkg := range strings.Lines(packages) {
		if !strings.Contains(pkg, "/internal/") {
			program += "import _ \"" + strings.TrimSpace(pkg) + "\"\n"
		}
	}
	return program + "\nfunc main() {}\n"
}

// firstSnippet returns a program with README's first lines of Go as they're printed, the two webhooks
// with which the examples call them, and the output that README shows.
func firstSnippet(readme, examples string) (program, output string) {
	parts := regexp.MustCompile("(?s)```go\n(.*?)```\n\n```text\n(.*?)```").FindStringSubmatch(readme)
	webhooks := regexp.MustCompile("(?s)\tbefore := `.*?`\n\tafter := `.*?`\n").FindString(examples)
	program = "package main\n\nimport (\n\"fmt\"\n\"" + root + "/webhooknorm\"\n)\n\nfunc run() error {\n" + webhooks + parts[1] +
		"return nil\n}\n\nfunc main() {\nif err := run(); err != nil {\npanic(err)\n}\n}\n"
	return program, parts[2]
}
