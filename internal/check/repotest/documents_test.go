package repotest

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/check/vectors"
)

// docs/errors.md lists every code once, with the status that the API's description
// specifies.
func TestErrorPage(t *testing.T) {
	atRoot(t)
	expected := statuses(t)
	released, err := vectors.Names("codes")
	require.NoError(t, err)
	for _, code := range append(released, toolCodes(t)...) {
		if _, ok := expected[code]; !ok {
			expected[code] = "none"
		}
	}

	text, err := os.ReadFile("docs/errors.md")
	require.NoError(t, err)
	listed := map[string]string{}
	sections := strings.Split(string(text), "\n## ")
	usual := map[string][]string{ // the status of the codes, and of those in brackets
		"HTTP errors": {"400"}, "Usernames": {"400", "200"}, "Warnings about phone numbers": {"200"}, "Library and tool": {"none"},
	}
	require.Len(t, sections, 1+len(usual))
	for _, section := range sections[1:] {
		title, body, _ := strings.Cut(section, "\n")
		require.Contains(t, usual, title)
		for _, row := range regexp.MustCompile("(?m)^- (`.*?)(?: \\((`.*?)\\))?: ").FindAllStringSubmatch(body, -1) {
			cells := slices.DeleteFunc(row[1:], func(cell string) bool { return cell == "" })
			require.Len(t, cells, len(usual[title]), row)
			for i, status := range usual[title] {
				for item := range strings.SplitSeq(cells[i], ", ") {
					m := regexp.MustCompile("^`([a-z_]+)`(?: \\((\\d+)\\))?$").FindStringSubmatch(item)
					require.NotNil(t, m, row)
					require.NotContains(t, listed, m[1])
					listed[m[1]] = cmp.Or(m[2], status)
				}
			}
		}
	}
	require.Equal(t, expected, listed)
}

// Every relative link in a document leads to a file, and its fragment to a heading.
func TestDocumentLinks(t *testing.T) {
	atRoot(t)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, ".md") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range regexp.MustCompile(`\]\(([^)#:]*)(#[^)]+)?\)`).FindAllStringSubmatch(string(text), -1) {
			target := filepath.Join(filepath.Dir(name), m[1])
			if m[1] == "" {
				target = name
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "a link in %s", name)
			if m[2] != "" {
				require.Contains(t, headings(t, target), m[2], "a link in %s", name)
			}
		}
		return err
	})
	require.NoError(t, err)
}

// No document contains a word that CONTRIBUTING.md replaces, except in code and in what links lead to.
func TestWords(t *testing.T) {
	atRoot(t)
	contributing, err := os.ReadFile(".github/CONTRIBUTING.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(contributing), "| write | instead of |\n| --- | --- |\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	instead := map[*regexp.Regexp]string{}
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(row, "| \n"), " | ")
		require.Len(t, cells, 2, row)
		for word := range strings.SplitSeq(cells[1], ", ") {
			instead[regexp.MustCompile(`(?i)\b`+strings.TrimSuffix(word, "e")+`(e|s|es|ed|al|als|ing)?\b`)] = cells[0]
		}
	}
	require.NotEmpty(t, instead)
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|\\]\\([^)]*\\)")
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, ".md") || name == ".github/CONTRIBUTING.md" {
			return err
		}
		text, err := os.ReadFile(name)
		for line := range strings.Lines(code.ReplaceAllString(string(text), "")) {
			for word, write := range instead {
				require.NotRegexp(t, word, line, "%s: write %s", name, write)
			}
		}
		return err
	})
	require.NoError(t, err)
}

// headings returns the fragments that lead to the headings of a document.
func headings(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var fragments []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(text), -1) {
		kept := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		fragments = append(fragments, "#"+strings.ReplaceAll(kept, " ", "-"))
	}
	return fragments
}

// statuses returns the status of each code in the OpenAPI document.
func statuses(t *testing.T) map[string]string {
	t.Helper()
	api, err := httpapi.New(httpapi.Config{BaseURL: "http://localhost:8080"})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/openapi.json", nil))
	type response struct {
		Ref   string   `json:"$ref"`
		Codes []string `json:"x-error-codes"`
	}
	var document struct {
		Components struct {
			Schemas   map[string]struct{ Enum []string }
			Responses map[string]response
		}
		Paths map[string]map[string]struct{ Responses map[string]response }
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &document))
	found := map[string]string{}
	for _, schema := range []string{"ErrorItemCode", "WarningItemCode", "UsernameReason"} {
		require.NotEmpty(t, document.Components.Schemas[schema].Enum)
		for _, code := range document.Components.Schemas[schema].Enum {
			found[code] = "200"
		}
	}
	for _, methods := range document.Paths {
		for _, operation := range methods {
			for status, r := range operation.Responses {
				if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
					r = document.Components.Responses[name]
				}
				for _, code := range r.Codes {
					require.Contains(t, []string{"", "200", status}, found[code], code)
					found[code] = status
				}
			}
		}
	}
	return found
}

// toolCodes returns the codes that the programs declare, some of them again.
func toolCodes(t *testing.T) []string {
	t.Helper()
	var codes []string
	err := filepath.WalkDir("cmd", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`problem\.Code\s*= "([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			codes = append(codes, m[1])
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, codes)
	return codes
}

// A link's text that gives the lines of a file, such as "150 lines to copy", rounds them to tens.
func TestLinesOfFiles(t *testing.T) {
	atRoot(t)
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	found := 0
	for _, page := range append(pages, "README.md", "vectors/README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`\[(\d+) lines\b[^\]]*\]\(([^)#]+)\)`).FindAllStringSubmatch(string(text), -1) {
			source, err := os.ReadFile(filepath.Join(filepath.Dir(page), m[2]))
			require.NoError(t, err)
			lines := strings.Count(string(source), "\n")
			require.Equal(t, strconv.Itoa((lines+5)/10*10), m[1], "%s: %s has %d lines", page, m[2], lines)
			found++
		}
	}
	require.NotZero(t, found)
}

// The index of the documentation links every page and every example once.
func TestDocumentIndex(t *testing.T) {
	atRoot(t)
	index, err := os.ReadFile("docs/README.md")
	require.NoError(t, err)
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	examples, err := filepath.Glob("examples/*")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	for _, name := range append(pages, examples...) {
		switch name {
		case "docs/README.md": // the index
		case "examples/receivers": // docs/receive-in-any-language.md describes them
		default:
			link, err := filepath.Rel("docs", name)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(string(index), "]("+link+")"), "links to %s in docs/README.md", name)
		}
	}
}
