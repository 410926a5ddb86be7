package repotest

import (
	"go/ast"
	"path"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A name in brackets in a comment, such as [Name], [Type.Method] or [pkg.Name], is declared in its
// package. Otherwise, go doc prints the brackets, because it's the name of something that's gone.
func TestCommentLinks(t *testing.T) {
	atRoot(t)
	link := regexp.MustCompile(`(?m)^[^\t\n]*?\[\*?(?:([a-z]\w*)\.)?([A-Z]\w+)(?:\.(\w+))?\]`)
	type names struct{ declared, used map[string]bool } // in the package's scope, and anywhere
	packages := map[string]names{}                      // by folder, and by name
	all := sources(t)
	for folder, files := range all {
		p := names{map[string]bool{}, map[string]bool{}}
		eachDeclared(files, func(name, receiver string) { p.declared[name] = p.declared[name] || receiver == "" })
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					p.used[id.Name] = true
				}
				return true
			})
		}
		packages[folder], packages[path.Base(folder)] = p, p
	}
	links := 0
	for folder, files := range all {
		for _, file := range files {
			for _, comment := range file.Comments {
				for _, m := range link.FindAllStringSubmatch(comment.Text(), -1) {
					p, ours := packages[folder], true
					if m[1] != "" {
						p, ours = packages[m[1]]
					}
					if ours {
						links++
						require.True(t, p.declared[m[2]], "%s: %s is not in the package", folder, m[0])
						require.True(t, m[3] == "" || p.used[m[3]], "%s: %s is not in the package", folder, m[0])
					}
				}
			}
		}
	}
	require.Greater(t, links, 200)
}
