package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
)

// A judge holds requests and responses to the document that the service serves.
type judge struct{ doc *openapi3.T }

func newJudge(t *testing.T, document []byte) judge {
	t.Helper()
	for _, mediaType := range []string{"image/png", "image/svg+xml"} {
		openapi3filter.RegisterBodyDecoder(mediaType, openapi3filter.FileBodyDecoder)
	}
	doc, err := openapi3.NewLoader().LoadFromData(document)
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaDefaultsValidation(),
		openapi3.EnableSchemaFormatValidation(), openapi3.EnableSchemaPatternValidation()))
	return judge{doc}
}

// operation returns what the document says of a request, or nil.
func (j judge) operation(method, path string) *openapi3.Operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if item := j.doc.Paths.Value(path); item != nil {
		return item.GetOperation(method)
	}
	return nil
}

// request returns what is wrong with a request of an operation.
func (j judge) request(req *http.Request) error {
	return openapi3filter.ValidateRequest(req.Context(), j.input(req))
}

func (j judge) input(req *http.Request) *openapi3filter.RequestValidationInput {
	return &openapi3filter.RequestValidationInput{
		Request: req,
		Route: &routers.Route{
			Spec: j.doc, Path: req.URL.Path, PathItem: j.doc.Paths.Value(req.URL.Path),
			Method: req.Method, Operation: j.operation(req.Method, req.URL.Path),
		},
		Options: &openapi3filter.Options{
			AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
			IncludeResponseStatus: true,
			SkipSettingDefaults:   true,
		},
	}
}

// response returns what is wrong with the response to a request of an operation: an
// undocumented status or media type, a missing header, a body off its schema. What
// has no body, 304 and the response to HEAD, is judged by the rest.
func (j judge) response(res *http.Response, body []byte) error {
	op := j.operation(res.Request.Method, res.Request.URL.Path)
	documented := op.Responses.Status(res.StatusCode)
	if documented == nil {
		return fmt.Errorf("status %d is not documented", res.StatusCode)
	}
	for name, header := range documented.Value.Headers {
		if header.Value.Required && res.Header.Get(name) == "" {
			return fmt.Errorf("header %s is missing", name)
		}
	}
	if mediaType := res.Header.Get("Content-Type"); mediaType != "" && documented.Value.Content[mediaType] == nil {
		return fmt.Errorf("media type %s is not documented for status %d", mediaType, res.StatusCode)
	}

	in := j.input(res.Request)
	if res.Request.Method == http.MethodHead {
		in = j.input(&http.Request{Method: http.MethodGet, URL: res.Request.URL})
		in.Options.ExcludeResponseBody = true
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: res.StatusCode, Header: res.Header, Options: in.Options}
	return openapi3filter.ValidateResponse(res.Request.Context(), out.SetBodyBytes(body))
}

// errorCode holds a body to components/schemas/Error and returns its code.
func (j judge) errorCode(body []byte) (problem.Code, error) {
	var value any
	err := json.Unmarshal(body, &value)
	if err == nil {
		err = j.doc.Components.Schemas["Error"].Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
	}
	if err != nil {
		return "", err
	}
	code := value.(map[string]any)["error"].(map[string]any)["code"].(string) // the schema says so
	return problem.Code(code), nil
}

// codesOf returns the codes that the document lists for a response.
func codesOf(response *openapi3.ResponseRef) []problem.Code {
	list, _ := response.Value.Extensions["x-error-codes"].([]any)
	codes := make([]problem.Code, len(list))
	for i := range list {
		codes[i] = problem.Code(list[i].(string))
	}
	return codes
}
