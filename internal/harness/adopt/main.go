// Command adopt puts Hailmark into another project and runs that project's own tests, to show
// what it takes. It fetches nothing. Clone the project at the commit of its recipe and download
// its modules, then run in the folder of this repository:
//
//	go run ./internal/harness/adopt courier FOLDER [FLAG...]
//	go run ./internal/harness/adopt whatomate FOLDER [FLAG...]
//
// The command changes the files in FOLDER as the project's recipe describes, prints the lines
// added and removed, and runs go test with the flags. If FOLDER is changed already, it only
// runs the tests. docs/adoption.md describes the results and which services the tests need.
//
// To see what a running project makes of hidden numbers, new BSUIDs, repetitions, a history,
// errors and a forged signature, deliver webhooks for its business number to it:
//
//	go run ./internal/harness/adopt post URL APP-SECRET PHONE-NUMBER-ID
//
// The clone's go.mod stays as it is: a go.work file outside of it, whose name is printed, adds
// this repository. The flag -replace=MODULE@VERSION=FOLDER, as in go mod edit, adds a line to it.
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
	if len(args) < 2 {
		return errors.New("the project or its folder is missing; run adopt PROJECT FOLDER [FLAG...]")
	}
	text, err := recipes.ReadFile(args[0] + ".recipe")
	if err != nil {
		return fmt.Errorf("%q has no recipe; use courier or whatomate", args[0])
	}
	r, err := parse(string(text))
	if err != nil {
		return err
	}
	folder, err := filepath.Abs(args[1])
	if err != nil {
		return err
	}
	head, err := output(folder, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if strings.TrimSpace(head) != r.commit {
		return fmt.Errorf("%s is at another commit; check out %s", args[1], r.commit)
	}
	changed, err := output(folder, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed == "" {
		if err := r.apply(folder); err != nil {
			return err
		}
	}

	var replace, flags []string
	for _, arg := range args[2:] {
		if line, ok := strings.CutPrefix(arg, "-replace="); ok {
			replace = append(replace, "-replace="+line)
		} else {
			flags = append(flags, arg)
		}
	}
	work, err := workspace(folder, replace)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "GOWORK="+work)
	if err := execute(folder, nil, "git", "add", "--intent-to-add", "."); err != nil {
		return err
	}
	if err := execute(folder, nil, "git", "diff", "--shortstat"); err != nil {
		return err
	}
	env := []string{"GOWORK=" + work, "GOPROXY=off"}
	return execute(folder, env, "go", append(append([]string{"test"}, flags...), r.tests...)...)
}

// workspace returns the name of a new go.work file with the clone and this repository.
func workspace(folder string, replace []string) (string, error) {
	list, err := output(".", "go", "list", "-m", "-f", "{{.Path}}@v0.0.0={{.Dir}}", "github.com/hailmark/hailmark", "github.com/hailmark/hailmark/contact/identity")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "adopt")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "go.work")
	env := []string{"GOWORK=" + name}
	if err := execute(dir, []string{"GOWORK="}, "go", "work", "init", folder); err != nil {
		return "", err
	}
	edit := append([]string{"work", "edit"}, replace...)
	for _, line := range strings.Fields(list) {
		// The modules of this repository require each other as v0.0.0.
		_, module, _ := strings.Cut(line, "=")
		edit = append(edit, "-use="+module, "-replace="+line)
	}
	return name, execute(dir, env, "go", edit...)
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
	return string(out), nil
}
