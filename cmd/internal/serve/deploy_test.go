package serve

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/testenv"
)

const deploy = "../../../deploy/"

func readDeploy(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(deploy + name)
	require.NoError(t, err)
	return string(text)
}

// The example environment sets variables of the server alone, commented out or not.
func TestDeployEnvironment(t *testing.T) {
	var env []string
	for _, m := range regexp.MustCompile(`(?m)^#?([A-Z_]+=\S+)$`).FindAllStringSubmatch(readDeploy(t, "hailmark.env"), -1) {
		env = append(env, m[1])
	}
	require.Greater(t, len(env), 10)
	opts, err := parseOptions("server", nil, env)
	require.NoError(t, err)
	require.Empty(t, opts.warnings)
	require.True(t, opts.accessLog)
	require.Equal(t, "https://hi.example.com", opts.config.BaseURL)
}

// The image build downloads the modules of the whole workspace before it copies the
// sources.
func TestDeployDockerfile(t *testing.T) {
	before, _, found := strings.Cut(readDeploy(t, "Dockerfile"), "RUN go mod download")
	require.True(t, found)
	work, err := os.ReadFile("../../../go.work")
	require.NoError(t, err)
	modules := regexp.MustCompile(`(?m)^\t\./(\S+)$`).FindAllStringSubmatch(string(work), -1)
	require.NotEmpty(t, modules)
	for _, m := range modules {
		require.Contains(t, before, "COPY "+m[1]+"/go.mod "+m[1]+"/go.sum "+m[1]+"/\n")
	}
}

// The alerts and the dashboard use metrics that the server has.
func TestDeployMonitoring(t *testing.T) {
	p := start(t, nil, "-admin-addr", "127.0.0.1:0")
	get(t, p.base+"/jane")
	_, exposed := get(t, p.admin(t)+"/metrics")
	for _, name := range []string{"monitoring/alerts.yaml", "monitoring/dashboard.json"} {
		names := regexp.MustCompile(`\b(hailmark|go|process)_[a-z_]+\b`).FindAllString(readDeploy(t, name), -1)
		require.NotEmpty(t, names)
		for _, metric := range names {
			require.Regexp(t, `(?m)^`+metric+`[ {]`, exposed, "%s of %s", metric, name)
		}
	}
}

func TestDeployAlerts(t *testing.T) {
	promtool := testenv.Needs(t, "promtool", "Debian package prometheus")
	out, err := exec.Command(promtool, "check", "rules", deploy+"monitoring/alerts.yaml").CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// The dashboard has the parts that Grafana needs, and its panels do not overlap.
func TestDeployDashboard(t *testing.T) {
	var d struct {
		Title, UID    string
		SchemaVersion int
		Templating    struct {
			List []struct{ Name, Type string }
		}
		Panels []struct {
			ID                       int
			Type, Title, Description string
			GridPos                  struct{ X, Y, W, H int }
			Targets                  []struct{ RefID, Expr, LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(readDeploy(t, "monitoring/dashboard.json")), &d))
	require.NotEmpty(t, d.Title)
	require.NotEmpty(t, d.UID)
	require.Positive(t, d.SchemaVersion)
	require.Len(t, d.Templating.List, 2)
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, panel := range d.Panels {
		require.False(t, ids[panel.ID], panel.Title)
		ids[panel.ID] = true
		require.Equal(t, "timeseries", panel.Type)
		require.NotEmpty(t, panel.Description, panel.Title)
		require.NotEmpty(t, panel.Targets, panel.Title)
		for _, target := range panel.Targets {
			require.NotEmpty(t, target.RefID, panel.Title)
			require.NotEmpty(t, target.LegendFormat, panel.Title)
			require.Equal(t, strings.Count(target.Expr, "("), strings.Count(target.Expr, ")"), target.Expr)
		}
		pos := panel.GridPos
		require.LessOrEqual(t, pos.X+pos.W, 24, panel.Title)
		for x := pos.X; x < pos.X+pos.W; x++ {
			for y := pos.Y; y < pos.Y+pos.H; y++ {
				require.Empty(t, taken[[2]int{x, y}], "overlaps %s", panel.Title)
				taken[[2]int{x, y}] = panel.Title
			}
		}
	}
}

// The limits that deploy/README.md lists are the limits of the server.
func TestDeployLimits(t *testing.T) {
	readme := readDeploy(t, "README.md")
	s := newServer(options{}, slog.New(slog.DiscardHandler))
	for _, limit := range []string{
		fmt.Sprintf("| header | %d KiB (431), within %.0f s |", s.MaxHeaderBytes>>10, s.ReadHeaderTimeout.Seconds()),
		fmt.Sprintf("| body | 64 KiB, webhooks 4 MiB (400), within %.0f s |", s.ReadTimeout.Seconds()),
		fmt.Sprintf("| response | within %.0f s;", s.WriteTimeout.Seconds()),
		fmt.Sprintf("| idle connection | %.0f s |", s.IdleTimeout.Seconds()),
	} {
		require.Contains(t, readme, limit)
	}
}
