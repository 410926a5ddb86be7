package httpapi

import (
	"io"
	"strconv"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/webhooknorm"
)

func getUsernameLink(a *api, in input) (usernameLink, error) {
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
		Link:      a.chatHost.UsernameLink(u, text),
		ShortLink: a.base.ShortLink(u),
		Notice:    a.notice.String(),
	}, nil
}

func getPhoneLink(a *api, in input) (phoneLink, error) {
	p, err := phone.Parse(in.get(&phoneParam))
	if err != nil {
		return phoneLink{}, err
	}
	text, err := chatlink.ParseText(in.get(&textParam))
	if err != nil {
		return phoneLink{}, err
	}
	return phoneLink{p.String(), a.chatHost.PhoneLink(p, text)}, nil
}

func inspectPhone(s string) (problem.List, error) {
	_, warnings, err := phone.Inspect(s)
	return warnings, err
}

func validateBSUID(_ *api, in input) (bsuidValidation, error) {
	b, _ := bsuid.ParseBSUID(in.get(&bsuidParam)) // an invalid one is the zero value
	return bsuidValidation{b.IsValid(), b.IsParent()}, nil
}

func parseBSUID(_ *api, in input) (bsuidParse, error) {
	b, err := bsuid.ParseBSUID(in.get(&bsuidParam))
	return bsuidParse{b.CountryCode(), b.ID(), b.IsParent()}, err
}

func validateBusinessUsername(_ *api, in input) (businessUsernameValidation, error) {
	reasons := append([]busname.Reason{}, busname.Reasons(in.get(&usernameParam))...)
	return businessUsernameValidation{len(reasons) == 0, reasons}, nil
}

func resolveContact(_ *api, in input) (resolvedContact, error) {
	id := contact.Identifier{BSUID: in.get(&bsuidParam), Phone: in.get(&phoneParam), Username: in.get(&usernameParam)}
	c, err := contact.Resolve(id)
	if err == nil && id.BSUID != "" {
		_, err = bsuid.ParseBSUID(id.BSUID) // the API accepts fewer BSUIDs than the library
	}
	return newResolvedContact(c), err
}

// maxBuffered is how large a response about a webhook may be to be held as a whole. A
// larger one is encoded while it is written, without a Content-Length. Its size cannot be
// derived from the body: every event can repeat the long name of one contact.
const maxBuffered = 16 << 10

func normalizeWebhook(_ *api, in input) (response, error) {
	events, err := webhooknorm.Events(in.body)
	if err != nil {
		return response{}, err
	}
	body := make([]byte, 0, min(len(in.body), maxBuffered))
	body, whole := appendNormalizedWebhook(body, events, maxBuffered, func([]byte) bool { return false })
	if whole {
		return response{contentType: mediaJSON, body: body}, nil
	}
	return response{contentType: mediaJSON, stream: func(out io.Writer) { streamNormalizedWebhook(out, events) }}, nil
}

const (
	mediaPNG = "image/png"
	mediaSVG = "image/svg+xml"
)

func getQR(a *api, in input) (response, error) {
	target, err := qrTarget(&in)
	if err != nil {
		return response{}, err
	}
	opts, err := qrOptions(&in)
	if err != nil {
		return response{}, err
	}
	link := target.link(a.chatHost, target.text)
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
		resp.notModified = true // the client has had the picture, so it need not be drawn
		return resp, nil
	}
	resp.body, err = qrcode.RenderQR(link, opts)
	return resp, target.explain(err, a.chatHost, opts)
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
		return t, problem.New(CodeMissingTarget, "exactly one of the parameters username and phone must be given; none is")
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

// name returns the name of the file, without its ending.
func (t target) name() string { return t.username.String() + t.phone.String() }

// explain adds to the error of a text that does not fit how much of it does: a
// character of the text takes up to twelve in the link, which is what package qrcode
// counts.
func (t target) explain(err error, host chatlink.Host, opts qrcode.Options) error {
	problems := problem.All(err)
	if len(problems) == 0 || problems[0].Code != qrcode.CodeTextTooLong {
		return err
	}
	text := []rune(t.text.String())
	if len(text) == 0 {
		return err
	}
	fits, tooLong := 0, len(text)
	for tooLong-fits > 1 {
		middle := fits + (tooLong-fits)/2
		part, _ := chatlink.ParseText(string(text[:middle])) // a part of a valid text is one
		if _, err := qrcode.RenderQR(t.link(host, part), opts); err != nil {
			tooLong = middle
		} else {
			fits = middle
		}
	}
	return problem.New(chatlink.CodeTextTooLong, "text is too long for this QR code: it has %d characters, of which the first %d fit; %s",
		len(text), fits, problems[0].Message)
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
