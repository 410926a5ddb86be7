package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSheet(t *testing.T) {
	dir := t.TempDir()
	table := write(t, dir, "people.csv", "username,caption\njane.doe,Jane\nx,\nmax,\n")
	output := filepath.Join(dir, "labels.pdf")
	report := filepath.Join(dir, "report.ndjson")
	sheet := func(args ...string) (int, string, string) {
		return runTool(t, "", append([]string{"sheet", table, "--labels", "Avery-L7160"}, args...)...)
	}
	status, stdout, stderr := sheet("-o", output, "--start", "21", "--report", report)
	require.Equal(t, 1, status)
	require.Empty(t, stderr)
	require.Equal(t, "1 row with an error in column username (username_length):\n  row 3: \"x\": username has 1 character; the length must be 3-35 characters\n3 rows: 2 ok, 1 failed, 0 skipped\n", stdout)
	lines, err := os.ReadFile(report)
	require.NoError(t, err)
	require.Equal(t, `{"row":2,"status":"ok","page":1,"label":21,"link":"https://wa.me/jane.doe"}
{"row":3,"status":"failed","column":"username","value":"x","code":"username_length","message":"username has 1 character; the length must be 3-35 characters"}
{"row":4,"status":"ok","page":2,"label":1,"link":"https://wa.me/max"}
`, string(lines))
	file, err := os.ReadFile(output)
	require.NoError(t, err)
	_, stdout, _ = sheet("-o", "-", "--start", "21")
	require.Equal(t, string(file), stdout)

	for _, args := range [][]string{
		{"--border"}, {"--offset-x", "1"}, {"--offset-y", "-1"}, {"--padding", "3"}, {"--padding", "0"}, {"--mm", "15"}, {"--caption", "{name}"}, {"--color", "000080"},
	} {
		_, changed, stderr := sheet(append([]string{"-o", "-", "--start", "21"}, args...)...)
		require.True(t, strings.HasPrefix(changed, "%PDF-"), stderr)
		require.NotEqual(t, string(file), changed, args)
	}
	_, _, stderr = sheet("-o", "-", "--mm", "8")
	require.Contains(t, stderr, "2 rows with a warning (small_module):\n  row 2: modules are 0.32 mm")
}

// A JSON file that describes a known product produces the same sheet.
func TestSheetLabelsFile(t *testing.T) {
	dir := t.TempDir()
	table := write(t, dir, "people.csv", "username\njane.doe\n")
	sheet := func(labels string) (int, string, string) {
		return runTool(t, "", "sheet", table, "-o", "-", "--labels", labels, "--border")
	}
	_, want, _ := sheet("herma-4608")
	const description = `{"paper":"a4","columns":4,"rows":11,"width":48.26,"height":25.4,"left":8.48,"top":8.8,"pitchX":48.26,"pitchY":25.4}`
	status, got, stderr := sheet(write(t, dir, "a.json", description))
	require.Zero(t, status, stderr)
	require.Equal(t, want, got)
	for text, problem := range map[string]string{
		"":                                "EOF",
		"[]":                              "cannot unmarshal array",
		description + description:         "there is text after the object",
		description + "}":                 "there is text after the object",
		`{"colums":4}`:                    "unknown field",
		`{"paper":"a3"}`:                  "paper isn't a4, a5 or letter",
		`{"columns":4,"rows":5}`:          "labels overlap or don't lie on the paper",
		`{"columns":1000000,"rows":1000}`: "labels have 1000000 columns and 1000 rows; 1 to 100 of each are allowed",
	} {
		status, got, stderr := sheet(write(t, dir, "b.json", text))
		require.Equal(t, 1, status, text)
		require.Empty(t, got)
		require.Contains(t, stderr, problem)
		require.Contains(t, stderr, "(print_invalid_")
	}
}

func TestSheetRejected(t *testing.T) {
	dir := t.TempDir()
	table := write(t, dir, "people.csv", "username\njane.doe\n")
	output := filepath.Join(dir, "a.pdf")
	const labels = " --labels avery-l7160"
	for args, want := range map[string]string{
		"":                               "--output needs a .pdf file",
		"-o a.png" + labels:              "--output needs a .pdf file",
		"-o a.pdf":                       "--labels is required",
		"-o a.pdf --start 0" + labels:    "--start 0 isn't a label",
		"-o a.pdf --padding=-1" + labels: "--padding: length isn't",
		"-o a.pdf --report a" + labels:   "--report a doesn't end in .csv or .ndjson",
		"-o a.pdf --size 200" + labels:   "unknown flag: --size",
	} {
		status, _, stderr := runTool(t, "", append([]string{"sheet", table}, strings.Fields(args)...)...)
		require.Equal(t, 2, status, args)
		require.Contains(t, stderr, want)
	}
	for args, want := range map[string]string{
		"--labels x":                       "(print_invalid_labels)\nHint: hailmark sheet --help lists the labels, and shows how to describe others.\n",
		"--start 22" + labels:              "(print_invalid_start)",
		"--offset-x NaN" + labels:          "(print_invalid_length)",
		"--mm 60" + labels:                 "no row could be printed, so no file was written",
		"--column username=x" + labels:     "the table has no column",
		"-o no-such-folder/a.pdf" + labels: "no such file or directory",
	} {
		status, _, stderr := runTool(t, "", append([]string{"sheet", table, "-o", output}, strings.Fields(args)...)...)
		require.Equal(t, 1, status, args)
		require.Contains(t, stderr, want, args)
		require.NoFileExists(t, output)
	}
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: os.Getenv, isTerminal: func(any) bool { return true }}
	require.Equal(t, 1, a.run([]string{"sheet", table, "-o", "-", "--labels", "avery-l7160"}))
}
