package chatlink

import "github.com/hailmark/hailmark/problem"

// The codes of this package's errors, each with its remedy. Errors about a number or username have
// the codes of packages phone and busname.
const (
	// CodeInvalidText means that a message isn't UTF-8 or contains a control character other than
	// newline and tab. Remove the character that the error names.
	CodeInvalidText problem.Code = "text_invalid"

	// CodeTextTooLong means that a message has more than 4096 characters. Shorten it.
	CodeTextTooLong problem.Code = "text_too_long" // as in package qrcode

	// CodeUnrecognizedLink means that a string isn't one of the links that [ParseLink] reads, or
	// that its recipient is ambiguous. Copy the link again, or ask the person who made it.
	CodeUnrecognizedLink problem.Code = "link_unrecognized"

	// CodeInvalidKey means that a username key isn't 4 to 8 ASCII letters and digits. Ask for the
	// key again.
	CodeInvalidKey problem.Code = "key_invalid_format"

	// CodeMissingTarget means that a [Target] is empty. Enter a username, a phone number or a
	// WhatsApp link.
	CodeMissingTarget problem.Code = "missing_target"

	// CodeTargetIsBSUID means that [ParseTarget] got a BSUID, which no link can open. Use the
	// person's username or phone number, or reply through the Cloud API.
	CodeTargetIsBSUID problem.Code = "target_is_bsuid"

	// CodeTextNotSupported means that a link of this kind can't contain a text, such as an
	// invitation to a group. Leave the text out.
	CodeTextNotSupported problem.Code = "text_not_supported"
)
