// Command modproxy adds one of this repository's modules to a folder that the go command
// can use as a module proxy.
//
//	modproxy -repo ../../.. -rev HEAD -dir httpapi/redislimit -version v0.2.0 proxy
//	GOPROXY=file://$PWD/proxy go get github.com/hailmark/hailmark/httpapi/redislimit@v0.2.0
//
// The zip file contains the same bytes as a real proxy's, so that its checksum can be added
// to go.sum files before anything is published. The release script does that, and a test
// installs a release from the folder.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	repo := flag.String("repo", ".", "the repository")
	rev := flag.String("rev", "HEAD", "the commit, tag or tree")
	dir := flag.String("dir", "", "the module's folder in the repository, or nothing for the root")
	version := flag.String("version", "", "the version under which the proxy serves the module")
	flag.Parse()
	if flag.NArg() != 1 || *version == "" {
		fmt.Fprintln(os.Stderr, "modproxy: -version and one folder are needed")
		flag.Usage()
		os.Exit(2)
	}
	if err := add(flag.Arg(0), *repo, *rev, *dir, *version); err != nil {
		fmt.Fprintln(os.Stderr, "modproxy:", err)
		os.Exit(1)
	}
}

// add writes a module version's proxy files.
func add(proxy, repo, rev, dir, version string) error {
	rev, err := git(repo, "rev-parse", rev)
	if err != nil {
		return err
	}
	mod, err := git(repo, "cat-file", "blob", rev+":"+path.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	// CreateFromVCS requires a .git directory, which linked worktrees don't contain.
	common, err := git(repo, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return err
	}
	m := module.Version{Path: modfile.ModulePath([]byte(mod)), Version: version}
	if err := module.Check(m.Path, m.Version); err != nil {
		return err
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	folder := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{version + ".info": info, version + ".mod": []byte(mod + "\n"), "list": []byte(version + "\n")} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		return err
	}
	if err := zip.CreateFromVCS(f, m, filepath.Dir(common), rev, dir); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// git returns a git command's output without the trailing newline.
func git(repo string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", repo}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
