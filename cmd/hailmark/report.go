package main

import (
	"fmt"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
	"github.com/hailmark/hailmark/webhooknorm"
)

// hints say what to do about a problem where its message does not.
var hints = map[problem.Code]string{
	busname.CodeNoLetter:              "write a phone number with its country code, as in +16505551234",
	chatlink.CodeUnrecognizedLink:     "hailmark parse --help lists the forms of links",
	bsuid.CodeInvalid:                 "BSUIDs come from webhooks, and must be given unchanged",
	identity.CodeJSON:                 "hailmark people --help shows the forms of facts",
	webhooknorm.CodeInvalidJSON:       "give one webhook on each line, as it arrived",
	webhooknorm.CodeTooManyEvents:     "a webhook of the platform has at most 1,000 events",
	webhooknorm.CodeUnrecognizedShape: "give the body of the request as it arrived",
	qrcode.CodeLowContrast:            "choose a darker --color or a lighter --background",
	qrprint.CodeModuleTooSmall:        "--mm sets the width of the code, and --labels the labels of a sheet",
	qrprint.CodeInvalidDPI:            "--dpi sets the resolution",
	qrprint.CodeLogoTooLarge:          "--logo-share sets the largest share of the width",
	qrprint.CodeInvalidLabels:         "hailmark sheet --help lists the labels, and shows how to describe others",
}

// report prints an error to the standard error, after the place that it is about.
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
	a.hint(list)
}

// hint prints the first hint that a problem has, unless it was printed already.
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

// A problemJSON is a problem in the output.
type problemJSON struct {
	Code    problem.Code `json:"code,omitempty"`
	Message string       `json:"message"`
}

// problemsJSON returns a list that is not nil.
func problemsJSON(list problem.List) []problemJSON {
	problems := make([]problemJSON, 0, len(list))
	for _, p := range list {
		problems = append(problems, problemJSON{p.Code, p.Message})
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
