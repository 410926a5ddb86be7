package repotest

import (
	"go/ast"
	"go/token"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The areas of the library don't import each other in a circle, although the packages within
// an area may.
func TestAreasHaveNoCycles(t *testing.T) {
	atRoot(t)
	imports := map[string]map[string]bool{} // by the first element of the path
	area := func(dir string) string { first, _, _ := strings.Cut(dir, "/"); return first }
	for dir, list := range sources(t) {
		from := dir
		isAlone := dir == "httpapi/bound" || strings.HasPrefix(dir, "internal/") || strings.HasPrefix(dir, "contact/") // identity builds on webhooknorm
		if !isAlone {
			from = area(dir)
		}
		for _, f := range list {
			for _, spec := range f.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				imported, ours := strings.CutPrefix(imported, module+"/")
				if to := area(imported); ours && imported != from && to != from {
					if to == "internal" || to == "contact" || imported == "httpapi/bound" {
						to = imported
					}
					if imports[from] == nil {
						imports[from] = map[string]bool{}
					}
					imports[from][to] = true
				}
			}
		}
	}
	var visit func(from string, trail []string)
	visit = func(from string, trail []string) {
		require.NotContains(t, trail, from, "imports in a circle")
		for to := range imports[from] {
			visit(to, append(trail, from))
		}
	}
	for from := range imports {
		visit(from, nil)
	}
}

// Programs that only need ids and links compile nothing but this module and the standard
// library.
func TestSmallPackagesNeedOnlyTheStandardLibrary(t *testing.T) {
	atRoot(t)
	for _, dir := range []string{"bsuid", "busname", "phone", "chatlink", "contact", "problem", "webhooknorm", "webhooknorm/webhookhttp"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./"+dir).Output()
		require.NoError(t, err)
		for _, dep := range strings.Fields(string(out)) {
			require.True(t, strings.HasPrefix(dep, module+"/"), "%s needs %s", path.Join(module, dir), dep)
		}
	}
}

// A message begins with what was found; the rule comes after it, as in "size is 3 pixels; it must be
// at least 128".
func TestMessagesBeginWithTheFinding(t *testing.T) {
	atRoot(t)
	messages := 0
	for dir, list := range sources(t) {
		for _, f := range list {
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) < 3 {
					return true
				}
				function, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || function.Sel.Name != "New" {
					return true
				}
				if literal, ok := call.Args[2].(*ast.BasicLit); ok && literal.Kind == token.STRING {
					messages++
					beginning, _, _ := strings.Cut(literal.Value, ";")
					require.NotRegexp(t, ` must( not)? `, beginning, dir)
				}
				return true
			})
		}
	}
	require.Greater(t, messages, 50)
}
