package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/hailmark/hailmark/problem"
)

// readAll returns all rows' values, or their error codes.
func readAll(t *testing.T, r io.Reader, config Config) [][]string {
	t.Helper()
	table, err := NewReader(r, config)
	require.NoError(t, err)
	var rows [][]string
	for {
		row, err := table.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		require.NoError(t, err)
		if row.Err != nil {
			rows = append(rows, []string{string(problem.All(row.Err)[0].Code)})
			continue
		}
		rows = append(rows, row.Values)
	}
}

func encoded(t *testing.T, text, encoding string) string {
	t.Helper()
	var err error
	switch encoding {
	case "utf-8 with BOM":
		text = "\uFEFF" + text
	case "utf-16 little endian":
		text, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	case "utf-16 big endian":
		text, err = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(text)
	case "utf-16 without BOM":
		text, err = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(text)
	case "windows-1252":
		text, err = charmap.Windows1252.NewEncoder().String(text)
	}
	require.NoError(t, err)
	return text
}

// The test covers every format that spreadsheets write.
func TestEncodingsAndSeparators(t *testing.T) {
	const text = "Name,username,phone\r\n\"Müller, Jörg\",joerg,+49 171 1234567\r\n\r\n\"two\r\nlines \"\"quoted\"\"\",jane.doe,\r\nEuro €,eve,\r\n"
	want := [][]string{{"joerg", "+49 171 1234567", "Müller, Jörg"}, {"jane.doe", "", "two\r\nlines \"quoted\""}, {"eve", "", "Euro €"}}
	config := Config{Columns: []string{"username", "phone", "name"}}
	for _, encoding := range []string{"utf-8", "utf-8 with BOM", "utf-16 little endian", "utf-16 big endian", "utf-16 without BOM", "windows-1252"} {
		for _, separator := range []string{",", ";", "\t"} {
			for _, end := range []string{"\r\n", "\n", "\r"} {
				for _, hint := range []bool{false, true} {
					s := strings.ReplaceAll(strings.ReplaceAll(text, ",", separator), "\r\n", end)
					if hint {
						s = "sep=" + separator + end + s
					}
					if hint && end == "\r" {
						continue // no spreadsheet writes it
					}
					name := fmt.Sprintf("%s %q %q %v", encoding, separator, end, hint)
					expected := [][]string{want[0], {"jane.doe", "", "two\nlines \"quoted\""}, want[2]}
					if separator != "," {
						expected[0] = []string{"joerg", "+49 171 1234567", "Müller" + separator + " Jörg"}
					}
					require.Equal(t, expected, readAll(t, strings.NewReader(encoded(t, s, encoding)), config), name)
					require.Equal(t, expected, readAll(t, iotest.OneByteReader(strings.NewReader(encoded(t, s, encoding))), config), name)
				}
			}
		}
	}
}

func TestMalformedRows(t *testing.T) {
	config := Config{Columns: []string{"username"}}
	for input, want := range map[string][][]string{
		"username\n\"open\njane\nmax\n":               {{"row_malformed"}},
		"username\n\"closed\"x\njane\n":               {{"row_malformed"}, {"jane"}},
		"username\na\"b\n\"c\" ,d\njane\n":            {{"row_malformed"}, {"row_malformed"}, {"jane"}},
		"username\n\"jane\"":                          {{"jane"}},
		"username\n\"jane":                            {{"row_malformed"}},
		"username,x\njane,\xFF\nm\xFFax,y\n":          {{"jane"}, {"mÿax"}},
		"username\n" + strings.Repeat("x", 1<<20):     {{strings.Repeat("x", 1<<20)}},
		"username\n\x00\n":                            {{"\x00"}},
		"username\tx\n\tjane\n \t\n":                  {{""}, {" "}},
		"x username\na  \n  jane\n":                   {{""}, {"row_malformed"}},
		"x,  username\n , \" jane\"\n,  max , ,\n , ": {{" jane"}, {"max "}, {""}},
		"username,text\njane,Hi, you\nmax, ,\n":       {{"row_malformed"}, {"max"}},
	} {
		if strings.HasPrefix(input, "x username") {
			config.Separator = ' '
		} else {
			config.Separator = 0
		}
		require.Equal(t, want, readAll(t, strings.NewReader(input), config), "%.80q", input)
	}
	late := "username\n" + strings.Repeat("jane\n", sampleSize/5) + "m\xFCller\nmax\n"
	rows := readAll(t, strings.NewReader(late), config)
	require.Equal(t, [][]string{{"row_encoding"}, {"max"}}, rows[len(rows)-2:])
}

func TestDetection(t *testing.T) {
	config := Config{Columns: []string{"username"}}
	bigEndian, err := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().String("username\njörg\n")
	require.NoError(t, err)
	for text, want := range map[string][][]string{
		bigEndian:                               {{"jörg"}},
		"\"a\nb\";username\n;jane\n":            {{"jane"}},
		"\"a;;;;\",username\n;;;,jane\n":        {{"jane"}},
		"x,username\n;;;;;;;;;,jane\n":          {{"jane"}},
		"x,username\r;;;;;;;;;,jane\r":          {{"jane"}},
		"username\nj\xF6rg":                     {{"jörg"}},
		"x,username\na\n,jane\n":                {{""}, {"jane"}},
		"x,username\r\"a\nb\",jane\rc,max\r":    {{"jane"}, {"max"}},
		"\"x\ny\",username\ra,jane\r":           {{"jane"}},
		"\"x\ry\",username\na,jane\r\nb,max\n":  {{"jane"}, {"max"}},
		"username,x\r\r\njane,\r\r\nmax,\r\r\n": {{"jane"}, {"max"}},
		"username,x\njane,a\rb\nmax,\n":         {{"jane"}, {"max"}},
	} {
		require.Equal(t, want, readAll(t, strings.NewReader(text), config), "%.40q", text)
	}
	// A sample that ends within a character is still UTF-8.
	for _, char := range []string{"ö", "€", "😀"} {
		for pad := range 5 {
			text := strings.Repeat("x", pad) + strings.Repeat(char, sampleSize/len(char)+1)
			require.Equal(t, [][]string{{text}}, readAll(t, strings.NewReader("username\n"+text), config))
		}
	}
	for text, want := range map[string]string{"\x00": utf16Name, "\x00\x00": utf8Name, "x": utf8Name, "": utf8Name, "x\x00": utf16Name, "\x00x": utf16Name, "\xF6": windowsName, "Gr\u00fc\u00dfe \xFF": utf8Name, "Gr\xFC\xDFe": windowsName} {
		if len(text) < 2 && want == utf16Name {
			want = utf8Name // one byte is not UTF-16
		}
		require.Equal(t, want, recognize([]byte(text)), "%q", text)
	}
	_, err = (&bounded{r: strings.NewReader("x")}).Read(make([]byte, 1))
	require.ErrorContains(t, err, "a row is longer")
}

func TestHas(t *testing.T) {
	config := Config{Columns: []string{"username", "phone"}}
	r, err := NewReader(strings.NewReader("phone\n"), config)
	require.NoError(t, err)
	require.True(t, r.Has("phone"))
	require.False(t, r.Has("username"))
	require.False(t, r.Has("text"))
	r, err = NewReader(strings.NewReader("username\n"), config)
	require.NoError(t, err)
	require.True(t, r.Has("username"), "the first column")
	config.JSON = true
	r, err = NewReader(strings.NewReader(""), config)
	require.NoError(t, err)
	require.True(t, r.Has("username"))
	require.False(t, r.Has("text"))
}

func TestIsEmpty(t *testing.T) {
	require.True(t, (&Row{Values: []string{" ", ""}}).IsEmpty())
	require.False(t, (&Row{Values: []string{" ", "x"}}).IsEmpty())
	require.False(t, (&Row{Values: []string{""}, Err: io.EOF}).IsEmpty())
}

func TestRowNumbers(t *testing.T) {
	for _, tt := range []struct {
		text   string
		config Config
		want   []int
	}{
		{"username\njane\nmax\n", Config{}, []int{2, 3}},
		{"sep=,\r\nusername\r\n\r\njane\r\n\r\n\r\nmax", Config{}, []int{3, 6}},
		{"\nusername,\"a\nb\"\n\"x\ny\nz\",\"p\nq\"\n\njane,\n", Config{}, []int{3, 5}},
		{"username\n\"x\ny\"z\nmax\na\"b\n\nada\n", Config{}, []int{2, 3, 4, 6}},
		{"username\n\"x\ny\n", Config{}, []int{2}},
		{"jane\n,\nmax\n", Config{NoHeader: true, Map: map[string]string{"username": "1"}}, []int{1, 2, 3}},
		{"username\rjane\r\rmax\r", Config{}, []int{2, 4}},
		{"{}\n\n{}\nx\n", Config{JSON: true}, []int{1, 3, 4}},
	} {
		tt.config.Columns = []string{"username"}
		r, err := NewReader(strings.NewReader(tt.text), tt.config)
		require.NoError(t, err)
		var got []int
		for {
			row, err := r.Next()
			if err != nil {
				require.ErrorIs(t, err, io.EOF)
				break
			}
			got = append(got, row.Number)
		}
		require.Equal(t, tt.want, got, "%q", tt.text)
	}
}

// A missing quote doesn't fill the memory.
func TestLongRow(t *testing.T) {
	config := Config{Columns: []string{"username"}}
	r, err := NewReader(strings.NewReader("username\n\""+strings.Repeat("x\n", maxRecord)), config)
	require.NoError(t, err)
	_, err = r.Next()
	require.EqualError(t, err, "a row is longer than 16 MiB; a closing quote may be missing")
	rows := readAll(t, strings.NewReader("username\n"+strings.Repeat(strings.Repeat("x", 1<<20)+"\n", 17)), config)
	require.Len(t, rows, 17)
}

func TestColumns(t *testing.T) {
	const text = "Benutzer;Telefon\njane;123\n"
	columns := []string{"username", "phone"}
	require.Equal(t, [][]string{{"jane", "123"}}, readAll(t, strings.NewReader(text), Config{Columns: columns, Map: map[string]string{"username": "benutzer", "phone": "2"}}))
	require.Equal(t, [][]string{{"Benutzer", ""}, {"jane", ""}}, readAll(t, strings.NewReader(text), Config{Columns: columns, Map: map[string]string{"username": "1"}, NoHeader: true}))
	require.Equal(t, [][]string{{"jane"}}, readAll(t, strings.NewReader("x,0\n,jane\n"), Config{Columns: columns[:1], Map: map[string]string{"username": "0"}}), "0 is no number of a column")
	for want, config := range map[string]Config{
		`the table has none of the columns "username", "phone"; it has "Benutzer", "Telefon"`: {Columns: columns},
		`the table has no column "Tel"; it has "Benutzer", "Telefon"`:                         {Columns: columns, Map: map[string]string{"phone": "Tel"}},
		`the table has no column "3"; it has "Benutzer", "Telefon"`:                           {Columns: columns, Map: map[string]string{"phone": "3"}},
		`unknown encoding "latin9"; known are utf-8, utf-16, windows-1252`:                    {Columns: columns, Encoding: "latin9"},
		`the table has none of the columns "username"; it has no names`:                       {Columns: columns[:1], NoHeader: true},
	} {
		_, err := NewReader(strings.NewReader(text), config)
		require.EqualError(t, err, want)
	}
	for _, separator := range "\"\r\n\uFFFF\xFF" {
		_, err := NewReader(strings.NewReader(text), Config{Columns: columns, Separator: separator})
		require.Equal(t, separator == '\uFFFF', err == nil || !strings.HasPrefix(err.Error(), "the separator can't be "), "%q", separator)
	}
	_, err := NewReader(strings.NewReader("phone,Phone\n"), Config{Columns: columns})
	require.EqualError(t, err, `two columns are named "phone"`)
	require.Equal(t, [][]string{{"jane", ""}}, readAll(t, strings.NewReader("username,2026\njane,\n"), Config{Columns: columns, Map: map[string]string{"phone": "2026"}}), "a name may be a number")
	require.Equal(t, [][]string{{"jane", ""}, {"max", "1"}}, readAll(t, strings.NewReader("jane\nmax,1\n"), Config{Columns: columns, Map: map[string]string{"username": "1", "phone": "2"}, NoHeader: true}))
	_, err = NewReader(strings.NewReader("\nusername,a\"b\n"), Config{Columns: columns})
	require.EqualError(t, err, `read the names of the columns in row 2: a cell contains a quote; quote the cell, and write "" for each quote in it`)
	_, err = NewReader(strings.NewReader(""), Config{Columns: columns})
	require.EqualError(t, err, "the table is empty; its first row must contain the names of the columns")
	_, err = NewReader(strings.NewReader("PK\x03\x04\x14\x00\x06\x00"), Config{Columns: columns})
	require.EqualError(t, err, "the table is an Excel or OpenDocument workbook; save it as CSV")
}

func TestJSON(t *testing.T) {
	const text = `{"username":"jane","other":[1]}
{"phone":16505551234}

{"phone":1.65e10,"username":null}
{"username":["x"]}
[]
null
{"username":"a"} {}
{"username":"max"}]
{"Username":"max"}
{}
{"other":1,"phone":null}
{"username":"` + "\xFF" + `"}
`
	require.Equal(t, [][]string{
		{"jane", ""},
		{"", "16505551234"},
		{"", "1.65e10"},
		{"row_malformed"},
		{"row_malformed"},
		{"row_malformed"},
		{"row_malformed"},
		{"row_malformed"},
		{"row_malformed"},
		{"", ""},
		{"", ""},
		{"row_malformed"},
	}, readAll(t, strings.NewReader(strings.ReplaceAll(text, "\xFF", "\\q")), Config{Columns: []string{"username", "phone"}, JSON: true}))
}

// Cells keep their content.
func FuzzRoundTrip(f *testing.F) {
	f.Add("a", "b\n\"c\"", ",", uint8(0))
	f.Add("", " x ", ";", uint8(3))
	f.Fuzz(func(t *testing.T, a, b, separator string, pad uint8) {
		if !strings.Contains(",;\t", separator) || len(separator) != 1 {
			separator = ","
		}
		a, b = strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?")
		quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		var text bytes.Buffer
		text.WriteString("username" + separator + "text\n")
		for range pad {
			text.WriteString("x" + separator + "y\n")
		}
		text.WriteString(quote(a) + separator + quote(b) + "\n")
		rows := readAll(t, &text, Config{Columns: []string{"username", "text"}})
		lines := strings.NewReplacer("\r\n", "\n") // as encoding/csv reads them
		require.Equal(t, []string{lines.Replace(a), lines.Replace(b)}, rows[pad])
	})
}

// Garbage is read to the end. Each row contains values or an error.
func FuzzReader(f *testing.F) {
	f.Add([]byte("username;phone\n\"a\n"), false)
	f.Add([]byte(`{"username":1}`), true)
	f.Fuzz(func(t *testing.T, data []byte, isJSON bool) {
		table, err := NewReader(bytes.NewReader(data), Config{Columns: []string{"username", "phone"}, JSON: isJSON})
		if err != nil {
			return
		}
		for {
			row, err := table.Next()
			if err != nil {
				require.ErrorIs(t, err, io.EOF)
				return
			}
			require.Len(t, row.Values, 2)
		}
	})
}

// Memory doesn't depend on the number of rows.
func TestAllocations(t *testing.T) {
	const n = 20_000
	var text bytes.Buffer
	text.WriteString("username,text\n")
	for i := range n {
		fmt.Fprintf(&text, "user%d,%d\n", i, rand.Uint64())
	}
	allocations := testing.AllocsPerRun(1, func() {
		table, err := NewReader(bytes.NewReader(text.Bytes()), Config{Columns: []string{"username", "text"}})
		require.NoError(t, err)
		for {
			if _, err := table.Next(); err != nil {
				break
			}
		}
	})
	require.Less(t, allocations, float64(5*n))
}

// Spreadsheets show long numbers as 1.65E+10, without all digits.
func TestInspectPhone(t *testing.T) {
	for cell, shortened := range map[string]bool{
		"1.65E+10": true, "1,65E+10": true, " 1.65055e10 ": true, "1E+15": true, "4.9E12": true, "1.6E+010": true,
		"+16505551234": false, "16.5E+10": false, "E+10": false, "1.E+10": false, "1.6E-10": false, "1.6E+": false, "1.6": false, "x.6E+10": false, "1.xE+10": false, "1:6E+10": false, "16E10": false, "xE10": false, "": false,
	} {
		n, _, err := InspectPhone(cell, "")
		require.Equal(t, cell == "+16505551234", err == nil, cell)
		require.Equal(t, err == nil, n.String() != "", cell)
		require.Equal(t, shortened, err != nil && strings.Contains(err.Error(), "a spreadsheet has shortened it"), cell)
	}
}

func TestProblemsOfRows(t *testing.T) {
	for input, want := range map[string]string{
		"username\na\"b\n":        `a cell contains a quote; quote the cell, and write "" for each quote in it`,
		"username\n\"a\"b\n":      "a quoted cell has text after its closing quote, or no closing quote, so that it contains the rest of the table",
		"username\na,b\n":         "the row has 2 cells, but the header has 1; quote each cell that contains a separator",
		"username\nj\xFF\n":       "a cell isn't valid UTF-8; set the encoding of the table, for example windows-1252",
		"{\"username\":\"\xFF\"}": "the line isn't valid UTF-8",
		"{\"username\":[]}":       "username isn't a string",
		"{\"name\":1}":            `the object has none of the members "username"; upper and lower case are different`,
		"{}{}":                    `the line isn't a JSON object, such as {"username":"jane.doe"}; found something after the first value at byte 2`,
		"[]":                      `the line isn't a JSON object, such as {"username":"jane.doe"}`,
		// Decoding would otherwise choose one value, or replace characters.
		`{"username":"a","username":"b"}`: `the line isn't a JSON object, such as {"username":"jane.doe"}; found a duplicate name at byte 16`,
		`{"username":"a\ud800b"}`:         `the line isn't a JSON object, such as {"username":"jane.doe"}; found an unpaired surrogate at byte 14`,
	} {
		r, err := NewReader(strings.NewReader(input), Config{Columns: []string{"username"}, Encoding: "utf-8", JSON: strings.ContainsAny(input[:1], "{[")})
		require.NoError(t, err)
		row, err := r.Next()
		require.NoError(t, err)
		require.EqualError(t, row.Err, want)
	}
	for _, isJSON := range []bool{false, true} {
		_, err := NewReader(strings.NewReader(""), Config{JSON: isJSON, Encoding: "x"})
		require.ErrorContains(t, err, "unknown encoding")
	}
}
