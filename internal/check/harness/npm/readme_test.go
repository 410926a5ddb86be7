package npm

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	program = regexp.MustCompile("(?s)```js\n(.*?)```")
	output  = regexp.MustCompile(`(?m)(?:^|; )// (.*)$`)
)

// testReadme runs the programs of the README. A program prints what its comments at the
// end say, or the comment behind console.log.
func testReadme(t *testing.T, a app) {
	readme, err := os.ReadFile(filepath.Join(a.folder, "node_modules/hailmark/README.md"))
	require.NoError(t, err)
	programs := program.FindAllStringSubmatch(string(readme), -1)
	require.Len(t, programs, 4)
	for i, match := range programs {
		name := "readme" + strconv.Itoa(i) + ".mjs"
		require.NoError(t, os.WriteFile(filepath.Join(a.folder, name), []byte(match[1]), 0o644))
		var want strings.Builder
		code := match[1][strings.Index(match[1], "await load"):]
		code = regexp.MustCompile(`(?m)^// The body.*\n`).ReplaceAllString(code, "")
		for _, comment := range output.FindAllStringSubmatch(code, -1) {
			want.WriteString(comment[1] + "\n")
		}
		require.Equal(t, want.String(), run(t, a.command("node", name)), name)
	}
}

// store is the function that the recipes leave to their readers.
const store = `export const stored = [], failure = {};
export async function store(events) {
  if (failure.error) throw failure.error;
  stored.push(...events);
}
`

var recipe = regexp.MustCompile("(?s)```mjs\n// (\\w+).*?\n(.*?)```")

// testRecipes runs the recipes of the README.
func testRecipes(t *testing.T, a app) {
	readme, err := os.ReadFile(filepath.Join(a.folder, "node_modules/hailmark/README.md"))
	require.NoError(t, err)
	recipes := recipe.FindAllStringSubmatch(string(readme), -1)
	require.Len(t, recipes, 3)
	for _, match := range recipes {
		name := map[string]string{"Express": "express.mjs", "Next": "next.mjs", "Cloudflare": "workers.mjs"}[match[1]]
		require.NoError(t, os.WriteFile(filepath.Join(a.folder, name), []byte(match[2]), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(a.folder, "store.mjs"), []byte(store), 0o644))
	run(t, a.command("node", "--test", "recipes.mjs"))
	run(t, a.tool("tsc", "--noEmit", "--strict", "--allowJs", "--target", "es2022", "--lib", "es2023,dom", "--types", "node", "--module", "nodenext", "route.mts"))
}
