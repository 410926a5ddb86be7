package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write licenses.txt")

// TestLicenses compares licenses.txt with the license files of all packages that the
// server or the tool links on some system. With -update it writes the file.
func TestLicenses(t *testing.T) {
	var b strings.Builder
	b.WriteString("The programs of Hailmark are linked from the modules below.\n")
	for _, folder := range linkedFolders(t) {
		writeLicenses(t, &b, folder)
	}
	if *update {
		require.NoError(t, os.WriteFile("licenses.txt", []byte(b.String()), 0o644))
		return
	}
	require.Equal(t, b.String(), licenses, "go generate ./cmd/internal/serve writes the file")
}

// A folder holds a linked package, or is above one in its module.
type folder struct {
	title, dir string
	isModule   bool
}

// linkedFolders returns the folders of all linked packages, sorted by title.
func linkedFolders(t *testing.T) []folder {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	repository, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/hailmark/hailmark").Output()
	require.NoError(t, err)
	folders := map[string]folder{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-json=Dir,Module", "../../server", "../../hailmark")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		require.NoError(t, err)
		for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
			var p struct {
				Dir    string
				Module *struct{ Path, Version, Dir string }
			}
			require.NoError(t, dec.Decode(&p))
			title, root := "Go", strings.TrimSpace(string(goroot))
			switch {
			case p.Module != nil && strings.HasPrefix(p.Module.Path, "github.com/hailmark/"):
				title, root = "Hailmark", strings.TrimSpace(string(repository))
			case p.Module != nil:
				title, root = strings.TrimSpace(p.Module.Path+" "+p.Module.Version), p.Module.Dir
			}
			folders[root] = folder{title, root, true}
			for dir := p.Dir; dir != root; dir = filepath.Dir(dir) {
				inner, err := filepath.Rel(root, dir)
				require.NoError(t, err)
				folders[dir] = folder{title + " " + filepath.ToSlash(inner), dir, false}
			}
		}
	}
	return slices.SortedFunc(maps.Values(folders), func(x, y folder) int { return cmp.Compare(x.title, y.title) })
}

// writeLicenses writes the license files of a folder. A module must have one.
func writeLicenses(t *testing.T, b *strings.Builder, f folder) {
	found := !f.isModule
	entries, err := os.ReadDir(f.dir)
	require.NoError(t, err)
	for _, entry := range entries {
		kind := regexp.MustCompile(`^(LICEN[CS]E|COPYING|NOTICE|PATENTS)`).FindString(strings.ToUpper(entry.Name()))
		if kind == "" || entry.IsDir() || strings.HasSuffix(entry.Name(), ".go") || entry.Name() == "licenses.txt" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(f.dir, entry.Name()))
		require.NoError(t, err)
		b.WriteString("\n" + strings.Repeat("=", 79) + "\n" + f.title + ": " + entry.Name() + "\n\n")
		b.WriteString(strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")) + "\n")
		found = found || kind != "NOTICE" && kind != "PATENTS"
	}
	require.True(t, found, "%s has no license file", f.title)
}
