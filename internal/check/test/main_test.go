package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// A module with a package for each way in which tests end.
var module = map[string]string{
	"go.mod": "module m\n\ngo 1.25\n",
	"good/good_test.go": `package good
import "testing"
func TestSlow(t *testing.T) { t.Skip("skipped: slow") }
func TestParts(t *testing.T) {
	t.Log("quiet")
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) { t.Log("not the reason"); t.Skip("slow") })
	}
	t.Run("c", func(t *testing.T) { t.SkipNow() })
}`,
	"bad/bad_test.go": `package bad
import "testing"
func TestGood(t *testing.T) { t.Log("quiet") }
func TestBad(t *testing.T) {
	t.Run("good", func(t *testing.T) { t.Log("quiet") })
	t.Run("bad", func(t *testing.T) { t.Error("loud") })
}
func TestAbsent(t *testing.T) { t.Skip("zbarimg is missing") }`,
	"crash/crash_test.go": `package crash
import "testing"
func TestCrash(t *testing.T) { t.Log("before"); panic("loud") }`,
	"broken/broken_test.go": `package broken
import "testing"
func TestBroken(t *testing.T) { undefined() }`,
}

// The command says what go test says of each package and of failed tests, and then counts the reasons.
func TestRun(t *testing.T) {
	testenv.Slow(t)
	dir := t.TempDir()
	for name, text := range module {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	program := filepath.Join(t.TempDir(), "test")
	build, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", build)
	run := func(args ...string) (string, error) {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}

	out, err := run("./good")
	require.NoError(t, err)
	require.Regexp(t, `^ok  \tm/good\t\S+\n\nskipped tests: 4\n    3  slow\n    1  no reason is given\n$`, out)
	again, err := run("./good") // from the cache
	require.NoError(t, err)
	require.Contains(t, again, "(cached)\n\nskipped tests: 4\n    3  slow\n")

	out, err = run("./...")
	require.Error(t, err)
	for _, part := range []string{
		"ok  \tm/good", "--- FAIL: TestBad (", "--- FAIL: TestBad/bad", "loud\n", "FAIL\tm/bad\t",
		"before\n", "panic: loud", "FAIL\tm/crash\t", "undefined: undefined", "FAIL\tm/broken [build failed]",
		"\n\nskipped tests: 5\n    3  slow\n    1  no reason is given\n    1  zbarimg is missing\n",
	} {
		require.Contains(t, out, part)
	}
	for _, part := range []string{"quiet", "TestGood", "TestBad/good", "=== RUN"} {
		require.NotContains(t, out, part)
	}

	out, err = run("-count=x")
	require.Error(t, err)
	require.Contains(t, out, `invalid value "x" for flag -count`)
}

// What the go command wrote for a package with a test that was skipped and one that failed.
const events = `{"Action":"start","Package":"m/x"}
{"Action":"run","Package":"m/x","Test":"TestA"}
{"Action":"output","Package":"m/x","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"m/x","Test":"TestA","Output":"    x_test.go:3: skipped: npm is missing\n"}
{"Action":"output","Package":"m/x","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"m/x","Test":"TestA","Elapsed":0}
{"Action":"run","Package":"m/x","Test":"TestB"}
{"Action":"output","Package":"m/x","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"m/x","Test":"TestB","Output":"    x_test.go:4: loud\n"}
{"Action":"output","Package":"m/x","Test":"TestB","Output":"--- FAIL: TestB (0.00s)\n"}
{"Action":"fail","Package":"m/x","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"m/x","Output":"FAIL\n"}
{"Action":"output","Package":"m/x","Output":"FAIL\tm/x\t0.001s\n"}
{"Action":"fail","Package":"m/x","Elapsed":0.001}
FAIL
`

func TestReport(t *testing.T) {
	var out strings.Builder
	require.NoError(t, report(&out, strings.NewReader(events)))
	require.Equal(t, "    x_test.go:4: loud\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tm/x\t0.001s\nFAIL\n\nskipped tests: 1\n    1  npm is missing\n", out.String())
}
