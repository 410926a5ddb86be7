// Command licenses prints the license files of all packages that programs link on some system, for
// the archives and images of a release:
//
//	go run ./internal/check/harness/licenses cmd ./server ./hailmark
//
// The first argument is the folder of the programs' module.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	text, err := licenses(os.Args[1], os.Args[2:])
	if err == nil {
		_, err = os.Stdout.WriteString(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// licenses returns the license files of what the packages in a module's folder link.
func licenses(dir string, packages []string) (string, error) {
	folders, err := linkedFolders(dir, packages)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("The programs of Hailmark are linked from the modules below.\n")
	for _, f := range folders {
		if err := f.write(&b); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// A folder holds a linked package, or is above one in its module.
type folder struct {
	title, dir string
	isModule   bool
}

func run(dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	return cmd.Output()
}

// linkedFolders returns the folders of all linked packages, sorted by title.
func linkedFolders(dir string, packages []string) ([]folder, error) {
	goroot, err := run(dir, nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders := map[string]folder{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		out, err := run(dir, []string{"GOOS=" + system, "CGO_ENABLED=0"}, append([]string{"list", "-deps", "-json=Dir,Module"}, packages...)...)
		if err != nil {
			return nil, err
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
			var p struct {
				Dir    string
				Module *struct{ Path, Version, Dir string }
			}
			if err := dec.Decode(&p); err != nil {
				return nil, err
			}
			title, root, isModule := "Go", strings.TrimSpace(string(goroot)), true
			if p.Module != nil {
				title, root = strings.TrimSpace(p.Module.Path+" "+p.Module.Version), p.Module.Dir
				isModule = !strings.HasPrefix(p.Module.Path, "github.com/hailmark/hailmark/") // the repository has one license
			}
			folders[root] = folder{title, root, isModule}
			for inner := p.Dir; inner != root; inner = filepath.Dir(inner) {
				name, err := filepath.Rel(root, inner)
				if err != nil {
					return nil, err
				}
				folders[inner] = folder{title + " " + filepath.ToSlash(name), inner, false}
			}
		}
	}
	return slices.SortedFunc(maps.Values(folders), func(x, y folder) int { return cmp.Compare(x.title, y.title) }), nil
}

var license = regexp.MustCompile(`^(LICEN[CS]E|COPYING|NOTICE|PATENTS)`)

// write writes the license files of a folder. A module must have one.
func (f folder) write(b *strings.Builder) error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	found := !f.isModule
	for _, entry := range entries {
		kind := license.FindString(strings.ToUpper(entry.Name()))
		if kind == "" || entry.IsDir() || strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(f.dir, entry.Name()))
		if err != nil {
			return err
		}
		b.WriteString("\n" + strings.Repeat("=", 79) + "\n" + f.title + ": " + entry.Name() + "\n\n")
		b.WriteString(strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")) + "\n")
		found = found || kind != "NOTICE" && kind != "PATENTS"
	}
	if !found {
		return fmt.Errorf("%s has no license file", f.title)
	}
	return nil
}
