package repotest

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Dependabot updates every module and package with dependencies, and looks for nothing else.
func TestDependabot(t *testing.T) {
	atRoot(t)
	config, err := os.ReadFile(".github/dependabot.yml")
	require.NoError(t, err)
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^      - (/\S*)$`).FindAllStringSubmatch(string(config), -1) {
		listed = append(listed, m[1])
	}

	var folders []string
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if err == nil && hasDependencies(t, name) {
			folders = append(folders, strings.TrimSuffix("/"+filepath.ToSlash(filepath.Dir(name)), "."))
		}
		return err
	}))
	require.ElementsMatch(t, folders, listed)

	// It leaves alone what go.mod keeps at an old version, and nothing else.
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	var kept, ignored []string
	for _, m := range regexp.MustCompile(`(?m)^\t// The (?:oldest )?version .*\n\t(\S+) `).FindAllStringSubmatch(string(mod), -1) {
		kept = append(kept, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^      - dependency-name: (\S+)$`).FindAllStringSubmatch(string(config), -1) {
		ignored = append(ignored, m[1])
	}
	require.NotEmpty(t, kept)
	require.Equal(t, kept, ignored)
}

// hasDependencies reports whether a file is a go.mod or a package.json that names dependencies.
func hasDependencies(t *testing.T, name string) bool {
	t.Helper()
	switch filepath.Base(name) {
	case "go.mod":
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return strings.Contains(string(text), "\nrequire ")
	case "package.json":
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var manifest struct{ Dependencies, DevDependencies map[string]string }
		require.NoError(t, json.Unmarshal(text, &manifest))
		return len(manifest.Dependencies)+len(manifest.DevDependencies) > 0
	}
	return false
}

// Each row of docs/platform-facts.md names a package of this repository and a public source.
func TestPlatformFacts(t *testing.T) {
	atRoot(t)
	text, err := os.ReadFile("docs/platform-facts.md")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| (.+) \|$`).FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(rows), 2)
	for _, row := range rows[2:] { // below the heading and the line
		cells := strings.Split(row[1], " | ")
		require.Len(t, cells, 4, row[1])
		_, err := os.Stat(strings.Trim(cells[1], "`"))
		require.NoError(t, err, row[1])
		_, err = time.Parse(time.DateOnly, cells[2])
		require.NoError(t, err, row[1])
		require.Regexp(t, `^\[.+\]\((https://.+|[a-z-]+\.md)\)$`, cells[3])
	}
}

// The script accepts facts on the day on which they were checked, and rejects them half a year later.
func TestOldFactsAreReported(t *testing.T) {
	atRoot(t)
	if runtime.GOOS != "linux" {
		t.Skip("the workflow runs the script on Linux only")
	}
	text, err := os.ReadFile("docs/platform-facts.md")
	require.NoError(t, err)
	oldest := "9999-12-31"
	for _, m := range regexp.MustCompile(`\| (\d{4}-\d\d-\d\d) \|`).FindAllStringSubmatch(string(text), -1) {
		oldest = min(oldest, m[1])
	}
	checked, err := time.Parse(time.DateOnly, oldest)
	require.NoError(t, err)

	out, err := exec.Command(".ci/facts", checked.AddDate(0, 0, 120).Format(time.DateOnly)).CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(".ci/facts", checked.AddDate(0, 0, 121).Format(time.DateOnly)).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "last checked on "+oldest)
}

// A released is a module in .ci/modules.
type released struct{ dir, kind string }

// modules are the released modules.
var modules = sync.OnceValue(func() (list []released) {
	text, err := os.ReadFile(".ci/modules")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); fields[0] != "#" {
			list = append(list, released{fields[0], fields[1]})
		}
	}
	return list
})

// Each released module has a changelog, and requires only released modules, which stand before it. The
// others say that they're tests or examples, or only keep files out of a download.
func TestModules(t *testing.T) {
	atRoot(t)
	isReleased := map[string]bool{}
	for _, m := range modules() {
		require.Contains(t, []string{"library", "companion", "programs", "files"}, m.kind, m.dir)
		require.FileExists(t, filepath.Join(m.dir, "CHANGELOG.md"))
		mod, err := os.ReadFile(filepath.Join(m.dir, "go.mod"))
		require.NoError(t, err)
		for _, required := range regexp.MustCompile(`(?m)^\s*(?:require )?`+module+`(\S*) v`).FindAllStringSubmatch(string(mod), -1) {
			dir := strings.TrimPrefix(required[1], "/")
			if dir == "" {
				dir = "."
			}
			require.True(t, isReleased[dir], "%s requires %s, which stands after it in .ci/modules", m.dir, dir)
		}
		isReleased[m.dir] = true
	}
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if dir := filepath.ToSlash(filepath.Dir(name)); err == nil && d.Name() == "go.mod" && !isReleased[dir] {
			require.Regexp(t, `^(docs|examples/.*|internal/check/.*|.*/testdata|.*/drivertest)$`, dir, "a module that .ci/modules lacks")
		}
		return err
	}))
}

// The sentences that list the library's companions name all of them, and nothing else.
func TestCompanionsAreNamed(t *testing.T) {
	atRoot(t)
	var dirs, names []string
	for _, m := range modules() {
		if m.kind == "companion" {
			dirs, names = append(dirs, "`"+m.dir+"`"), append(names, filepath.Base(m.dir))
		}
	}
	slices.Sort(dirs)
	slices.Sort(names)
	for file, sentence := range map[string]string{
		"README.md": "The packages " + and(dirs) + " are modules of their own.",
		"doc.go":    "Packages " + and(names) + " are separate modules",
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		words := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "//", "")), " ")
		require.True(t, strings.Contains(words, sentence), "%s lacks %q", file, sentence)
	}
}

func and(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// No script lists the released modules again, and one line names the distribution in which .ci/run runs.
func TestFactsOfScriptsAreUnique(t *testing.T) {
	atRoot(t)
	scripts, err := filepath.Glob(".ci/*")
	require.NoError(t, err)
	workflows, err := filepath.Glob(".github/workflows/*.yml")
	require.NoError(t, err)
	distributions := 0
	for _, name := range append(append(scripts, "check"), workflows...) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		distributions += strings.Count(string(text), "debian:")
		if filepath.Base(name) != "modules" {
			require.NotRegexp(t, `(?m)^[^#]*redislimit [a-z]`, string(text), name)
		}
	}
	require.Equal(t, 1, distributions)
}

// The workflow fuzz runs every target of every module.
func TestFuzzTargets(t *testing.T) {
	atRoot(t)
	if runtime.GOOS != "linux" {
		t.Skip("the workflow runs the script on Linux only")
	}
	workflow, err := os.ReadFile(".github/workflows/fuzz.yml")
	require.NoError(t, err)
	require.Contains(t, string(workflow), "$(.ci/fuzz-targets)")
	require.Contains(t, string(workflow), "go test -run '^$' -fuzz '^${{ matrix.target }}$' -fuzztime 20m ${{ matrix.folder }}\n")
	out, err := exec.Command(".ci/fuzz-targets").Output()
	require.NoError(t, err)
	var listed []struct{ Folder, Target string }
	require.NoError(t, json.Unmarshal(out, &listed))
	found := map[string]bool{}
	for _, target := range listed {
		found[target.Folder+" "+target.Target] = true
	}
	targets := 0
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`).FindAllStringSubmatch(string(text), -1) {
			require.True(t, found["./"+filepath.Dir(name)+" "+m[1]], "%s: %s", name, m[1])
			targets++
		}
		return err
	}))
	require.Equal(t, len(listed), targets)
}
