package httpapi

import (
	"net/http"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The codes of problems with a request. The packages that parse the values declare the
// codes of problems with a value.
const (
	CodeMissingUsername        problem.Code = "missing_username"
	CodeMissingPhone           problem.Code = "missing_phone"
	CodeMissingKey             problem.Code = "missing_key"
	CodeMissingBSUID           problem.Code = "missing_bsuid"
	CodeMissingTarget          problem.Code = "missing_target" // neither or both of username and phone
	CodeDuplicateParameter     problem.Code = "duplicate_parameter"
	CodeInvalidQuery           problem.Code = "invalid_query"
	CodeInvalidField           problem.Code = "invalid_field" // a JSON field of the wrong type
	CodeInvalidJSON            problem.Code = "invalid_json"
	CodeUnsupportedContentType problem.Code = "unsupported_content_type"
	CodeBodyTooLarge           problem.Code = "body_too_large"
	CodeResponseTooLarge       problem.Code = "response_too_large" // the response about a webhook would be longer than 8 MiB
	CodeRequestTimeout         problem.Code = "request_timeout"    // the body didn't arrive in time
	CodeNotFound               problem.Code = "not_found"
	CodeMethodNotAllowed       problem.Code = "method_not_allowed"
	CodeRateLimited            problem.Code = "rate_limited"
	CodeOverloaded             problem.Code = "overloaded" // no slot for a large request within a few seconds
	CodeInternal               problem.Code = "internal_error"
)

// statusOf is the one place that turns codes into statuses.
func statusOf(code problem.Code) int {
	switch code {
	case CodeNotFound:
		return http.StatusNotFound
	case CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case webhooknorm.CodeUnrecognizedShape:
		return http.StatusUnprocessableEntity
	case CodeRequestTimeout:
		return http.StatusRequestTimeout
	case CodeRateLimited:
		return http.StatusTooManyRequests
	case CodeOverloaded:
		return http.StatusServiceUnavailable
	case CodeInternal:
		return http.StatusInternalServerError
	default:
		return http.StatusBadRequest
	}
}
