package batch

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/qrcode"
)

// results runs a table and returns all results.
func results(t *testing.T, text string, config Config) ([]Result, Counts) {
	t.Helper()
	var all []Result
	config.Each = func(r Result) { all = append(all, r) }
	counts, err := Run(strings.NewReader(text), config)
	require.NoError(t, err)
	require.Len(t, all, counts.Rows())
	for i, r := range all {
		require.Equal(t, i+1, r.Row)
		require.Equal(t, r.Status == Failed, r.Problem.Code != "" && r.Problem.Message != "")
		require.Equal(t, r.Status == OK, r.File != "" && r.Problem.Code == "")
	}
	return all, counts
}

func TestRows(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new", "codes")
	all, counts := results(t, `username,phone,text,file,color,background
jane.doe,,Hi,,,
,+1 650 555 1234,,,#000080,transparent
jane.doe,+16505551234,,,,
 , ,,,,
x,,,,,
,1.65E+10,,,,
max,,,,eee,fff
max,,,,zzz,
,,text alone,,,
`, Config{Out: out, Picture: qrcode.Options{Size: 200}})
	require.Equal(t, Counts{2, 6, 1}, counts)
	var got []string
	for _, r := range all {
		got = append(got, string(r.Status)+" "+r.File+string(r.Problem.Code))
	}
	require.Equal(t, []string{
		"ok jane.doe.png", "ok 16505551234.png", "failed missing_target", "skipped ", "failed username_length",
		"failed phone_invalid_format", "failed low_contrast", "failed invalid_color", "failed missing_target",
	}, got)
	require.Contains(t, all[5].Problem.Message, "a spreadsheet has turned it into \"1.65E+10\"")
	picture, err := os.ReadFile(filepath.Join(out, "16505551234.png"))
	require.NoError(t, err)
	want, err := qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{Size: 200, Foreground: qrcode.RGB(0, 0, 0x80), Background: qrcode.Transparent()})
	require.NoError(t, err)
	require.Equal(t, want, picture)
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, entries, 2, "the journal is removed")
}

func TestNames(t *testing.T) {
	long := strings.Repeat("ä", 150)
	var text strings.Builder
	text.WriteString("username,file\n")
	files := []string{
		"", "a", "A", "a.png", "ä", "a\u0308", "con", "NUL.x", "com1", "lpt²", "../../etc/passwd", `C:\x`, ".hidden", "-rf", "=1+1", "+1", "@x",
		"trailing. .", "a~2", "x;y,z", "tab\tnul\x00", "...", long, long + "b", "ok name", "straße", "STRASSE", "console", "b.svg.png",
	}
	for _, file := range files {
		fmt.Fprintf(&text, "jane,\"%s\"\n", file)
	}
	all, _ := results(t, text.String(), Config{Out: filepath.Join(t.TempDir(), "codes")})
	var got []string
	for i, r := range all {
		require.Equal(t, OK, r.Status, "%d %v", i, r.Problem)
		got = append(got, strings.TrimSuffix(r.File, ".png"))
	}
	cut := strings.Repeat("ä", 100)
	require.Equal(t, []string{
		"jane", "a~2", "A~3", "a~4", "ä~5", "ä~6", "_con", "_NUL.x", "_com1", "_lpt²", "_.._.._etc_passwd", "C__x", "_.hidden", "_-rf", "_=1+1", "_+1", "_@x",
		"trailing", "a_2", "x_y_z", "tab_nul_", "_", cut + "~23", cut + "~24", "ok name", "straße~26", "STRASSE~27", "console", "b",
	}, got)
}

// Whatever the names are, the files are different, also on systems that ignore case, and
// stay in the folder.
func FuzzNames(f *testing.F) {
	f.Add("a", "A", "a~1")
	f.Add("con", "CON.", "_con")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var found hashes
		list := []string{a, b, c}
		for _, name := range list {
			found.add(hash(safeName(name)))
		}
		n := &names{found.repeated()}
		var settled []string
		for i, name := range list {
			s := n.settled(name, i+1)
			require.Equal(t, s, n.settled(name, i+1))
			require.LessOrEqual(t, len(s), maxName+10)
			require.Equal(t, filepath.Base(s), s)
			require.NotContains(t, []string{".", ".."}, s)
			settled = append(settled, strings.ToUpper(strings.ToLower(s)))
		}
		slices.Sort(settled)
		require.Len(t, slices.Compact(settled), 3)
	})
}

func TestHashes(t *testing.T) {
	var h hashes
	want := map[uint64]int{}
	for range 3*hashesABlock + 17 {
		x := rand.Uint64N(20 * hashesABlock)
		h.add(x)
		want[x]++
	}
	for x, n := range want {
		if n < 2 {
			delete(want, x)
		}
	}
	got := h.repeated()
	require.True(t, slices.IsSorted(got))
	require.Len(t, got, len(want))
	for _, x := range got {
		require.NotZero(t, want[x])
	}
}

// An archive has the same pictures as a folder, and other programs read it.
func TestArchive(t *testing.T) {
	var text strings.Builder
	text.WriteString("username\n")
	for i := range 300 {
		fmt.Fprintf(&text, "user%d\n", i)
	}
	dir := t.TempDir()
	folder, file := filepath.Join(dir, "codes"), filepath.Join(dir, "codes.zip")
	results(t, text.String(), Config{Out: folder})
	results(t, text.String(), Config{Out: file})
	r, err := zip.OpenReader(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	require.Len(t, r.File, 300)
	for i, f := range r.File {
		require.Equal(t, fmt.Sprintf("user%d.png", i), f.Name)
		got, err := r.Open(f.Name)
		require.NoError(t, err)
		picture, err := io.ReadAll(got)
		require.NoError(t, err)
		want, err := os.ReadFile(filepath.Join(folder, f.Name))
		require.NoError(t, err)
		require.Equal(t, want, picture)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

// An archive of many entries, and one of more than 4 GiB, of which the beginning is a hole
// in the file.
func TestLargeArchive(t *testing.T) {
	for _, offset := range []int64{0, 5 << 30} {
		name := filepath.Join(t.TempDir(), "large.zip")
		f, err := os.Create(name)
		require.NoError(t, err)
		require.NoError(t, f.Truncate(offset))
		require.NoError(t, f.Close())
		a, err := openArchive(name, offset, 0, 0)
		require.NoError(t, err)
		count := 70_000
		if offset > 0 {
			count = 2
		}
		for i := range count {
			require.NoError(t, a.add(fmt.Sprintf("%d.png", i), []byte(fmt.Sprint(i))))
		}
		require.NoError(t, a.close(true))
		r, err := zip.OpenReader(name)
		require.NoError(t, err)
		require.Len(t, r.File, count)
		last, err := r.File[count-1].Open()
		require.NoError(t, err)
		text, err := io.ReadAll(last)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(count-1), string(text))
		require.NoError(t, r.Close())
	}
}

func TestOutputExists(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.zip"), nil, 0o644))
	for out, want := range map[string]string{
		dir:                            "the output folder has files already: empty it, or choose another --out",
		filepath.Join(dir, "mine.zip"): "the output exists already: remove it, or choose another --out",
	} {
		_, err := Run(strings.NewReader("username\njane\n"), Config{Out: out})
		require.EqualError(t, err, want)
	}
}

// A run is resumed only with the same table and options.
func TestResumeChecks(t *testing.T) {
	out := filepath.Join(t.TempDir(), "codes")
	config := Config{Out: out, Table: table.Config{Columns: columns}}
	interrupt := func() {
		require.NoError(t, os.RemoveAll(out))
		c, err := newCommitter(&config, [32]byte{0x41, 0x42})
		require.NoError(t, err)
		require.NoError(t, c.close(false))
	}
	interrupt()
	_, err := newCommitter(&config, [32]byte{0x41, 0x42})
	require.EqualError(t, err, "an earlier run was interrupted: continue it with --resume, or remove its output")
	config.Resume = true
	_, err = newCommitter(&config, [32]byte{0x41})
	require.EqualError(t, err, "the table has changed since the earlier run: remove its output, and start again")
	config.Picture.Size = 300
	_, err = newCommitter(&config, [32]byte{0x41, 0x42})
	require.EqualError(t, err, "the options differ from those of the earlier run: repeat those, or remove its output and start again")
	config.Picture.Size = 0

	journal := filepath.Join(out, ".hailmark-journal")
	text, err := os.ReadFile(journal)
	require.NoError(t, err)
	require.Regexp(t, `^\{"journal":1,"input":"[0-9a-f]{64}","options":"[0-9a-f]{64}"\}\n$`, string(text))
	for torn, committed := range map[string]int{"": 0, string(text[:20]): 0, string(text) + `{"ok":3,"fai`: 0, string(text) + "{\"ok\":3,\"failed\":1,\"skipped\":0}\n{": 4} {
		require.NoError(t, os.WriteFile(journal, []byte(torn), 0o644))
		c, err := newCommitter(&config, [32]byte{0x41, 0x42})
		require.NoError(t, err, torn)
		require.Equal(t, committed, c.committed, torn)
		require.NoError(t, c.close(false))
	}
	require.NoError(t, os.WriteFile(journal, []byte("hello\n"), 0o644))
	_, err = newCommitter(&config, [32]byte{0x41, 0x42})
	require.ErrorContains(t, err, "is not a journal of hailmark batch")
}

// Each of a thousand damaged tables is read to its end, and each row has one result.
func TestMutatedTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	original := []byte("username;phone;text;file\njane.doe;;\"Hi; \"\"you\"\"\nthere\";a\n;+1 650 555 1234;;b\nmäx;;;c\n;;;\n\"quoted\";;;\n")
	special := []byte("\"\";;,\t\r\n\n\x00\xFF\xFE=+-@")
	dir := t.TempDir()
	for i := range 1000 {
		text := bytes.Clone(original)
		for range 1 + r.IntN(8) {
			at := r.IntN(len(text))
			switch r.IntN(4) {
			case 0:
				text[at] = special[r.IntN(len(special))]
			case 1:
				text = slices.Insert(text, at, special[r.IntN(len(special))])
			case 2:
				text = slices.Delete(text, at, min(at+1+r.IntN(10), len(text)))
			case 3:
				text = append(text, text[at:]...)
			}
		}
		reports := []string{filepath.Join(dir, "report.ndjson"), filepath.Join(dir, "report.csv")}
		seen := 0
		counts, err := Run(bytes.NewReader(text), Config{Reports: reports, Each: func(Result) { seen++ }})
		if err != nil {
			require.Regexp(t, "^the (table|first row) ", err.Error(), "%q", text)
			continue
		}
		rows := 0
		reader, err := table.NewReader(bytes.NewReader(text), table.Config{Columns: columns})
		require.NoError(t, err)
		for {
			if _, err := reader.Next(); err != nil {
				require.ErrorIs(t, err, io.EOF)
				break
			}
			rows++
		}
		require.Equal(t, rows, counts.Rows(), "%d %q", i, text)
		require.Equal(t, rows, seen)
		exact, err := os.ReadFile(reports[0])
		require.NoError(t, err)
		require.Equal(t, rows, bytes.Count(exact, []byte("\n")))
		safe, err := os.Open(reports[1])
		require.NoError(t, err)
		lines, err := csv.NewReader(safe).ReadAll()
		require.NoError(t, err)
		require.NoError(t, safe.Close())
		require.Len(t, lines, rows+1)
	}
}

// No cell of a report is a formula, whichever separator a spreadsheet takes.
func FuzzReportCell(f *testing.F) {
	f.Add("=1+1", "@jane.doe")
	f.Add("x;=1+1", "x\t-1")
	f.Fuzz(func(t *testing.T, file, message string) {
		name := filepath.Join(t.TempDir(), "report.csv")
		r, err := openReport(name, 0, false)
		require.NoError(t, err)
		result := Result{Row: 1, Status: Failed, File: safeName(file) + ".png", Link: message}
		result.Problem.Message = message
		require.NoError(t, r.add(&result))
		_, err = r.flush()
		require.NoError(t, err)
		require.NoError(t, r.file.Close())
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, separator := range []rune{',', ';', '\t'} {
			reader := csv.NewReader(bytes.NewReader(text))
			reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = separator, true, -1
			lines, err := reader.ReadAll()
			require.NoError(t, err)
			for _, line := range lines {
				for _, cell := range line {
					require.NotRegexp(t, regexp.MustCompile("^[=+\\-@\t\r]"), cell)
				}
			}
		}
	})
}

func TestReportJSON(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.ndjson")
	_, err := Run(strings.NewReader("username\njane\nx\n\" \"\n"), Config{Reports: []string{name}})
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, `{"row":1,"status":"ok","file":"jane.png","link":"https://wa.me/jane"}
{"row":2,"status":"failed","code":"username_length","message":"username has 1 character; 3 to 35 are allowed"}
{"row":3,"status":"skipped"}
`, string(text))
	for line := range strings.Lines(string(text)) {
		require.True(t, json.Valid([]byte(line)))
	}
}

// A folder that cannot be written ends the run with an error, without the name of a file.
func TestWriteFault(t *testing.T) {
	out := filepath.Join(t.TempDir(), "codes")
	require.NoError(t, os.MkdirAll(out, 0o755))
	config := Config{Out: out, Table: table.Config{Columns: columns}}
	reader, err := table.NewReader(strings.NewReader("username\njane.doe\n"), config.Table)
	require.NoError(t, err)
	c, err := newCommitter(&config, [32]byte{})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(out, "jane.doe.png"), 0o755))
	err = c.run(reader, &drawer{config: &config, names: new(names), write: c.writer()})
	require.EqualError(t, err, "row 1: the picture cannot be written: is a directory")
	require.NoError(t, c.close(false))
}
