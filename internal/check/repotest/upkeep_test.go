package repotest

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Dependabot updates every module and package with dependencies, and looks for nothing else.
func TestDependabot(t *testing.T) {
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
