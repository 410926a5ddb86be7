package batch

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

func avery(t *testing.T) qrprint.Sheet {
	labels, err := qrprint.ParseLabels("avery-l7160")
	require.NoError(t, err)
	return qrprint.Sheet{Labels: labels, Start: 20}
}

const labelTable = `username,phone,caption,color
jane.doe,,,
x,,,
,,,
,+1 650 555 1234,,
ada,,日本,
max,,Table 7,#000080
`

// Rows that fail or are empty take no label, and the report has the place of the others.
func TestPrintLabels(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report.csv")
	var all []Result
	config := Config{
		Paper:   &Paper{Code: qrprint.Code{Caption: "Chat: {name}", DPI: 300}},
		Reports: []string{report},
		Each:    func(r Result) { all = append(all, r) },
	}
	var got bytes.Buffer
	counts, err := PrintLabels(strings.NewReader(labelTable), &got, config, avery(t))
	require.NoError(t, err)
	require.Equal(t, Counts{3, 2, 1}, counts)
	require.Len(t, all, 6)

	var want bytes.Buffer
	pdf := qrprint.NewPDFWriter(&want, "Labels")
	sheet, err := qrprint.NewSheetWriter(avery(t), pdf.WritePage)
	require.NoError(t, err)
	for _, c := range []qrprint.Code{
		{Text: "https://wa.me/jane.doe", Caption: "Chat: @jane.doe"},
		{Text: "https://wa.me/16505551234", Caption: "Chat: +16505551234"},
		{Text: "https://wa.me/max", Caption: "Table 7", Foreground: qrcode.RGB(0, 0, 0x80)},
	} {
		c.DPI = 300
		_, err := sheet.Add(c)
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(sheet.Close(), pdf.Close()))
	require.Equal(t, want.Bytes(), got.Bytes())

	text, err := os.ReadFile(report)
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	var places []string
	for _, row := range rows {
		places = append(places, strings.Join(append(row[:4:4], row[5]), " "))
	}
	require.Equal(t, []string{
		"row status page label code", "1 ok 1 20 ", "2 failed   username_length", "3 skipped   ", "4 ok 1 21 ",
		"5 failed   print_unsupported_character", "6 ok 2 1 ",
	}, places)
}

// Nothing is written if no row can be printed.
func TestPrintNoLabels(t *testing.T) {
	for _, text := range []string{"username\n", "username\nx\n\n"} {
		var out bytes.Buffer
		counts, err := PrintLabels(strings.NewReader(text), &out, Config{Paper: &Paper{}}, avery(t))
		require.NoError(t, err)
		require.Zero(t, counts.OK)
		require.Empty(t, out.Bytes())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A fault of the output is an error, and not a failed row.
func TestPrintLabelsFault(t *testing.T) {
	counts, err := PrintLabels(strings.NewReader("username\n"+strings.Repeat("jane\n", 40)), brokenWriter{}, Config{Paper: &Paper{}}, avery(t))
	require.ErrorContains(t, err, "disk full")
	require.Zero(t, counts.Failed)
	_, err = PrintLabels(strings.NewReader(""), brokenWriter{}, Config{Paper: &Paper{}}, avery(t))
	require.ErrorContains(t, err, "the table is empty")
	_, err = PrintLabels(strings.NewReader("username\n"), brokenWriter{}, Config{Paper: &Paper{}}, qrprint.Sheet{})
	require.ErrorContains(t, err, "labels must")
}

// A batch for paper draws what package qrprint draws, and reports its warnings.
func TestRowsForPaper(t *testing.T) {
	out := filepath.Join(t.TempDir(), "codes")
	all, counts := results(t, labelTable, Config{Out: out, Paper: &Paper{Code: qrprint.Code{Width: 8, Caption: "Hi"}, Format: qrprint.EPS}})
	require.Equal(t, Counts{3, 2, 1}, counts)
	require.Equal(t, "jane.doe.eps", all[0].File)
	require.Equal(t, []string{"print_small_module"}, all[0].warnings())
	page, err := qrprint.Code{Text: "https://wa.me/max", Width: 8, Caption: "Table 7", Foreground: qrcode.RGB(0, 0, 0x80)}.Page()
	require.NoError(t, err)
	want, err := page.Append(nil, qrprint.EPS)
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(out, "max.eps"))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// A run for paper can only be resumed with the same options.
func TestPaperHash(t *testing.T) {
	logo := func(path string) *qrprint.Logo {
		l, err := qrprint.ParseLogo([]byte(`<svg viewBox="0 0 9 9"><path d="` + path + `"/></svg>`))
		require.NoError(t, err)
		return l
	}
	seen := map[string]int{(&Config{}).hash(): -1}
	for i, p := range []Paper{
		{},
		{Format: qrprint.EPS},
		{Code: qrprint.Code{Width: 30}},
		{Code: qrprint.Code{Width: 3000}},
		{Code: qrprint.Code{DPI: 300}},
		{Code: qrprint.Code{Caption: "a"}},
		{Code: qrprint.Code{MinLevel: qrcode.LevelH}},
		{Code: qrprint.Code{Logo: logo("M1 1H8V8z")}},
		{Code: qrprint.Code{Logo: logo("M1 1H8V7z")}},
	} {
		hash := (&Config{Paper: &p}).hash()
		require.NotContains(t, seen, hash, i)
		seen[hash] = i
		require.Equal(t, hash, (&Config{Paper: &p}).hash())
	}
}
