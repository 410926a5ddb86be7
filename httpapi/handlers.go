package httpapi

import (
	"cmp"
	"strconv"
	"unicode/utf8"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/webhooknorm"
)

func getUsernameLink(h *Handler, in input) (usernameLink, error) {
	u, err := busname.Parse(in.get(&usernameParam))
	if err != nil {
		return usernameLink{}, err
	}
	var key chatlink.Key
	if k := in.get(&keyParam); k != "" {
		if key, err = chatlink.ParseKey(k); err != nil {
			return usernameLink{}, err
		}
	}
	text, err := chatlink.ParseText(in.get(&textParam))
	if err != nil {
		return usernameLink{}, err
	}
	return usernameLink{
		Username:  u.String(),
		Key:       key.String(),
		Link:      h.chatHost.UsernameLink(u, text),
		ShortLink: h.base.ShortLink(u),
		Notice:    h.notice.String(),
	}, nil
}

func getPhoneLink(h *Handler, in input) (phoneLink, error) {
	p, err := phone.Parse(in.get(&phoneParam))
	if err != nil {
		return phoneLink{}, err
	}
	text, err := chatlink.ParseText(in.get(&textParam))
	if err != nil {
		return phoneLink{}, err
	}
	return phoneLink{p.String(), h.chatHost.PhoneLink(p, text)}, nil
}

func inspectPhone(s string) (problem.List, error) {
	_, warnings, err := phone.Inspect(s)
	return warnings, err
}

func validateBSUID(_ *Handler, in input) (bsuidValidation, error) {
	b, _ := bsuid.ParseBSUID(in.get(&bsuidParam)) // an invalid one is the zero value
	return bsuidValidation{b.IsValid(), b.IsParent()}, nil
}

func parseBSUID(_ *Handler, in input) (bsuidParse, error) {
	b, err := bsuid.ParseBSUID(in.get(&bsuidParam))
	return bsuidParse{b.CountryCode(), b.ID(), b.IsParent()}, err
}

func validateBusinessUsername(_ *Handler, in input) (businessUsernameValidation, error) {
	reasons := append([]busname.Reason{}, busname.Reasons(in.get(&usernameParam))...)
	return businessUsernameValidation{len(reasons) == 0, reasons}, nil
}

func resolveContact(_ *Handler, in input) (resolvedContact, error) {
	id := contact.Identifier{BSUID: in.get(&bsuidParam), Phone: in.get(&phoneParam), Username: in.get(&usernameParam)}
	c, err := contact.Resolve(id)
	if err == nil && id.BSUID != "" {
		_, err = bsuid.ParseBSUID(id.BSUID) // the API accepts fewer BSUIDs than the library
	}
	return newResolvedContact(c), err
}

func normalizeWebhook(_ *Handler, in input) (response, error) {
	events, err := webhooknorm.Normalize(in.body)
	if err != nil {
		return response{}, err
	}
	body, ok := appendNormalizedWebhook(make([]byte, 0, len(in.body)+len(in.body)/4), events, in.mostBytes)
	if !ok {
		return response{}, problem.New(CodeResponseTooLarge, "the response would be longer than %d MiB, because events repeat the long names of their contacts", maxResponse>>20)
	}
	return response{contentType: mediaJSON, body: body}, nil
}

const (
	mediaPNG = "image/png"
	mediaSVG = "image/svg+xml"
)

func getQR(h *Handler, in input) (response, error) {
	target, err := qrTarget(&in)
	if err != nil {
		return response{}, err
	}
	opts, err := qrOptions(&in)
	if err != nil {
		return response{}, err
	}
	link := target.link(h.chatHost, target.text)
	opts.Title = link
	resp := response{
		contentType: mediaPNG,
		cache:       cacheQR,
		etag:        etagOfQR(link, opts),
		qrWarning:   qrWarning(opts),
		filename:    target.name() + "." + opts.Format.String(),
	}
	if opts.Format == qrcode.SVG {
		resp.contentType = mediaSVG
	}
	if etagListed(in.ifNoneMatch, resp.etag) {
		resp.notModified = true // the client has had the picture, so it needn't be drawn
		return resp, nil
	}
	resp.body, err = qrcode.RenderQR(link, opts)
	return resp, target.explain(err)
}

func etagOfQR(link string, opts qrcode.Options) string {
	identity := append(make([]byte, 0, 256), "qr "+qrcode.RendererVersion...)
	for _, part := range [...]string{link, opts.Format.String(), strconv.Itoa(opts.Size), opts.Foreground.String(), opts.Background.String()} {
		identity = append(append(identity, 0), part...)
	}
	return etagOf(identity)
}

// A target is the chat that a QR code opens: with a username or a phone number.
type target struct {
	username busname.Username
	phone    phone.Number
	text     chatlink.Text
}

func qrTarget(in *input) (t target, err error) {
	username, number := in.get(&usernameParam), in.get(&phoneParam)
	switch {
	case username == "" && number == "":
		found := cmp.Or(in.unknown.hint(&usernameParam), in.unknown.hint(&phoneParam), "none is")
		return t, problem.New(CodeMissingTarget, "exactly one of the parameters username and phone must be given; %s", found)
	case username != "" && number != "":
		return t, problem.New(CodeMissingTarget, "exactly one of the parameters username and phone must be given; both are")
	case username != "":
		t.username, err = busname.Parse(username)
	default:
		t.phone, err = phone.Parse(number)
	}
	if err == nil {
		t.text, err = chatlink.ParseText(in.get(&textParam))
	}
	return t, err
}

func (t target) link(host chatlink.Host, text chatlink.Text) string {
	return host.UsernameLink(t.username, text) + host.PhoneLink(t.phone, text) // one of them is ""
}

// name returns the name of the file, without its extension.
func (t target) name() string { return t.username.String() + t.phone.String() }

// explain counts the characters of a text that doesn't fit: package qrcode counts those of
// the link, where one takes up to twelve.
func (t target) explain(err error) error {
	problems := problem.All(err)
	if len(problems) == 0 || problems[0].Code != qrcode.CodeTextTooLong || t.text.String() == "" {
		return err
	}
	return problem.New(chatlink.CodeTextTooLong, "text of %d characters is too long for this QR code; %s",
		utf8.RuneCountInString(t.text.String()), problems[0].Message)
}

func qrOptions(in *input) (qrcode.Options, error) {
	opts := qrcode.Options{
		Size:       qrcode.DefaultSize,
		Foreground: qrcode.RGB(0, 0, 0),
		Background: qrcode.RGB(0xff, 0xff, 0xff),
	}
	for _, err := range []error{
		parseInto(&opts.Format, in.get(&formatParam), qrcode.ParseFormat),
		parseInto(&opts.Size, in.get(&sizeParam), parseSize),
		parseInto(&opts.Foreground, in.get(&colorParam), qrcode.ParseColor),
		parseInto(&opts.Background, in.get(&bgParam), qrcode.ParseBackground),
	} {
		if err != nil {
			return opts, err
		}
	}
	return opts, nil
}

// parseInto sets dst to what parse returns, unless the parameter is absent or empty.
func parseInto[T any](dst *T, value string, parse func(string) (T, error)) error {
	if value == "" {
		return nil
	}
	v, err := parse(value)
	if err == nil {
		*dst = v
	}
	return err
}
