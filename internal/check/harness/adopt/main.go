// Command adopt puts Hailmark into another project and runs that project's own tests, to show
// what it takes. It fetches nothing. Clone the project at the commit of its recipe, then run in
// the folder of this repository:
//
//	go run ./internal/check/harness/adopt apply courier FOLDER [-replace=MODULE@VERSION=FOLDER...]
//	go run ./internal/check/harness/adopt test courier FOLDER [FLAG...]
//
// apply changes the files in FOLDER, a clone of courier or whatomate, as the project's recipe
// describes, and prints the lines added and removed. The project's go.mod stays as it is: a file
// go.work in FOLDER/.git adds this repository and replaces modules, as in go work edit. Download
// the modules that it needs, with the command that apply prints. Then test runs go test with
// the flags. docs/adoption.md describes the results, and which services the tests need.
//
// To see what a running project makes of hidden numbers, new BSUIDs, repetitions, a history,
// errors and a forged signature, deliver webhooks for its business number to it:
//
//	go run ./internal/check/harness/adopt post URL APP-SECRET PHONE-NUMBER-ID
package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed *.recipe
var recipes embed.FS

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "adopt:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 4 && args[0] == "post" {
		return post(args[1], args[2], args[3])
	}
	if len(args) < 3 || args[0] != "apply" && args[0] != "test" {
		return errors.New("the command is unknown or incomplete; run adopt apply|test PROJECT FOLDER or adopt post URL APP-SECRET PHONE-NUMBER-ID")
	}
	text, err := recipes.ReadFile(args[1] + ".recipe")
	if err != nil {
		return fmt.Errorf("%q has no recipe; use courier or whatomate", args[1])
	}
	r, err := parse(string(text))
	if err != nil {
		return err
	}
	folder, err := filepath.Abs(args[2])
	if err != nil {
		return err
	}
	git, err := output(folder, "git", "rev-parse", "--absolute-git-dir")
	if err != nil {
		return err
	}
	work := filepath.Join(git, "go.work")
	if args[0] == "test" {
		env := []string{"GOWORK=" + work, "GOPROXY=off"}
		return execute(folder, env, "go", append(append([]string{"test"}, args[3:]...), r.tests...)...)
	}

	head, err := output(folder, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if head != r.commit {
		return fmt.Errorf("%s is at another commit; check out %s", args[2], r.commit)
	}
	changed, err := output(folder, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("%s contains changes; use an unchanged clone", args[2])
	}
	if err := workspace(folder, work, args[3:]); err != nil {
		return err
	}
	if err := r.apply(folder); err != nil {
		return err
	}
	if err := execute(folder, nil, "git", "add", "--intent-to-add", "."); err != nil {
		return err
	}
	if err := execute(folder, nil, "git", "diff", "--shortstat"); err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "download modules: (cd %s && GOWORK=%s go mod download)\n", folder, work)
	return err
}

// workspace writes a go.work file with the clone and this repository.
func workspace(folder, name string, replace []string) error {
	list, err := output(".", "go", "list", "-m", "-f", "{{.Path}}@v0.0.0={{.Dir}}", "github.com/hailmark/hailmark", "github.com/hailmark/hailmark/contact/identity")
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, []byte("go 1.26.0\n"), 0o600); err != nil {
		return err
	}
	edit := append([]string{"work", "edit", "-use=" + folder}, replace...)
	for _, line := range strings.Fields(list) {
		// The modules of this repository require each other as v0.0.0.
		_, module, _ := strings.Cut(line, "=")
		edit = append(edit, "-use="+module, "-replace="+line)
	}
	return execute(folder, nil, "go", append(edit, name)...)
}

func execute(dir string, env []string, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %s in %s: %w", name, args[0], dir, err)
	}
	return nil
}

func output(dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s in %s: %w", name, args[0], dir, err)
	}
	return strings.TrimSpace(string(out)), nil
}
