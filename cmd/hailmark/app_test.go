package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// The tests run this binary as the program.
func TestMain(m *testing.M) {
	if os.Getenv("HAILMARK_TEST_RUN_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

func runTool(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	a := &app{
		stdin: strings.NewReader(stdin), stdout: &out, stderr: &err,
		getenv: func(string) string { return "" }, isTerminal: func(any) bool { return false },
	}
	status = a.run(args)
	return status, out.String(), err.String()
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// requirePrinted checks a page that a command writes to a file and to standard output.
func requirePrinted(t *testing.T, drawn *qrprint.Page, file string, command ...string) {
	t.Helper()
	format, err := batch.ParsePaperFormat(strings.ToLower(filepath.Ext(file)[1:]))
	require.NoError(t, err)
	want, err := drawn.Append(nil, format)
	require.NoError(t, err)
	status, stdout, stderr := runTool(t, "", append(command, "-o", file)...)
	require.Zero(t, status, stderr)
	require.Empty(t, stdout)
	require.Len(t, strings.Split(stderr, "\n"), len(drawn.Warnings())+1, stderr)
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, got, file)
	_, stdout, _ = runTool(t, "", append(command, "-o", "-", "--format", format.String())...)
	require.Equal(t, string(want), stdout, file)
	status, _, stderr = runTool(t, "", append(command, "-o", file)...)
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "hailmark: "+file+" exists already; use --force to replace it\n")
	status, _, stderr = runTool(t, "", append(command, "-o", file, "--force")...)
	require.Zero(t, status, stderr)
}

func eachCommand(root *cobra.Command, do func(*cobra.Command)) {
	for _, command := range root.Commands() {
		if command.Name() != "help" {
			do(command)
			eachCommand(command, do)
		}
	}
}

// Every example in the help runs in a shell, in a folder that contains the example files. It
// may specify its exit status, as in "# exit 1".
func TestHelpExamples(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the examples need a shell")
	}
	bin := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "hailmark")))
	root := (&app{}).newRoot()
	eachCommand(root, func(c *cobra.Command) {
		t.Run(c.Name(), func(t *testing.T) {
			require.NotEmpty(t, c.Short)
			require.NotEmpty(t, c.GroupID)
			dir := t.TempDir()
			for name, text := range exampleFiles {
				write(t, dir, name, text)
			}
			lines := strings.Split(strings.TrimSpace(c.Example), "\n")
			require.Contains(t, c.Example, "hailmark "+c.Name())
			for _, line := range lines {
				switch {
				case strings.Contains(line, "hailmark mcp"):
					continue // it runs until its client ends
				case strings.Contains(line, "hailmark simulate"):
					continue // it needs a receiver: see simulate_test.go
				}
				want := 0
				if strings.HasSuffix(line, "# exit 1") {
					want = 1
				}
				cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.TrimSpace(line))
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HAILMARK_TEST_RUN_MAIN=1")
				out, err := cmd.Output()
				require.Equal(t, want, cmd.ProcessState.ExitCode(), "%s: %v %s", line, err, out)
				if !regexp.MustCompile(` -o \S+\.|--out `).MatchString(line) {
					require.NotEmpty(t, out, line)
				}
			}
		})
	})
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"simulat":                     "hailmark: unknown command \"simulat\" for \"hailmark\"\n\nDid you mean this?\n\tsimulate\n\n",
		"webhook":                     "hailmark: unknown command \"webhook\" for \"hailmark\"\n\nDid you mean this?\n\tnormalize\n\n",
		"people --no-such-flag":       "hailmark: unknown flag: --no-such-flag\nSee 'hailmark people --help'.\n",
		"people a b":                  "hailmark: got 2 arguments; the usage is hailmark people [file]\nSee 'hailmark people --help'.\n",
		"people --csv":                "hailmark: --csv needs --contacts\nSee 'hailmark people --help'.\n",
		"people --column a=b":         "hailmark: --column a: unknown column; known are id, phone, bsuid, username, name, created, portfolio, group\nSee 'hailmark people --help'.\n",
		"people --portfolio 1=a":      "hailmark: --portfolio and --group need --webhooks; facts contain their own\nSee 'hailmark people --help'.\n",
		"people --contacts -":         "hailmark: --contacts and the facts are both standard input; one needs a file name\nSee 'hailmark people --help'.\n",
		"people --separator ab":       "hailmark: --separator \"ab\" isn't one ASCII character other than a quote, or tab\nSee 'hailmark people --help'.\n",
		"people --portfolio=x":        "hailmark: invalid argument \"x\" for \"--portfolio\" flag: it has no =, which is followed by the value\nSee 'hailmark people --help'.\n",
		"qr jane.doe -output=x.png":   "hailmark: unknown flag: -output (did you mean --output?)\nSee 'hailmark qr --help'.\n",
		"people -contacts":            "hailmark: unknown flag: -contacts (did you mean --contacts?)\nSee 'hailmark people --help'.\n",
		"people --column id=x -csv=x": "hailmark: unknown flag: -csv (did you mean --csv?)\nSee 'hailmark people --help'.\n",
		"qr -quiet":                   "hailmark: unknown shorthand flag: 'q' in -quiet\nSee 'hailmark qr --help'.\n",
		"people --contacts":           "hailmark: flag needs an argument: --contacts\nSee 'hailmark people --help'.\n",
	} {
		status, stdout, stderr := runTool(t, "", strings.Fields(args)...)
		require.Equal(t, 2, status, args)
		require.Empty(t, stdout, args)
		require.Equal(t, want, stderr, args)
	}
	status, stdout, stderr := runTool(t, "")
	require.Equal(t, 2, status)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "Usage:\n")
	for _, args := range []string{"help", "-h", "--help", "help people", "people -h"} {
		status, stdout, stderr = runTool(t, "", strings.Fields(args)...)
		require.Zero(t, status, args)
		require.Contains(t, stdout, "Usage:\n", args)
		require.Empty(t, stderr, args)
	}
}

// Help lists flags before it explains, and describes tables once.
func TestHelpHasNoRepetitions(t *testing.T) {
	_, tables, _ := runTool(t, "", "help", "table")
	require.Contains(t, tables, "username or phone ")
	eachCommand((&app{}).newRoot(), func(c *cobra.Command) {
		if c.DisableFlagParsing {
			return
		}
		_, help, _ := runTool(t, "", c.Name(), "--help")
		if flags := strings.Index(help, "\nFlags:\n"); flags >= 0 {
			require.Less(t, strings.Count(help[:flags], "\n"), 12, c.Name())
		}
		for line := range strings.SplitSeq(strings.TrimSpace(tables), "\n") {
			if line != "" {
				require.NotContains(t, help, line, c.Name())
			}
		}
		if c.Name() == "check" {
			require.NotContains(t, help, "Flags for paper")
			require.NotContains(t, help, "--size")
		}
	})
}

func TestMissingFile(t *testing.T) {
	status, _, stderr := runTool(t, "", "people", "no-such-file")
	require.Equal(t, 1, status)
	require.Equal(t, "hailmark: open no-such-file: no such file or directory\n", stderr)
}
