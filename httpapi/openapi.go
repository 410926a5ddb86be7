package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
)

// apiVersion is the version that the OpenAPI document declares.
const apiVersion = "1.0.0"

// tags are the groups of routes in the document.
var tags = []struct {
	group             Routes
	name, description string
}{
	{LinkRoutes, "Links", "Links and QR codes that open a chat."},
	{ValidationRoutes, "Validation", "Checks of the structure alone. The status is 200 also for an invalid value; errors lists what is wrong."},
	{BusinessRoutes, "Business", "Helpers for the business API: identifiers, contacts, webhooks."},
	{0, "Description", "The description of this API for programs."},
}

// describe returns the OpenAPI document that follows from the routes of the groups.
func describe(base chatlink.BaseURL, groups Routes) ([]byte, error) {
	var used []any
	for _, tag := range tags {
		if tag.group == 0 || tag.group&groups != 0 {
			used = append(used, map[string]any{"name": tag.name, "description": tag.description})
		}
	}
	paths := map[string]map[string]any{}
	for _, rt := range selected(groups) {
		if paths[rt.path] == nil {
			paths[rt.path] = map[string]any{}
		}
		paths[rt.path][strings.ToLower(rt.method)] = rt.operation()
	}
	return json.MarshalIndent(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title":   "Hailmark",
			"version": apiVersion,
			"summary": "Click-to-chat links, QR codes and business identifiers for WhatsApp",
			"description": "Free and keyless. Every response carries CORS headers. A request is counted for its IPv4 address or IPv6 /64, " +
				"in windows of 60 seconds that open with the first counted request: by default 60 requests, and apart from these 20 for QR codes. " +
				"Errors have the shape Error. A code never changes within v1, and new ones may be added. " +
				"Unknown parameters and JSON fields are ignored. A parameter may be given once, and an empty optional one counts as absent.",
			"license": map[string]any{"name": "MIT", "identifier": "MIT"},
			"contact": map[string]any{"name": "Hailmark", "url": "https://github.com/hailmark/hailmark"},
		},
		"servers":  []any{map[string]any{"url": base.String()}},
		"security": []any{},
		"tags":     used,
		"paths":    paths,
		"components": map[string]any{
			"schemas":   schemas(),
			"headers":   headers,
			"responses": sharedResponses(),
		},
	}, "", "  ")
}

func (rt *route) operation() map[string]any {
	op := map[string]any{
		"operationId": rt.operationID,
		"summary":     rt.summary,
		"description": rt.description,
		"responses":   rt.responses(),
	}
	for _, tag := range tags {
		if tag.group == rt.group {
			op["tags"] = []string{tag.name}
		}
	}
	var params []any
	for _, d := range rt.params {
		param := map[string]any{"name": d.name, "in": "query", "required": d.required, "description": d.description, "schema": d.schema}
		if d.example != nil {
			param["example"] = d.example
		}
		params = append(params, param)
	}
	if params != nil {
		op["parameters"] = params
	}
	if rt.body != nil {
		op["requestBody"] = map[string]any{
			"required":    true,
			"description": "At most " + strconv.FormatInt(rt.body.limit>>10, 10) + " KiB of strict JSON: UTF-8, no name twice, at most 128 levels deep.",
			"content":     map[string]any{mediaJSON: map[string]any{"schema": refTo(rt.body.schema), "example": rt.body.example}},
		}
	}
	return op
}

func (rt *route) responses() map[string]any {
	content := map[string]any{}
	for _, m := range rt.result.media {
		content[m.contentType] = map[string]any{"schema": m.schema}
	}
	ok := map[string]any{"description": "Success", "content": content}
	responses := map[string]any{"200": ok}
	if rt.method == http.MethodGet {
		names := append([]string{"ETag", "Cache-Control"}, countedHeaders...)
		responses["304"] = map[string]any{"description": "The client already has the representation (If-None-Match)", "headers": headerRefs(names...)}
		if rt.class == ClassQR {
			names = append(names, "Content-Disposition", "X-QR-Warning")
		}
		ok["headers"] = headerRefs(names...)
	} else {
		ok["headers"] = headerRefs(append([]string{"Cache-Control"}, countedHeaders...)...)
	}

	byStatus := map[int][]problem.Code{}
	for _, code := range rt.allCodes() {
		status := statusOf(code)
		byStatus[status] = append(byStatus[status], code)
	}
	for status, codes := range byStatus {
		responses[strconv.Itoa(status)] = errorResponse(status, codes)
	}
	for name, shared := range shared {
		responses[strconv.Itoa(statusOf(shared))] = map[string]any{"$ref": "#/components/responses/" + name}
	}
	return responses
}

// shared are the codes of errors that every route can return alone with its status, by
// the name of the response in the document.
var shared = map[string]problem.Code{
	"NotFound":         CodeNotFound,
	"MethodNotAllowed": CodeMethodNotAllowed,
	"RateLimited":      CodeRateLimited,
	"InternalError":    CodeInternal,
}

func sharedResponses() map[string]any {
	responses := map[string]any{}
	for name, code := range shared {
		responses[name] = errorResponse(statusOf(code), []problem.Code{code})
	}
	return responses
}

func errorResponse(status int, codes []problem.Code) map[string]any {
	names := append([]string{"Cache-Control"}, countedHeaders...)
	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		names = append(names, "Retry-After")
	case http.StatusMethodNotAllowed:
		names = append(names, "Allow")
	}
	return map[string]any{
		"description":   errorDescriptions[status],
		"headers":       headerRefs(names...),
		"content":       map[string]any{mediaJSON: map[string]any{"schema": schemaOf[errorBody]()}},
		"x-error-codes": codes,
	}
}

// allCodes returns every code of the route but the shared ones: those of its values and
// those of any request of its kind.
func (rt *route) allCodes() []problem.Code {
	codes := slices.Clone(rt.codes)
	if rt.body != nil {
		codes = append(codes, rt.body.invalid, CodeUnsupportedContentType, CodeBodyTooLarge, CodeRequestTimeout, CodeOverloaded)
		if rt.body.fields != nil {
			codes = append(codes, CodeInvalidField)
		}
	} else {
		codes = append(codes, CodeInvalidQuery)
		if rt.params != nil {
			codes = append(codes, CodeDuplicateParameter)
		}
	}
	slices.Sort(codes)
	return codes
}

// errorDescriptions has every status of statusOf.
var errorDescriptions = map[int]string{
	http.StatusBadRequest:          "The request is invalid; error.message says what to change",
	http.StatusNotFound:            "There is no resource at this path; a base address that is wrong is the usual cause",
	http.StatusMethodNotAllowed:    "The path does not support this method",
	http.StatusRequestTimeout:      "The body did not arrive in time; the request may be tried again",
	http.StatusUnprocessableEntity: "The body is JSON, but not a webhook",
	http.StatusTooManyRequests:     "The client has used up its limit",
	http.StatusServiceUnavailable:  "The service is busy with other large requests",
	http.StatusInternalServerError: "The server failed; the request may be tried again",
}

var countedHeaders = []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

func headerRefs(names ...string) map[string]any {
	refs := map[string]any{}
	for _, name := range names {
		refs[name] = map[string]any{"$ref": "#/components/headers/" + name}
	}
	return refs
}

// headers are the response headers of the document.
var headers = map[string]any{
	"X-RateLimit-Limit":     header("How many requests of this kind a client may make in a window.", schema{"type": "integer", "minimum": 1}),
	"X-RateLimit-Remaining": header("How many of them are left. In a response with an Age it is another client's.", schema{"type": "integer", "minimum": 0}),
	"X-RateLimit-Reset":     header("When the window ends and the full limit is back, in Unix seconds.", schema{"type": "integer"}),
	"Retry-After":           header("How many seconds to wait.", schema{"type": "integer", "minimum": 1}),
	"ETag":                  header("A strong tag of the representation.", schema{"type": "string"}),
	"Cache-Control":         header("How long caches may keep the response.", schema{"type": "string"}),
	"Content-Disposition":   header("The name under which a browser saves the image.", schema{"type": "string"}),
	"X-QR-Warning": map[string]any{
		"description": "Present if fewer scanners read the picture: light-on-dark means that the foreground is lighter than the background.",
		"schema":      schema{"type": "string", "enum": []string{"light-on-dark"}},
	},
	"Allow": header("The methods that the path supports.", schema{"type": "string"}),
}

func header(description string, s schema) map[string]any {
	return map[string]any{"description": description, "required": true, "schema": s}
}
