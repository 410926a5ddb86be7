package webhooknorm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

// Every list of kinds contains all of them: the constants, whose comments are the descriptions, the
// specification, the schema of the vectors and the npm package's types.
func TestKinds(t *testing.T) {
	kinds := webhooknorm.Kinds()
	constants := constantsOfKinds(t)
	require.Len(t, kinds, len(constants), "add the kind to kinds in kind.go")
	for _, kind := range kinds {
		require.NotEmpty(t, kind.Description())
		require.True(t, strings.HasPrefix(constants[kind], kind.Description()), "%s: the comment of the constant is %q, and the description %q", kind, constants[kind], kind.Description())
	}
	require.Empty(t, webhooknorm.Kind("x").Description())
	for file, format := range map[string]string{
		"../docs/webhooks.md":            "%s",
		"../vectors/vectors.schema.json": `"%s"`,
		"../cmd/wasm/npm/index.d.ts":     `"%s"`,
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, kind := range kinds {
			require.Contains(t, string(text), strings.Replace(format, "%s", string(kind), 1), "add the kind to %s", file)
		}
	}
}

// constantsOfKinds returns the comment of each constant.
func constantsOfKinds(t *testing.T) map[webhooknorm.Kind]string {
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, parser.ParseComments)
	require.NoError(t, err)
	comments := map[webhooknorm.Kind]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && strings.HasPrefix(spec.Names[0].Name, "Kind") {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			comments[webhooknorm.Kind(text)] = strings.TrimSpace(spec.Comment.Text())
		}
		return true
	})
	require.True(t, slices.Contains(webhooknorm.Kinds(), webhooknorm.KindMessage))
	return comments
}
