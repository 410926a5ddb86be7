package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"image/png"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"time"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/wire"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/webhooknorm"
)

// functions contains the functions by their names in the vector files.
var functions = map[string]func(json.RawMessage) (any, error){
	"bsuid.ParseBSUID":           function(bsuidParts(bsuid.ParseBSUID)),
	"bsuid.ParseDigits":          function(bsuidParts(bsuid.ParseDigits)),
	"busname.Parse":              function(text(busname.Parse)),
	"httpapi.Reasons":            function(func(s string) ([]httpapi.Reason, error) { return httpapi.Reasons(s), nil }),
	"chatlink.BuildPhoneLink":    function(phoneLink),
	"chatlink.BuildUsernameLink": function(usernameLink),
	"chatlink.ParseKey": function(func(s string) (string, error) {
		key, err := chatlink.ParseKey(s)
		return key.Text(), err
	}),
	"chatlink.ParseLink":          function(parseLink),
	"phone.Parse":                 function(text(phone.Parse)),
	"phone.ParseDigits":           function(text(phone.ParseDigits)),
	"contact.Person.Address":      function(address),
	"contact.Resolve":             function(resolve),
	"identity.FactsOf":            function(factsOf),
	"identity.Partition":          function(partition),
	"qrcode.RenderQR":             function(render),
	"webhooknorm.Challenge":       function(challenge),
	"webhooknorm.Normalize":       function(normalize),
	"webhooknorm.Read":            function(read),
	"webhooknorm.VerifySignature": function(verifySignature),

	"qrcode.ParseFormat, ParseColor and ParseBackground": function(qrOption),
}

// function reads the input of f.
func function[In, Out any](f func(In) (Out, error)) func(json.RawMessage) (any, error) {
	return func(data json.RawMessage) (any, error) {
		var in In
		if err := json.Unmarshal(data, &in); err != nil {
			return nil, err
		}
		return f(in)
	}
}

// text returns a parser that formats its value as text.
func text[T interface{ String() string }](parse func(string) (T, error)) func(string) (string, error) {
	return func(s string) (string, error) {
		v, err := parse(s)
		return v.String(), err
	}
}

type object = map[string]any

func bsuidParts(parse func(string) (bsuid.BSUID, error)) func(string) (object, error) {
	return func(s string) (object, error) {
		b, err := parse(s)
		return object{"countryCode": b.CountryCode(), "id": b.ID(), "isParent": b.IsParent(), "countryKnown": b.CountryKnown()}, err
	}
}

func phoneLink(in struct{ Phone, Text string }) (string, error) {
	return chatlink.BuildPhoneLink(in.Phone, in.Text)
}

func usernameLink(in struct{ Username, Text string }) (string, error) {
	return chatlink.BuildUsernameLink(in.Username, in.Text)
}

func parseLink(s string) (any, error) {
	l, err := chatlink.ParseLink(s)
	return struct {
		Kind     string `json:"kind"`
		Phone    string `json:"phone,omitempty"`
		Username string `json:"username,omitempty"`
		Code     string `json:"code,omitempty"`
		Text     string `json:"text,omitempty"`
	}{string(l.Kind()), l.Phone().String(), l.Username().String(), l.Code(), l.Text()}, err
}

func address(p contact.Person) (object, error) {
	a, _ := p.Address()
	_, phone := p.PhoneAddress()
	return object{"field": a.Field, "value": a.Value, "phone": phone, "label": p.Label()}, nil
}

func resolve(in contact.Input) (object, error) {
	p, err := contact.Resolve(in)
	kind, id := p.Identifier()
	return object{"type": kind, "id": id, "phoneKnown": p.Phone != "", "bsuidKnown": p.BSUID != ""}, err
}

func factsOf(in struct {
	Payload json.RawMessage
	Scopes  map[string]identity.Scope
},
) ([]identity.Fact, error) {
	webhook, err := webhooknorm.Read(in.Payload)
	facts := identity.FactsOf(webhook, time.Time{}, func(number string) identity.Scope { return in.Scopes[number] })
	return append([]identity.Fact{}, facts...), err
}

func partition(in struct {
	Facts []json.RawMessage
},
) (object, error) {
	var facts []identity.Fact
	var problems problem.List
	for _, data := range in.Facts {
		var f identity.Fact
		if err := json.Unmarshal(data, &f); err != nil {
			problems = append(problems, problem.All(err)...)
			continue
		}
		facts = append(facts, f)
	}
	if len(problems) > 0 {
		return nil, problems.Err()
	}
	people, conflicts := identity.Partition(facts)
	return object{
		"persons":   append([]identity.Person{}, people...),
		"conflicts": append([]identity.Conflict{}, conflicts...),
	}, nil
}

func challenge(in struct{ Query, Token string }) (object, error) {
	query, err := url.ParseQuery(in.Query)
	if err != nil {
		return nil, err
	}
	challenge, ok := webhooknorm.Challenge(query, in.Token)
	return object{"challenge": challenge, "ok": ok}, nil
}

func verifySignature(in struct {
	Payload, Header string
	Secrets         []string
},
) (bool, error) {
	var secrets [][]byte
	for _, s := range in.Secrets {
		secrets = append(secrets, []byte(s))
	}
	return webhooknorm.VerifySignature([]byte(in.Payload), in.Header, secrets...), nil
}

// A payload is the webhook files' input, as JSON, text or hexadecimal bytes.
type payload struct {
	Payload json.RawMessage
	Text    *string
	Hex     string
}

func (p payload) bytes() ([]byte, error) {
	switch {
	case p.Payload != nil:
		return p.Payload, nil
	case p.Text != nil:
		return []byte(*p.Text), nil
	default:
		return hex.DecodeString(p.Hex)
	}
}

func normalize(p payload) (json.RawMessage, error) {
	data, err := p.bytes()
	if err != nil {
		return nil, err
	}
	events, err := webhooknorm.Normalize(data)
	var webhook struct{ Events json.RawMessage }
	text, _ := wire.EncodeWebhook(webhooknorm.Webhook{Events: events}, math.MaxInt)
	if err == nil {
		err = json.Unmarshal(text, &webhook)
	}
	return webhook.Events, err
}

func read(p payload) (json.RawMessage, error) {
	data, err := p.bytes()
	if err != nil {
		return nil, err
	}
	webhook, err := webhooknorm.Read(data)
	text, _ := wire.EncodeWebhook(webhook, math.MaxInt)
	return text, err
}

func qrOption(in struct{ Name, Value string }) (string, error) {
	switch in.Name {
	case "format":
		return text(qrcode.ParseFormat)(in.Value)
	case "color":
		return text(qrcode.ParseColor)(in.Value)
	case "bg":
		return text(qrcode.ParseBackground)(in.Value)
	default:
		return size(in.Value)
	}
}

// size reads a size like the service, which doesn't export a function for it. An empty
// parameter is absent.
func size(value string) (string, error) {
	if value == "" {
		return "", errUnsupported
	}
	service, err := httpapi.New(httpapi.Config{BaseURL: "http://localhost"})
	if err != nil {
		return "", err
	}
	w := httptest.NewRecorder()
	service.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/qr?username=jane&size="+url.QueryEscape(value), nil))
	if w.Code == http.StatusOK {
		config, err := png.DecodeConfig(w.Body)
		return strconv.Itoa(config.Width), err
	}
	var body struct{ Error problem.Problem }
	if err := json.NewDecoder(bytes.NewReader(w.Body.Bytes())).Decode(&body); err != nil {
		return "", err
	}
	return "", problem.List{body.Error}.Err()
}
