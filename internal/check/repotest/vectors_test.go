package repotest

import (
	"encoding/json"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
)

// Every function that a vector file names exists in Go under that name.
func TestVectorFunctionsExist(t *testing.T) {
	atRoot(t)
	declared := map[string]bool{}     // such as phone.Parse and chatlink.Link.Text
	embedded := map[string][]string{} // such as contact.IDs in contact.Person
	for dir, list := range sources(t) {
		for _, f := range list {
			ast.Inspect(f, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if structure, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range structure.Fields.List {
						if typ, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 {
							outer := path.Base(dir) + "." + spec.Name.Name
							embedded[outer] = append(embedded[outer], path.Base(dir)+"."+typ.Name)
						}
					}
				}
				return false
			})
			for _, decl := range f.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || !fn.Name.IsExported() {
					continue
				}
				name := path.Base(dir) + "."
				if fn.Recv != nil {
					receiver := fn.Recv.List[0].Type
					if pointer, ok := receiver.(*ast.StarExpr); ok {
						receiver = pointer.X
					}
					if typ, ok := receiver.(*ast.Ident); ok {
						name += typ.Name + "."
					}
				}
				declared[name+fn.Name.Name] = true
			}
		}
	}
	files, err := filepath.Glob("vectors/*.json")
	require.NoError(t, err)
	named := 0
	for _, file := range files {
		if !vectors.IsVectors(filepath.Base(file)) {
			continue
		}
		var header struct{ Function string }
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &header), file)
		pkg := regexp.MustCompile(`^\w+\.`).FindString(header.Function)
		for i, name := range regexp.MustCompile(`(?:\w+\.)*[A-Z]\w*`).FindAllString(header.Function, -1) {
			if i > 0 { // as in "qrcode.ParseFormat, ParseColor and ParseBackground"
				name = pkg + name
			}
			exists := declared[name]
			typ, method := name[:strings.LastIndexByte(name, '.')], name[strings.LastIndexByte(name, '.'):]
			for _, inner := range embedded[typ] {
				exists = exists || declared[inner+method]
			}
			require.True(t, exists, "%s: %s doesn't exist", file, name)
			named++
		}
	}
	require.GreaterOrEqual(t, named, len(files)-2, "each file with vectors names one")
}
