package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// target contains the parameters that identify a chat.
type target struct {
	Target  string `json:"target" jsonschema:"who to chat with: a WhatsApp username such as @jane.doe, a phone number such as +16505551234, or an existing WhatsApp link"`
	Country string `json:"country,omitempty" jsonschema:"the country of a phone number without + and country code, as an ISO 3166-1 code such as DE"`
	Text    string `json:"text,omitempty" jsonschema:"the message to fill in, at most 4096 characters"`
}

// A linkInfo describes a link.
type linkInfo struct {
	Link        string            `json:"link"`
	Summary     string            `json:"summary" jsonschema:"where the link leads, in words"`
	Kind        string            `json:"kind"`
	Username    string            `json:"username,omitempty"`
	Phone       string            `json:"phone,omitempty" jsonschema:"the phone number with + and country code"`
	CountryName string            `json:"countryName,omitempty" jsonschema:"the country of the phone number"`
	CallingCode string            `json:"callingCode,omitempty"`
	Code        string            `json:"code,omitempty" jsonschema:"the code of a business link, QR link, product, group or channel"`
	Text        string            `json:"text,omitempty" jsonschema:"the message that is filled in"`
	Warnings    []problem.Problem `json:"warnings,omitempty" jsonschema:"reasons why the link may not be the intended one"`
	Scan        *qrcode.Verdict   `json:"scan,omitempty" jsonschema:"whether scanners will read the code, as a light (green or yellow) and a sentence for people"`
}

func createLink(in target) (out linkInfo, _ []sdk.Content, err error) {
	var to chatlink.Target
	if in.Country == "" {
		to, err = chatlink.ParseTarget(in.Target)
	} else {
		to, err = chatlink.ParseTargetIn(in.Target, in.Country)
	}
	if err != nil {
		return out, nil, inField("target", err)
	}
	link, err := to.Link(in.Text)
	if err != nil {
		return out, nil, err
	}
	out = infoOf(link)
	out.Warnings = to.Warnings() // among them those about how a number was written
	return out, nil, nil
}

// inField returns err as problems with an argument, except those with the country.
func inField(field string, err error) error {
	var list problem.List
	for _, p := range problem.All(err) {
		if p.Code != phone.CodeInvalidCountry {
			p.Field = field
		}
		list = append(list, p)
	}
	return list.Err()
}

type linkParameters struct {
	Link string `json:"link" jsonschema:"the WhatsApp link, for example https://wa.me/16505551234?text=Hi"`
}

func explainLink(in linkParameters) (linkInfo, []sdk.Content, error) {
	link, err := chatlink.ParseLink(in.Link)
	if err != nil {
		return linkInfo{}, nil, err
	}
	return infoOf(link), nil, nil
}

// linkKinds describes where links lead. %s is the username or phone number.
var linkKinds = map[chatlink.Kind]string{
	"phone":    "Opens a chat with %s",
	"username": "Opens a chat with %s",
	"picker":   "Opens the user's own contacts, to choose who gets the message",
	"message":  "Opens a chat with a business, which the code identifies",
	"qr":       "Opens a chat with the person or business that the code identifies",
	"catalog":  "Opens the catalog of the business with the number %s",
	"product":  "Opens a product in the catalog of the business with the number %s",
	"group":    "Invites to the group that the code identifies",
	"channel":  "Opens the channel that the code identifies",
}

func infoOf(l chatlink.Link) linkInfo {
	n := l.Phone()
	info := linkInfo{
		Link: l.String(), Kind: string(l.Kind()), Username: l.Username().String(), Phone: n.E164(),
		CountryName: n.CountryName(), CallingCode: n.CallingCode(), Code: l.Code(), Text: l.Text(),
		Warnings: l.Username().Warnings(),
	}
	who := "@" + info.Username
	if n != (phone.Number{}) {
		_, info.Warnings, _ = phone.Inspect(n.String()) // it's valid
		who = info.Phone
		if info.CountryName != "" {
			who += " (" + info.CountryName + ")"
		}
	}
	info.Summary = strings.Replace(linkKinds[l.Kind()], "%s", who, 1)
	if info.Text != "" {
		info.Summary += fmt.Sprintf(". The message %q is filled in", info.Text)
	}
	info.Summary += "."
	return info
}

type qrParameters struct {
	target
	Format     string `json:"format,omitempty"`
	Size       int    `json:"size,omitempty"`
	Color      string `json:"color,omitempty"`
	Background string `json:"background,omitempty"`
	Level      string `json:"level,omitempty"`
}

// maxSize is the maximum image size in pixels. Assistants reject larger images.
const maxSize = 4096

// limitQRCode describes the arguments that are settings of package qrcode.
func limitQRCode(s *jsonschema.Schema) {
	for _, setting := range qrcode.Settings() {
		argument := s.Properties[setting.Word]
		if argument == nil {
			continue // such as the title, which is the link
		}
		argument.Description = strings.ReplaceAll(setting.Sentence, "`", "") + " (default " + setting.Default + ")"
		for _, value := range setting.Values {
			argument.Enum = append(argument.Enum, value)
		}
		if setting.Most > 0 {
			lowest, highest := float64(setting.Least), float64(min(setting.Most, maxSize))
			argument.Minimum, argument.Maximum = &lowest, &highest
		}
	}
}

func createQRCode(in qrParameters) (out linkInfo, _ []sdk.Content, err error) {
	if out, _, err = createLink(in.target); err != nil {
		return out, nil, err
	}
	o, err := in.options()
	if err != nil {
		return out, nil, err
	}
	o.Title = out.Link
	image, err := qrcode.RenderQR(out.Link, o)
	if err != nil {
		return out, nil, err
	}
	warnings, err := o.CheckText(out.Link)
	out.Warnings = append(out.Warnings, warnings...)
	verdict := qrcode.VerdictOf(warnings, err)
	out.Scan = &verdict
	if o.Format == qrcode.SVG {
		return out, []sdk.Content{&sdk.TextContent{Text: string(image)}}, nil
	}
	return out, []sdk.Content{&sdk.ImageContent{Data: image, MIMEType: "image/png"}}, nil
}

func (in *qrParameters) options() (qrcode.Options, error) {
	o := qrcode.Options{Size: in.Size}
	var list problem.List
	if in.Size > maxSize {
		list = append(list, problem.New("size", qrcode.CodeInvalidSize, "size is %d; %d to %d pixels are allowed", in.Size, qrcode.MinSize, maxSize))
	}
	values := map[string]string{"format": in.Format, "level": in.Level, "color": in.Color, "background": in.Background}
	for _, setting := range qrcode.Settings() {
		if value := values[setting.Word]; value != "" {
			list = append(list, problem.All(inField(setting.Word, o.Set(setting.Name, value)))...)
		}
	}
	return o, list.Err()
}

type identifierParameters struct {
	Kind  string `json:"kind" jsonschema:"username, business_username (which a business wants to claim), phone or bsuid"`
	Value string `json:"value"`
}

type identifierInfo struct {
	Valid       bool              `json:"valid"`
	Problems    []problem.Problem `json:"problems,omitempty" jsonschema:"the rules that the value breaks"`
	Reasons     []httpapi.Reason  `json:"reasons,omitempty" jsonschema:"why a business can't claim the username, as codes of the business API"`
	Warnings    []problem.Problem `json:"warnings,omitempty" jsonschema:"reasons why a valid value may not be the intended one"`
	Phone       string            `json:"phone,omitempty" jsonschema:"the phone number with + and country code"`
	CountryName string            `json:"countryName,omitempty" jsonschema:"the country of the phone number"`
	CallingCode string            `json:"callingCode,omitempty"`
	CountryCode string            `json:"countryCode,omitempty" jsonschema:"the ISO 3166-1 code of the country, of a phone number or a BSUID"`
	IsParent    bool              `json:"isParent,omitempty" jsonschema:"whether several business portfolios share the BSUID"`
}

// checks contains a check for each kind of identifier.
var checks = map[string]func(value string, info *identifierInfo){
	"username": func(value string, info *identifierInfo) {
		u, err := busname.Parse(value)
		info.Problems, info.Warnings = problem.All(err), u.Warnings()
	},
	"business_username": func(value string, info *identifierInfo) {
		info.Problems, info.Reasons = busname.ValidateBusiness(value), httpapi.Reasons(value)
	},
	"phone": func(value string, info *identifierInfo) {
		n, warnings, err := phone.Inspect(value)
		info.Problems, info.Warnings = problem.All(err), warnings
		info.Phone, info.CountryName, info.CountryCode, info.CallingCode = n.E164(), n.CountryName(), n.CountryCode(), n.CallingCode()
	},
	"bsuid": func(value string, info *identifierInfo) {
		b, err := bsuid.ParseBSUID(value)
		info.Problems, info.CountryCode, info.IsParent = problem.All(err), b.CountryCode(), b.IsParent()
	},
}

func kinds() []any {
	var list []any
	for _, kind := range slices.Sorted(maps.Keys(checks)) {
		list = append(list, kind)
	}
	return list
}

func validateIdentifier(in identifierParameters) (info identifierInfo, _ []sdk.Content, _ error) {
	check := checks[in.Kind]
	if check == nil {
		return info, nil, problem.New("kind", codeArgument, "kind is %.40q; it must be one of %s", in.Kind, strings.Join(slices.Sorted(maps.Keys(checks)), ", "))
	}
	check(in.Value, &info)
	info.Valid = len(info.Problems) == 0
	return info, nil, nil
}
