package httpapi

import (
	"net/http"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

const (
	prefix      = "/api/v1"
	openapiPath = prefix + "/openapi.json"

	smallBody   = 64 << 10
	maxResponse = 8 << 20 // of a webhook
	webhookBody = 4 << 20 // above the 3 MB that the platform sends: it repeats a rejected webhook for days
	mostEvents  = 16_384  // and others; as many as messages and statuses
)

// The parameters of queries and the fields of bodies.
var (
	usernameParam = param{"username", CodeMissingUsername}
	phoneParam    = param{"phone", CodeMissingPhone}
	bsuidParam    = param{"bsuid", CodeMissingBSUID}
	keyParam      = param{"key", CodeMissingKey}
	countryParam  = param{name: "country"}
	textParam     = param{name: "text"}
	formatParam   = param{name: "format"}
	sizeParam     = param{name: "size"}
	colorParam    = param{name: "color"}
	bgParam       = param{name: "bg"}
)

// routes is the whole API, which openapi.json describes.
var routes = []route{
	{
		method: http.MethodGet, path: prefix + "/username-link",
		params: []declared{required(&usernameParam), optional(&keyParam), optional(&textParam)},
		handle: jsonResult(getUsernameLink),
	},
	{
		method: http.MethodGet, path: prefix + "/phone-link",
		params: []declared{required(&phoneParam), optional(&countryParam), optional(&textParam)},
		handle: jsonResult(getPhoneLink),
	},
	{
		method: http.MethodGet, path: prefix + "/validate/username",
		params: []declared{required(&usernameParam)}, nulAllowed: true,
		handle: validationResult(&usernameParam, func(s string) (problem.List, error) { return nil, busname.Validate(s).Err() }),
	},
	{
		method: http.MethodGet, path: prefix + "/validate/key",
		params: []declared{required(&keyParam)}, nulAllowed: true,
		handle: validationResult(&keyParam, func(s string) (problem.List, error) { _, err := chatlink.ParseKey(s); return nil, err }),
	},
	{
		method: http.MethodGet, path: prefix + "/validate/phone",
		params: []declared{required(&phoneParam), optional(&countryParam)}, nulAllowed: true,
		handle: validatePhone,
	},
	{
		method: http.MethodGet, path: qrPath,
		params: []declared{
			optional(&usernameParam), optional(&phoneParam), optional(&countryParam), optional(&textParam),
			optional(&formatParam), optional(&sizeParam), optional(&colorParam), optional(&bgParam),
		},
		handle: getQR,
	},
	{
		method: http.MethodGet, path: openapiPath,
		handle: func(h *Handler, _ input) (response, error) { return h.openapi() },
	},
	{
		method: http.MethodPost, path: prefix + "/business/bsuid/validate",
		body:   fields(required(&bsuidParam)),
		handle: jsonResult(validateBSUID),
	},
	{
		method: http.MethodPost, path: prefix + "/business/bsuid/parse",
		body:   fields(required(&bsuidParam)),
		handle: jsonResult(parseBSUID),
	},
	{
		method: http.MethodPost, path: prefix + "/business/username/validate",
		body:   fields(required(&usernameParam)),
		handle: jsonResult(validateBusinessUsername),
	},
	{
		method: http.MethodPost, path: prefix + "/business/contact/resolve",
		body:   fields(optional(&bsuidParam), optional(&phoneParam), optional(&countryParam), optional(&usernameParam)),
		handle: jsonResult(resolveContact),
	},
	{
		method: http.MethodPost, path: prefix + "/business/webhook/normalize",
		body:   &body{limit: webhookBody, invalid: webhooknorm.CodeInvalidJSON},
		handle: normalizeWebhook,
	},
	{
		method: http.MethodPost, path: prefix + "/business/webhook/read",
		body:   &body{limit: webhookBody, invalid: webhooknorm.CodeInvalidJSON},
		handle: readWebhook,
	},
}

// fields returns a short body with these fields.
func fields(all ...declared) *body {
	return &body{limit: smallBody, invalid: CodeInvalidJSON, fields: all}
}
