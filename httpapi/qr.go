package httpapi

import (
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/negotiate"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

const (
	mediaPNG = "image/png"
	mediaSVG = "image/svg+xml"
)

func getQR(h *Handler, in input) (response, error) {
	link, warnings, err := qrLink(&in)
	if err != nil {
		return response{}, err
	}
	opts, err := qrOptions(&in)
	if err != nil {
		return response{}, err
	}
	text := h.chatHost.link(link)
	opts.Title = text
	resp := response{
		contentType: mediaPNG,
		cache:       cacheQR,
		etag:        etagOf([]byte("qr " + opts.CacheKey(text))),
		qrWarning:   qrWarning(warnings, text, opts),
		filename:    link.Username().String() + link.Phone().String() + "." + string(opts.Format),
	}
	if opts.Format == qrcode.SVG {
		resp.contentType = mediaSVG
	}
	if negotiate.Lists(in.ifNoneMatch, resp.etag) {
		resp.notModified = true // no need to draw the image
		return resp, nil
	}
	resp.body, err = qrcode.RenderQR(text, opts)
	return resp, explainLength(err, link.Text())
}

// qrLink returns the link that a QR code contains, to a username or a phone number, and warnings about
// the number.
func qrLink(in *input) (link chatlink.Link, warnings problem.List, err error) {
	username, number := in.get(&usernameParam), in.get(&phoneParam)
	switch {
	case username == "" && number == "":
		return link, nil, problem.New("", chatlink.CodeMissingTarget, "the parameters username and phone are missing; send one of them%s", in.hint())
	case username != "" && number != "":
		return link, nil, problem.New("", chatlink.CodeMissingTarget, "the parameters username and phone are both given; send only one of them")
	}
	text := in.get(&textParam)
	if username != "" {
		if err := in.checkCountry(); err != nil {
			return link, nil, err
		}
		u, err := busname.Parse(username)
		if err != nil {
			return link, nil, err
		}
		link, err = chatlink.UsernameLink(u, text)
		return link, nil, err
	}
	n, warnings, err := in.inspectPhone()
	if err != nil {
		return link, nil, err
	}
	link, err = chatlink.PhoneLink(n, text)
	return link, warnings, err
}

// explainLength reports a long text's own length, because package qrcode reports the longer link's.
func explainLength(err error, text string) error {
	problems := problem.All(err)
	if len(problems) == 0 || problems[0].Code != chatlink.CodeTextTooLong || text == "" {
		return err
	}
	return problem.New("text", problems[0].Code, "text of %d characters is too long for this QR code; %s",
		utf8.RuneCountInString(text), problems[0].Message)
}

// qrOptions reads the settings of package qrcode that the route declares.
func qrOptions(in *input) (opts qrcode.Options, err error) {
	opts.Format = qrcode.PNG // the file's name contains it
	for _, s := range qrcode.Settings() {
		i := in.route.index(s.Name)
		if i < 0 || in.values[i].text == "" {
			continue
		}
		if err := setQR(&opts, s.Name, in.values[i].text); err != nil {
			return opts, err
		}
	}
	return opts, nil
}

// setQR sets an option. The interface specification allows less than package qrcode: smaller images,
// and no # before a color.
func setQR(opts *qrcode.Options, name, value string) error {
	switch {
	case name == colorParam.name && strings.HasPrefix(value, "#"):
		return problem.New("color", qrcode.CodeInvalidColor, "color begins with #; leave it out, as in 25d366")
	case name == bgParam.name && strings.HasPrefix(value, "#"):
		return problem.New("bg", qrcode.CodeInvalidBackground, "background begins with #; leave it out, as in 25d366")
	}
	err := opts.Set(name, value)
	if name == sizeParam.name && (err != nil || opts.Size > maxQRSize) {
		return problem.New("size", qrcode.CodeInvalidSize, "size isn't a whole number of pixels from %d to %d", qrcode.MinSize, maxQRSize)
	}
	return err
}

// maxQRSize is the maximum of the parameter size.
const maxQRSize = 1024

// parseInto sets dst to the parsed value unless it's empty.
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

// qrWarning returns the X-QR-Warning header's value, or "": the codes of the warnings about the number
// and the image, with hyphens.
func qrWarning(number problem.List, text string, opts qrcode.Options) string {
	var words []string
	image, _ := opts.CheckText(text) // RenderQR returns the error
	for _, code := range append(number, image...).Codes() {
		words = append(words, strings.ReplaceAll(string(code), "_", "-"))
	}
	return strings.Join(words, ", ")
}
