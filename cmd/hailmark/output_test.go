package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// toolCommand returns a command that runs the tool in a new process.
func toolCommand(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HAILMARK_TEST_RUN_MAIN=1")
	return cmd
}

func startTool(t *testing.T, dir string, stdin io.Reader, args ...string) *exec.Cmd {
	t.Helper()
	cmd := toolCommand(t, dir, args...)
	cmd.Stdin = stdin
	require.NoError(t, cmd.Start())
	return cmd
}

func temporaries(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".hailmark-*"))
	require.NoError(t, err)
	return names
}

// If the command is killed while it writes a sheet, the earlier file is unchanged. If it's
// interrupted, it also removes its temporary file.
func TestSheetKilled(t *testing.T) {
	for _, signal := range []os.Signal{os.Kill, os.Interrupt, syscall.SIGQUIT} {
		dir := t.TempDir()
		labels := write(t, dir, "labels.pdf", "earlier")
		table, rows := io.Pipe()
		cmd := startTool(t, dir, table, "sheet", "-", "-o", "labels.pdf", "--labels", "avery-l7160", "--force")
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
			require.Equal(t, 130, state.ExitCode())
		}
		if signal == os.Kill {
			require.NotEmpty(t, temporaries(t, dir))
			status, _, stderr := runTool(t, "username\njane.doe\n", "sheet", "-", "-o", filepath.Join(dir, "next.pdf"), "--labels", "avery-l7160")
			require.Zero(t, status, stderr)
		}
		require.Empty(t, temporaries(t, dir))
	}
}

// A command doesn't remove the temporary files of one that still runs.
func TestTwoCommandsInOneFolder(t *testing.T) {
	dir := t.TempDir()
	table, rows, err := os.Pipe()
	require.NoError(t, err)
	slow := toolCommand(t, dir, "sheet", "-", "-o", "slow.pdf", "--labels", "avery-l7160")
	slow.Stdin = table
	require.NoError(t, slow.Start())
	require.Eventually(t, func() bool { return len(temporaries(t, dir)) > 0 }, time.Minute, time.Millisecond)
	for range 20 {
		status, _, stderr := runTool(t, "username\njane.doe\n", "batch", "-", "--out", dir, "--force")
		require.Zero(t, status, stderr)
	}
	_, err = io.WriteString(rows, "username\njane.doe\n")
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	require.NoError(t, slow.Wait())
	require.FileExists(t, filepath.Join(dir, "slow.pdf"))
	require.Empty(t, temporaries(t, dir))
}

// Ctrl-C ends a command with the status that shells give it, and a message.
func TestInterruptedSaysSo(t *testing.T) {
	dir := t.TempDir()
	table, rows, err := os.Pipe()
	require.NoError(t, err)
	defer rows.Close()
	cmd := toolCommand(t, dir, "sheet", "-", "-o", "labels.pdf", "--labels", "avery-l7160")
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = table, &stderr
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(temporaries(t, dir)) > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
	require.Equal(t, "hailmark: interrupted; no files were written\n", stderr.String())
	require.Empty(t, tree(t, dir))
}

// A command ignores the signals that its parent ignores, such as SIGHUP with nohup.
func TestIgnoredSignal(t *testing.T) {
	dir := t.TempDir()
	table, rows, err := os.Pipe()
	require.NoError(t, err)
	cmd := toolCommand(t, dir, "sheet", "-", "-o", "labels.pdf", "--labels", "avery-l7160")
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path, err = exec.LookPath("sh")
	require.NoError(t, err)
	cmd.Stdin = table
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(temporaries(t, dir)) > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	_, err = io.WriteString(rows, "username\njane.doe\n")
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	require.NoError(t, cmd.Wait())
	require.Contains(t, tree(t, dir), "labels.pdf")
}

// If a batch is interrupted or can't write to its output, it leaves no files.
func TestBatchInterrupted(t *testing.T) {
	for _, end := range []func(cmd *exec.Cmd, stdout *os.File) error{
		func(cmd *exec.Cmd, _ *os.File) error { return cmd.Process.Signal(os.Interrupt) },
		func(cmd *exec.Cmd, _ *os.File) error { return cmd.Process.Signal(syscall.SIGTERM) },
		func(_ *exec.Cmd, stdout *os.File) error { return stdout.Close() },
	} {
		dir := t.TempDir()
		table, rows, err := os.Pipe()
		require.NoError(t, err)
		// Only a pipe is a standard output that can be closed.
		stdout, closed, err := os.Pipe()
		require.NoError(t, err)
		cmd := toolCommand(t, dir, "sheet", "-", "-o", "-", "--labels", "avery-l7160", "--report", "r.csv")
		cmd.Stdin, cmd.Stdout = table, closed
		require.NoError(t, cmd.Start())
		require.NoError(t, closed.Close())
		_, err = io.WriteString(rows, "username\n"+strings.Repeat("jane.doe\n", 20))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return len(temporaries(t, dir)) > 0 }, time.Minute, time.Millisecond)
		require.NoError(t, end(cmd, stdout))
		go func() {
			for err == nil {
				_, err = io.WriteString(rows, strings.Repeat("jane.doe\n", 1000))
			}
		}()
		require.Error(t, cmd.Wait())
		require.NoError(t, table.Close())
		require.Empty(t, tree(t, dir))
		_ = stdout.Close()
	}
}

// Results and help that can't be written are errors.
func TestStdoutIsFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no device that is always full")
	}
	defer full.Close()
	for _, args := range []string{"version", "--version", "completion bash", "link jane.doe", "--help", "help qr", "qr --help"} {
		cmd := toolCommand(t, t.TempDir(), strings.Fields(args)...)
		var stderr strings.Builder
		cmd.Stdout, cmd.Stderr = full, &stderr
		require.Error(t, cmd.Run(), args)
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), args)
		require.Contains(t, stderr.String(), "no space left on device", args)
	}
}
