package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// No command changes a file that it reads, whatever the inputs and outputs are called.
func TestInputsAreSafe(t *testing.T) {
	if dir := os.Getenv("HAILMARK_TEST_SAFETY"); dir != "" {
		testSafety(t, dir, 7)
		return
	}
	testSafety(t, t.TempDir(), 97)
}

// More combinations run as an ordinary user, because root may write to read-only files.
func TestInputsAreSafeForOrdinaryUser(t *testing.T) {
	testenv.Slow(t)
	if os.Getuid() != 0 {
		testSafety(t, t.TempDir(), 7)
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "")
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(dir)) }()
	copied, folder := filepath.Join(dir, "test"), filepath.Join(dir, "folder")
	require.NoError(t, os.WriteFile(copied, program, 0o755))
	require.NoError(t, os.Mkdir(folder, 0o777))
	for _, name := range []string{dir, folder} {
		require.NoError(t, os.Chmod(name, 0o777))
	}
	cmd := exec.CommandContext(t.Context(), copied, "-test.run=^TestInputsAreSafe$")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "HAILMARK_TEST_SAFETY="+folder, "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "PASS")
}

// testSafety runs every command with one in so many combinations of names in a folder with 50 files.
// The folder's construction determines which names are the same file.
func testSafety(t *testing.T, dir string, every int) {
	dir, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	t.Chdir(dir)
	aliases, others := makeSafetyFolder(t, dir)

	// Outputs include all names for all inputs, some other files, and new files.
	outputs := map[string][]string{"": {"new.csv", "new.png", "new.pdf", "new.zip", "new/"}}
	outputs["other"] = others[:4]
	for input, names := range aliases {
		outputs[input] = append(outputs[input], names...)
	}
	before := hashes(t, dir)
	tried, wrote := 0, 0
	run := func(inputs, written []string, args ...string) {
		if tried++; tried%every != 0 {
			return
		}
		status, _, _ := runTool(t, safetyTable, args...)
		require.LessOrEqual(t, status, 2)
		after := hashes(t, dir)
		for _, input := range inputs {
			for _, name := range aliases[input] {
				require.Equal(t, before[clean(dir, name)], after[clean(dir, name)], "%s: %s", args, name)
			}
		}
		forced := false
		for _, arg := range args {
			forced = forced || arg == "--force"
		}
		for name := range before {
			if before[name] == after[name] {
				continue
			}
			// An output may replace a file that isn't an input.
			require.True(t, forced && status < 2 && len(written) > 0, "%s: %s", args, name)
		}
		for name := range after {
			require.NotContains(t, name, ".hailmark-", "%s", args)
		}
		if len(after) != len(before) || fmt.Sprint(after) != fmt.Sprint(before) {
			wrote++
			makeSafetyFolder(t, dir)
			require.Equal(t, before, hashes(t, dir))
		}
	}
	for _, force := range [][]string{nil, {"--force"}} {
		for _, in := range aliases["in1"] {
			for kind, names := range outputs {
				for _, out := range names {
					isInput := kind == "in1"
					written := []string{out}
					if isInput {
						written = nil
					}
					for _, args := range [][]string{
						{"check", in, "--report", out},
						{"check", in, "--report", "new.csv", "--report", out},
						{"batch", in, "--out", out},
						{"batch", in, "-o", "new/", "--report", out},
						{"batch", in, "--out", ".", "--report", out},
						{"sheet", in, "--labels", "avery-l7160", "-o", out},
						{"sheet", in, "--labels", "avery-l7160", "-o", "new.pdf", "--report", out},
					} {
						if args[len(args)-1] == out && args[3] == "." { // images replace names of other inputs
							written = []string{"in1.png", "logo.png"}
						}
						run([]string{"in1"}, written, append(args, force...)...)
					}
				}
			}
		}
		for _, logo := range aliases["logo"] {
			for kind, names := range outputs {
				for _, out := range names {
					written := []string{out}
					if kind == "logo" {
						written = nil
					}
					run([]string{"logo"}, written, append([]string{"qr", "jane.doe", "--logo", logo, "-o", out}, force...)...)
					run([]string{"logo"}, written, append([]string{"poster", "jane.doe", "--dpi", "72", "--logo", logo, "-o", out}, force...)...)
					run([]string{"logo", "labels"}, written, append([]string{"sheet", "-", "--labels", "labels.json", "--logo", logo, "-o", out}, force...)...)
				}
			}
		}
	}
	require.Greater(t, tried, 3000)
	require.Greater(t, wrote, tried/every/20, "many commands write something")
}

// A list that's also the output isn't read, because it would never end.
func TestListIsOutput(t *testing.T) {
	dir := t.TempDir()
	name := write(t, dir, "list", "jane.doe\n")
	for _, args := range [][]string{{"validate", "username", "-"}, {"link", "-"}, {"validate", "identifier", "-"}} {
		in, err := os.Open(name)
		require.NoError(t, err)
		out, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		var stderr strings.Builder
		a := &app{stdin: in, stdout: out, stderr: &stderr, getenv: func(string) string { return "" }, isTerminal: func(any) bool { return false }}
		require.Equal(t, 2, a.run(args))
		require.Contains(t, stderr.String(), "standard input is also standard output")
		require.NoError(t, in.Close())
		require.NoError(t, out.Close())
		require.Equal(t, map[string]string{"list": "jane.doe\n"}, tree(t, dir))
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// clean returns a name in the form that hashes uses.
func clean(dir, name string) string {
	name = strings.ReplaceAll(name, "sub/up/", "")
	if filepath.IsAbs(name) {
		name, _ = filepath.Rel(dir, name)
	}
	return filepath.Clean(name)
}

// hashes returns the type and hash for each file below a folder.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || name == filepath.Join(dir, "sub", "up") || d.IsDir() {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		h := sha256.New()
		_, err = io.Copy(h, f)
		inner, _ := filepath.Rel(dir, name)
		sums[inner] = fmt.Sprintf("%s %x", d.Type(), h.Sum(nil))
		return err
	}))
	return sums
}

const safetyTable = "username,file\njane.doe,\nada,in1\nmax,logo\n"

// makeSafetyFolder creates 50 files. It returns the names for each input and for the other
// files.
func makeSafetyFolder(t *testing.T, dir string) (aliases map[string][]string, others []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		require.NoError(t, os.RemoveAll(entry.Name()))
	}
	require.NoError(t, os.MkdirAll("sub/deep", 0o755))
	require.NoError(t, os.Symlink("..", "sub/up"))
	files := 0
	aliases = map[string][]string{}
	for input, text := range map[string]string{"in1": safetyTable, "in2": safetyTable, "logo": exampleFiles["logo.png"], "labels": exampleFiles["labels.json"]} {
		file := input + ".csv"
		write(t, dir, file, text)
		for name, target := range map[string]string{
			input + ".png": file, input + ".zip": input + ".png", input + "-a.csv": filepath.Join(dir, file), "sub/deep/" + input + ".svg": "../../" + file,
		} {
			require.NoError(t, os.Symlink(target, name))
			aliases[input] = append(aliases[input], name)
		}
		for _, name := range []string{input + ".pdf", input + ".json", "sub/" + file} {
			require.NoError(t, os.Link(file, name))
			aliases[input] = append(aliases[input], name)
		}
		files += 8
		aliases[input] = append(aliases[input], file, "./"+file, "sub/../"+file, "sub/up/"+file, filepath.Join(dir, file), filepath.Join(dir, "sub", "up", input+".png"))
		if upper := strings.ToUpper(file); exists(upper) {
			aliases[input] = append(aliases[input], upper)
		}
	}
	for ; files < 50; files++ {
		name := fmt.Sprintf("other%d.%s", files, []string{"csv", "png", "pdf", "zip"}[files%4])
		write(t, dir, name, name)
		others = append(others, name)
	}
	return aliases, others
}
