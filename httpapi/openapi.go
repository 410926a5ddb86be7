package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// APIVersion is the version that the OpenAPI document declares.
const APIVersion = "1.0.0"

// describe writes the OpenAPI document that follows from routes.
func describe(base chatlink.BaseURL) ([]byte, error) {
	paths := map[string]map[string]any{}
	for i := range routes {
		rt := &routes[i]
		if paths[rt.path] == nil {
			paths[rt.path] = map[string]any{}
		}
		paths[rt.path][strings.ToLower(rt.method)] = rt.operation()
	}
	return json.MarshalIndent(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title":   "Hailmark",
			"version": APIVersion,
			"summary": "Click-to-chat links, QR codes and business identifiers for WhatsApp",
			"description": "Free and keyless. Every response carries CORS headers. A request is counted for its IPv4 address or IPv6 /64, " +
				"in windows of 60 seconds that open with the first counted request: by default 60, and 20 QR codes apart from these. " +
				"Errors have the shape Error, and a code never changes within v1. " +
				"An unknown path is answered with 404 and the code not_found, an unknown method with 405, Allow and method_not_allowed. " +
				"Unknown parameters and JSON fields are ignored; a declared parameter may be given once.",
			"license": map[string]any{"name": "MIT", "identifier": "MIT"},
		},
		"servers":  []any{map[string]any{"url": base.String()}},
		"security": []any{},
		"tags": []any{
			map[string]any{"name": tagLinks, "description": "Links and QR codes that open a chat."},
			map[string]any{"name": tagValidate, "description": "Verdicts by structure alone: always 200, with what is wrong in errors."},
			map[string]any{"name": tagBusiness, "description": "Helpers for the business API: identifiers, contacts, webhooks."},
			map[string]any{"name": tagMeta, "description": "This document."},
		},
		"paths": paths,
		"components": map[string]any{
			"schemas": schemas,
			"headers": headers,
		},
	}, "", "  ")
}

func (rt *route) operation() map[string]any {
	op := map[string]any{
		"operationId": rt.operationID,
		"summary":     rt.summary,
		"tags":        []string{rt.tag},
		"responses":   rt.responses(),
	}
	if rt.description != "" {
		op["description"] = rt.description
	}
	var params []any
	for _, p := range rt.params {
		param := map[string]any{"name": p.name, "in": "query", "required": p.required, "description": p.description, "schema": p.schema}
		if p.example != nil {
			param["example"] = p.example
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
	for _, m := range rt.answers {
		content[m.contentType] = map[string]any{"schema": m.schema}
	}
	ok := map[string]any{"description": "Success", "content": content}
	responses := map[string]any{}
	if rt.method == http.MethodGet {
		names := append([]string{"ETag", "Cache-Control"}, countedHeaders...)
		notModified := map[string]any{"description": "The client has the representation already (If-None-Match)", "headers": headerRefs(names...)}
		if rt.class == ClassQR {
			names = append(names, "Content-Disposition")
		}
		ok["headers"] = headerRefs(names...)
		responses["304"] = notModified
	} else {
		ok["headers"] = headerRefs(append([]string{"Cache-Control"}, countedHeaders...)...)
	}
	responses["200"] = ok

	byStatus := map[int][]problem.Code{}
	for _, code := range rt.allCodes() {
		status := statusOf(code)
		byStatus[status] = append(byStatus[status], code)
	}
	for status, codes := range byStatus {
		names := append([]string{"Cache-Control"}, countedHeaders...)
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			names = append(names, "Retry-After")
		}
		responses[strconv.Itoa(status)] = map[string]any{
			"description":   cmp.Or(errorDescriptions[status], http.StatusText(status)),
			"headers":       headerRefs(names...),
			"content":       map[string]any{mediaJSON: map[string]any{"schema": refTo("Error")}},
			"x-error-codes": codes,
		}
	}
	return responses
}

// allCodes returns every code that the route can answer with: those of its values
// and those of any request of its kind.
func (rt *route) allCodes() []problem.Code {
	codes := slices.Clone(rt.codes)
	if rt.body != nil {
		codes = append(codes, rt.body.invalid, CodeUnsupportedContentType, CodeBodyTooLarge, CodeOverloaded)
		if rt.body.fields != nil {
			codes = append(codes, CodeInvalidField)
		}
	} else {
		codes = append(codes, CodeInvalidQuery)
		if rt.params != nil {
			codes = append(codes, CodeDuplicateParameter)
		}
	}
	codes = append(codes, CodeRateLimited, CodeInternal)
	slices.Sort(codes)
	return codes
}

var errorDescriptions = map[int]string{
	http.StatusBadRequest:          "The request is wrong; error.code says what and error.message what to do",
	http.StatusUnprocessableEntity: "The body is JSON, but not a webhook",
	http.StatusTooManyRequests:     "The client has spent its limit",
	http.StatusServiceUnavailable:  "There is no memory for a large request at the moment",
	http.StatusInternalServerError: "Something went wrong on the side of the server",
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
	"X-RateLimit-Remaining": header("How many of them are left. Where the response has an Age, this is another client's.", schema{"type": "integer", "minimum": 0}),
	"X-RateLimit-Reset":     header("When the window ends and the full limit is back, in Unix seconds.", schema{"type": "integer"}),
	"Retry-After":           header("How many seconds to wait.", schema{"type": "integer", "minimum": 1}),
	"ETag":                  header("A strong tag of the representation.", schema{"type": "string"}),
	"Cache-Control":         header("How long caches may keep the response.", schema{"type": "string"}),
	"Content-Disposition":   header("The name under which a browser saves the image.", schema{"type": "string"}),
}

func header(description string, s schema) map[string]any {
	return map[string]any{"description": description, "required": true, "schema": s}
}

// A schema is a JSON Schema.
type schema map[string]any

func refTo(name string) schema { return schema{"$ref": "#/components/schemas/" + name} }

// object returns the schema of an answer: it has these properties, all of them
// unless optional, and no others.
func object(properties schema, optional ...string) schema {
	required := []string{}
	for name := range properties {
		if !slices.Contains(optional, name) {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	return schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

var (
	text       = schema{"type": "string"}
	boolean    = schema{"type": "boolean"}
	textOrNull = schema{"type": []string{"string", "null"}}
	codeSchema = schema{"type": "string", "description": "Stable and machine-readable.", "pattern": "^[a-z]+(_[a-z]+)*$"}
)

// schemas are the shapes of the wire: those of wire.go and of the bodies.
var schemas = map[string]schema{
	"Error": object(schema{"error": object(schema{"code": codeSchema, "message": text})}),
	"Validation": object(schema{
		"valid":  boolean,
		"errors": schema{"type": "array", "items": object(schema{"code": codeSchema, "message": text})},
	}),
	"UsernameLink": object(schema{
		"username":  text,
		"key":       schema{"type": "string", "description": "Present when a key was given."},
		"link":      schema{"type": "string", "format": "uri"},
		"shortLink": schema{"type": "string", "format": "uri"},
		"notice":    schema{"type": "string", "description": "The status of username links.", "pattern": "^As of [0-9]{4}-[0-9]{2}-[0-9]{2}"},
	}, "key"),
	"PhoneLink": object(schema{
		"phone": schema{"type": "string", "pattern": "^[1-9][0-9]{7,14}$"},
		"link":  schema{"type": "string", "format": "uri"},
	}),
	"BsuidValidateInput": {
		"type": "object", "required": []string{"bsuid"},
		"properties": schema{"bsuid": schema{"type": "string", "description": "CC.DIGITS or CC.ENT.DIGITS: two capital letters, then 1-128 digits."}},
	},
	"BsuidValidation": object(schema{
		"valid":    boolean,
		"isParent": schema{"type": "boolean", "description": "True for a valid value with the ENT segment."},
	}),
	"BsuidParse": object(schema{
		"countryCode": schema{"type": "string", "pattern": "^[A-Z]{2}$"},
		"id":          schema{"type": "string", "pattern": "^[0-9]{1,128}$"},
		"isParent":    boolean,
	}),
	"UsernameValidateInput": {
		"type": "object", "required": []string{"username"},
		"properties": schema{"username": text},
	},
	"BusinessUsernameValidation": object(schema{
		"valid":   boolean,
		"reasons": schema{"type": "array", "items": codeSchema},
	}),
	"ContactResolveInput": {
		"type":       "object",
		"properties": schema{"bsuid": textOrNull, "phone": textOrNull, "username": textOrNull},
	},
	"ResolvedContact": object(schema{
		"id":          schema{"type": "string", "description": "The identifier in its canonical form."},
		"type":        schema{"type": "string", "enum": []string{"bsuid", "phone", "username"}},
		"username":    textOrNull,
		"phone":       textOrNull,
		"bsuid":       textOrNull,
		"displayName": schema{"type": "null"},
		"phoneKnown":  boolean,
		"bsuidKnown":  boolean,
	}),
	"WebhookPayload": {
		"type":        "object",
		"description": "A webhook as the platform posts it, or the bare value of a change. Nothing in it is required but one of these.",
		"properties": schema{
			"object": schema{}, "entry": schema{"type": "array"}, "messages": schema{}, "statuses": schema{}, "contacts": schema{},
		},
	},
	"NormalizedWebhook": object(schema{
		"provider": schema{"type": "string", "const": provider},
		"events": schema{"type": "array", "items": object(schema{
			"kind":        schema{"type": "string", "enum": []webhooknorm.Kind{webhooknorm.KindMessage, webhooknorm.KindStatus}},
			"bsuid":       textOrNull,
			"phone":       textOrNull,
			"username":    textOrNull,
			"displayName": textOrNull,
			"raw":         schema{"description": "The original fragment."},
		})},
	}),
}
