package phone

import "github.com/hailmark/hailmark/problem"

// The codes of errors and warnings. They never change.
const (
	// CodeInvalid: the text isn't a complete international number. The message says why and what
	// to write instead.
	CodeInvalid problem.Code = "phone_invalid_format"

	// CodeMissingPlus: there's no + or 00 in front, so the country code may be missing. Ask for
	// the number with + and the country code. It's an error of [Parse] and a warning of [Inspect].
	CodeMissingPlus problem.Code = "phone_missing_plus"

	// CodeUnassignedCountry warns that no country has the calling code. Ask for the country code.
	CodeUnassignedCountry problem.Code = "phone_unassigned_country_code"

	// CodeUnassignedPrefix warns that no number in the country begins with the same digits. Show
	// [Number.CountryName] and ask whether it's the right country.
	CodeUnassignedPrefix problem.Code = "phone_unassigned_prefix"

	// CodeImpossibleLength warns that no number with the same first digits has this length. Ask
	// for a missing or surplus digit.
	CodeImpossibleLength problem.Code = "phone_impossible_length"

	// CodeInvalidCountry: the country of [ParseIn] isn't one with phone numbers, or isn't written as
	// two letters. It's about the field "country".
	CodeInvalidCountry problem.Code = "invalid_country"
)

const field = "phone"

func reject(format string, args ...any) problem.Problem {
	return problem.New(field, CodeInvalid, format, args...)
}
