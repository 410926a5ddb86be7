package browser_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
)

// Each engine uses the pages of one server.
func TestPages(t *testing.T) {
	testenv.Slow(t)
	for program, source := range map[string]string{
		"zbarimg": "Debian package zbar-tools", "rsvg-convert": "Debian package librsvg2-bin",
		"pdftoppm": "Debian package poppler-utils", "python3": "Debian package python3",
	} {
		testenv.Needs(t, program, source)
	}
	node := testenv.Needs(t, "node", "Debian package nodejs")
	for file, source := range map[string]string{
		filepath.Join("node_modules", "puppeteer-core"):                     "npm ci --prefix internal/check/harness/browser",
		filepath.FromSlash("../../../../cmd/internal/page/built/app.js.br"): "cmd/wasm/build",
	} {
		if _, err := os.Stat(file); err != nil {
			testenv.Missing(t, file, source)
		}
	}
	base, pictures := serve(t), drawPictures(t)
	for engine, program := range map[string]string{"chromium": "chromium", "firefox": "firefox-esr"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			testenv.Needs(t, program, "Debian package "+program)
			cmd := exec.CommandContext(t.Context(), node, "--test-reporter=spec", "main.mjs", engine, base, pictures)
			cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // the browsers end with it
			cmd.WaitDelay = time.Minute
			output, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", output)
			for line := range strings.Lines(string(output)) {
				if strings.HasPrefix(line, "ℹ ") {
					t.Log(strings.TrimSpace(line))
				}
			}
		})
	}
}

// serve builds the server, runs it until the test ends, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "server")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/hailmark/hailmark/cmd/server").CombinedOutput()
	require.NoError(t, err, "%s", output)

	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program, "--addr", "127.0.0.1:0", "--json-limit", "off", "--qr-limit", "off")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	logs := bufio.NewScanner(stderr)
	var base string
	for base == "" && logs.Scan() {
		if m := regexp.MustCompile(`msg=listening addr=(\S+)`).FindStringSubmatch(logs.Text()); m != nil {
			base = "http://" + m[1]
		}
	}
	require.NotEmpty(t, base, "the server does not start")
	var problems []string
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for logs.Scan() {
			problems = append(problems, logs.Text())
		}
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		_ = cmd.Wait() // it was killed
		require.Empty(t, problems, "the log of the server")
	})
	return base
}

// A code contains the SHA-256 of a code drawn by the library.
type picture struct {
	Text    string         `json:"text"`
	Options map[string]any `json:"options"`
	Sum     string         `json:"sum"`
}

// drawPictures returns the path of a JSON file.
func drawPictures(t *testing.T) string {
	t.Helper()
	var pictures []picture
	for _, text := range []string{"https://wa.me/jane.doe", "https://wa.me/16505551234?text=Hi%20there", "नमस्ते", strings.Repeat("0123456789", 60)} {
		for _, format := range []qrcode.Format{qrcode.PNG, qrcode.SVG} {
			for _, size := range []int{256, 512, 1000} {
				for _, dark := range []string{"000000", "0b5a2b"} {
					color, err := qrcode.ParseColor(dark)
					require.NoError(t, err)
					file, err := qrcode.RenderQR(text, qrcode.Options{Format: format, Size: size, Style: qrcode.Style{Foreground: color}})
					require.NoError(t, err)
					sum := sha256.Sum256(file)
					options := map[string]any{"format": string(format), "size": size, "color": dark}
					pictures = append(pictures, picture{text, options, hex.EncodeToString(sum[:])})
				}
			}
		}
	}
	data, err := json.Marshal(pictures)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "pictures.json")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}
