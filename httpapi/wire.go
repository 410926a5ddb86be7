package httpapi

import (
	"github.com/hailmark/hailmark/httpapi/wire"
	"github.com/hailmark/hailmark/problem"
)

type errorBody struct {
	Error wire.Problem `json:"error"`
}

type validation struct {
	Valid    bool           `json:"valid"`
	Errors   []wire.Problem `json:"errors"`
	Warnings []wire.Problem `json:"warnings,omitempty"`
}

// validationResult returns a handler that responds with check's problems or warnings.
func validationResult(p *param, check func(string) (problem.List, error)) func(*Handler, input) (response, error) {
	return func(_ *Handler, in input) (response, error) {
		return verdict(check(in.get(p)))
	}
}

// verdict returns the response about a value with these warnings and this error.
func verdict(warnings problem.List, err error) (response, error) {
	if err == nil && len(warnings) == 0 {
		return valid, nil
	}
	v := validation{Valid: err == nil, Errors: []wire.Problem{}}
	v.Warnings = wire.Problems(warnings)
	v.Errors = append(v.Errors, wire.Problems(problem.All(err))...)
	return jsonResponse(v)
}

// valid is the response about a value without errors and warnings.
var valid = func() response {
	resp, _ := jsonResponse(validation{Valid: true, Errors: []wire.Problem{}})
	resp.etag = etagOf(resp.body)
	return resp
}()

type usernameLink struct {
	Username  string `json:"username"`
	Key       string `json:"key,omitempty"`
	Link      string `json:"link"`
	ShortLink string `json:"shortLink"`
	Notice    string `json:"notice"`
}

type phoneLink struct {
	Phone    string         `json:"phone"`
	Link     string         `json:"link"`
	Warnings []wire.Problem `json:"warnings,omitempty"`
}

type bsuidValidation struct {
	Valid    bool `json:"valid"`
	IsParent bool `json:"isParent"`
}

type bsuidParse struct {
	CountryCode string `json:"countryCode"`
	ID          string `json:"id"`
	IsParent    bool   `json:"isParent"`
}

type businessUsernameValidation struct {
	Valid   bool     `json:"valid"`
	Reasons []Reason `json:"reasons"`
}
