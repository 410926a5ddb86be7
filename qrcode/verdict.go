package qrcode

import (
	"slices"

	"github.com/hailmark/hailmark/problem"
)

// A Light says at a glance whether scanners read a code.
type Light string

const (
	// Green means that all scanners of our measurements read such codes.
	Green Light = "green"

	// Yellow means that some scanners don't.
	Yellow Light = "yellow"

	// Red means that the code is rejected.
	Red Light = "red"
)

// A Verdict answers the question whether a code will scan, in one place for every program.
// Verdicts are comparable.
type Verdict struct {
	Light Light `json:"light"`

	// Sentence is the answer in words, such as "Scanners should read this code." It begins with a
	// capital and ends with a period.
	Sentence string `json:"sentence"`
}

// VerdictOf returns the verdict on a code with these warnings, of [Options.CheckText] or of package
// qrprint, and this error. Warnings about other things, such as how a number was written, don't count.
//
//	warnings, err := opts.CheckText(text)
//	fmt.Println(qrcode.VerdictOf(warnings, err).Sentence)
func VerdictOf(warnings problem.List, err error) Verdict {
	if err != nil {
		return Verdict{Red, "Scanners can't read this code: " + err.Error() + "."}
	}
	doubts := slices.DeleteFunc(slices.Clone(warnings), func(p problem.Problem) bool { return !slices.Contains(doubtful, p.Code) })
	if len(doubts) == 0 {
		return Verdict{Green, "Scanners should read this code."}
	}
	return Verdict{Yellow, "Some scanners may not read this code: " + doubts.String() + "."}
}

// doubtful are the codes of warnings that some scanners may not read a code.
var doubtful = []problem.Code{CodeLightOnDark, CodeWeakContrast, CodeSmallModule, CodeNoQuietZone}
