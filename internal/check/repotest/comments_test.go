package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A name in brackets in a comment, such as [Name] or [Type.Method], is declared in its package.
// Otherwise, go doc prints the brackets, because it's the name of something that's gone.
func TestCommentLinks(t *testing.T) {
	atRoot(t)
	link := regexp.MustCompile(`(?m)^[^\t\n]*?\[\*?([A-Z]\w+)(?:\.(\w+))?\]`)
	links := 0
	folders := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "internal" || d.Name() == "cmd" || d.Name() == "examples") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		folders[filepath.Dir(name)] = append(folders[filepath.Dir(name)], file)
		return err
	})
	require.NoError(t, err)
	for folder, files := range folders {
		declared, named := map[string]bool{}, map[string]bool{} // in the package's scope, and anywhere
		for _, file := range files {
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					declared[d.Name.Name] = declared[d.Name.Name] || d.Recv == nil
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						switch spec := spec.(type) {
						case *ast.TypeSpec:
							declared[spec.Name.Name] = true
						case *ast.ValueSpec:
							for _, id := range spec.Names {
								declared[id.Name] = true
							}
						}
					}
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					named[id.Name] = true
				}
				return true
			})
		}
		for _, file := range files {
			for _, comment := range file.Comments {
				for _, m := range link.FindAllStringSubmatch(comment.Text(), -1) {
					links++
					require.True(t, declared[m[1]], "%s: [%s] is not in the package", folder, m[1])
					require.True(t, m[2] == "" || named[m[2]], "%s: [%s.%s] is not in the package", folder, m[1], m[2])
				}
			}
		}
	}
	require.Greater(t, links, 100)
}
