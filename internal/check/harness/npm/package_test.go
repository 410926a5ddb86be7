package npm

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

const root = "../../../.."

// The limits of the size, in bytes.
const (
	maxModule  = 1_246_000 // compressed by compress/gzip, a hundredth above gzip -9
	maxCore    = 938_000
	maxPackage = 2_920_000
)

// An app is a folder containing the installed package and the tools.
type app struct {
	folder, tarball string
}

var packed struct {
	sync.Once
	folder string
	err    error
}

func TestMain(m *testing.M) {
	status := m.Run()
	_ = os.RemoveAll(packed.folder)
	os.Exit(status)
}

// newApp packs the package once, and installs it in a new folder.
func newApp(t *testing.T) app {
	t.Helper()
	testenv.Slow(t)
	testenv.Needs(t, "node", "Debian package nodejs")
	testenv.Needs(t, "npm", "Debian package npm")
	if _, err := os.Stat("node_modules"); err != nil {
		testenv.Missing(t, "node_modules", "npm ci in internal/check/harness/npm")
	}
	packed.Do(func() {
		if packed.folder, packed.err = os.MkdirTemp("", "hailmark-npm-"); packed.err == nil {
			for _, script := range []string{"pack", "build"} {
				if out, err := exec.Command(filepath.Join(root, "cmd/wasm", script), packed.folder).CombinedOutput(); err != nil {
					packed.err = errors.Join(packed.err, fmt.Errorf("%w: %s", err, out))
				}
			}
		}
	})
	require.NoError(t, packed.err)
	tarballs, err := filepath.Glob(filepath.Join(packed.folder, "hailmark-*.tgz"))
	require.NoError(t, err)
	require.Len(t, tarballs, 1)

	a := app{t.TempDir(), tarballs[0]}
	modules := filepath.Join(a.folder, "node_modules")
	require.NoError(t, os.MkdirAll(filepath.Join(modules, "hailmark"), 0o755))
	run(t, exec.Command("tar", "-xzf", a.tarball, "-C", filepath.Join(modules, "hailmark"), "--strip-components=1"))
	installed, err := os.ReadDir("node_modules")
	require.NoError(t, err)
	for _, tool := range installed {
		source, err := filepath.Abs(filepath.Join("node_modules", tool.Name()))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(source, filepath.Join(modules, tool.Name())))
	}
	for _, pattern := range []string{"*.mjs", "*.mts", "tsconfig*.json"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(a.folder, name), text, 0o644))
		}
	}
	return a
}

// run returns the output of a command, which must succeed.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// command returns a command in the folder of the app.
func (a app) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = a.folder
	script, err := filepath.Abs(filepath.Join(root, "cmd/internal/page/assets/paper.js"))
	if err != nil {
		panic(err)
	}
	cmd.Env = append(os.Environ(), "PAGE_SCRIPT=file://"+filepath.ToSlash(script), "PAGE_MODULE="+filepath.Join(packed.folder, "page.wasm"))
	return cmd
}

func (a app) tool(name string, args ...string) *exec.Cmd {
	return a.command(filepath.Join("node_modules", ".bin", name), args...)
}

func TestPackage(t *testing.T) {
	a := newApp(t)
	t.Run("size", func(t *testing.T) {
		for name, limit := range map[string]int{"hailmark.wasm": maxModule, "core.wasm": maxCore} {
			module, err := os.ReadFile(filepath.Join(a.folder, "node_modules/hailmark", name))
			require.NoError(t, err)
			var compressed bytes.Buffer
			w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
			require.NoError(t, err)
			_, err = w.Write(module)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			t.Logf("%s has %d bytes with gzip", name, compressed.Len())
			require.Less(t, compressed.Len(), limit)
		}
		info, err := os.Stat(a.tarball)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(maxPackage))
	})
	t.Run("functions", func(t *testing.T) {
		run(t, a.command("node", "--test", "api.test.mjs"))
	})
	t.Run("tables and paper", func(t *testing.T) {
		run(t, a.command("node", "--test", "paper.test.mjs"))
	})
	t.Run("names", func(t *testing.T) {
		run(t, a.command("node", "names.mjs"))
	})
	t.Run("types", func(t *testing.T) {
		run(t, a.tool("tsc", "--project", "tsconfig.json"))
		run(t, a.tool("tsc", "--project", "tsconfig.json", "--module", "esnext", "--moduleResolution", "bundler"))
		run(t, a.tool("tsc", "--project", "tsconfig.nodom.json"))
	})
	t.Run("publint", func(t *testing.T) {
		require.Contains(t, run(t, a.tool("publint", "--strict", a.tarball)), "All good!")
	})
	t.Run("arethetypeswrong", func(t *testing.T) {
		// The package has no CommonJS; Node loads it with require all the same.
		run(t, a.tool("attw", a.tarball, "--profile", "esm-only"))
	})
	t.Run("bundlers", func(t *testing.T) {
		require.Equal(t, "esbuild\nwebpack\nvite build\nvite build with ?url\nvite dev\n", run(t, a.command("node", "bundle.mjs")))
	})
	t.Run("batches", func(t *testing.T) { // many, so that V8 optimizes
		run(t, a.command("node", "batches.mjs"))
	})
	t.Run("README", func(t *testing.T) { testReadme(t, a) })
	t.Run("recipes", func(t *testing.T) { testRecipes(t, a) })
}

// The package passes its functions' vectors. It has none of contact/identity and none that only the
// HTTP API uses. An image's size is a number, not a text.
func TestVectors(t *testing.T) {
	a := newApp(t)
	adapter := filepath.Join(a.folder, "adapter.mjs")
	runner, err := filepath.Abs(filepath.Join(root, "vectors/run.mjs"))
	require.NoError(t, err)
	out := run(t, exec.Command("node", runner, "node", adapter))
	skipped := map[string]bool{"identity.json": true, "identity_facts.json": true, "qr_options.json": true, "bsuid_digits.json": true, "username_reasons.json": true}
	for line := range strings.Lines(out) {
		name, counts, _ := strings.Cut(strings.TrimSpace(line), ": ")
		require.Contains(t, counts, " 0 failed", line)
		if name != "total" && !skipped[name] {
			require.Contains(t, counts, " 0 skipped", line)
		}
	}
	require.Contains(t, out, "qr_options.json: 31 passed, 0 failed, 18 skipped")
}

// Images contain the same bytes as without WebAssembly.
func TestImages(t *testing.T) {
	type pictureCase struct {
		Text    string         `json:"text,omitempty"`
		Options map[string]any `json:"options,omitempty"`
		Code    map[string]any `json:"code,omitempty"`
		Format  string         `json:"format,omitempty"`
		Hash    string         `json:"hash"`
	}
	a := newApp(t)
	var cases []pictureCase
	hash := func(data []byte, err error) string {
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:])
	}
	color, err := qrcode.ParseColor("000080")
	require.NoError(t, err)
	for length := 1; length < 2000; length = length*3/2 + 7 {
		text := "https://wa.me/jane.doe?text=" + strings.Repeat("é7", length/2)
		for _, format := range []qrcode.Format{qrcode.PNG, qrcode.SVG} {
			cases = append(cases, pictureCase{
				Text: text, Options: map[string]any{"format": format.String(), "size": 2000, "color": "000080", "bg": "transparent"},
				Hash: hash(qrcode.RenderQR(text, qrcode.Options{Format: format, Size: 2000, Style: qrcode.Style{Foreground: color, Background: qrcode.Transparent()}})),
			})
		}
	}
	logo, err := os.ReadFile(filepath.Join(root, "qrcode/qrprint/testdata/logo.png"))
	require.NoError(t, err)
	parsed, err := qrprint.ParseLogo(logo)
	require.NoError(t, err)
	for _, format := range []qrcode.Format{qrprint.PDF, qrprint.EPS, qrcode.SVG, qrcode.PNG} {
		page, err := qrprint.Code{Text: "https://wa.me/jane.doe", Width: 30, DPI: 300, Caption: "@jane.doe", Frame: "Chat", Logo: parsed, Bleed: 3}.Page()
		require.NoError(t, err)
		cases = append(cases, pictureCase{
			Code:   map[string]any{"text": "https://wa.me/jane.doe", "size": 30, "dpi": 300, "caption": "@jane.doe", "frame": "Chat", "logo": logo, "bleed": 3},
			Format: format.String(), Hash: hash(page.Append(nil, format)),
		})
	}
	require.Greater(t, len(cases), 20)
	list, err := json.Marshal(cases)
	require.NoError(t, err)
	cmd := a.command("node", "native.mjs")
	cmd.Stdin = bytes.NewReader(list)
	require.Empty(t, run(t, cmd))
}

// A table gives the same files as the command line.
func TestTables(t *testing.T) {
	a := newApp(t)
	tool := filepath.Join(t.TempDir(), "hailmark")
	run(t, exec.Command("go", "build", "-o", tool, "github.com/hailmark/hailmark/cmd/hailmark"))
	table := "username;phone;text;file;color;background;caption\n"
	for i := range 60 {
		table += fmt.Sprintf("user%d;;Hello %d \"x\" \u2028 é;%s;000080;;\n;+1650555%04d;;=1+1;;;\nx;;;;;;\n;;;;;;\n", i, i, []string{"A\u0308", "Ä", "straße", "STRASSE", "con", "../x"}[i%6], i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(a.folder, "people.csv"), []byte(table), 0o644))
	for _, test := range []struct{ options, command, output string }{
		{`{"output":"zip","size":200,"text":"Hi"}`, "batch people.csv --size 200 --text Hi --out", "codes.zip"},
		{`{"output":"zip","format":"svg","minLevel":"H"}`, "batch people.csv --format svg --level H --out", "pictures.zip"},
		{`{"output":"zip","mm":20,"caption":"{name}"}`, "batch people.csv --mm 20 --caption {name} --out", "paper.zip"},
		{`{"output":"labels","labels":"avery-l7160","start":5,"caption":"{name}","border":true,"dpi":600}`, "sheet people.csv --labels avery-l7160 --start 5 --caption {name} --border --dpi 600 -o", "labels.pdf"},
	} {
		want := filepath.Join(a.folder, "tool-"+test.output)
		cmd := a.command(tool, append(strings.Fields(test.command), want, "--report", want+".csv", "--report", want+".ndjson")...)
		out, err := cmd.CombinedOutput()
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), "%s %v", out, err) // some rows are wrong
		run(t, a.command("node", "table.mjs", "people.csv", test.options, test.output))
		for _, ending := range []string{"", ".csv", ".ndjson"} {
			wanted, err := os.ReadFile(want + ending)
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(a.folder, test.output+ending))
			require.NoError(t, err)
			require.True(t, bytes.Equal(wanted, got), "%s%s", test.output, ending)
		}
	}
}
