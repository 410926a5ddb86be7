package main

import (
	"io"
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

// startTool starts the tool as a process of its own in a folder.
func startTool(t *testing.T, dir string, stdin io.Reader, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir, cmd.Stdin = dir, stdin
	cmd.Env = append(os.Environ(), "HAILMARK_TEST_RUN_MAIN=1")
	require.NoError(t, cmd.Start())
	return cmd
}

// temporaries returns the temporary files in a folder.
func temporaries(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".hailmark-*"))
	require.NoError(t, err)
	return names
}

// A sheet that is killed when half of it is written leaves the earlier file unchanged. If
// it is interrupted, it also removes its temporary file.
func TestSheetKilled(t *testing.T) {
	for _, signal := range []os.Signal{os.Kill, os.Interrupt} {
		dir := t.TempDir()
		labels := write(t, dir, "labels.pdf", "earlier")
		table, rows := io.Pipe()
		cmd := startTool(t, dir, table, "sheet", "-", "-o", "labels.pdf", "--labels", "avery-l7160")
		go func() {
			_, err := io.WriteString(rows, "username\n")
			for err == nil {
				_, err = io.WriteString(rows, strings.Repeat("jane.doe\n", 100))
			}
		}()
		require.Eventually(t, func() bool {
			for _, name := range temporaries(t, dir) {
				info, err := os.Stat(name)
				return err == nil && info.Size() > 0
			}
			return false
		}, time.Minute, time.Millisecond)
		require.NoError(t, cmd.Process.Signal(signal))
		state, err := cmd.Process.Wait()
		require.NoError(t, err)
		require.False(t, state.Success())
		require.NoError(t, table.Close())
		_ = cmd.Wait()
		text, err := os.ReadFile(labels)
		require.NoError(t, err)
		require.Equal(t, "earlier", string(text))
		if signal == os.Interrupt {
			require.Empty(t, temporaries(t, dir))
		}
	}
}

// A picture that is killed at any moment is the earlier one or the new one.
func TestPictureKilled(t *testing.T) {
	for _, args := range [][]string{
		{"qr", "jane.doe", "-o", "a.png", "--size", "4096"},
		{"poster", "jane.doe", "-o", "a.pdf", "--heading", "Questions?"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, args[3])
		started := time.Now()
		require.NoError(t, startTool(t, dir, nil, args...).Wait())
		longest := time.Since(started)
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, temporaries(t, dir))
		for range testenv.Trials(20) {
			require.NoError(t, os.WriteFile(file, []byte("earlier"), 0o644))
			cmd := startTool(t, dir, nil, args...)
			time.Sleep(time.Duration(rand.Int64N(int64(longest))))
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.True(t, string(text) == "earlier" || string(text) == string(whole))
		}
	}
}

func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	name := write(t, dir, "a", "earlier")
	require.NoError(t, os.Chmod(name, 0o640))
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "link")))
	read := func() string {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(text)
	}
	f := &outputFile{name: filepath.Join(dir, "link")}
	_, err := io.WriteString(f, "new")
	require.NoError(t, err)
	require.Equal(t, "earlier", read())
	require.NoError(t, f.close(true))
	require.Equal(t, "new", read())
	info, err := os.Lstat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	info, err = os.Lstat(filepath.Join(dir, "link"))
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, info.Mode().Type())

	f = &outputFile{name: name}
	_, err = io.WriteString(f, "incomplete")
	require.NoError(t, err)
	require.NoError(t, f.close(false))
	require.Equal(t, "new", read())
	require.Empty(t, temporaries(t, dir))

	f = &outputFile{name: filepath.Join(dir, "unused")}
	require.NoError(t, f.close(true))
	require.NoFileExists(t, f.name)
	require.NoError(t, writeFile(os.DevNull, []byte("x")))
	require.ErrorContains(t, writeFile(dir, []byte("x")), "is a directory")
	missing := filepath.Join(dir, "no-such-folder", "a.pdf")
	require.EqualError(t, writeFile(missing, []byte("x")), "create "+missing+": no such file or directory")
}
