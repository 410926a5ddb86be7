package httpapi

import (
	"net/http"
	"slices"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/webhooknorm"
)

const prefix = "/api/v1"

const (
	smallBody   = 64 << 10
	maxResponse = 8 << 20 // of a webhook
	webhookBody = 4 << 20 // above the 3 MB that the platform sends: it repeats a rejected webhook for days
)

const usernameRule = "3-35 characters from a-z, 0-9, period and underscore, with at least one letter"

// The parameters of queries and the fields of bodies.
var (
	usernameParam = param{
		name: "username", missing: CodeMissingUsername, example: "jane.doe",
		description: "A username without @: " + usernameRule + ".", schema: schema{"type": "string"},
	}
	phoneParam = param{
		name: "phone", missing: CodeMissingPhone, example: "+1 650 555 1234",
		description: "A full international number with its country code, 8-15 digits. Symbols, spaces and the prefix 00 are dropped. " +
			"A national number with a 0 in front, letters and the symbols , ; # * are rejected.",
		schema: schema{"type": "string"},
	}
	bsuidParam = param{
		name: "bsuid", missing: CodeMissingBSUID, example: "US.ENT.11815799212886844830",
		description: "CC.DIGITS or CC.ENT.DIGITS: two capital letters, then 1-128 digits.", schema: schema{"type": "string"},
	}
	keyParam = param{
		name: "key", missing: CodeMissingKey, example: "aB3d",
		description: "A username key: 4-8 ASCII letters or digits. It is not an API credential and is never part of a link.",
		schema:      schema{"type": "string"},
	}
	textParam = param{
		name: "text", example: "Is the red one still there?",
		description: "The message to pre-fill: at most 4096 characters, without control characters except newline and tab. CRLF counts as a newline. " +
			"A text of white space counts as absent.",
		schema: schema{"type": "string"},
	}
	formatParam = param{
		name: "format", example: "png",
		description: "The kind of image.", schema: schema{"type": "string", "enum": []string{"png", "svg"}, "default": "png"},
	}
	sizeParam = param{
		name: "size", example: qrcode.DefaultSize,
		description: "The width and height in pixels. A PNG has whole pixels for each module; an SVG can be scaled.",
		schema:      schema{"type": "integer", "minimum": minQRSize, "maximum": maxQRSize, "default": qrcode.DefaultSize},
	}
	colorParam = param{
		name: "color", example: "25d366",
		description: "The foreground: six hexadecimal digits, or three as the short form, without #.",
		schema:      schema{"type": "string", "pattern": "^([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$", "default": "000000"},
	}
	bgParam = param{
		name: "bg", example: "ffffff",
		description: "The background, like color, or transparent. Foreground and background must differ enough in brightness for scanners.",
		schema:      schema{"type": "string", "pattern": "^([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|transparent)$", "default": "ffffff"},
	}
)

// The codes of values that several routes read.
var (
	usernameCodes = []problem.Code{
		busname.CodeInvalidLength, busname.CodeInvalidChars, busname.CodeNoLetter, busname.CodeEdgePeriod,
		busname.CodeDoublePeriod, busname.CodeLeadingWWW, busname.CodeReservedSuffix,
	}
	textCodes = []problem.Code{chatlink.CodeTextTooLong, chatlink.CodeInvalidText}
)

// routes is the whole API. The mux, the decoder, the limits and the OpenAPI document
// follow from it.
var routes = []route{
	{
		method: http.MethodGet, path: prefix + "/username-link", operationID: "getUsernameLink", group: LinkRoutes,
		summary:     "Build the click-to-chat link and the short link of a username",
		description: "The platform is rolling out username links; the notice in the response describes their status.",
		params:      []declared{required(&usernameParam), optional(&keyParam), optional(&textParam)},
		codes:       slices.Concat([]problem.Code{CodeMissingUsername}, usernameCodes, []problem.Code{chatlink.CodeInvalidKey}, textCodes),
		result:      jsonResult(getUsernameLink),
	},
	{
		method: http.MethodGet, path: prefix + "/phone-link", operationID: "getPhoneLink", group: LinkRoutes,
		summary:     "Build the click-to-chat link of a phone number",
		description: "Links with phone numbers work for everyone.",
		params:      []declared{required(&phoneParam), optional(&textParam)},
		codes:       slices.Concat([]problem.Code{CodeMissingPhone, phone.CodeInvalid}, textCodes),
		result:      jsonResult(getPhoneLink),
	},
	{
		method: http.MethodGet, path: prefix + "/validate/username", operationID: "validateUsername", group: ValidationRoutes,
		summary:     "Check the structure of a username",
		description: "Whether the name exists or is available is not checked.",
		params:      []declared{required(&usernameParam)}, nulAllowed: true,
		codes:  []problem.Code{CodeMissingUsername},
		result: validationResult(&usernameParam, func(s string) (problem.List, error) { return nil, busname.Validate(s).Err() }),
	},
	{
		method: http.MethodGet, path: prefix + "/validate/key", operationID: "validateKey", group: ValidationRoutes,
		summary:     "Check the structure of a username key",
		description: "Whether it is the right key of any person is not checked.",
		params:      []declared{required(&keyParam)}, nulAllowed: true,
		codes:  []problem.Code{CodeMissingKey},
		result: validationResult(&keyParam, func(s string) (problem.List, error) { _, err := chatlink.ParseKey(s); return nil, err }),
	},
	{
		method: http.MethodGet, path: prefix + "/validate/phone", operationID: "validatePhone", group: ValidationRoutes,
		summary:     "Check the structure of a phone number",
		description: "Whether the number exists is not checked. There are warnings about numbers that nobody can have, and about text with separators but no plus, which may lack the country code.",
		params:      []declared{required(&phoneParam)}, nulAllowed: true,
		codes:  []problem.Code{CodeMissingPhone},
		result: validationResult(&phoneParam, inspectPhone),
	},
	{
		method: http.MethodGet, path: prefix + "/qr", operationID: "getQR", group: LinkRoutes, class: ClassQR,
		summary: "Draw a click-to-chat link as a QR code",
		description: "Exactly one of username and phone must be given. The QR code holds the link that username-link or phone-link returns for the same values. " +
			"An empty parameter counts as absent.",
		params: []declared{
			optional(&usernameParam), optional(&phoneParam).withoutExample(), optional(&textParam),
			optional(&formatParam), optional(&sizeParam), optional(&colorParam), optional(&bgParam),
		},
		codes: slices.Concat([]problem.Code{CodeMissingTarget}, usernameCodes, []problem.Code{phone.CodeInvalid}, textCodes,
			[]problem.Code{qrcode.CodeInvalidFormat, qrcode.CodeInvalidSize, qrcode.CodeInvalidColor, qrcode.CodeInvalidBackground, qrcode.CodeLowContrast}),
		result: result{media: []media{{mediaPNG, binaryOf(mediaPNG)}, {mediaSVG, binaryOf(mediaSVG)}}, handle: getQR},
	},
	{
		method: http.MethodGet, path: prefix + "/openapi.json", operationID: "getOpenAPI",
		summary:     "Describe this API",
		description: "The response is an OpenAPI 3.1 document.",
		result: result{
			media: []media{{mediaJSON, refTo("OpenAPIDocument")}},
			handle: func(h *Handler, _ input) (response, error) {
				return response{contentType: mediaJSON, body: h.openapi, cache: cacheJSON}, nil
			},
		},
	},
	{
		method: http.MethodPost, path: prefix + "/business/bsuid/validate", operationID: "validateBsuid", group: BusinessRoutes,
		summary:     "Check the structure of a business-scoped user ID",
		description: "Whether the person exists is not checked, and the country code need not be a known one.",
		body:        bsuidBody,
		codes:       []problem.Code{CodeMissingBSUID},
		result:      jsonResult(validateBSUID),
	},
	{
		method: http.MethodPost, path: prefix + "/business/bsuid/parse", operationID: "parseBsuid", group: BusinessRoutes,
		summary:     "Split a business-scoped user ID into its parts",
		description: "The ENT segment marks the parent form, which several linked business portfolios share.",
		body:        bsuidBody,
		codes:       []problem.Code{CodeMissingBSUID, bsuid.CodeInvalid},
		result:      jsonResult(parseBSUID),
	},
	{
		method: http.MethodPost, path: prefix + "/business/username/validate", operationID: "validateBusinessUsername", group: BusinessRoutes,
		summary:     "Check a username that a business wants to claim",
		description: "Whether the name is available is not checked.",
		body: &body{
			schema: "UsernameValidateInput", limit: smallBody, invalid: CodeInvalidJSON,
			fields: []declared{required(&usernameParam)}, example: map[string]any{"username": "jane.doe"},
		},
		codes:  []problem.Code{CodeMissingUsername},
		result: jsonResult(validateBusinessUsername),
	},
	{
		method: http.MethodPost, path: prefix + "/business/contact/resolve", operationID: "resolveContact", group: BusinessRoutes,
		summary:     "Bring a contact that is known by one identifier into one shape",
		description: "Exactly one of bsuid, phone and username must be given; null and \"\" count as absent. Nothing is looked up, so the other two stay null.",
		body: &body{
			schema: "ContactResolveInput", limit: smallBody, invalid: CodeInvalidJSON,
			fields:  []declared{optional(&bsuidParam), optional(&phoneParam), optional(&usernameParam)},
			example: map[string]any{"bsuid": "US.13491208655302741918"},
		},
		codes:  slices.Concat([]problem.Code{contact.CodeMissingIdentifier, bsuid.CodeInvalid, phone.CodeInvalid}, usernameCodes),
		result: jsonResult(resolveContact),
	},
	{
		method: http.MethodPost, path: prefix + "/business/webhook/normalize", operationID: "normalizeWebhook", group: BusinessRoutes,
		summary: "Turn a raw Cloud API webhook into one list of events",
		description: "Every object in messages and statuses becomes an event, in the order of the payload. Its raw is the original fragment byte for byte, " +
			"except that the escape of half a surrogate pair becomes \\ufffd. A webhook about other things has no events. JSON that is not a webhook is rejected with 422.",
		body:   &body{schema: "WebhookPayload", limit: webhookBody, invalid: webhooknorm.CodeInvalidJSON, example: exampleWebhook},
		codes:  []problem.Code{webhooknorm.CodeUnrecognizedShape, codeTooManyEvents, CodeResponseTooLarge},
		result: result{media: jsonOf[normalizedWebhook](), handle: normalizeWebhook},
	},
}

var bsuidBody = &body{
	schema: "BsuidValidateInput", limit: smallBody, invalid: CodeInvalidJSON,
	fields: []declared{required(&bsuidParam)}, example: map[string]any{"bsuid": bsuidParam.example},
}

var exampleWebhook = map[string]any{
	"object": "whatsapp_business_account",
	"entry": []any{map[string]any{
		"id": "102290129340398",
		"changes": []any{map[string]any{
			"field": "messages",
			"value": map[string]any{
				"messaging_product": "whatsapp",
				"metadata":          map[string]any{"display_phone_number": "15550783881", "phone_number_id": "106540352242922"},
				"contacts": []any{map[string]any{
					"profile": map[string]any{"name": "Jane Doe", "username": "jane.doe"},
					"user_id": "US.13491208655302741918",
				}},
				"messages": []any{map[string]any{
					"from_user_id": "US.13491208655302741918", "id": "wamid.example", "timestamp": "1795243200",
					"type": "text", "text": map[string]any{"body": "Is the red one still there?"},
				}},
			},
		}},
	}},
}
