package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/internal/check/vectors"
)

// rawFile is a vector file of any function.
type rawFile = vectors.File[json.RawMessage, json.RawMessage]

func vectorFiles(t *testing.T) map[string]rawFile {
	t.Helper()
	names, err := fs.Glob(vectors.FS(), "*.json")
	require.NoError(t, err)
	files := map[string]rawFile{}
	for _, name := range names {
		if !vectors.IsVectors(name) {
			continue
		}
		files[name], err = vectors.Load[json.RawMessage, json.RawMessage](name)
		require.NoError(t, err)
	}
	require.Contains(t, files, "http.json")
	return files
}

// A runner is a program in the vectors folder that runs the vectors.
type runner struct {
	name    string
	command []string
}

func runners(t *testing.T) []runner {
	t.Helper()
	node := testenv.Needs(t, "node", "Debian package nodejs")
	python := testenv.Needs(t, "python3", "Debian package python3")
	folder, err := filepath.Abs("../../../../vectors")
	require.NoError(t, err)
	return []runner{
		{"node", []string{node, filepath.Join(folder, "run.mjs")}},
		{"python", []string{python, filepath.Join(folder, "run.py")}},
	}
}

// run returns the output of a runner, and whether it reports success.
func (r runner) run(t *testing.T, args ...string) (string, bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), r.command[0], append(r.command[1:], args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return string(out), err == nil
}

// build returns the path of a program of this repository.
func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), filepath.Base(pkg))
	runCommand(t, dir, os.Environ(), "go", "build", "-o", program, pkg)
	return program
}

// The adapters that people copy pass what they claim, and a claim fails if a vector is skipped.
func TestAdapters(t *testing.T) {
	testenv.Slow(t)
	folder, err := filepath.Abs("../../../../vectors/adapters")
	require.NoError(t, err)
	adapters := map[string][]string{
		"go":     {build(t, folder, "adapter.go")},
		"node":   {"node", filepath.Join(folder, "adapter.mjs")},
		"python": {"python3", filepath.Join(folder, "adapter.py")},
	}
	for _, r := range runners(t) {
		for name, adapter := range adapters {
			t.Run(r.name+" runs "+name, func(t *testing.T) {
				out, ok := r.run(t, append([]string{"--claim", "chatlink.ParseKey"}, adapter...)...)
				require.True(t, ok, "%s", out)
				require.Contains(t, out, "total: 10 passed, 0 failed, 0 skipped\n")

				out, ok = r.run(t, append([]string{"--claim", "chatlink.ParseKey,phone.Parse"}, adapter...)...)
				require.False(t, ok, "%s", out)
				require.Contains(t, out, "phone.Parse is claimed, but this vector is skipped")

				out, ok = r.run(t, append([]string{"--claim", "phone.Pars"}, adapter...)...)
				require.False(t, ok, "%s", out)
				require.Contains(t, out, "no file has the function phone.Pars;")
			})
		}
	}
}

// The runners pass every vector of a function.
func TestVectorRunnersOnFunctions(t *testing.T) {
	testenv.Slow(t)
	adapter := build(t, "..", "./vectors")
	vectorCount := 0
	for name, file := range vectorFiles(t) {
		if name != "http.json" {
			vectorCount += len(file.Vectors)
		}
	}
	for _, r := range runners(t) {
		t.Run(r.name, func(t *testing.T) {
			out, ok := r.run(t, adapter)
			require.True(t, ok, "%s", out)
			// qr_options.json#size-empty is about a function that httpapi does not export.
			require.Contains(t, out, fmt.Sprintf("\ntotal: %d passed, 0 failed, 1 skipped\n", vectorCount-1))
			require.Contains(t, out, "qr_options.json: 48 passed, 0 failed, 1 skipped\n")
		})
		t.Run(r.name+" reports wrong results", func(t *testing.T) {
			out, ok := r.run(t, "cat")
			require.False(t, ok)
			require.Contains(t, out, fmt.Sprintf("\ntotal: 0 passed, %d failed, 0 skipped\n", vectorCount))
			require.Contains(t, out, "key_parse.json#digits (spec: Input value formats)\n    want ")
		})
		t.Run(r.name+" reports a command that ends", func(t *testing.T) {
			_, ok := r.run(t, "true")
			require.False(t, ok)
		})
	}
}

// A server that is set up as vectors/README.md describes passes all vectors except those
// that need a fresh server with its own limits or a stopped clock. On a server with another
// set-up exactly the vectors fail that are marked.
func TestVectorRunnersOnTheService(t *testing.T) {
	testenv.Slow(t)
	server := build(t, "../../../../cmd", "./server")
	unlimited := []string{"--json-limit", "16777215", "--qr-limit", "16777215"}
	documented := start(t, server, append([]string{"--base-url", "https://hi.example.com", "--notice", "As of 2026-11-21, test notice."}, unlimited...)...)
	other := start(t, server, unlimited...)
	file := vectorFiles(t)["http.json"]
	var marked []string
	skipped := 0
	for _, v := range file.Vectors {
		if len(v.Needs) > 0 {
			marked = append(marked, v.ID)
		}
		if slices.Contains(v.Needs, "limits") || slices.Contains(v.Needs, "clock") {
			skipped++
		}
	}
	require.Positive(t, skipped)
	failure := regexp.MustCompile(`(?m)^http\.json#([a-z0-9-]+) \(`)
	for _, r := range runners(t) {
		t.Run(r.name, func(t *testing.T) {
			out, ok := r.run(t, "--skip", "limits,clock", documented)
			require.True(t, ok, "%s", out)
			require.Contains(t, out, fmt.Sprintf("http.json: %d passed, 0 failed, %d skipped\n", len(file.Vectors)-skipped, skipped))
			out, ok = r.run(t, other)
			require.False(t, ok)
			var failed []string
			for _, m := range failure.FindAllStringSubmatch(out, -1) {
				failed = append(failed, m[1])
			}
			require.Equal(t, marked, failed)
		})
	}
}

// start runs the server on a free port and returns its address.
func start(t *testing.T, server string, flags ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), server, append([]string{"--addr", "127.0.0.1:0", "--log-format", "json"}, flags...)...)
	log, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var entry struct{ Msg, Addr string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &entry))
		if entry.Msg == "listening" {
			return "http://" + entry.Addr
		}
	}
	require.Fail(t, "the server did not start")
	return ""
}

func TestVectorsFitTheirSchema(t *testing.T) {
	text, err := fs.ReadFile(vectors.FS(), "vectors.schema.json")
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("vectors.schema.json", document))
	schema, err := c.Compile("vectors.schema.json")
	require.NoError(t, err)
	validate := func(text string) error {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		return schema.Validate(value)
	}

	for name := range vectorFiles(t) {
		data, err := fs.ReadFile(vectors.FS(), name)
		require.NoError(t, err)
		require.NoError(t, validate(string(data)), name)
	}

	compact := func(name string) string {
		data, err := fs.ReadFile(vectors.FS(), name)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, json.Compact(&b, data))
		return b.String()
	}
	for _, broken := range []struct{ file, old, new string }{
		{"key_parse.json", `"license":"MIT"`, `"license":"BSD"`},
		{"key_parse.json", `"function":"chatlink.ParseKey"`, `"function":"chatlink.Other"`},
		{"key_parse.json", `"id":"digits"`, `"id":"Digits"`},
		{"key_parse.json", `"input":"1234"`, `"input":1234`},
		{"key_parse.json", `"output":"1234"`, `"output":1234`},
		{"key_parse.json", `"output":"1234"`, `"output":"1234","codes":["key_invalid_format"]`},
		{"key_parse.json", `"codes":["key_invalid_format"]`, `"codes":[]`},
		{"key_parse.json", `"source":"D`, `"source":"E`},
		{"key_parse.json", `"id":"digits",`, `"id":"digits","needs":["limits"],`},
		{"http.json", `"needs":["limits"]`, `"needs":["luck"]`},
		{"http.json", `"status":200`, `"status":"200"`},
		{"http.json", `"method":"GET"`, `"method":"GRAB"`},
		{"webhook_normalize.json", `"kind":"message"`, `"kind":"massage"`},
		{"webhook_normalize.json", `"at":"/`, `"at":"`},
		{"webhook_normalize.json", `"payload":`, `"text":"{}","payload":`},
		{"webhook_read.json", `"change":{"previous":{`, `"change":{"raw":1,"previous":{`},
		{"qr_render.json", `"grid":"`, `"grid":"x`},
		{"identity.json", `"persons":`, `"people":`},
	} {
		text := compact(broken.file)
		require.Contains(t, text, broken.old)
		require.Error(t, validate(strings.Replace(text, broken.old, broken.new, 1)), "%s: %s", broken.file, broken.new)
	}
}
