package repotest

import (
	"go/ast"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// standard lists the methods of the interfaces that callers know from the standard library.
var standard = strings.Fields("String MarshalText UnmarshalText MarshalJSON UnmarshalJSON Scan Value Error Is Unwrap AppendText ServeHTTP WriteTo RGBA LogValue Close IsZero")

// maxNames is the number of exported names, apart from standard methods, that each package
// promises. The table should only shrink.
var maxNames = map[string]int{
	"bsuid":                         9,
	"busname":                       9,
	"chatlink":                      12,
	"contact":                       13,
	"contact/identity":              85,
	"contact/identity/identitytest": 4,
	"contact/identity/sqlstore":     15,
	"contact/identity/store":        33,
	"httpapi":                       28,
	"httpapi/redislimit":            4,
	"phone":                         11,
	"problem":                       10,
	"qrcode":                        41,
	"qrcode/qrprint":                58,
	"webhooknorm":                   62,
	"webhooknorm/webhookhttp":       7,
	"webhooknorm/webhooktest":       19,
}

// names returns the exported functions, methods, types, constants, variables and fields.
func names(files []*ast.File) []string {
	var names []string
	add := func(prefix string, ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, prefix+id.Name)
			}
		}
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					add("", decl.Name)
				} else if receiver := typeName(decl.Recv.List[0].Type); ast.IsExported(receiver) && !slices.Contains(standard, decl.Name.Name) {
					add(receiver+".", decl.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						add("", spec.Names...)
					case *ast.TypeSpec:
						add("", spec.Name)
						if spec.Name.IsExported() {
							for _, field := range members(spec.Type) {
								add(spec.Name.Name+".", field.Names...)
							}
						}
					}
				}
			}
		}
	}
	return names
}

func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

func members(t ast.Expr) []*ast.Field {
	switch t := t.(type) {
	case *ast.StructType:
		return t.Fields.List
	case *ast.InterfaceType:
		return t.Methods.List
	}
	return nil
}

func isPublic(dir string) bool {
	return !strings.Contains("/"+dir+"/", "/internal/") && !strings.HasPrefix(dir, "examples")
}

func TestExportedNames(t *testing.T) {
	total := 0
	files := sources(t)
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		if !isPublic(dir) {
			continue
		}
		exported := names(files[dir])
		total += len(exported)
		t.Logf("%4d %s", len(exported), dir)
		require.LessOrEqual(t, len(exported), maxNames[dir], "%s exports %s", dir, exported)
	}
	t.Logf("%4d in all", total)
}

// The areas of the library don't import each other in a circle, although the packages within
// an area may.
func TestAreasHaveNoCycles(t *testing.T) {
	imports := map[string]map[string]bool{} // by the first element of the path
	area := func(dir string) string { first, _, _ := strings.Cut(dir, "/"); return first }
	for dir, list := range sources(t) {
		from := dir
		if !strings.HasPrefix(dir, "internal/") && !strings.HasPrefix(dir, "contact/") { // identity builds on webhooknorm
			from = area(dir)
		}
		for _, f := range list {
			for _, spec := range f.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				imported, ours := strings.CutPrefix(imported, module+"/")
				if to := area(imported); ours && imported != from && to != from {
					if to == "internal" || to == "contact" {
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
	for _, dir := range []string{"bsuid", "busname", "phone", "chatlink", "contact", "problem", "webhooknorm", "webhooknorm/webhookhttp"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./"+dir).Output()
		require.NoError(t, err)
		for _, dep := range strings.Fields(string(out)) {
			require.True(t, strings.HasPrefix(dep, module+"/"), "%s needs %s", path.Join(module, dir), dep)
		}
	}
}
