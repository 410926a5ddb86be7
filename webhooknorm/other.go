package webhooknorm

import (
	"cmp"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

// An Other is a change, or a part of one, that isn't about a person or that this package
// doesn't know. Raw is
//
//   - the whole value, of a template's, account's or number's change and of any unknown one, or
//     if errors, unknown members or contacts that no event uses stand beside the value's events;
//   - an element of a known array, if it gives no event or contains errors of its own, such as
//     2593109 in history because the business doesn't share it;
//   - a group's element, whose participants are events;
//   - a history element's metadata, which tells the progress;
//   - the whole thread, change, entry or payload, if it has unknown members or elements that aren't
//     objects, or a change without a value.
//
// Store what you don't handle, at least its Field.
type Other struct {
	// Field is the change's field, for example message_template_status_update.
	Field string `json:"field,omitempty"`

	// AccountID identifies the account, as in [Event].
	AccountID string `json:"accountId,omitempty"`

	// Errors are the errors in the part.
	Errors []Error `json:"errors,omitempty"`

	// Source's Timestamp is the part's or, if it has none, the entry's.
	Source
}

// addOther adds the current value. A part without a time of its own gets the entry's.
func (r *reader) addOther(timestamp string, errors []Error) {
	o := Other{Field: r.field, AccountID: r.account, Errors: errors, Source: r.source()}
	o.Timestamp, o.Raw = cmp.Or(timestamp, r.time), r.Raw()
	r.webhook.Others = append(r.webhook.Others, o)
	r.checkOthers()
}

// addValue adds a whole value.
func (r *reader) addValue(whole jsonscan.Position, m *members) {
	var (
		timestamp string
		errors    []Error
	)
	if r.at(m.timestamp) {
		timestamp = r.id()
	}
	if r.at(m.errors) {
		errors = r.readErrors()
	}
	r.Seek(whole)
	r.addOther(timestamp, errors)
}
