package httpapi

import (
	"net/http"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The codes of problems with a request, each with the client's remedy. The status is 400 unless
// another is given. Problems with a value have the codes of the package that parses it.
const (
	// CodeMissingUsername means that the parameter username is missing or empty. Send it.
	CodeMissingUsername problem.Code = "missing_username"

	// CodeMissingPhone means that the parameter phone is missing or empty. Send it.
	CodeMissingPhone problem.Code = "missing_phone"

	// CodeMissingKey means that the parameter key is missing or empty. Send it.
	CodeMissingKey problem.Code = "missing_key"

	// CodeMissingBSUID means that the field bsuid is missing or empty. Send it.
	CodeMissingBSUID problem.Code = "missing_bsuid"

	// CodeDuplicateParameter means that the query contains a parameter twice. Send it once.
	CodeDuplicateParameter problem.Code = "duplicate_parameter"

	// CodeInvalidQuery means that the query can't be decoded. Encode it with a URL encoder.
	CodeInvalidQuery problem.Code = "invalid_query"

	// CodeInvalidField means that a JSON field has the wrong type. Send a string.
	CodeInvalidField problem.Code = "invalid_field"

	// CodeInvalidJSON means that the body isn't one JSON object in UTF-8 with unique names. Encode
	// it with a JSON encoder.
	CodeInvalidJSON problem.Code = "invalid_json"

	// CodeUnsupportedContentType means that the body isn't declared as plain JSON. Send the header
	// Content-Type: application/json, and don't compress the body.
	CodeUnsupportedContentType problem.Code = "unsupported_content_type"

	// CodeBodyTooLarge means that a webhook exceeds 4 MiB, or another body 64 KiB. Shorten it.
	CodeBodyTooLarge problem.Code = "body_too_large"

	// CodeResponseTooLarge means that the response would exceed 8 MiB. Split the webhook.
	CodeResponseTooLarge problem.Code = "response_too_large"

	// CodeRequestTimeout (408) means that the body arrived too slowly. Send the request again.
	CodeRequestTimeout problem.Code = "request_timeout"

	// CodeNotFound (404) means that nothing has this path. Check it, including slashes.
	CodeNotFound problem.Code = "not_found"

	// CodeMethodNotAllowed (405) means that the path doesn't support the method. Use one from the
	// response's Allow header.
	CodeMethodNotAllowed problem.Code = "method_not_allowed"

	// CodeRateLimited (429) means that the client has sent too many requests. Wait for the seconds
	// in the header Retry-After.
	CodeRateLimited problem.Code = "rate_limited"

	// CodeOverloaded (503) means that the service is too busy. Wait for the seconds in the header
	// Retry-After.
	CodeOverloaded problem.Code = "overloaded"

	// CodeInternal (500) is a bug. Report the time and any X-Request-Id to the operator.
	CodeInternal problem.Code = "internal_error"
)

// statuses contains the HTTP statuses of codes, except for 400.
var statuses = map[problem.Code]int{
	CodeNotFound:                      http.StatusNotFound,
	CodeMethodNotAllowed:              http.StatusMethodNotAllowed,
	webhooknorm.CodeUnrecognizedShape: http.StatusUnprocessableEntity,
	CodeRequestTimeout:                http.StatusRequestTimeout,
	CodeRateLimited:                   http.StatusTooManyRequests,
	CodeOverloaded:                    http.StatusServiceUnavailable,
	CodeInternal:                      http.StatusInternalServerError,
}
