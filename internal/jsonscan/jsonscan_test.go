package jsonscan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

func check(text string) error {
	_, err := jsonscan.Parse([]byte(text))
	return err
}

// read writes down what a text holds, with every value read through a Reader: its kind, its
// text, and the names and elements below.
func read(text string) (string, error) {
	r, err := jsonscan.Parse([]byte(text))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	node(&r, &b)
	return b.String(), nil
}

func node(r *jsonscan.Reader, b *strings.Builder) {
	b.WriteByte(r.Peek())
	switch r.Peek() {
	case '{':
		for it := r.Members(); it.Next(); {
			name := r.Name()
			b.WriteString("\"" + string(name) + "\x00")
			node(r, b)
		}
		b.WriteByte('}')
	case '[':
		for o := r.Objects(); o.Next(); {
			node(r, b)
		}
		b.WriteByte(']')
	case '"':
		b.WriteString(r.String() + "\x00")
	case 't', 'f', 'n':
	default:
		b.WriteString(r.Number() + "\x00")
	}
}

// oracle does with encoding/json what read does with a Reader.
func oracle(text string) (string, error) {
	if !utf8.ValidString(text) || !json.Valid([]byte(text)) {
		return "", errors.New("not JSON in UTF-8")
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var b strings.Builder
	err := tokens(dec, &b, 0)
	return b.String(), err
}

func tokens(dec *json.Decoder, b *strings.Builder, depth int) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		if depth++; depth > jsonscan.MaxDepth {
			return errors.New("deeper nesting")
		}
		b.WriteRune(rune(token))
		names := map[string]bool{}
		for dec.More() {
			if token == '{' {
				name, err := dec.Token()
				if err != nil || names[name.(string)] {
					return errors.New("a duplicate name")
				}
				names[name.(string)] = true
				b.WriteString("\"" + name.(string) + "\x00")
			}
			var element strings.Builder
			if err := tokens(dec, &element, depth); err != nil {
				return err
			}
			if token == '{' || strings.HasPrefix(element.String(), "{") {
				b.WriteString(element.String())
			}
		}
		closing, err := dec.Token()
		if err == nil {
			b.WriteRune(rune(closing.(json.Delim)))
		}
		return err
	case string:
		b.WriteString("\"" + token + "\x00")
	case json.Number:
		b.WriteString(token.String()[:1] + token.String() + "\x00")
	case bool:
		b.WriteString(fmt.Sprint(token)[:1])
	default:
		b.WriteByte('n')
	}
	return nil
}

func agree(t testing.TB, text string) {
	want, wantErr := oracle(text)
	got, err := read(text)
	require.Equal(t, wantErr == nil, err == nil, "%q: encoding/json says %v, jsonscan %v", text, wantErr, err)
	if err != nil {
		var fault *jsonscan.Error
		require.ErrorAs(t, err, &fault)
		require.LessOrEqual(t, fault.At, len(text))
		return
	}
	require.Equal(t, want, got, "%q", text)
}

func FuzzRead(f *testing.F) {
	for _, text := range slices.Concat(accepted, refused) {
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	f.Add(manyNames(17))
	f.Add(manyNames(40) + manyNames(18))
	f.Add(`{"a":` + manyNames(18) + `,"\u0061":` + manyNames(33) + `}`)
	f.Fuzz(func(t *testing.T, text string) { agree(t, text) })
}

var long = strings.Repeat("x", 7)

// accepted and rejected follow the sections of RFC 8259.
var accepted = []string{
	// 2: one value, with white space
	`{}`, `[]`, `""`, `0`, `true`, `false`, `null`, " \t\r\n{ \n} ", "[ 1 , 2 ]", `{ "a" : 1 , "b" : 2 }`,
	// 4: objects
	`{"":0}`, `{"a":{"a":{"a":0}},"b":{"a":0}}`, `[{"a":0},{"a":0}]`, `{"a":0,"A":0}`, `{"a":0,"a ":0}`,
	"{\"\\u0000\":0,\"\":0}",
	// 5: arrays
	`[[],[[]],{},[{}]]`, `[null,1,"1",{}]`,
	// 6: numbers
	`-0`, `1`, `10`, `-123`, `0.0`, `-0.10`, `1e1`, `1E+1`, `1e-1`, `0e0`, `0.5e00`, `123123e100000`, `[1]`,
	strings.Repeat("9", 5000),
	// 7: strings
	`"` + long + `"`, `"` + long + `x"`, `"` + long + `\n"`, `"\"\\\/\b\f\n\r\t"`, `"\u0041\uABCD\uabcd"`, `"\ud83d\ude00"`,
	`"\ud83d"`, `"\ude00"`, `"\ud83d\ud83d\ude00"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\u0000"`,
	"\"\x7f\"", `"é"`, `"😀"`, "\"\u2028\ufeff\ufffd\U0010ffff\"", `"` + long + `é"`, `"` + strings.Repeat("é", 100) + `"`, `"''//{}[],:"`,
	// 9: limits
	strings.Repeat("[", 128) + strings.Repeat("]", 128), strings.Repeat(`{"a":`, 128) + "0" + strings.Repeat("}", 128),
}

var refused = []string{
	// 2
	``, ` `, `{`, `[`, `"`, `}`, `]`, `,`, `:`, `1 2`, `{}{}`, `[] x`, `[]]`, "\ufeff{}", "\u00a0[]", "[\f]", "[\v]", "[]\x00", `//`, `[] //`, `{/**/}`,
	`tru`, `True`, `truee`, `nul`, `nill`, `fals`, `NaN`, `Infinity`, `undefined`, `'a'`, `a`,
	// 4
	`{"a"}`, `{"a":}`, `{"a" 1}`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{"a":1,,"b":2}`, `{a:1}`, `{1:1}`, `{"a":1]`, `{"a":1`, `{"a":`, `{"a"`, `{"a`, `{"a"::1}`,
	`{null:1}`, `{[]:1}`, `{"a":1:2}`,
	`{"a":0,"a":1}`, `{"":0,"":1}`, `{"ab":0,"\u0061b":1}`, `[{"x":{"a":0,"b":0,"a":0}}]`, `{"\ud83d":0,"\udead":0}`,
	// 5
	`[1,]`, `[,1]`, `[,]`, `[1,,2]`, `[1 2]`, `[1}`, `[1`, `[1,`, `["a"`, `[1:2]`,
	// 6
	`-`, `+1`, `01`, `-01`, `00`, `1.`, `.1`, `-.1`, `1.e1`, `1e`, `1e+`, `1E-`, `1ee1`, `0x1`, `1_0`, `--1`, `1.2.3`, `1e1.5`, `-a`, `1a`, `٣`,
	// 7
	`"\x"`, `"\u"`, `"\u123"`, `"\u123g"`, `"\U0041"`, `"\`, `"\"`, `"\u`, `"\u00`, `"\'"`, `"\0"`, "\"\x00\"", "\"\x1f\"", "\"\n\"", "\"" + long + "\t\"", "\"\\\n\"",
	// 8: UTF-8
	"\"\xff\"", "\"\xc3\"", "\"" + long + "\xc3\"", "\"" + long + "\xc3\xa9\x80\"", "\"\xc0\x80\"", "\"\xe2\x82\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xf8\x88\x80\x80\x80\"",
	"\xff", "[\xff]", "{\"\xe9\":0}", "{\"a\":0,\"\xff\":0}", "{\"a\":0}\xff", "\"\\u00\xc3\xa9\"",
	// 9
	strings.Repeat("[", 129) + strings.Repeat("]", 129), strings.Repeat(`{"a":`, 129) + "0" + strings.Repeat("}", 129), strings.Repeat("[", 4<<20),
	strings.Repeat(`{"a":`, 100_000),
}

func TestAcceptedAndRejected(t *testing.T) {
	for _, text := range accepted {
		require.NoError(t, check(text), "%.50q", text)
		agree(t, text)
		for n := range len(text) { // a number or white space can end early, nothing else
			agree(t, text[:n])
		}
	}
	for _, text := range refused {
		require.Error(t, check(text), "%.50q", text)
		agree(t, text)
	}
}

// A string is read eight bytes at a time; here everything stands at every place.
func TestEveryAlignment(t *testing.T) {
	for _, special := range []string{``, `\"`, `\\`, `\u00e9`, `\ud83d\ude00`, `é`, "\xe9", "\x00", "\x1f", "\x80", "\x7f", `\x`} {
		for before := range 17 {
			for after := range 17 {
				agree(t, `"`+strings.Repeat("a", before)+special+strings.Repeat("b", after)+`"`)
				agree(t, `"`+strings.Repeat("a", before)+special+strings.Repeat("b", after))
			}
		}
	}
}

// Every byte as each digit of an escape.
func TestEveryHexadecimalDigit(t *testing.T) {
	for c := range 256 {
		for _, escape := range []string{"\\u%s041", "\\u0%s41", "\\u00%s1", "\\u004%s"} {
			agree(t, `"`+strings.Replace(escape, "%s", string([]byte{byte(c)}), 1)+`"`)
		}
	}
}

// A string of each pattern, at each offset and with one other byte at each place, is read as by
// encoding/json.
func TestEscapesInEveryPattern(t *testing.T) {
	for _, pattern := range []string{`\n`, `\nx`, `x\n`, `\nxy`, `\u00e9\n`, `\u00e9`, `\u20ac`, `\u0041x`, `\ud83d\ude00`, `\ud83dx`, `\n\u0022`, `\n12345678`, `\n123456789`, `\né`, `\\\"\/`, `ab\n`, `abc\u00e9`, `ab\ud83d`, `abcdef\\`, `abcdefg\"`, `123456789abcdef\b`} {
		text := strings.Repeat(pattern, 80/len(pattern))
		for offset := range 9 {
			agree(t, `"`+strings.Repeat("x", offset)+text+`"`)
		}
		for at := range 24 {
			for _, c := range "x\"\\u0g\t\x7f" {
				agree(t, `"`+text[:at]+string(c)+text[at+1:]+`"`)
			}
			agree(t, `"`+text[:at])
			agree(t, `"`+text[:at]+`"`)
			agree(t, `"`+text[:at]+"\xff"+text[at+1:]+`"`)
		}
	}
}

// However a name is written, and whatever comes between, it is found the second time.
func TestDuplicateNamesInEverySpelling(t *testing.T) {
	for _, spellings := range [][]string{
		{`"ab":`, `"ab" :`, `"\u0061b":`, `"a\u0062" : `},
		{`"é":`, "\"é\"\t:", `"\u00e9":`},
		{`"":`, `"" :`},
	} {
		for _, between := range []string{`0,`, `{"ab":0,"é":0,"":0},`, `0,"x":0,"y" :0,"\u007a":0,`} {
			for _, first := range spellings {
				agree(t, `{`+first+between+`"last":0}`)
				for _, second := range spellings {
					text := `{` + first + between + second + `0,"last":0}` //
					require.ErrorContains(t, check(text), "a duplicate name", text)
				}
			}
		}
	}
}

// Whatever the number of names, one that comes twice is found, and only that.
func TestDuplicateNames(t *testing.T) {
	name := func(i int) string {
		return strings.Repeat("n", i%3) + string(rune('a'+i%26)) + strings.Repeat("m", i/26)
	}
	for n := 1; n < 100; n++ {
		var b strings.Builder
		b.WriteString(`{"":{}`)
		for i := range n {
			b.WriteString(`,"` + name(i) + `":{"a":0,"b":{}}`)
		}
		require.NoError(t, check(b.String()+`}`))
		for i := range n {
			require.Error(t, check(b.String()+`,"`+name(i)+`":0}`))
		}
		require.NoError(t, check(`[`+b.String()+`},`+b.String()+`}]`))
	}
}

// manyNames returns an object with so many names.
func manyNames(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(`"n%d":%d`, i, i)
	}
	return "{" + strings.Join(names, ",") + "}"
}

// Repeated names are found in objects of any size, wherever they are.
func TestDuplicateNamesInLargeObjects(t *testing.T) {
	for _, n := range []int{15, 16, 17, 31, 32, 33, 500, 1024, 1025, 1026, 2050, 20_000} {
		large := strings.TrimSuffix(manyNames(n), "}")
		size := len(large)
		require.NoError(t, check(large+"}"))
		for text, at := range map[string]int{
			large + `,"n0":0}`:                          size + 1,
			large + `,"n14":{},"n3":[],"n14":0}`:        size + 1,
			large + `,"\u006e0":0,"n1":1,"n2":2}`:       size + 1,
			large + `,"a":{"b":0,"b":0},"n7":0}`:        size + 12,
			large + `,"a":` + large + `,"n7":0}}`:       2*size + 6,
			large + `,"n7":0,"a":` + large + `,"b":0}}`: size + 1,
			`[` + large + `,"n7":0},` + large + `,1}]`:  size + 2,
		} {
			require.EqualError(t, check(text), fmt.Sprint("a duplicate name at byte ", at), "%d names", n)
		}
	}
}

// The memory of large objects is a few times the size of the text, and one list serves
// many objects in turn.
func TestMemoryOfLargeObjects(t *testing.T) {
	allocated := func(text []byte) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, check(string(text)))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	large := []byte(manyNames(50_000))
	require.Less(t, allocated(large), uint64(10*len(large)))
	row := []byte(`[` + strings.TrimSuffix(strings.Repeat(manyNames(100)+",", 500), ",") + `]`)
	require.Less(t, allocated(row), uint64(8*len(row)))
	escaped := strings.NewReplacer("n", `\u006e`, `":`, `n":`).Replace(manyNames(16)) // each name is decoded once
	escapedRow := []byte(`[` + strings.TrimSuffix(strings.Repeat(escaped+",", 500), ",") + `]`)
	require.Less(t, allocated(escapedRow), uint64(6*len(escapedRow)))
	deep := strings.Repeat(`{"a":1,"b":`, 120) + `{}` + strings.Repeat(`}`, 120)
	deepRow := []byte(`[` + strings.TrimSuffix(strings.Repeat(deep+",", 500), ",") + `]`)
	require.Less(t, allocated(deepRow), uint64(8*len(deepRow)))
}

// JSONTestSuite is a folder of cases that others have collected. It is no part of
// this repository; the variable JSON_TEST_SUITE names its folder test_parsing.
func TestJSONTestSuite(t *testing.T) {
	dir := os.Getenv("JSON_TEST_SUITE")
	if dir == "" {
		t.Skip("JSON_TEST_SUITE is not set")
	}
	names, err := fs.Glob(os.DirFS(dir), "*.json")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := fs.ReadFile(os.DirFS(dir), name)
		require.NoError(t, err)
		agree(t, string(text))
		switch duplicate := strings.HasPrefix(name, "y_object_duplicated_key"); {
		case duplicate: // JSON, but two readers would see two different things
			require.Error(t, check(string(text)), name)
		case name[0] == 'y':
			require.NoError(t, check(string(text)), name)
		case name[0] == 'n':
			require.Error(t, check(string(text)), name)
		}
	}
}

func TestErrorSaysWhere(t *testing.T) {
	for text, want := range map[string]string{
		``:              "the end of the text at byte 0",
		`{"a":1} {}`:    "something after the first value at byte 8",
		`{"a":1,"a":2}`: "a duplicate name at byte 7",
		`{"a":}`:        "invalid character '}' at start of value at byte 5",
		`{"a" 1}`:       "invalid character '1' after a name at byte 5",
		"[\"ab\xff\"]":  "bytes that are not UTF-8 at byte 4",
		"[\xff]":        `invalid byte 0xff at start of value at byte 1`,
		`["\u12g4"]`:    "invalid character 'g' in an escape at byte 6",
		`["\u0g"]`:      "invalid character 'g' in an escape at byte 5",
		`["\u9"]`:       `invalid character '"' in an escape at byte 5`,
		`["\uF/00"]`:    "invalid character '/' in an escape at byte 5",
		`["\u00`:        "the end of the text at byte 6",
		`[tru]`:         "invalid character ']' in true at byte 4",
	} {
		require.EqualError(t, check(text), want)
	}
}

// A loop can end early, and what it doesn't read makes no difference.
func TestLoops(t *testing.T) {
	const text = ` { "a" : [1, {"b": "}\\\"\\\\"}, [{"x":0}], {"b":2} ] , "c" : -1.5e3 , "e" : {"f": "g"}, "h" : null , "\u0069":"j"} `
	r, err := jsonscan.Parse([]byte(text))
	require.NoError(t, err)
	var names, texts []string
	for it := r.Members(); it.Next(); {
		names = append(names, string(r.Name()))
		texts = append(texts, r.String()+r.Number())
		for o := r.Objects(); o.Next(); {
			for it := r.Members(); it.Next(); {
				names = append(names, string(r.Name()))
				break
			}
			break
		}
	}
	require.Equal(t, []string{"a", "b", "c", "e", "h", "i"}, names)
	require.Equal(t, []string{"", "-1.5e3", "", "", "j"}, texts)
	require.Equal(t, strings.TrimSpace(text), string(r.Raw()))
	for m := r.Members(); m.Next(); {
		if string(r.Name()) == "e" {
			p, raw := r.Position(), r.Raw()
			require.Equal(t, `{"f": "g"}`, string(raw))
			require.Equal(t, len(raw), cap(raw))
			defer func() {
				r.Seek(p)
				require.Equal(t, raw, r.Raw())
			}()
		}
	}
	require.Zero(t, r.Position())
}

// A decoded text stays what it is, whatever is decoded after it.
func TestDecodedTextsStay(t *testing.T) {
	var b strings.Builder
	var want []string
	b.WriteString(`{"":""`)
	for i := range 500 {
		fmt.Fprintf(&b, `,"%d":"%s\n"`, i, strings.Repeat("x", i))
		want = append(want, strings.Repeat("x", i)+"\n")
	}
	b.WriteString(`}`)
	require.NoError(t, check(b.String()))
	r, err := jsonscan.Parse([]byte(b.String()))
	require.NoError(t, err)
	var got []string
	for it := r.Members(); it.Next(); {
		got = append(got, r.String())
		require.JSONEq(t, string(r.Raw()), strconv.Quote(r.String()))
	}
	require.Equal(t, want, got[1:])
}
