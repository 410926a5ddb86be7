//go:build !core && !npm

package calls

import (
	"maps"

	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// codeFields are the settings of a code for paper.
var codeFields = []field{
	{"text", textKind},
	{"size", floatKind},
	{"outer", floatKind},
	{"module", floatKind},
	{"dpi", intKind},
	{"minLevel", textKind},
	{"margin", intKind},
	{"caption", textKind},
	{"frame", textKind},
	{"logo", bytesKind},
	{"logoShare", floatKind},
	{"color", textKind},
	{"bg", textKind},
	{"title", textKind},
	{"bleed", floatKind},
	{"cropMarks", boolKind},
}

// batchFields are the settings of a table, apart from its columns.
var batchFields = []field{
	{"output", textKind},
	{"format", textKind},
	{"labels", textKind},
	{"start", intKind},
	{"border", boolKind},
	{"offsetX", floatKind},
	{"offsetY", floatKind},
	{"padding", floatKind},
	{"country", textKind},
	{"text", textKind},
	{"encoding", textKind},
	{"separator", textKind},
	{"noHeader", boolKind},
	{"size", intKind},
	{"minLevel", textKind},
	{"margin", intKind},
	{"color", textKind},
	{"bg", textKind},
	{"mm", floatKind},
	{"module", floatKind},
	{"dpi", intKind},
	{"bleed", floatKind},
	{"caption", textKind},
	{"frame", textKind},
	{"logo", bytesKind},
	{"logoShare", floatKind},
}

// The tags core and npm leave out what only the page needs, after its first code: tables and layout for
// paper.
func init() {
	maps.Copy(fields, map[string][]field{
		"batch":        batchFields,
		"code":         codeFields,
		"columns":      columnFields(),
		"label":        fieldsOf(labelMembers),
		"labelOptions": {{"labels", textKind}, {"start", intKind}, {"border", boolKind}, {"offsetX", floatKind}, {"offsetY", floatKind}},
		"measures":     fieldsOf(measureMembers),
		"posterOptions": {
			{"paper", textKind}, {"heading", textKind}, {"footer", textKind}, {"tent", boolKind},
		},
		"row": fieldsOf(rowMembers),
	})
	functions = append(functions, []function{
		{"batch.Close", closeBatch},
		{"batch.Finish", finishBatch},
		{"batch.Open", openBatch},
		{"batch.Step", stepBatch},
		{"qrprint.Code.Page", page},
		{"qrprint.Poster.Page", posterPage},
		{"batch.Guess", guessColumns},
		{"batch.Rows", tableRows},
		{"qrprint.Labels", labelProducts},
		{"qrprint.Labels.Page", labelSheet},
		{"qrprint.LabelNames", func(_ *arguments, r *result) error {
			r.strings(qrprint.LabelNames())
			return nil
		}},
	}...)
}
