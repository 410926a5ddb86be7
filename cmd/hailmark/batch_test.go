package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tree returns the files below a folder with their content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		inner, _ := filepath.Rel(dir, name)
		files[inner] = string(text)
		return err
	}))
	return files
}

// A run that is killed at any moment and resumed leaves the same files as one that is not,
// and no other files.
func TestBatchKilled(t *testing.T) {
	var text strings.Builder
	text.WriteString("username,phone,text,file\n")
	for i := range 3000 {
		switch i % 50 {
		case 7:
			text.WriteString("x,,,\n")
		case 8:
			text.WriteString(",,,\n")
		case 9:
			text.WriteString("jane.doe,,,same\n")
		default:
			fmt.Fprintf(&text, "user%d,,Hello %d,\n", i, i)
		}
	}
	table := write(t, t.TempDir(), "people.csv", text.String())
	self, err := os.Executable()
	require.NoError(t, err)
	for _, out := range []string{"codes", "codes.zip"} {
		batch := func(dir string) *exec.Cmd {
			cmd := exec.CommandContext(t.Context(), self, "batch", table, "--out", out, "--report", "report.ndjson", "--report", "report.csv", "--size", "200", "--resume")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HAILMARK_TEST_RUN_MAIN=1")
			return cmd
		}
		whole := t.TempDir()
		started := time.Now()
		cmd := batch(whole)
		_ = cmd.Run()
		require.Equal(t, 1, cmd.ProcessState.ExitCode())
		longest := time.Since(started)
		want := tree(t, whole)
		require.NotEmpty(t, want)

		killed := 0
		for range 10 {
			dir := t.TempDir()
			for attempt := 0; ; attempt++ {
				require.Less(t, attempt, 100)
				cmd := batch(dir)
				require.NoError(t, cmd.Start())
				kill := time.AfterFunc(time.Duration(rand.Int64N(int64(longest)*(int64(attempt)+1))), func() { _ = cmd.Process.Kill() })
				_ = cmd.Wait()
				kill.Stop()
				if cmd.ProcessState.Exited() {
					break
				}
				killed++
			}
			got := tree(t, dir)
			require.Equal(t, len(want), len(got))
			for name := range want {
				require.True(t, want[name] == got[name], name)
			}
		}
		t.Logf("%s: killed %d times", out, killed)
		require.Positive(t, killed)
	}
}

func TestBatchCommand(t *testing.T) {
	dir := t.TempDir()
	table := write(t, dir, "people.csv", exampleFiles["people.csv"]+"x,,,\n")
	status, stdout, stderr := runTool(t, "", "batch", table, "--out", filepath.Join(dir, "codes"))
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "hailmark: row 3: username must be 3-35 characters long; got 1 (username_length)\n3 rows: 2 ok, 1 failed, 0 skipped\n", stderr)
	require.Len(t, tree(t, filepath.Join(dir, "codes")), 2)

	status, stdout, _ = runTool(t, "", "check", table)
	require.Equal(t, 1, status)
	require.Equal(t, "row 3: username must be 3-35 characters long; got 1 (username_length)\n3 rows: 2 ok, 1 failed, 0 skipped\n", stdout)
	status, stdout, _ = runTool(t, `{"username":"x"}`, "check", "-", "--ndjson", "--json")
	require.Equal(t, 1, status)
	require.Equal(t, `{"row":1,"status":"failed","code":"username_length","message":"username must be 3-35 characters long; got 1"}`+"\n"+`{"rows":1,"ok":0,"failed":1,"skipped":0}`+"\n", stdout)
	status, stdout, _ = runTool(t, "Wer;Was\njane.doe;Hi\n", "check", "-", "--column", "username=Wer", "--column=text=2")
	require.Zero(t, status)
	require.Equal(t, "1 rows: 1 ok, 0 failed, 0 skipped\n", stdout)

	many := "username\n" + strings.Repeat("x\n", 30)
	_, _, stderr = runTool(t, many, "batch", "-", "--out", filepath.Join(dir, "many"))
	require.Equal(t, 22, strings.Count(stderr, "\n"))
	require.Contains(t, stderr, "hailmark: more rows failed or have warnings; --report lists them all\n")

	for args, want := range map[string]string{
		"batch " + table: "--out must name a folder",
		"batch " + table + " --out x --report r.txt": "--report must end in .ndjson or .csv",
		"check " + table + " --column x=y":           "the columns are username, phone, text, file, color, background",
		"check " + table + " --size 1":               "--size: ",
	} {
		status, _, stderr := runTool(t, "", strings.Fields(args)...)
		require.Equal(t, 2, status, args)
		require.Contains(t, stderr, want)
	}
}
