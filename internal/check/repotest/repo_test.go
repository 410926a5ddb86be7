package repotest

import (
	"go/ast"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
)

// atRoot makes the repository's root the current folder. The go command uses a cached result unless a
// file changed that the test opened, and finds these files only if it sees this change of the folder:
// it doesn't see what TestMain does before it runs the tests.
func atRoot(t *testing.T) {
	t.Helper()
	t.Chdir("../../..")
}

const module = "github.com/hailmark/hailmark"

func TestEachPackageHasOneDocComment(t *testing.T) {
	atRoot(t)
	files := sources(t)
	for dir, list := range files {
		var docs []string
		for _, f := range list {
			if f.Doc != nil {
				docs = append(docs, f.Doc.Text())
			}
		}
		require.Len(t, docs, 1, dir)
		require.Regexp(t, `^(Package|Command) \w+ `, docs[0], dir)
	}
}

// Each code is an exported constant whose comment says what to do.
func TestCodesAreExplained(t *testing.T) {
	atRoot(t)
	files := sources(t)
	for dir, list := range files {
		for _, f := range list {
			ast.Inspect(f, func(n ast.Node) bool {
				decl, ok := n.(*ast.GenDecl)
				if !ok || decl.Tok != token.CONST {
					return true
				}
				for _, s := range decl.Specs {
					spec := s.(*ast.ValueSpec)
					typ, _ := spec.Type.(*ast.SelectorExpr)
					name, _ := spec.Type.(*ast.Ident)
					isCode := typ != nil && typ.Sel.Name == "Code"
					if !isCode && (name == nil || name.Name != "Reason") {
						continue
					}
					code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
					require.NoError(t, err)
					require.True(t, spec.Names[0].IsExported(), "%s: %s isn't exported", dir, code)
					require.False(t, isCode && spec.Doc == nil && decl.Doc == nil, "%s: %s has no comment", dir, code)
				}
				return false
			})
		}
	}
}

func TestDependencies(t *testing.T) {
	atRoot(t)
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	require.NotContains(t, string(mod), "replace")
	var direct []string
	for _, m := range regexp.MustCompile(`(?m)^(?:require)?\s+(\S+\.\S+/\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1) {
		direct = append(direct, m[1])
	}
	require.Equal(t, []string{"github.com/ajstarks/svgo", "github.com/stretchr/testify", "rsc.io/qr"}, direct)
}

// blocks returns the fenced blocks of a language on a page.
func blocks(t *testing.T, page, language string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	var found []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		found = append(found, m[1])
	}
	require.NotEmpty(t, found)
	return found
}

// Every line of Go in these pages is in example_test.go too, in the same order. There it
// is compiled and run.
func TestPagesGo(t *testing.T) {
	atRoot(t)
	code, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	for _, block := range slices.Concat(blocks(t, "README.md", "go"), blocks(t, "docs/numbers.md", "go")) {
		rest := string(code)
		for line := range strings.Lines(block) {
			_, after, found := strings.Cut(rest, strings.TrimSpace(line)+"\n")
			require.True(t, found, "%s is not in example_test.go", line)
			rest = after
		}
	}
}

// Every curl command of the pages prints the output that stands under it. The commands
// work with curl 7.68, which does not have --json.
func TestPagesCurl(t *testing.T) {
	atRoot(t)
	api, err := httpapi.New(httpapi.Config{BaseURL: "http://localhost:8080"})
	require.NoError(t, err)
	command := regexp.MustCompile(`^curl -s (?:-o \S+ )?(?:-H 'Content-Type: application/json' -d '([^']*)' )?'?(http://localhost:8080[^' ]*)'?$`)
	for _, block := range slices.Concat(blocks(t, "README.md", "console"), blocks(t, "docs/http.md", "console"), blocks(t, "docs/numbers.md", "console")) {
		for entry := range strings.SplitSeq(strings.TrimPrefix(block, "$ "), "\n$ ") {
			line, output, _ := strings.Cut(strings.TrimSpace(entry), "\n")
			m := command.FindStringSubmatch(line)
			require.NotNil(t, m, line)
			r := httptest.NewRequest(http.MethodGet, m[2], nil)
			if m[1] != "" {
				r = httptest.NewRequest(http.MethodPost, m[2], strings.NewReader(m[1]))
				r.Header.Set("Content-Type", "application/json")
			}
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			if w.Header().Get("Content-Type") == "image/png" {
				require.Empty(t, output)
				continue
			}
			require.Equal(t, output, strings.TrimSpace(w.Body.String()), line)
		}
	}
}

// CI runs the tests of the README's command, and the checks.
func TestREADMECommands(t *testing.T) {
	atRoot(t)
	commands := strings.Join(blocks(t, "README.md", "sh"), "")
	require.Equal(t, "go run ./cmd/server\ngo run ./internal/check/test\n", commands)
	ci, err := os.ReadFile(".ci/run")
	require.NoError(t, err)
	require.Contains(t, string(ci), "HAILMARK_TESTS=all HAILMARK_REQUIRE_TOOLS=1 go test -timeout 30m -shuffle=on work")
	require.Contains(t, string(ci), "\n./check\n")
}
