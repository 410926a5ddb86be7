package repotest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// mayImport lists what each package imports besides the standard library: packages of this
// repository, and those of others. It is the architecture: a new entry is a decision.
var mayImport = map[string]string{
	// The library.
	".":                       "",
	"bsuid":                   "internal/textvalue problem",
	"busname":                 "bsuid internal/textvalue problem",
	"chatlink":                "bsuid busname internal/textvalue phone problem",
	"contact":                 "bsuid busname phone problem",
	"httpapi":                 "bsuid busname chatlink contact httpapi/bound httpapi/wire internal/jsonscan internal/negotiate phone problem qrcode webhooknorm",
	"httpapi/wire":            "contact internal/jsonscan problem webhooknorm",
	"httpapi/bound":           "",
	"phone":                   "internal/textvalue problem",
	"problem":                 "",
	"qrcode":                  "problem qrcode/internal/bilevel qrcode/internal/bitmap qrcode/internal/grid qrcode/internal/segment github.com/ajstarks/svgo rsc.io/qr/coding",
	"qrcode/internal/bilevel": "qrcode/internal/bitmap",
	"qrcode/internal/bitmap":  "",
	"qrcode/internal/ecc":     "rsc.io/qr/coding rsc.io/qr/gf256",
	"qrcode/internal/grid":    "qrcode/internal/bitmap qrcode/internal/ecc rsc.io/qr/coding",
	"qrcode/internal/segment": "",
	"webhooknorm":             "bsuid contact internal/jsonscan phone problem",
	"webhooknorm/webhookhttp": "httpapi/bound webhooknorm",

	// What several packages of the library share.
	"internal/jsonscan":  "",
	"internal/negotiate": "",
	"internal/textvalue": "",

	// Companions. webhooktest must not import what it tests.
	"contact/identity":                                       "bsuid contact contact/identity/internal/rules contact/identity/store phone problem webhooknorm",
	"contact/identity/internal/reference":                    "phone",
	"contact/identity/internal/rules":                        "",
	"contact/identity/internal/storetest":                    "contact contact/identity contact/identity/internal/streams contact/identity/store",
	"contact/identity/internal/streams":                      "contact contact/identity contact/identity/store",
	"contact/identity/sqlstore":                              "contact/identity/store",
	"contact/identity/sqlstore/internal/drivertest":          "contact contact/identity contact/identity/internal/storetest contact/identity/internal/streams contact/identity/sqlstore contact/identity/store internal/check/testenv webhooknorm webhooknorm/webhooktest/lives",
	"contact/identity/sqlstore/internal/drivertest/postgres": "",
	"contact/identity/store":                                 "",
	"httpapi/redislimit":                                     "httpapi github.com/redis/go-redis/v9 github.com/redis/go-redis/v9/maintnotifications",
	"qrcode/qrprint":                                         "problem qrcode rsc.io/qr/coding",
	"webhooknorm/webhooktest":                                "webhooknorm/webhooktest/lives",
	"webhooknorm/webhooktest/internal/plain":                 "",
	"webhooknorm/webhooktest/lives":                          "",
	"webhooknorm/webhooktest/simulate":                       "webhooknorm/webhooktest/lives",

	// Programs.
	"cmd/hailmark":                   "bsuid busname chatlink cmd/hailmark/internal/outfile cmd/hailmark/internal/people cmd/hailmark/internal/progress cmd/internal/batch cmd/internal/mcp cmd/internal/ndjson cmd/internal/table contact contact/identity internal/textvalue httpapi httpapi/wire phone problem qrcode qrcode/qrprint webhooknorm webhooknorm/webhooktest/lives webhooknorm/webhooktest/simulate github.com/spf13/cobra github.com/spf13/pflag golang.org/x/term",
	"cmd/hailmark/internal/outfile":  "",
	"cmd/hailmark/internal/people":   "bsuid cmd/internal/ndjson cmd/internal/table contact/identity problem webhooknorm",
	"cmd/hailmark/internal/progress": "",
	"cmd/internal/batch":             "busname chatlink cmd/internal/ndjson cmd/internal/table problem qrcode qrcode/qrprint golang.org/x/text/unicode/norm",
	"cmd/internal/mcp":               "bsuid busname chatlink contact httpapi httpapi/wire phone problem qrcode webhooknorm github.com/google/jsonschema-go/jsonschema github.com/modelcontextprotocol/go-sdk/jsonrpc github.com/modelcontextprotocol/go-sdk/mcp",
	"cmd/internal/ndjson":            "",
	"cmd/internal/page":              "cmd/internal/static qrcode",
	"cmd/internal/reference":         "cmd/internal/static httpapi",
	"cmd/internal/serve":             "cmd/internal/page cmd/internal/reference cmd/internal/serve/clients cmd/internal/static httpapi httpapi/bound httpapi/redislimit github.com/prometheus/client_golang/prometheus github.com/prometheus/client_golang/prometheus/collectors github.com/prometheus/client_golang/prometheus/promauto github.com/prometheus/client_golang/prometheus/promhttp github.com/redis/go-redis/v9/logging github.com/spf13/pflag",
	"cmd/internal/serve/clients":     "",
	"cmd/internal/static":            "httpapi/bound internal/negotiate github.com/andybalholm/brotli",
	"cmd/internal/table":             "cmd/internal/ndjson internal/jsonscan phone problem golang.org/x/text/encoding/charmap golang.org/x/text/encoding/unicode",
	"cmd/server":                     "cmd/internal/serve",
	"cmd/wasm":                       "cmd/wasm/internal/calls",
	"cmd/wasm/bundle":                "github.com/andybalholm/brotli github.com/evanw/esbuild/pkg/api",
	"cmd/wasm/internal/calls":        "bsuid busname chatlink cmd/internal/batch contact httpapi/wire internal/textvalue phone problem qrcode qrcode/qrprint webhooknorm",

	// Examples.
	"examples/frameworks":     "webhooknorm webhooknorm/webhookhttp",
	"examples/mount":          "httpapi",
	"examples/receiver":       "contact/identity contact/identity/sqlstore httpapi/bound webhooknorm webhooknorm/webhookhttp",
	"examples/receiver/short": "contact webhooknorm webhooknorm/webhookhttp",

	// What only checks. Modules of others are left out here and in the tests of drivers.
	"internal/check/harness/bench":                  "internal/check/harness/bench/paired qrcode",
	"internal/check/harness/bench/load":             "internal/check/harness/bench/paired",
	"internal/check/harness/bench/paired":           "",
	"internal/check/harness/bench/webhook":          "internal/check/harness/bench/paired internal/check/harness/bench/webhook/payloads webhooknorm",
	"internal/check/harness/bench/webhook/payloads": "",
	"internal/check/harness/browser":                "",
	"internal/check/harness/e2e":                    "",
	"internal/check/harness/glyphs":                 "",
	"internal/check/harness/licenses":               "",
	"internal/check/harness/npm":                    "",
	"internal/check/harness/numbering":              "",
	"internal/check/harness/qrprint":                "",
	"internal/check/harness/vectors":                "bsuid busname chatlink contact contact/identity httpapi httpapi/wire phone problem qrcode webhooknorm",
	"internal/check/repotest":                       "",
	"internal/check/test":                           "",
	"internal/check/testenv":                        "",
	"internal/check/tools/modproxy":                 "",
	"internal/check/vectors":                        "problem",
}

// impure lists packages that a pure package must not import, and nor must the packages on which it
// depends.
var impure = []string{"net/http", "os", "log", "log/slog", "math/rand", "math/rand/v2", "unsafe"}

// mayBeImpure lists the packages of the library and its companions that aren't pure.
var mayBeImpure = strings.Fields(`
	httpapi httpapi/bound httpapi/redislimit webhooknorm/webhookhttp
	webhooknorm/webhooktest webhooknorm/webhooktest/internal/plain webhooknorm/webhooktest/lives webhooknorm/webhooktest/simulate
	contact/identity/internal/storetest contact/identity/internal/reference contact/identity/internal/streams contact/identity/sqlstore contact/identity/sqlstore/internal/drivertest
`)

// companions lists the nested modules that belong to the library.
var companions = sync.OnceValue(func() (folders []string) {
	for _, m := range modules() {
		if m.kind == "companion" {
			folders = append(folders, m.dir)
		}
	}
	return folders
})

// isOf reports whether dir is in a folder.
func isOf(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// isPure reports whether a package must be pure.
func isPure(dir string) bool {
	return !isOf(dir, "cmd") && !isOf(dir, "examples") && !isOf(dir, "internal/check") && !slices.Contains(mayBeImpure, dir)
}

// parse parses the Go files of folders of the repository, except tests, and groups them by folder.
// With skip, it leaves out the folders for which skip returns true.
func parse(t *testing.T, skip func(dir string) bool) map[string][]*ast.File {
	t.Helper()
	fset, files := token.NewFileSet(), map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata" || d.Name() == "node_modules" || skip(filepath.ToSlash(name)) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			require.NoError(t, err)
			dir := path.Dir(filepath.ToSlash(name))
			files[dir] = append(files[dir], f)
		}
		return nil
	})
	require.NoError(t, err)
	return files
}

// sources parses the Go files of the library and its companions.
func sources(t *testing.T) map[string][]*ast.File {
	return parse(t, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		return dir != "." && err == nil && !slices.Contains(companions(), dir)
	})
}

// imports returns what a package imports.
func imports(t *testing.T, files []*ast.File) []string {
	t.Helper()
	var list []string
	for _, f := range files {
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			list = append(list, strings.TrimPrefix(imported, module+"/"))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// isStandard reports whether a package is of the standard library.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	_, ours := mayImport[imported]
	return !ours && !strings.Contains(first, ".")
}

func TestImportDirections(t *testing.T) {
	atRoot(t)
	all := parse(t, func(dir string) bool { return dir == "docs" || dir == "vectors" })
	for dir, files := range all {
		row, known := mayImport[dir]
		require.True(t, known, "package %s is missing in mayImport", dir)
		for _, imported := range imports(t, files) {
			_, ours := mayImport[imported]
			if isPure(dir) {
				require.NotContains(t, impure, imported, "package %s is pure", dir)
				require.False(t, ours && !isPure(imported), "package %s is pure, but imports %s", dir, imported)
			}
			switch {
			case isStandard(imported), !ours && (isOf(dir, "internal/check") || isOf(dir, "examples") || strings.Contains(dir, "drivertest")):
			default:
				require.Contains(t, strings.Fields(row), imported, "package %s imports it", dir)
			}
			// Otherwise, two modules would only work together in the same version.
			for _, c := range companions() {
				if isOf(dir, c) && !strings.Contains(dir, "drivertest") && !isOf(imported, c) && ours {
					require.NotContains(t, "/"+imported+"/", "/internal/", "package %s of a module of its own imports it", dir)
				}
			}
		}
	}
	for dir, row := range mayImport {
		require.Contains(t, all, dir, "mayImport")
		for imported := range strings.FieldsSeq(row) {
			require.Contains(t, imports(t, all[dir]), imported, "mayImport lists it for %s", dir)
		}
	}
}

// What pure packages get from other modules is pure, too.
func TestDependenciesArePure(t *testing.T) {
	atRoot(t)
	var pure []string
	for dir := range mayImport {
		if isPure(dir) && !slices.ContainsFunc(companions(), func(c string) bool { return isOf(dir, c) }) {
			pure = append(pure, "./"+dir)
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps", "-f", `{{if not .Standard}}{{.ImportPath}} {{join .Imports " "}}{{end}}`}, pure...)...).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		for _, imported := range fields[1:] {
			require.NotContains(t, impure, imported, "%s, on which pure packages depend, imports it", fields[0])
		}
	}
}

// Pure packages may use the types of package time, but not its clock.
func TestPurePackagesHaveNoClock(t *testing.T) {
	atRoot(t)
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Local"}
	for dir, list := range sources(t) {
		if !isPure(dir) {
			continue
		}
		for _, f := range list {
			ast.Inspect(f, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				name, _ := selector.X.(*ast.Ident)
				require.False(t, name != nil && name.Name == "time" && slices.Contains(clock, selector.Sel.Name), "%s uses time.%s", dir, selector.Sel.Name)
				return true
			})
		}
	}
}

// docs/architecture.md shows the packages that programs import, and the programs: each in the lowest
// row that is above everything that it imports.
func TestArchitecturePicture(t *testing.T) {
	atRoot(t)
	shown := func(dir string) bool {
		return dir != "." && !strings.Contains(dir, "internal") && !isOf(dir, "examples") && !isOf(dir, "cmd/wasm/bundle")
	}
	heights := map[string]int{}
	var height func(dir string) int
	height = func(dir string) int {
		if _, known := heights[dir]; !known {
			highest := -1
			for imported := range strings.FieldsSeq(mayImport[dir]) {
				if _, ours := mayImport[imported]; ours {
					above := 0
					if !shown(imported) {
						above = -1 // an inner package needs no row
					}
					highest = max(highest, height(imported)+above)
				}
			}
			heights[dir] = highest + 1
		}
		return heights[dir]
	}
	rows := map[int][]string{}
	for _, dir := range slices.Sorted(maps.Keys(mayImport)) {
		if shown(dir) {
			h := height(dir)
			rows[h] = append(rows[h], dir)
		}
	}
	var picture strings.Builder
	for _, h := range slices.Backward(slices.Sorted(maps.Keys(rows))) {
		fmt.Fprintln(&picture, strings.Join(rows[h], "  "))
	}
	const name, begin, end = "docs/architecture.md", "```text\n", "```"
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	drawn, after, found := strings.Cut(rest, end)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(before+begin+picture.String()+end+after), 0o600))
		return
	}
	require.Equal(t, picture.String(), drawn, "go test ./internal/check/repotest -run TestArchitecturePicture -update draws it")
}
