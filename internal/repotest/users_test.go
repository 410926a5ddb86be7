package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mentions maps the names that other packages and examples may use: for package-level names,
// the folder and the name; for fields and methods, the name alone, because an
// expression's type isn't known here.
type mentions map[string]bool

func (m mentions) add(n ast.Node, imports map[string]string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if name, ok := n.X.(*ast.Ident); ok && imports[name.Name] != "" {
				m[imports[name.Name]+"."+n.Sel.Name] = true
			} else {
				m[n.Sel.Name] = true
			}
		case *ast.KeyValueExpr:
			if name, ok := n.Key.(*ast.Ident); ok {
				m[name.Name] = true
			}
		}
		return true
	})
}

// imported returns the folders of this repository that a file imports, by package name.
func imported(f *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range f.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if dir, ours := strings.CutPrefix(name, module+"/"); ours {
			name = path.Base(dir)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = dir
		}
	}
	return imports
}

// signatures returns the types that a package's exported functions and fields mention. Whoever
// uses those uses the types, even without their names.
func signatures(files []*ast.File) mentions {
	types := mentions{}
	for _, f := range files {
		for _, decl := range f.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BlockStmt:
					return false
				case *ast.Field:
					ast.Inspect(n.Type, func(n ast.Node) bool {
						if name, ok := n.(*ast.Ident); ok {
							types[name.Name] = true
						}
						return true
					})
				}
				return true
			})
		}
	}
	return types
}

// Every exported name has a user: an example, or a package other than its own.
func TestExportedNamesHaveUsers(t *testing.T) {
	byDir := map[string]mentions{} // what the code in a folder, and its examples, mention
	examples := mentions{}
	fset := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(name))
		if byDir[dir] == nil {
			byDir[dir] = mentions{}
		}
		if !strings.HasSuffix(name, "_test.go") || strings.HasPrefix(dir, "internal/harness/") {
			byDir[dir].add(f, imported(f))
			return nil
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Example") {
				examples.add(fn, imported(f))
			}
		}
		return nil
	}))
	files := sources(t)
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		if !isPublic(dir) {
			continue
		}
		users := maps.Clone(examples)
		for other, m := range byDir {
			if other != dir {
				maps.Copy(users, m)
			}
		}
		mentioned := signatures(files[dir])
		for _, name := range names(files[dir]) {
			key := dir + "." + name
			if _, member, ok := strings.Cut(name, "."); ok {
				key = member
			}
			if !users[key] && !mentioned[name] {
				t.Errorf("%s.%s has no user", dir, name)
			}
		}
	}
}
