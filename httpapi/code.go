package httpapi

import (
	"net/http"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The codes of problems with a request. Other packages declare those of problems with a value.
const (
	codeMissingUsername        problem.Code = "missing_username"
	codeMissingPhone           problem.Code = "missing_phone"
	codeMissingKey             problem.Code = "missing_key"
	codeMissingBSUID           problem.Code = "missing_bsuid"
	codeDuplicateParameter     problem.Code = "duplicate_parameter"
	codeInvalidQuery           problem.Code = "invalid_query"
	codeInvalidField           problem.Code = "invalid_field" // a JSON field of the wrong type
	codeInvalidJSON            problem.Code = "invalid_json"
	codeUnsupportedContentType problem.Code = "unsupported_content_type"
	codeBodyTooLarge           problem.Code = "body_too_large"
	codeResponseTooLarge       problem.Code = "response_too_large"
	codeRequestTimeout         problem.Code = "request_timeout"
	codeNotFound               problem.Code = "not_found"
	codeMethodNotAllowed       problem.Code = "method_not_allowed"
	codeRateLimited            problem.Code = "rate_limited"
	codeOverloaded             problem.Code = "overloaded"
	codeInternal               problem.Code = "internal_error"
)

// statuses contains the HTTP statuses of codes, except for 400.
var statuses = map[problem.Code]int{
	codeNotFound:                      http.StatusNotFound,
	codeMethodNotAllowed:              http.StatusMethodNotAllowed,
	webhooknorm.CodeUnrecognizedShape: http.StatusUnprocessableEntity,
	codeRequestTimeout:                http.StatusRequestTimeout,
	codeRateLimited:                   http.StatusTooManyRequests,
	codeOverloaded:                    http.StatusServiceUnavailable,
	codeInternal:                      http.StatusInternalServerError,
}
