package batch

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

func avery(t *testing.T) qrprint.Labels {
	labels, err := qrprint.ParseLabels("avery-l7160")
	require.NoError(t, err)
	labels.Start = 20
	return labels
}

const labelTable = `username,phone,caption,color
jane.doe,,,
x,,,
,,,
,+1 650 555 1234,,
ada,,日本,
max,,Table 7,#000080
`

// Invalid and empty rows don't use a label, and the report specifies the position of the
// others.
func TestPrintLabels(t *testing.T) {
	var report bytes.Buffer
	var all []Result
	var progress []int
	config := Config{
		Paper:    &Paper{Code: qrprint.Code{Caption: "Chat: {name}", DPI: 300}},
		Reports:  []Report{{&report, true}},
		Each:     func(r Result) { all = append(all, r) },
		Progress: func(c Counts, _ int) { progress = append(progress, c.Rows()) },
	}
	var got bytes.Buffer
	counts, err := PrintLabels(strings.NewReader(labelTable), &got, config, avery(t))
	require.NoError(t, err)
	require.Equal(t, Counts{3, 2, 1}, counts)
	require.Len(t, all, 6)

	var want bytes.Buffer
	sheets, err := qrprint.NewSheetWriter(&want, avery(t))
	require.NoError(t, err)
	for _, c := range []qrprint.Code{
		{Text: "https://wa.me/jane.doe", Caption: "Chat: @jane.doe"},
		{Text: "https://wa.me/16505551234", Caption: "Chat: +16505551234"},
		{Text: "https://wa.me/max", Caption: "Table 7", Style: qrcode.Style{Foreground: qrcode.RGB(0, 0, 0x80)}},
	} {
		c.DPI = 300
		_, err := sheets.Add(c)
		require.NoError(t, err)
	}
	require.NoError(t, sheets.Close())
	require.Equal(t, want.Bytes(), got.Bytes())

	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 6}, progress)
	rows, err := csv.NewReader(&report).ReadAll()
	require.NoError(t, err)
	var places []string
	for _, row := range rows {
		places = append(places, strings.Join(append(row[:4:4], row[7]), " "))
	}
	require.Equal(t, []string{
		"row status page label code", "2 ok 1 20 ", "3 failed   username_length", "4 skipped   ", "5 ok 1 21 ",
		"6 failed   print_unsupported_character", "7 ok 2 1 ",
	}, places)
	require.Equal(t, "caption", all[4].Column)
	require.Equal(t, "日本", all[4].Value)
	require.Equal(t, "https://wa.me/max", all[5].Link)

	s, err := Labels([]byte(labelTable), config, avery(t))
	require.NoError(t, err)
	require.Equal(t, 6, s.Rows())
	list, err := s.Step(10)
	require.NoError(t, err)
	require.Equal(t, all, list)
	output, err := s.Finish()
	require.NoError(t, err)
	require.Equal(t, counts, output.Counts)
	require.Equal(t, want.Bytes(), output.File)
	require.Equal(t, report.Len(), 0)
	require.Contains(t, string(output.JSON), `{"row":7,"status":"ok","page":2,"label":1,"link":"https://wa.me/max"}`)
}

func TestPrintNoLabels(t *testing.T) {
	for _, text := range []string{"username\n", "username\nx\n\n"} {
		var out bytes.Buffer
		counts, err := PrintLabels(strings.NewReader(text), &out, Config{Paper: &Paper{}}, avery(t))
		require.NoError(t, err)
		require.Zero(t, counts.OK)
		require.Empty(t, out.Bytes())
	}
}

func TestPrintOneLabel(t *testing.T) {
	var out bytes.Buffer
	counts, err := PrintLabels(strings.NewReader("username\njane\n"), &out, Config{Paper: &Paper{}}, avery(t))
	require.NoError(t, err)
	require.Equal(t, 1, counts.OK)
	require.True(t, bytes.HasSuffix(out.Bytes(), []byte("%%EOF\n")))
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// An output error doesn't become a failed row.
func TestPrintLabelsError(t *testing.T) {
	counts, err := PrintLabels(strings.NewReader("username\n"+strings.Repeat("jane\n", 40)), brokenWriter{}, Config{Paper: &Paper{}}, avery(t))
	require.ErrorContains(t, err, "disk full")
	require.Zero(t, counts.Failed)
	_, err = PrintLabels(strings.NewReader(""), brokenWriter{}, Config{Paper: &Paper{}}, avery(t))
	require.ErrorContains(t, err, "the table is empty")
	_, err = PrintLabels(strings.NewReader("username\n"), brokenWriter{}, Config{Paper: &Paper{}}, qrprint.Labels{})
	require.ErrorContains(t, err, "labels have 0 columns")
	_, err = Labels([]byte("username\n"), Config{Paper: &Paper{}}, qrprint.Labels{})
	require.ErrorContains(t, err, "labels have 0 columns")
}

// A batch for paper uses package qrprint, and reports its warnings.
func TestRowsForPaper(t *testing.T) {
	var out folder
	all, counts := results(t, labelTable, Config{WriteFile: out.WriteFile, Paper: &Paper{Code: qrprint.Code{Width: 8, Caption: "Hi"}, Format: qrprint.EPS}})
	require.Equal(t, Counts{3, 2, 1}, counts)
	require.Equal(t, "jane.doe.eps", all[0].File)
	require.Equal(t, []string{"small_module"}, all[0].warnings())
	page, err := qrprint.Code{Text: "https://wa.me/max", Width: 8, Caption: "Table 7", Style: qrcode.Style{Foreground: qrcode.RGB(0, 0, 0x80)}}.Page()
	require.NoError(t, err)
	want, err := page.Append(nil, qrprint.EPS)
	require.NoError(t, err)
	require.Equal(t, want, out.files["max.eps"])
}

func problemOf(code string) problem.Problem { return problem.Problem{Code: problem.Code(code)} }
