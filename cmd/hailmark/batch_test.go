package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tree returns the content of all files below a folder.
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

func TestBatchCommand(t *testing.T) {
	dir := t.TempDir()
	table := write(t, dir, "people.csv", exampleFiles["people.csv"]+"x,,,\n")
	out := filepath.Join(dir, "codes")
	status, stdout, stderr := runTool(t, "", "batch", table, "--out", out)
	require.Equal(t, 1, status)
	require.Empty(t, stderr)
	require.Equal(t, `1 row with an error in column username (username_length):
  row 4: "x": username has 1 character; the length must be 3-35 characters
3 rows: 2 ok, 1 failed, 0 skipped
`, stdout)
	require.Len(t, tree(t, out), 2)

	status, _, stderr = runTool(t, "", "batch", table, "--out", out)
	require.Equal(t, 1, status)
	require.Equal(t, "hailmark: the folder "+out+" isn't empty; use --force to add to it, and to replace files of the same name\n", stderr)
	write(t, out, "max.png", "old")
	write(t, out, "other.txt", "mine")
	status, stdout, _ = runTool(t, "", "batch", table, "--out", out, "--force", "--report", filepath.Join(out, "report.csv"))
	require.Equal(t, 1, status)
	require.Contains(t, stdout, "2 ok")
	files := tree(t, out)
	require.Len(t, files, 4)
	require.Equal(t, "mine", files["other.txt"])
	require.Contains(t, files["max.png"], "PNG")
	require.Contains(t, files["report.csv"], "4,failed,,,username,x,username_length,")
	_, stdout, _ = runTool(t, "phone\n98765 43210\n", "batch", "-", "--out", filepath.Join(dir, "other"))
	require.Contains(t, stdout, "row 2: phone has no plus in front, so it is read as +98 (Iran)")
	archive := filepath.Join(dir, "codes.ZIP")
	for _, want := range []string{"2 ok", "exists already; use --force to replace it"} {
		_, stdout, stderr = runTool(t, "", "batch", table, "--out", archive)
		require.Contains(t, stdout+stderr, want)
	}
	r, err := zip.OpenReader(archive)
	require.NoError(t, err)
	require.Len(t, r.File, 2)
	require.NoError(t, r.Close())

	status, stdout, _ = runTool(t, "", "check", table)
	require.Equal(t, 1, status)
	require.Equal(t, `1 row with an error in column username (username_length):
  row 4: "x": username has 1 character; the length must be 3-35 characters
3 rows: 2 ok, 1 failed, 0 skipped
`, stdout)
	status, stdout, _ = runTool(t, `{"username":"x"}`, "check", "-", "--ndjson", "--json")
	require.Equal(t, 1, status)
	require.Equal(t, `{"row":1,"status":"failed","column":"username","value":"x","code":"username_length","message":"username has 1 character; the length must be 3-35 characters"}`+"\n"+`{"rows":1,"ok":0,"failed":1,"skipped":0}`+"\n", stdout)
	status, stdout, _ = runTool(t, "Wer;Was\njane.doe;Hi\n", "check", "-", "--column", "username=Wer", "--column=text=2")
	require.Zero(t, status)
	require.Equal(t, "1 row: 1 ok, 0 failed, 0 skipped\n", stdout)

	_, stdout, stderr = runTool(t, "username\njane\n", "check", "-", "--report", "-")
	require.Equal(t, `{"row":2,"status":"ok","file":"jane.png","link":"https://wa.me/jane"}`+"\n", stdout)
	require.Equal(t, "1 row: 1 ok, 0 failed, 0 skipped\n", stderr)

	secrets := "username,phone\njané.doe,\n,1.65E+10\n,+49 (0)171 1234567\n"
	for _, args := range [][]string{{"batch", "-", "--out", filepath.Join(dir, "secrets"), "--report", "-"}, {"check", "-", "--report", "-"}} {
		status, _, stderr = runTool(t, secrets, args...)
		require.Equal(t, 1, status)
		require.NotRegexp(t, `(?i)jane|1\.65|171`, stderr)
		require.Contains(t, stderr, "the only letters allowed are a-z, without accents\n")
	}
	_, stdout, _ = runTool(t, secrets, "check", "-")
	require.Contains(t, stdout, `row 2: "jané.doe": username contains "é"; the only letters allowed are a-z, without accents`)

	// Column names may contain any character, and they may be numbers.
	_, stdout, _ = runTool(t, "2026,\"a, b=c\"\njane,Hi\n", "check", "-", "--column", "username=2026", "--column", "text=a, b=c", "--report", "-")
	require.Contains(t, stdout, "https://wa.me/jane?text=Hi")

	captions := "username,caption\n" + strings.Repeat("jane,Jane\n", 30) + "x,\n,\n"
	_, stdout, _ = runTool(t, captions, "check", "-")
	require.Contains(t, stdout, "30 rows with a warning (caption_not_drawn):\n  row 2: the caption isn't drawn;")
	require.Contains(t, stdout, "  and 20 rows more; --report lists all\n1 row with an error in column username")
	for _, flag := range []string{"--mm=25", "--format=pdf"} {
		_, stdout, _ = runTool(t, captions, "check", "-", flag)
		require.NotContains(t, stdout, "caption", flag)
	}
	_, _, stderr = runTool(t, "phone\n0171 123\n", "batch", "-", "--out", filepath.Join(dir, "none"), "--report", "-")
	require.Contains(t, stderr, "row 2: phone")
	require.NotContains(t, stderr, `"0171`, "messages may go to a log, and have no values")
	_, _, stderr = runTool(t, "Kunden;Kontakt\nJane;1\n", "check", "-")
	require.Contains(t, stderr, "Hint: name a column with --column phone=Kontakt")
	require.Contains(t, stderr, "add --no-header")
	var terminal strings.Builder
	a := &app{stdin: strings.NewReader("phone\n0171 123\n"), stdout: io.Discard, stderr: &terminal, getenv: os.Getenv, isTerminal: func(f any) bool { return f == io.Writer(&terminal) }}
	require.Equal(t, 1, a.run([]string{"batch", "-", "--out", filepath.Join(dir, "none"), "--report", "-"}))
	require.Contains(t, terminal.String(), "1 row with an error in column phone (phone_invalid_format):\n  row 2: \"0171 123\": phone begins with 0")

	for args, want := range map[string]string{
		"batch " + table:                                      "--out needs a folder",
		"batch " + table + " --out -":                         "--out needs a folder",
		"batch " + table + " --out x --report r.txt":          "--report r.txt doesn't end in .csv or .ndjson",
		"check " + table + " --column x=y":                    "known are username, phone, text, file, color, background",
		"check " + table + " --country XX":                    `--country: country "XX" is unknown`,
		"check " + table + " --size 1":                        "--size: ",
		"check " + table + " --column text":                   `"--column" flag: it has no =`,
		"check " + table + " --column file=1 --column file=2": "file has a value already",
		"check " + table + " --encoding latin9":               "--encoding latin9: unknown encoding; known are utf-8, utf-16, windows-1252",
		"check " + table + ` --separator "`:                   "--separator",
		"check " + table + " --json --report -":               "--json and --report both write to standard output",
		"check":                                               `got 0 arguments; the usage is hailmark check <table>`,
		"check " + table + " --format gif":                    "format must be pdf, eps, svg or png",
		"check " + table + " --margin x":                      "--margin: margin isn't a whole number",
		"check " + table + " --margin -1":                     "--margin: margin isn't a whole number",
		"sheet " + table + " --start x":                       `invalid argument "x" for "--start" flag: it isn't a number`,
		"check " + table + " --json=x":                        `invalid argument "x" for "--json" flag: it isn't true or false`,
	} {
		status, _, stderr := runTool(t, "", strings.Fields(args)...)
		require.Equal(t, 2, status, args)
		require.Contains(t, stderr, want)
	}
}
