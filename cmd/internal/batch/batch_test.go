package batch

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/cases"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// A folder keeps its files in memory.
type folder struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (f *folder) WriteFile(name string, image []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, exists := f.files[name]; exists {
		return errors.New("the file exists")
	}
	if f.files == nil {
		f.files = map[string][]byte{}
	}
	f.files[name] = image
	return nil
}

func results(t *testing.T, text string, config Config) ([]Result, Counts) {
	t.Helper()
	var all []Result
	config.Each = func(r Result) { all = append(all, r) }
	counts, err := Run(strings.NewReader(text), config)
	require.NoError(t, err)
	require.Len(t, all, counts.Rows())
	for i, r := range all {
		require.True(t, i == 0 || r.Row > all[i-1].Row)
		require.Equal(t, r.Status == Failed, r.Problem.Code != "" && r.Problem.Message != "")
		require.Equal(t, r.Status == OK, r.File != "" && r.Link != "" && r.Problem.Code == "")
	}
	return all, counts
}

func TestRows(t *testing.T) {
	var out folder
	all, counts := results(t, `username,phone,text,file,color,background
jane.doe,,Hi,,,
,+1 650 555 1234,,,#000080,transparent
jane.doe,+16505551234,,,,
 , ,,,,

 Jané ,,,,,
,1.65E+10,,,,
max,,,,eee,fff
max,,,,,222
max,,,,zzz,
max,,,,,#zzz
,,text alone,,,
max,,"`+"\x01"+`",,,
max,,"`+strings.Repeat("ы", 1200)+`",,,
`, Config{WriteFile: out.WriteFile, Picture: qrcode.Options{Size: 200}})
	require.Equal(t, Counts{2, 10, 1}, counts)
	var got []string
	for _, r := range all {
		value := r.Value
		if len([]rune(value)) == maxValue {
			value = "long"
		}
		got = append(got, fmt.Sprint(r.Row, " ", r.Status, " ", r.File, r.Problem.Code, " ", r.Column, "=", value))
	}
	require.Equal(t, []string{
		"2 ok jane.doe.png =", "3 ok 16505551234.png =", "4 failed missing_target phone=+16505551234", "5 skipped  =",
		"7 failed username_invalid_chars username=Jané ", "8 failed phone_invalid_format phone=1.65E+10",
		"9 failed low_contrast color=eee", "10 failed low_contrast background=222", "11 failed invalid_color color=zzz",
		"12 failed invalid_bg background=#zzz", "13 failed missing_target =", "14 failed text_invalid text=\x01", "15 failed text_too_long text=long",
	}, got)
	require.Contains(t, all[5].Problem.Message, "a spreadsheet has shortened it")
	require.Contains(t, all[2].Problem.Message, "a username and a phone")
	require.Len(t, out.files, 2)
	want, err := qrcode.RenderQR("https://wa.me/16505551234", qrcode.Options{Size: 200, Style: qrcode.Style{Foreground: qrcode.RGB(0, 0, 0x80), Background: qrcode.Transparent()}})
	require.NoError(t, err)
	require.Equal(t, want, out.files["16505551234.png"])
	want, err = qrcode.RenderQR("https://wa.me/jane.doe?text=Hi", qrcode.Options{Size: 200})
	require.NoError(t, err)
	require.Equal(t, want, out.files["jane.doe.png"])
}

// A cell may contain what people paste, but not what belongs in the other column.
func TestCellsAsPeopleWriteThem(t *testing.T) {
	all, counts := results(t, `username,phone,text
@Jane.Doe,,
https://wa.me/max?text=Old,,New
,tel:+1-650-555-1234,
,https://wa.me/c/16505551234,
chat.whatsapp.com/AbC,,
chat.whatsapp.com/AbC,,Hi
,unknown,
16505551234,,
,US.13491208655302741918,
US.13491208655302741918,,
`, Config{})
	require.Equal(t, Counts{5, 5, 0}, counts)
	var got []string
	for _, r := range all {
		got = append(got, string(r.Status)+" "+r.Link+string(r.Problem.Code)+" "+r.Column+r.File)
	}
	require.Equal(t, []string{
		"ok https://wa.me/jane.doe jane.doe.png", "ok https://wa.me/max?text=New max.png", "ok https://wa.me/16505551234 16505551234~4.png",
		"ok https://wa.me/c/16505551234 16505551234~5.png", "ok https://chat.whatsapp.com/AbC AbC.png",
		"failed text_not_supported text", "failed phone_invalid_format phone", "failed username_no_letter username",
		"failed target_is_bsuid phone", "failed target_is_bsuid username",
	}, got)
}

// If no cell caused an error, the row has no column.
func TestConfigFails(t *testing.T) {
	all, _ := results(t, "username,color\njane,\n", Config{Picture: qrcode.Options{Style: qrcode.Style{Foreground: qrcode.RGB(255, 255, 0)}}})
	require.Equal(t, "low_contrast", string(all[0].Problem.Code))
	require.Empty(t, all[0].Column+all[0].Value)
}

func TestCaptionNotDrawn(t *testing.T) {
	all, counts := results(t, "username,caption\njane,Jane\nmax, \nx,X\n", Config{Picture: qrcode.Options{Format: qrcode.SVG}})
	require.Equal(t, Counts{2, 1, 0}, counts)
	require.Equal(t, []string{"caption_not_drawn"}, all[0].warnings())
	require.Empty(t, all[1].Warnings)
	require.Empty(t, all[2].Warnings)
}

// A number without a plus may be national. Its row names the country that it leads to.
func TestNumberWithoutPlus(t *testing.T) {
	const input = "phone\n98765 43210\n+49 171 1234567\n491711234567\n"
	labels, err := qrprint.ParseLabels("avery-l7160")
	require.NoError(t, err)
	steps, err := Labels([]byte(input), Config{Paper: &Paper{}}, labels)
	require.NoError(t, err)
	onLabels, err := steps.Step(10)
	require.NoError(t, err)
	drawn, _ := results(t, input, Config{Picture: qrcode.Options{Format: qrcode.SVG}})
	for _, all := range [][]Result{drawn, onLabels} {
		require.Len(t, all, 3)
		require.Equal(t, []string{"phone_missing_plus", "phone_impossible_length"}, all[0].warnings())
		require.Contains(t, all[0].Warnings[0].Message, "+98 (Iran)")
		require.Empty(t, all[1].Warnings)
		require.Empty(t, all[2].Warnings)
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("ä", 150)
	var text strings.Builder
	text.WriteString("username,file\n")
	files := []string{
		"", "a", "A", "a.png", "ä", "a\u0308", "con", "NUL.x", "com1", "lpt²", "../../etc/passwd", `C:\x`, ".hidden", "-rf", "=1+1", "+1", "@x",
		"trailing. .", "a~2", "x;y,z", "tab\tnul\x00", "...", long, long + "b", "ok name", "straße", "STRASSE", "console", "b.svg.png", "comb", "lpta", "COM¹.x", "conin$", "comm1", "com", ".png",
	}
	for _, file := range files {
		fmt.Fprintf(&text, "jane,\"%s\"\n", file)
	}
	all, _ := results(t, text.String(), Config{})
	var got []string
	for i, r := range all {
		require.Equal(t, OK, r.Status, "%d %v", i, r.Problem)
		got = append(got, strings.TrimSuffix(r.File, ".png"))
	}
	cut := strings.Repeat("ä", 100)
	require.Equal(t, []string{
		"jane", "a~3", "A~4", "a~5", "ä~6", "ä~7", "_con", "_NUL.x", "_com1", "_lpt²", "_.._.._etc_passwd", "C__x", "_.hidden", "_-rf", "_=1+1", "_+1", "_@x",
		"trailing", "a_2", "x_y_z", "tab_nul_", "_", cut + "~24", cut + "~25", "ok name", "straße~27", "STRASSE~28", "console", "b", "comb", "lpta", "_COM¹.x", "conin_", "comm1", "com", "_.png",
	}, got)
}

// File names are unique, even on file systems that ignore case, and stay in the folder.
func FuzzNames(f *testing.F) {
	f.Add("a", "A", "a~1")
	f.Add("con", "CON.", "_con")
	f.Add("straße", "STRASSE", "ſtrasse")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		list := []string{a, b, c}
		var hashes []uint64
		for _, name := range list {
			hashes = append(hashes, hash(safeName(name)))
		}
		n := newNames(hashes)
		var got []string
		for i, name := range list {
			s := n.of(name, i+1)
			require.Equal(t, s, n.of(name, i+1))
			require.LessOrEqual(t, len(s), maxName+10)
			require.Equal(t, filepath.Base(s), s)
			require.NotContains(t, []string{".", ".."}, s)
			got = append(got, strings.ToUpper(strings.ToLower(s)))
		}
		slices.Sort(got)
		require.Len(t, slices.Compact(got), 3)
	})
}

// The test compares fold with package cases, except for Cherokee letters, which have had two
// cases only since Unicode 8.
func TestFold(t *testing.T) {
	reference := cases.Fold()
	folded, original := make(map[string]string), make(map[string]string)
	for c := range rune(0x20000) { // no character above it has cases
		want, got := reference.String(string(c)), fold(string(c))
		if unicode.Is(unicode.Cs, c) || unicode.Is(unicode.Cherokee, c) || c != 'ß' && c != 'ẞ' && utf8.RuneCountInString(want) > 1 {
			continue
		}
		if _, seen := folded[want]; !seen {
			folded[want] = got
		}
		require.Equal(t, folded[want], got, "%U", c)
		if _, seen := original[got]; !seen {
			original[got] = want
		}
		require.Equal(t, original[got], want, "%U", c)
	}
	require.Equal(t, fold("\u13A0"), fold("\uAB70"))
	require.Equal(t, fold("Straße"), fold("STRASSE"))
}

func TestNewNames(t *testing.T) {
	for range 200 {
		var hashes, want []uint64
		count := map[uint64]int{}
		for range rand.IntN(40) {
			x := rand.Uint64N(20)
			hashes = append(hashes, x)
			if count[x]++; count[x] == 2 {
				want = append(want, x)
			}
		}
		slices.Sort(want)
		require.Equal(t, append([]uint64{}, want...), append([]uint64{}, newNames(hashes).repeated...))
	}
}

// usernames returns a table with n rows, along with their file names.
func usernames(n int) (text string, files []string) {
	var b strings.Builder
	b.WriteString("username\n")
	for i := range n {
		fmt.Fprintf(&b, "user%d\n", i)
		files = append(files, fmt.Sprintf("user%d.png", i))
	}
	return b.String(), files
}

// An archive contains the same images as a folder, in table order. Sizes precede the data.
func TestArchive(t *testing.T) {
	const rows = 300
	text, files := usernames(rows)
	var (
		out     folder
		archive bytes.Buffer
		steps   []int
	)
	results(t, text, Config{WriteFile: out.WriteFile})
	results(t, text, Config{Archive: &archive, Progress: func(done Counts, all int) {
		require.Equal(t, rows, all)
		steps = append(steps, done.Rows())
	}})
	require.Len(t, steps, (rows+rowsAChunk-1)/rowsAChunk)
	require.Equal(t, rows, steps[len(steps)-1])
	r, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	require.NoError(t, err)
	require.Len(t, r.File, rows)
	for i, f := range r.File {
		require.Equal(t, files[i], f.Name)
		got, err := r.Open(f.Name)
		require.NoError(t, err)
		image, err := io.ReadAll(got)
		require.NoError(t, err)
		require.Equal(t, out.files[f.Name], image)
		require.Equal(t, "-rw-r--r-- 1980-01-01", fmt.Sprint(f.Mode(), " ", f.Modified.Format("2006-01-02")))
		require.Equal(t, uint16(1<<11), f.Flags)
		start, err := f.DataOffset()
		require.NoError(t, err)
		local := archive.Bytes()[start-int64(30+len(f.Name)):]
		require.Equal(t, uint32(len(image)), binary.LittleEndian.Uint32(local[18:]))
		require.Equal(t, uint32(len(image)), binary.LittleEndian.Uint32(local[22:]))
	}

	s, err := Archive([]byte(text), Config{})
	require.NoError(t, err)
	require.Equal(t, rows, s.Rows())
	for _, want := range []int{7, 0, rows - 7, 0} {
		list, err := s.Step(max(want, rows*(want/100)))
		require.NoError(t, err)
		require.Len(t, list, want)
	}
	output, err := s.Finish()
	require.NoError(t, err)
	require.Equal(t, Counts{OK: rows}, output.Counts)
	require.Equal(t, archive.Bytes(), output.File)
	require.Equal(t, rows+1, bytes.Count(output.CSV, []byte("\n")))
	require.Equal(t, rows, bytes.Count(output.JSON, []byte("\n")))
}

func TestSteps(t *testing.T) {
	const text = "username,file\njane,a\nx,\n,\nmax,A\n"
	s, err := Check([]byte(text), Config{})
	require.NoError(t, err)
	list, err := s.Step(3)
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Equal(t, "a~2.png", list[0].File)
	list, err = s.Step(3)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "A~5.png", list[0].File)
	output, err := s.Finish()
	require.NoError(t, err)
	require.Equal(t, Counts{2, 1, 1}, output.Counts)
	require.Empty(t, output.File)

	for _, begin := range []func([]byte, Config) (*Steps, error){Archive, Check} {
		_, err = begin([]byte("name\n"), Config{})
		require.ErrorContains(t, err, "none of the columns")
	}
	_, err = Labels([]byte("name\n"), Config{Paper: &Paper{}}, avery(t))
	require.ErrorContains(t, err, "none of the columns")
	long := []byte("username\njane\n\"" + strings.Repeat("x", 40<<20))
	_, err = Check(long, Config{})
	require.ErrorContains(t, err, "a row is longer than")
	_, err = Run(bytes.NewReader(long), Config{})
	require.ErrorContains(t, err, "a row is longer than")
}

// A changing input has different content the second time.
type changing struct{ io.ReadSeeker }

func (c *changing) Seek(int64, int) (int64, error) {
	if c.ReadSeeker == nil {
		return 0, errors.New("no second time")
	}
	c.ReadSeeker = strings.NewReader("name\n")
	return 0, nil
}

// Tables as people have them: other names for columns, or none.
func TestTablesOfPeople(t *testing.T) {
	const jane, max = "https://wa.me/jane.doe", "https://wa.me/491711234567"
	for text, want := range map[string][]string{
		"Handle\njane.doe\n": {jane},
		"WhatsApp name;Mobile number\n@jane.doe;\n;+49 171 1234567\n": {jane, max},
		"Name,Telefon,E-Mail\nMax,+49 171 1234567,max@example.com\n":  {max},
		"phone,Handy\n+49 171 1234567,123\n":                          {max}, // the exact name wins
		"Tel.-Nr.;whatsapp_username\n+49 171 1234567;\n;jane.doe\n":   {max, jane},
		"jane.doe\nmario\n":                          {jane, "https://wa.me/mario"},
		"@mario\njane.doe\n":                         {"https://wa.me/mario", jane},
		"+49 171 1234567\n+49 (171) 1234567\nx\n":    {max, max, ""},
		"\ufeff\n\n+49 171 1234567\n\n+491711234567": {max, max},
	} {
		var links []string
		_, err := Run(strings.NewReader(text), Config{Each: func(r Result) { links = append(links, r.Link) }})
		require.NoError(t, err, text)
		require.Equal(t, want, links, text)
	}
	var links []string
	_, err := Run(strings.NewReader("0171 1234567\n01711234567\n+1 650 555 1234\ntel:0171-1234567\n"), Config{Country: "DE", Each: func(r Result) { links = append(links, r.Link) }})
	require.NoError(t, err)
	require.Equal(t, []string{max, max, "https://wa.me/16505551234", max}, links)
	for text, want := range map[string]string{
		"Telefon;Handy\n1;2\n":        `the columns "Telefon" and "Handy" can both be phone; choose one of them`,
		"kunden\njane.doe\nmax\n":     "none of the columns", // a code for @kunden would be wrong
		"Column1\njane.doe\n":         "none of the columns",
		"first_name\njane\n":          "none of the columns",
		"jane.doe\n":                  "none of the columns",
		"jane.doe,x\nmario,x\n":       "none of the columns",
		"Jane Doe\n+49 171 1234567\n": "none of the columns",
		"Kontakt,WhatsApp\n@jane,1\n": `the columns "Kontakt" and "WhatsApp" can both be target; choose one of them`,
		"jane.doe\nmax\n\"x\"y\"\n":   "",
	} {
		_, err := Run(strings.NewReader(text), Config{})
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
}

// Any input error ends the run.
func TestInputErrors(t *testing.T) {
	_, err := Run(strings.NewReader("name\n"), Config{})
	require.ErrorContains(t, err, "none of the columns")
	_, err = Run(&changing{strings.NewReader("username\njane\n")}, Config{})
	require.ErrorContains(t, err, "none of the columns")
	rows := &changing{strings.NewReader("username\njane\n")}
	_, err = Run(struct {
		io.Reader
		io.Seeker
	}{rows.ReadSeeker, &changing{}}, Config{})
	require.EqualError(t, err, "no second time")
	out, err := newOutput(&Config{}, false)
	require.NoError(t, err)
	text, _ := usernames(40)
	reader, err := table.NewReader(io.MultiReader(strings.NewReader(text), brokenReader{}), table.Config{Columns: columns})
	require.NoError(t, err)
	require.EqualError(t, out.run(reader, &drawer{&Config{}, &names{}}, 0), "disk removed")
	require.Equal(t, 40, out.counts.OK)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("disk removed") }

// Any output error ends the run instead of failing a row.
func TestOutputErrors(t *testing.T) {
	text, files := usernames(1000)
	var seen []int
	_, err := Run(strings.NewReader(text), Config{
		WriteFile: func(name string, _ []byte) error {
			if name == files[77] {
				return errors.New("disk full")
			}
			return nil
		},
		Each: func(r Result) { seen = append(seen, r.Row) },
	})
	require.EqualError(t, err, "row 79: write image: disk full")
	require.Len(t, seen, 77)
	for i, n := range seen {
		require.Equal(t, i+2, n)
	}
	for _, limit := range []int{0, 1000, 20_000} {
		_, err = Run(strings.NewReader(text), Config{Archive: &limited{left: limit}})
		require.ErrorContains(t, err, "disk full")
		for _, isCSV := range []bool{false, true} {
			_, err = Run(strings.NewReader(text), Config{Reports: []Report{{&limited{left: limit}, isCSV}}})
			require.ErrorContains(t, err, "disk full")
		}
	}
	for _, table := range []string{"username\n", "username\njane\n"} {
		for left := range 30 { // the text is written by close
			_, err = Run(strings.NewReader(table), Config{Reports: []Report{{&limited{left: left}, true}}})
			require.ErrorContains(t, err, "disk full", "the header of CSV")
		}
	}
}

func TestStopsAfterError(t *testing.T) {
	text, _ := usernames(20_000)
	var written atomic.Int64
	_, err := Run(strings.NewReader(text), Config{WriteFile: func(string, []byte) error {
		written.Add(1)
		return errors.New("disk full")
	}})
	require.EqualError(t, err, "row 2: write image: disk full")
	require.Less(t, written.Load(), int64(10_000))
}

// A limited writer simulates a full disk.
type limited struct{ left int }

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

// A damaged table is read to its end, and each row has one result.
func TestMutatedTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	original := []byte("username;phone;text;file\njane.doe;;\"Hi; \"\"you\"\"\nthere\";a\n;+1 650 555 1234;;b\nmäx;;;c\n;;;\n\"quoted\";;;\n")
	special := []byte("\"\";;,\t\r\n\n\x00\xFF\xFE=+-@")
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
		var exact, safe bytes.Buffer
		seen := 0
		counts, err := Run(bytes.NewReader(text), Config{Reports: []Report{{&exact, false}, {&safe, true}}, Each: func(Result) { seen++ }})
		if err != nil {
			require.Regexp(t, "^(the table|read the names of the columns|two columns) ?", err.Error(), "%q", text)
			continue
		}
		rows := 0
		reader, err := table.NewReader(bytes.NewReader(text), (&Config{}).tableConfig())
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
		require.Equal(t, rows, bytes.Count(exact.Bytes(), []byte("\n")))
		lines, err := csv.NewReader(&safe).ReadAll()
		require.NoError(t, err)
		require.Len(t, lines, rows+1)
	}
}

// No report cell is a formula, whichever separator a spreadsheet uses.
func FuzzReportCell(f *testing.F) {
	f.Add("=1+1", "@jane.doe")
	f.Add("x;=1+1", "x\t-1")
	f.Add("\r=1", "＝1")
	f.Fuzz(func(t *testing.T, file, message string) {
		var text bytes.Buffer
		r, err := newReport(Report{&text, true}, false)
		require.NoError(t, err)
		result := Result{Row: 1, Status: Failed, File: safeName(file) + ".png", Link: message, Value: file}
		result.Problem.Message = message
		require.NoError(t, r.add(&result))
		require.NoError(t, r.close())
		for _, separator := range []rune{',', ';', '\t'} {
			reader := csv.NewReader(bytes.NewReader(text.Bytes()))
			reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = separator, true, -1
			lines, err := reader.ReadAll()
			require.NoError(t, err)
			for _, line := range lines {
				for _, cell := range line {
					require.NotRegexp(t, regexp.MustCompile("^[=+\\-@\t\r＝＋－＠]"), cell)
				}
			}
		}
	})
}

// A report repeats values as they are, unless a spreadsheet would run them.
func TestReportKeepsSemicolons(t *testing.T) {
	for value, want := range map[string]string{
		"a;b": "a;b", ";": ";", "a; b;1": "a; b;1", "1=2": "1=2", "x;=1": "x;'=1", "x; -1": "x;' -1", "@jane": "'@jane", "a\tb\n": "a b ",
	} {
		require.Equal(t, want, cell(value))
	}
}

func TestReports(t *testing.T) {
	var asJSON, asCSV bytes.Buffer
	_, err := Run(strings.NewReader("username,phone,caption\njane,,Jane\nx,,\n\" \",,\n,\"=\"\"01\"\"\",\n"), Config{Reports: []Report{{&asJSON, false}, {&asCSV, true}}})
	require.NoError(t, err)
	lines := strings.SplitAfter(asJSON.String(), "\n")
	require.Equal(t, `{"row":2,"status":"ok","file":"jane.png","link":"https://wa.me/jane","warnings":["caption_not_drawn"]}`+"\n", lines[0])
	require.Regexp(t, `^{"row":3,"status":"failed","column":"username","value":"x","code":"username_length","message":".*"}\n$`, lines[1])
	require.Equal(t, `{"row":4,"status":"skipped"}`+"\n", lines[2])
	require.Regexp(t, `^{"row":5,"status":"failed","column":"phone","value":"=\\"01\\"","code":"phone_invalid_format","message":".*"}\n$`, lines[3])
	for _, line := range lines[:4] {
		require.True(t, json.Valid([]byte(line)))
	}
	rows, err := csv.NewReader(&asCSV).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"row", "status", "file", "link", "column", "value", "code", "message", "warnings"}, rows[0])
	require.Equal(t, []string{"2", "ok", "jane.png", "https://wa.me/jane", "", "", "", "", "caption_not_drawn"}, rows[1])
	require.Equal(t, []string{"3", "failed", "", "", "username", "x", "username_length"}, rows[2][:7])
	require.Equal(t, []string{"5", "failed", "", "", "phone", "'=\"01\"", "phone_invalid_format"}, rows[4][:7])
	r := Result{Row: 2, Status: OK, Warnings: nil}
	for _, code := range []string{"a", "b\"\n"} {
		r.Warnings = append(r.Warnings, problemOf(code))
	}
	text, err := json.Marshal(&r)
	require.NoError(t, err)
	require.Equal(t, `{"row":2,"status":"ok","warnings":["a","b\"\n"]}`, string(text))
	text, err = json.Marshal(&Result{Row: 1234, Status: OK, Page: 23, Label: 19})
	require.NoError(t, err)
	require.Equal(t, `{"row":1234,"status":"ok","page":23,"label":19}`, string(text))
}
