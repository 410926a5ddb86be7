package serve

import (
	"flag"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
)

var update = flag.Bool("update", false, "write the settings into vectors/names.json")

// vectors/names.json contains the settings, and the example environment sets each. More of them is a
// decision, so their number is here.
//
//	go test ./cmd/internal/serve -run TestDeploySettings -update
func TestDeploySettings(t *testing.T) {
	var settings, wrong []string
	env := readDeploy(t, "hailmark.env")
	new(options).flags().VisitAll(func(f *pflag.Flag) {
		settings = append(settings, f.Name)
		variable := "HAILMARK_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")) + "="
		if f.Name != "check" && f.Name != "version" && !strings.Contains(env, variable) {
			wrong = append(wrong, "cmd/server/deploy/hailmark.env: add "+variable)
		}
	})
	stale, err := vectors.StaleNames(map[string]any{"settings": settings}, *update)
	require.NoError(t, err)
	if stale != nil {
		wrong = append(wrong, "vectors/"+vectors.NamesFile+": run this test with -update to correct the list settings")
	}
	require.Empty(t, wrong)
	require.Len(t, settings, 20, "change this number if another setting is wanted")
}
