package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
	"github.com/hailmark/hailmark/webhooknorm"
)

// hints are remedies specific to the command line.
var hints = map[problem.Code]string{
	busname.CodeNoLetter:              "write a phone number with its country code, for example +16505551234",
	chatlink.CodeUnrecognizedLink:     "hailmark parse --help lists the known links",
	bsuid.CodeInvalid:                 "BSUIDs come from webhooks; copy them unchanged",
	identity.CodeInvalidJSON:          "hailmark people --help shows facts; to read webhooks, add --webhooks",
	webhooknorm.CodeInvalidJSON:       "pass one webhook per line, as it arrived",
	webhooknorm.CodeTooManyEvents:     "a webhook of the platform has at most 1,000 events",
	webhooknorm.CodeUnrecognizedShape: "pass the body of the request as it arrived",
	qrcode.CodeLowContrast:            "choose a darker --color or a lighter --background",
	qrprint.CodeModuleTooSmall:        "set the width of the code with --mm, or larger labels with --labels",
	qrprint.CodeInvalidDPI:            "set the resolution with --dpi",
	qrprint.CodeLogoTooLarge:          "set the maximum share of the width with --logo-share",
	qrprint.CodeInvalidLabels:         "hailmark sheet --help lists the labels, and shows how to describe others",
}

// report prints an error to standard error. The place identifies the input.
func (a *app) report(place string, err error) {
	list := problem.All(err)
	if a.json {
		a.reportJSON(place, err, list)
		return
	}
	if place != "" {
		place += ": "
	}
	if len(list) == 0 {
		fmt.Fprintf(a.stderr, "hailmark: %s%v\n", place, err)
	}
	for _, p := range list {
		fmt.Fprintf(a.stderr, "hailmark: %s%s (%s)\n", place, p.Message, p.Code)
	}
	if e := (*table.NoColumnsError)(nil); errors.As(err, &e) {
		a.hintColumn(e)
	}
	a.hint(list)
}

// hintColumn tells how to name a column of the table. target is a column that can contain anything.
func (a *app) hintColumn(e *table.NoColumnsError) {
	column := e.Columns[0]
	if slices.Contains(e.Columns, "target") {
		column = "target"
	}
	i := slices.IndexFunc(e.Header, func(name string) bool { return strings.TrimSpace(name) != "" })
	if i < 0 {
		fmt.Fprintf(a.stderr, "Hint: if the first row is data, name a column by its number with --column %s=1 --no-header.\n", column)
		return
	}
	argument := column + "=" + strings.TrimSpace(e.Header[i])
	if strings.ContainsFunc(argument, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("=._-", r)
	}) {
		argument = "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
	}
	fmt.Fprintf(a.stderr, "Hint: name one of its columns with --column %s, or by its number with --column %s=%d; if the first row is data, add --no-header.\n", argument, column, i+1)
}

// hint prints the first hint for the problems, unless it already has.
func (a *app) hint(list problem.List) {
	for _, p := range list {
		hint := hints[p.Code]
		if hint == "" {
			continue
		}
		if !a.hinted[hint] {
			fmt.Fprintf(a.stderr, "Hint: %s.\n", hint)
		}
		if a.hinted == nil {
			a.hinted = map[string]bool{}
		}
		a.hinted[hint] = true
		return
	}
}

type problemJSON struct {
	Code    problem.Code `json:"code,omitempty"`
	Message string       `json:"message"`

	Suggestions problem.Suggestions `json:"suggestions,omitzero"`
}

// problemsJSON returns a non-nil list, because JSON should contain [] instead of null.
func problemsJSON(list problem.List) []problemJSON {
	problems := make([]problemJSON, 0, len(list))
	for _, p := range list {
		problems = append(problems, problemJSON{p.Code, p.Message, p.Suggestions})
	}
	return problems
}

func (a *app) reportJSON(place string, err error, list problem.List) {
	problems := problemsJSON(list)
	if len(list) == 0 {
		problems = append(problems, problemJSON{Message: err.Error()})
	}
	_ = writeJSON(a.stderr, struct {
		Place  string        `json:"place,omitempty"`
		Errors []problemJSON `json:"errors"`
	}{place, problems})
}
