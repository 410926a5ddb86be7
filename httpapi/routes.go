package httpapi

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/webhooknorm"
)

const prefix = "/api/v1"

const (
	smallBody   = 64 << 10
	webhookBody = 4 << 20 // above the 3 MB that the platform sends: a refused webhook comes back for days
)

var usernameCodes = []problem.Code{
	busname.CodeLength, busname.CodeInvalidChars, busname.CodeNoLetter, busname.CodeEdgePeriod,
	busname.CodeDoublePeriod, busname.CodeStartsWithWWW, busname.CodeReservedSuffix,
}

var (
	usernameParam = param{
		name: "username", required: true, missing: CodeMissingUsername, example: "jane.doe",
		description: "A username without @: " + usernameRule + ".", schema: schema{"type": "string"},
	}
	phoneParam = param{
		name: "phone", required: true, missing: CodeMissingPhone, example: "+1 650 555 1234",
		description: "A full international number with its country code. Symbols, blanks and zeros in front are dropped; " +
			"8-15 digits must remain. A value with letters is refused.",
		schema: schema{"type": "string"},
	}
	keyParam = param{
		name: "key", required: true, missing: CodeMissingKey, example: "aB3d",
		description: "A username key: 4-8 ASCII letters or digits. It is no credential of this API, and no link carries it.",
		schema:      schema{"type": "string"},
	}
	textParam = param{
		name: "text", example: "Is the red one still there?",
		description: "A message to fill in: at most 4096 characters, no control characters but newline and tab. A blank one counts as absent.",
		schema:      schema{"type": "string"},
	}
)

const usernameRule = "3-35 of a-z, 0-9, period and underscore, with at least one letter"

// optional returns p as a parameter that may be absent.
func optional(p param) param {
	p.required, p.missing = false, ""
	return p
}

func jsonOf(name string) []media { return []media{{mediaJSON, refTo(name)}} }

const (
	tagLinks    = "Links"
	tagValidate = "Validation"
	tagBusiness = "Business"
	tagMeta     = "Description"
)

// routes is the whole API. The mux, the decoder, the limits and the OpenAPI document
// follow from it.
var routes = []route{
	{
		method: http.MethodGet, path: prefix + "/username-link", operationID: "getUsernameLink", tag: tagLinks,
		summary:     "Build the click-to-chat link and the short link of a username",
		description: "Username links are being rolled out by the platform; the notice in the answer tells how far.",
		params:      []param{usernameParam, optional(keyParam), textParam},
		answers:     jsonOf("UsernameLink"),
		codes:       slices.Concat([]problem.Code{CodeMissingUsername}, usernameCodes, []problem.Code{chatlink.CodeKey}, textCodes),
		handle:      getUsernameLink,
	},
	{
		method: http.MethodGet, path: prefix + "/phone-link", operationID: "getPhoneLink", tag: tagLinks,
		summary: "Build the click-to-chat link of a phone number",
		params:  []param{phoneParam, textParam},
		answers: jsonOf("PhoneLink"),
		codes:   slices.Concat([]problem.Code{CodeMissingPhone, chatlink.CodePhone}, textCodes),
		handle:  getPhoneLink,
	},
	{
		method: http.MethodGet, path: prefix + "/validate/username", operationID: "validateUsername", tag: tagValidate,
		summary:     "Judge a username by its structure",
		description: "Whether the name exists or is free is not checked.",
		params:      []param{usernameParam},
		answers:     jsonOf("Validation"),
		codes:       []problem.Code{CodeMissingUsername},
		handle: func(_ *api, in input) (answer, error) {
			_, err := busname.Parse(in.value("username"))
			return answerValidation(err)
		},
	},
	{
		method: http.MethodGet, path: prefix + "/validate/key", operationID: "validateKey", tag: tagValidate,
		summary: "Judge a username key by its structure",
		params:  []param{keyParam},
		answers: jsonOf("Validation"),
		codes:   []problem.Code{CodeMissingKey},
		handle: func(_ *api, in input) (answer, error) {
			_, err := chatlink.ParseKey(in.value("key"))
			return answerValidation(err)
		},
	},
	{
		method: http.MethodGet, path: prefix + "/validate/phone", operationID: "validatePhone", tag: tagValidate,
		summary:     "Judge a phone number by its structure",
		description: "Whether the number exists is not checked.",
		params:      []param{phoneParam},
		answers:     jsonOf("Validation"),
		codes:       []problem.Code{CodeMissingPhone},
		handle: func(_ *api, in input) (answer, error) {
			_, err := chatlink.ParsePhone(in.value("phone"))
			return answerValidation(err)
		},
	},
	{
		method: http.MethodGet, path: prefix + "/qr", operationID: "getQR", tag: tagLinks, class: ClassQR,
		summary:     "Draw a click-to-chat link as a QR code",
		description: "Exactly one of username and phone must be given. The QR code holds the link that username-link or phone-link returns for the same values.",
		params: []param{
			optional(usernameParam),
			{name: phoneParam.name, description: phoneParam.description, schema: phoneParam.schema},
			textParam,
			{name: "format", description: "The kind of image.", example: "png", schema: schema{"type": "string", "enum": []string{"png", "svg"}, "default": "png"}},
			{
				name: "size", description: "Width and height of a PNG in pixels. Checked for svg too, which has no size.", example: qrcode.DefaultSize,
				schema: schema{"type": "integer", "minimum": qrcode.MinSize, "maximum": qrcode.MaxSize, "default": qrcode.DefaultSize},
			},
			{
				name: "color", description: "Foreground: six hex digits, or three as the short form, without #.", example: "25d366",
				schema: schema{"type": "string", "pattern": "^([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$", "default": "000000"},
			},
			{
				name: "bg", description: "Background: as color, or transparent. Foreground and background must differ in grey, or scanners see one colour.", example: "ffffff",
				schema: schema{"type": "string", "pattern": "^([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|transparent)$", "default": "ffffff"},
			},
		},
		answers: []media{{"image/png", schema{"type": "string", "contentMediaType": "image/png"}}, {"image/svg+xml", schema{"type": "string"}}},
		codes: slices.Concat([]problem.Code{CodeMissingTarget}, usernameCodes, []problem.Code{chatlink.CodePhone}, textCodes,
			[]problem.Code{qrcode.CodeFormat, qrcode.CodeSize, qrcode.CodeColor, qrcode.CodeBackground, qrcode.CodeLowContrast}),
		handle: getQR,
	},
	{
		method: http.MethodGet, path: prefix + "/openapi.json", operationID: "getOpenAPI", tag: tagMeta,
		summary: "Describe this API as an OpenAPI 3.1 document",
		answers: []media{{mediaJSON, schema{"type": "object"}}},
		handle: func(a *api, _ input) (answer, error) {
			return answer{contentType: mediaJSON, body: a.openapi, cache: cacheJSON}, nil
		},
	},
	{
		method: http.MethodPost, path: prefix + "/business/bsuid/validate", operationID: "validateBsuid", tag: tagBusiness,
		summary: "Judge a business-scoped user ID by its structure",
		body:    bsuidBody,
		answers: jsonOf("BsuidValidation"),
		codes:   []problem.Code{CodeMissingBSUID},
		handle: func(_ *api, in input) (answer, error) {
			b, _ := bsuid.ParseBSUID(in.value("bsuid")) // an invalid one is the zero value
			return answerJSON(bsuidValidation{b.IsValid(), b.IsParent()})
		},
	},
	{
		method: http.MethodPost, path: prefix + "/business/bsuid/parse", operationID: "parseBsuid", tag: tagBusiness,
		summary:     "Take a business-scoped user ID apart",
		description: "The ENT segment marks the parent form, which several linked business portfolios share.",
		body:        bsuidBody,
		answers:     jsonOf("BsuidParse"),
		codes:       []problem.Code{CodeMissingBSUID, bsuid.CodeInvalid},
		handle: func(_ *api, in input) (answer, error) {
			b, err := bsuid.ParseBSUID(in.value("bsuid"))
			if err != nil {
				return answer{}, err
			}
			return answerJSON(bsuidParse{b.CountryCode(), b.ID(), b.IsParent()})
		},
	},
	{
		method: http.MethodPost, path: prefix + "/business/username/validate", operationID: "validateBusinessUsername", tag: tagBusiness,
		summary:     "Judge a username that a business wants to claim",
		description: "The reasons are words such as too_short. Whether the name is free is not checked.",
		body: &body{
			schema: "UsernameValidateInput", limit: smallBody, invalid: CodeInvalidJSON,
			fields: []string{"username"}, missing: CodeMissingUsername, example: map[string]any{"username": "jane.doe"},
		},
		answers: jsonOf("BusinessUsernameValidation"),
		codes:   []problem.Code{CodeMissingUsername},
		handle: func(_ *api, in input) (answer, error) {
			reasons := append([]busname.Reason{}, busname.Reasons(in.value("username"))...)
			return answerJSON(businessUsernameValidation{len(reasons) == 0, reasons})
		},
	},
	{
		method: http.MethodPost, path: prefix + "/business/contact/resolve", operationID: "resolveContact", tag: tagBusiness,
		summary:     "Give a contact known by one identifier the one shape",
		description: "Exactly one of bsuid, phone and username must be given; null and \"\" count as absent. Nothing is looked up, so the other two stay null.",
		body: &body{
			schema: "ContactResolveInput", limit: smallBody, invalid: CodeInvalidJSON,
			fields: []string{"bsuid", "phone", "username"}, example: map[string]any{"bsuid": "US.13491208655302741918"},
		},
		answers: jsonOf("ResolvedContact"),
		codes:   slices.Concat([]problem.Code{contact.CodeMissingIdentifier, bsuid.CodeInvalid, chatlink.CodePhone}, usernameCodes),
		handle: func(_ *api, in input) (answer, error) {
			c, err := contact.Resolve(contact.Identifier{BSUID: in.value("bsuid"), Phone: in.value("phone"), Username: in.value("username")})
			if err != nil {
				return answer{}, err
			}
			return answerJSON(newResolvedContact(c))
		},
	},
	{
		method: http.MethodPost, path: prefix + "/business/webhook/normalize", operationID: "normalizeWebhook", tag: tagBusiness,
		summary: "Turn a raw Cloud API webhook into one list of events",
		description: "Every object in messages and statuses becomes an event, in the order of the payload. Its raw is the original fragment, byte for byte. " +
			"A webhook about other things has no events. JSON that is no webhook is answered with 422.",
		body: &body{
			schema: "WebhookPayload", limit: webhookBody, invalid: webhooknorm.CodeInvalidJSON,
			example: exampleWebhook,
		},
		answers: jsonOf("NormalizedWebhook"),
		codes:   []problem.Code{webhooknorm.CodeUnrecognizedShape},
		handle: func(_ *api, in input) (answer, error) {
			events, err := webhooknorm.Normalize(in.body)
			if err != nil {
				return answer{}, err
			}
			return answerEvents(in.body, events)
		},
	},
}

var textCodes = []problem.Code{chatlink.CodeTextTooLong, chatlink.CodeTextInvalid}

var bsuidBody = &body{
	schema: "BsuidValidateInput", limit: smallBody, invalid: CodeInvalidJSON,
	fields: []string{"bsuid"}, missing: CodeMissingBSUID, example: map[string]any{"bsuid": "US.ENT.11815799212886844830"},
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

func getUsernameLink(a *api, in input) (answer, error) {
	u, err := busname.Parse(in.value("username"))
	if err != nil {
		return answer{}, err
	}
	var key chatlink.Key
	if k := in.value("key"); k != "" {
		if key, err = chatlink.ParseKey(k); err != nil {
			return answer{}, err
		}
	}
	text, err := chatlink.ParseText(in.value("text"))
	if err != nil {
		return answer{}, err
	}
	return answerJSON(usernameLink{
		Username:  u.String(),
		Key:       key.String(),
		Link:      a.chatHost.UsernameLink(u, text),
		ShortLink: a.base.ShortLink(u),
		Notice:    a.notice.String(),
	})
}

func getPhoneLink(a *api, in input) (answer, error) {
	p, err := chatlink.ParsePhone(in.value("phone"))
	if err != nil {
		return answer{}, err
	}
	text, err := chatlink.ParseText(in.value("text"))
	if err != nil {
		return answer{}, err
	}
	return answerJSON(phoneLink{p.String(), a.chatHost.PhoneLink(p, text)})
}

func getQR(a *api, in input) (answer, error) {
	link, name, err := qrTarget(a, &in)
	if err != nil {
		return answer{}, err
	}
	opts, err := qrOptions(&in)
	if err != nil {
		return answer{}, err
	}
	ans := answer{
		contentType: "image/png",
		cache:       cacheQR,
		etag:        etagOfQR(link, opts),
		filename:    name + "." + opts.Format.String(),
	}
	if opts.Format == qrcode.SVG {
		ans.contentType = "image/svg+xml"
	}
	if names(in.ifNoneMatch, ans.etag) {
		ans.notModified = true // whoever knows the tag has had the picture, so it need not be drawn
		return ans, nil
	}
	ans.body, err = qrcode.RenderQR(link, opts)
	return ans, err
}

func etagOfQR(link string, opts qrcode.Options) string {
	identity := append(make([]byte, 0, 256), "qr "+qrcode.RendererVersion...)
	for _, part := range [...]string{link, opts.Format.String(), strconv.Itoa(opts.Size), opts.Foreground.String(), opts.Background.String()} {
		identity = append(append(identity, 0), part...)
	}
	return etagOf(identity)
}

// qrTarget returns the link to draw and what to call the file.
func qrTarget(a *api, in *input) (link, name string, err error) {
	username, phone := in.value("username"), in.value("phone")
	if (username == "") == (phone == "") {
		return "", "", problem.New(CodeMissingTarget, "exactly one of the parameters username and phone must be given")
	}
	var u busname.Username
	var p chatlink.Phone
	if username != "" {
		u, err = busname.Parse(username)
	} else {
		p, err = chatlink.ParsePhone(phone)
	}
	if err != nil {
		return "", "", err
	}
	text, err := chatlink.ParseText(in.value("text"))
	if u.IsValid() {
		return a.chatHost.UsernameLink(u, text), u.String(), err
	}
	return a.chatHost.PhoneLink(p, text), p.String(), err
}

// qrOptions reads how to draw. An empty parameter is none of the values that it can
// have, so it is refused; only an absent one is the default.
func qrOptions(in *input) (qrcode.Options, error) {
	opts := qrcode.Options{
		Size:       qrcode.DefaultSize,
		Foreground: qrcode.RGB(0, 0, 0),
		Background: qrcode.RGB(0xff, 0xff, 0xff),
	}
	for _, err := range []error{
		parseInto(&opts.Format, in, "format", qrcode.ParseFormat),
		parseInto(&opts.Size, in, "size", qrcode.ParseSize),
		parseInto(&opts.Foreground, in, "color", qrcode.ParseColor),
		parseInto(&opts.Background, in, "bg", qrcode.ParseBackground),
	} {
		if err != nil {
			return opts, err
		}
	}
	if opts.Format == qrcode.SVG {
		opts.Size = 0 // it has no say in the picture, so it has none in the ETag
	}
	return opts, nil
}

func parseInto[T any](dst *T, in *input, name string, parse func(string) (T, error)) error {
	s, given := in.lookup(name)
	if !given {
		return nil
	}
	v, err := parse(s)
	if err == nil {
		*dst = v
	}
	return err
}
