package identity

import "github.com/hailmark/hailmark/problem"

// The codes of errors, each with its remedy.
const (
	// CodeInvalidAlias means that an ID is missing, too long or of another kind than stated, or that
	// a phone number contains other characters than digits. Leave out what isn't known, and pass
	// each ID as received in its own field.
	CodeInvalidAlias problem.Code = "identity_invalid_alias"

	// CodeInvalidFact means that a fact has no valid time, lacks an alias, or connects an alias to
	// itself. Use the webhook's own timestamp, and at least one ID on each side.
	CodeInvalidFact problem.Code = "identity_invalid_fact"

	// CodeNoEffect means that an operator's statement would change nobody. The message names the
	// statement that can.
	CodeNoEffect problem.Code = "identity_no_effect"

	// CodeInvalidJSON means that a text isn't the JSON of a fact. Store what [Fact.MarshalJSON]
	// returns, or compare the text with its format.
	CodeInvalidJSON problem.Code = "identity_invalid_json"

	// CodeInvalidPersonID means that a text isn't a UUID. Pass an ID that the engine returned.
	CodeInvalidPersonID problem.Code = "identity_invalid_person_id"
)
