package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// tree returns the content of all files below a folder.
// A list of 200 rows with a mistake in more than half of them gives the same results in the five layouts in
// which people have it, and check and batch print the same.
func TestListInFiveLayouts(t *testing.T) {
	const max, link = "https://wa.me/491711234567", "https://wa.me/jane.doe"
	cells := []struct{ name, number, want string }{ // want is a link, or a code and what the message must contain
		{"jane.doe", "", link},
		{"Jane.Doe", "", "username_invalid_chars did you mean jane.doe?"},
		{"@jane.doe", "", link},
		{"@", "", "username_length"},
		{"@Jane.Doe", "", link},
		{"Jörg Weiß", "", "username_invalid_chars"},
		{"https://wa.me/jane.doe", "", link},
		{"jane.com", "", "username_reserved_suffix"},
		{"", "0171 1234567", max},
		{"", "4.91711E+11", "phone_invalid_format shortened"},
		{"", "tel:+49-171-1234567", max},
		{"", "0171 1234567 / 0172 7654321", "phone_invalid_format"},
		{"", "+49 (0)171 1234567", "phone_invalid_format"},
		{"", "unknown", "phone_invalid_format"},
		{"", "https://wa.me/491711234567", max},
		{"jane.doe", "0171 1234567", "missing_target"},
		{"", "0049 171 1234567", max},
		{"US.13491208655302741918", "", "target_is_bsuid"},
		{"jane.doe", "", link},
		{"x;y", "", "username_invalid_chars"},
	}
	rows := [][]string{{"WhatsApp name", "Telefon", "Notes"}}
	for i := range 200 {
		c := cells[i%len(cells)]
		rows = append(rows, []string{c.name, c.number, "café; nº " + strconv.Itoa(i)})
	}
	written := func(comma rune) string {
		var out strings.Builder
		w := csv.NewWriter(&out)
		w.Comma = comma
		require.NoError(t, w.WriteAll(rows))
		return out.String()
	}
	var utf16Text []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + written('\t'))) {
		utf16Text = binary.LittleEndian.AppendUint16(utf16Text, unit)
	}
	var windows1252 []byte // which has these characters at the same positions as Unicode
	for _, r := range written(';') {
		windows1252 = append(windows1252, byte(r))
	}
	objects := bytes.NewBufferString("\n") // as many lines as with a header
	for _, row := range rows[1:] {
		require.NoError(t, json.NewEncoder(objects).Encode(map[string]string{"username": row[0], "phone": row[1], "notes": row[2]}))
	}
	dir := t.TempDir()
	var first string
	for name, table := range map[string]string{
		"comma.csv": written(','), "semicolon.csv": string(windows1252), "excel.txt": string(utf16Text), "pasted.tsv": written('\t'), "objects.ndjson": objects.String(),
	} {
		file := write(t, dir, name, table)
		status, checked, _ := runTool(t, "", "check", file, "--country", "DE", "--report", file+".csv")
		require.Equal(t, 1, status, name)
		status, drawn, _ := runTool(t, "", "batch", file, "--country", "DE", "--out", file+".zip")
		require.Equal(t, 1, status, name)
		require.Equal(t, checked, drawn, name)
		if first == "" {
			first = checked
		}
		require.Equal(t, first, checked, name)
		require.Contains(t, checked, "200 rows: 90 ok, 110 failed, 0 skipped\n")
		require.Contains(t, checked, `  row 3: "Jane.Doe": username contains "J"; only lowercase letters are allowed (did you mean jane.doe?)`)
		text, err := os.ReadFile(file + ".csv")
		require.NoError(t, err)
		report, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		require.NoError(t, err)
		require.Len(t, report, 201)
		for i, row := range report[1:] {
			c := cells[i%len(cells)]
			if row[1] == "ok" {
				require.Equal(t, c.want, row[3], "%s, row %s", name, row[0])
				continue
			}
			code, part, _ := strings.Cut(c.want, " ")
			require.Equal(t, code, row[6], "%s, row %s", name, row[0])
			require.Contains(t, row[7], part)
			if row[4] == "username" {
				require.Equal(t, c.name, strings.TrimPrefix(row[5], "'"), "the report contains the cell unchanged")
			}
		}
	}
}

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
	for header, hint := range map[string]string{
		"Kunden;Nr.":  "Hint: name one of its columns with --column target=Kunden, or by its number with --column target=1; if the first row is data, add --no-header.\n",
		";Wer 'n' wo": `Hint: name one of its columns with --column 'target=Wer '\''n'\'' wo', or by its number with --column target=2;`,
		";":           "Hint: if the first row is data, name a column by its number with --column target=1 --no-header.\n",
	} {
		_, _, stderr = runTool(t, header+"\nJane;1\n", "check", "-")
		require.Contains(t, stderr, hint)
	}
	var terminal strings.Builder
	a := &app{stdin: strings.NewReader("phone\n0171 123\n"), stdout: io.Discard, stderr: &terminal, getenv: os.Getenv, isTerminal: func(f any) bool { return f == io.Writer(&terminal) }}
	require.Equal(t, 1, a.run([]string{"batch", "-", "--out", filepath.Join(dir, "none"), "--report", "-"}))
	require.Contains(t, terminal.String(), "1 row with an error in column phone (phone_invalid_format):\n  row 2: \"0171 123\": phone begins with 0")

	for args, want := range map[string]string{
		"batch " + table:                                      "--out needs a folder",
		"batch " + table + " --out -":                         "--out needs a folder",
		"batch " + table + " --out x --report r.txt":          "--report r.txt doesn't end in .csv or .ndjson",
		"check " + table + " --column x=y":                    "known are username, phone, target, text, file, color, background",
		"check " + table + " --country XX":                    `--country: country "XX" is unknown`,
		"check " + table + " --size 1":                        "--size: ",
		"check " + table + " --column text":                   `"--column" flag: it has no =`,
		"check " + table + " --column file=1 --column file=2": "file has a value already",
		"check " + table + " --encoding latin9":               "--encoding latin9: unknown encoding; known are utf-8, utf-16, windows-1252",
		"check " + table + ` --separator "`:                   "--separator",
		"check " + table + " --json --report -":               "--json and --report both write to standard output",
		"check":                                               `got 0 arguments; the usage is hailmark check <table>`,
		"check " + table + " --format gif":                    "format isn't pdf, eps, svg or png",
		"check " + table + " --margin x":                      "--margin: margin isn't a whole number",
		"check " + table + " --margin -1":                     "--margin: margin isn't a whole number",
		"check " + table + " --margin 2":                      "--margin: margin is 2 modules; 4 to 100 modules are allowed, or none",
		"sheet " + table + " --start x":                       `invalid argument "x" for "--start" flag: it isn't a number`,
		"check " + table + " --json=x":                        `invalid argument "x" for "--json" flag: it isn't true or false`,
	} {
		status, _, stderr := runTool(t, "", strings.Fields(args)...)
		require.Equal(t, 2, status, args)
		require.Contains(t, stderr, want)
	}
}
