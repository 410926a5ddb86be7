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

	"github.com/hailmark/hailmark/internal/testenv"
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

// A run that is killed 20 times at random moments, and resumed each time, leaves the same
// files as one that is not killed, and no other files. Most rows of the table are empty, so
// that it has several checkpoints but takes little time.
func TestBatchKilled(t *testing.T) {
	kills := testenv.Trials(20)
	var text strings.Builder
	text.WriteString("username,phone,text,file\n")
	for i := range 3000 {
		switch {
		case i%50 == 7:
			text.WriteString("x,,,\n")
		case i%50 == 9:
			text.WriteString("jane.doe,,,same\n")
		case i%16 == 0:
			fmt.Fprintf(&text, "user%d,,Hello %d,\n", i, i)
		default:
			text.WriteString(",,,\n")
		}
	}
	table := write(t, t.TempDir(), "people.csv", text.String())
	for _, args := range [][]string{
		{"--out", "codes", "--format", "png", "--size", "200"},
		{"--out", "codes", "--format", "svg"},
		{"--out", "codes", "--format", "pdf"},
		{"--out", "codes.zip", "--format", "png", "--size", "200"},
	} {
		t.Run(args[1]+" "+args[3], func(t *testing.T) {
			batch := func(dir string) *exec.Cmd {
				return startTool(t, dir, nil, append([]string{"batch", table, "--resume", "--report", "report.ndjson", "--report", "report.csv"}, args...)...)
			}
			whole := t.TempDir()
			started := time.Now()
			cmd := batch(whole)
			_ = cmd.Wait()
			require.Equal(t, 1, cmd.ProcessState.ExitCode())
			longest := time.Since(started)
			want := tree(t, whole)
			require.Greater(t, len(want), 2)

			for killed := 0; killed < kills; {
				dir := t.TempDir()
				for attempt := int64(1); ; attempt++ {
					started := time.Now()
					cmd := batch(dir)
					kill := time.AfterFunc(time.Duration(rand.Int64N(int64(longest)*attempt)), func() { _ = cmd.Process.Kill() })
					_ = cmd.Wait()
					kill.Stop()
					if cmd.ProcessState.Exited() {
						longest = min(longest, max(time.Since(started), time.Millisecond))
						break
					}
					killed++
				}
				got := tree(t, dir)
				require.Len(t, got, len(want))
				for name := range want {
					require.True(t, want[name] == got[name], name)
				}
			}
		})
	}
}

func TestBatchCommand(t *testing.T) {
	dir := t.TempDir()
	table := write(t, dir, "people.csv", exampleFiles["people.csv"]+"x,,,\n")
	status, stdout, stderr := runTool(t, "", "batch", table, "--out", filepath.Join(dir, "codes"))
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "hailmark: row 3: username has 1 character; 3 to 35 are allowed (username_length)\n3 rows: 2 ok, 1 failed, 0 skipped\n", stderr)
	require.Len(t, tree(t, filepath.Join(dir, "codes")), 2)

	status, stdout, _ = runTool(t, "", "check", table)
	require.Equal(t, 1, status)
	require.Equal(t, "row 3: username has 1 character; 3 to 35 are allowed (username_length)\n3 rows: 2 ok, 1 failed, 0 skipped\n", stdout)
	status, stdout, _ = runTool(t, `{"username":"x"}`, "check", "-", "--ndjson", "--json")
	require.Equal(t, 1, status)
	require.Equal(t, `{"row":1,"status":"failed","code":"username_length","message":"username has 1 character; 3 to 35 are allowed"}`+"\n"+`{"rows":1,"ok":0,"failed":1,"skipped":0}`+"\n", stdout)
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
