//go:build unix

package serve

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi/bound"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

const deploy = "../../server/deploy/"

func readDeploy(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(deploy + name)
	require.NoError(t, err)
	return string(text)
}

// The example environment sets only variables of the server, commented out or not.
func TestDeployEnvironment(t *testing.T) {
	var env []string
	for _, m := range regexp.MustCompile(`(?m)^#?([A-Z_]+=\S+)$`).FindAllStringSubmatch(readDeploy(t, "hailmark.env"), -1) {
		env = append(env, m[1])
	}
	require.Greater(t, len(env), 10)
	opts, err := parseOptions(nil, env)
	require.NoError(t, err)
	require.Empty(t, opts.unknown)
	require.True(t, opts.accessLog)
}

// unitEnvironment returns the variables that systemd sets for the unit: those of a file take
// precedence, and later ones over earlier ones.
func unitEnvironment(t *testing.T, unit string) []string {
	t.Helper()
	var env []string
	for _, m := range regexp.MustCompile(`(?m)^Environment=(.+)$`).FindAllStringSubmatch(unit, -1) {
		env = append(env, strings.Fields(m[1])...)
	}
	return append(env, regexp.MustCompile(`(?m)^[A-Z_]+=\S+$`).FindAllString(readDeploy(t, "hailmark.env"), -1)...)
}

// The command of the systemd unit runs as an ordinary user, without a proxy too: with the
// addition in its comment.
func TestDeployUnit(t *testing.T) {
	testenv.Slow(t)
	unit := readDeploy(t, "hailmark.service")
	command := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/hailmark-server$`).FindString(unit)
	require.NotEmpty(t, command)
	_, addition, found := strings.Cut(unit, "# [Service]\n")
	if !found {
		_, addition, found = strings.Cut(unit, "#\t[Service]\n")
	}
	require.True(t, found)
	addition, _, _ = strings.Cut(addition, "\n#\n")
	folder, err := os.MkdirTemp("", "unit") // t.TempDir is closed to other users
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	require.NoError(t, os.Chmod(folder, 0o755))
	program := filepath.Join(folder, "server")
	build(t, program, "../../server")
	writeCertificate(t, filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem"), 1)
	for _, name := range []string{"cert.pem", "key.pem"} {
		require.NoError(t, os.Chmod(filepath.Join(folder, name), 0o644))
	}
	for scheme, text := range map[string]string{"http": unit, "https": unit + strings.NewReplacer("#\t", "", "%d", folder).Replace(addition)} {
		env := unitEnvironment(t, text)
		opts, err := parseOptions(nil, env)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"http": "127.0.0.1:8080", "https": ":443"}[scheme], opts.addr)
		cmd := exec.Command(program, "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--log-format", "text", "--drain-delay", "0s")
		cmd.Env = env
		asOrdinaryUser(cmd)
		p := startCommand(t, cmd)
		res, err := insecureClient(t).Get(scheme + "://" + p.addr + "/jane")
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusFound, res.StatusCode)
		p.stop(t)
	}
}

func asOrdinaryUser(cmd *exec.Cmd) {
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}

func build(t *testing.T, program, pkg string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", program, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// The image is built without a network, and its program runs as a container.
func TestDeployImage(t *testing.T) {
	testenv.Slow(t)
	buildah := testenv.Needs(t, "buildah", "Debian package buildah")
	if os.Getuid() != 0 {
		t.Skip("skipped: buildah runs as root here")
	}
	folder := t.TempDir()
	storage := []string{"--root", filepath.Join(folder, "root"), "--runroot", filepath.Join(folder, "run"), "--storage-driver", "vfs"}
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(buildah, append(storage, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	script := exec.Command(deploy+"image", append(append([]string{buildah}, storage...), "build", "--isolation", "chroot", "-t", "hailmark")...)
	out, err := script.CombinedOutput()
	require.NoError(t, err, "%s", out)
	container := run("from", "--pull-never", "localhost/hailmark")
	require.Contains(t, run("inspect", container), `"User": "65532:65532"`)
	files, err := os.ReadDir(run("mount", container))
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		names = append(names, file.Name())
	}
	require.Subset(t, []string{"dev", "etc", "licenses.txt", "proc", "server", "sys"}, names)
	run("run", "--isolation", "chroot", container, "--", "/server", "--check")
	p := startCommand(t, exec.Command(buildah, append(storage, "run", "--isolation", "chroot", container, "--",
		"/server", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--log-format", "text", "--drain-delay", "0s")...))
	status, body := get(t, p.addr+"/docs.md")
	require.Equal(t, http.StatusOK, status)
	require.NotEmpty(t, body)
	run("run", "--isolation", "chroot", container, "--", "/server", "healthcheck", "--admin-addr", p.admin())
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM)) // buildah kills what it runs
	<-p.eof
}

// The server is linked from few modules, so its build downloads only these.
func TestDeployModules(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "../../server").Output()
	require.NoError(t, err)
	modules := map[string]bool{}
	for _, module := range strings.Fields(string(out)) {
		modules[module] = !strings.HasPrefix(module, "github.com/hailmark/")
	}
	require.Less(t, len(modules), 25, modules)
}

// The alerts use metrics that the server has.
func TestDeployMonitoring(t *testing.T) {
	site := newWebsite(t)
	ask(site, "GET", "/jane")
	exposed := site.metrics()
	names := regexp.MustCompile(`\b(hailmark|go|process)_[a-z_]+\b`).FindAllString(readDeploy(t, "monitoring/alerts.yaml"), -1)
	require.NotEmpty(t, names)
	for _, metric := range names {
		require.Regexp(t, `(?m)^`+metric+`[ {]`, exposed)
	}
}

// Each alert rings and is silent as alerts_test.yaml says, which notices if an alert is missing or
// always rings.
func TestDeployAlerts(t *testing.T) {
	testenv.Slow(t)
	promtool := testenv.Needs(t, "promtool", "Debian package prometheus")
	rules, cases := readDeploy(t, "monitoring/alerts.yaml"), readDeploy(t, "monitoring/alerts_test.yaml")
	run := func(rules string) (string, error) {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "alerts.yaml"), []byte(rules), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "alerts_test.yaml"), []byte(cases), 0o600))
		out, err := exec.Command(promtool, "test", "rules", filepath.Join(folder, "alerts_test.yaml")).CombinedOutput()
		return string(out), err
	}
	out, err := run(rules)
	require.NoError(t, err, out)
	alerts := strings.Split(rules, "      - alert: ")
	require.Greater(t, len(alerts), 10)
	for i, alert := range alerts[1:] {
		name, _, _ := strings.Cut(alert, "\n")
		_, err := run(strings.Join(slices.Delete(slices.Clone(alerts), i+1, i+2), "      - alert: "))
		require.Error(t, err, "no case expects %s", name)
		always := strings.Replace(rules, "alert: "+alert, fmt.Sprintf("alert: %s\n        expr: up{job=\"hailmark\"} or process_start_time_seconds or "+
			"{__name__=~\"hailmark_.*|process_resident_memory_bytes\"}\n        labels: { severity: page }\n", name), 1)
		_, err = run(always)
		require.Error(t, err, "no case expects that %s is silent", name)
	}
}

// The limits that docs/deploy.md lists are those of the server.
func TestDeployLimits(t *testing.T) {
	readme := readDeploy(t, "../../../docs/deploy.md")
	const netHTTPSlop = 4 << 10 // which net/http adds to the limit of a header
	s := newServer(nil)
	conns := func(isSecure bool) int {
		server := newServer(nil)
		if isSecure {
			server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		return bound.Listen(server, nil, bound.Limits{Bytes: 32 << 20}).Stats().Limits.Connections
	}
	for _, limit := range []string{
		fmt.Sprintf("| request header | %d KiB (431), within %.0f s |", (s.MaxHeaderBytes+netHTTPSlop)>>10, s.ReadHeaderTimeout.Seconds()),
		fmt.Sprintf("| request body | 64 KiB, webhooks 4 MiB (400), within %.0f s |", s.ReadTimeout.Seconds()),
		fmt.Sprintf("| response | within %.0f s |", s.WriteTimeout.Seconds()),
		fmt.Sprintf("| connections | %d, with TLS %d |", conns(false), conns(true)),
		fmt.Sprintf("| idle connection | %.0f s |", s.IdleTimeout.Seconds()),
	} {
		require.Contains(t, readme, limit)
	}
}

// The configuration of nginx passes on bodies above the API's limit, so that the API rejects them.
func TestDeployPassesOnLargeBodies(t *testing.T) {
	readme, err := os.ReadFile("../../../docs/deploy.md")
	require.NoError(t, err)
	m := regexp.MustCompile(`client_max_body_size (\d+)m;`).FindSubmatch(readme)
	require.NotNil(t, m)
	megabytes, err := strconv.Atoi(string(m[1]))
	require.NoError(t, err)
	require.Greater(t, megabytes, 4)
}
