package httpapi

import (
	"cmp"
	"strconv"
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
	text := link.On(h.chatHost)
	opts.Title = text
	resp := response{
		contentType: mediaPNG,
		cache:       cacheQR,
		etag:        etagOfQR(text, opts),
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

func etagOfQR(link string, opts qrcode.Options) string {
	identity := append(make([]byte, 0, 256), "qr "+qrcode.RendererVersion...)
	for _, part := range [...]string{link, string(opts.Format), strconv.Itoa(opts.Size), opts.Foreground.String(), opts.Background.String()} {
		identity = append(append(identity, 0), part...)
	}
	return etagOf(identity)
}

// qrLink returns the link that a QR code contains, to a username or a phone number, and warnings about
// the number.
func qrLink(in *input) (link chatlink.Link, warnings problem.List, err error) {
	username, number := in.get(&usernameParam), in.get(&phoneParam)
	switch {
	case username == "" && number == "":
		remedy := cmp.Or(in.unknown.hint(&usernameParam), in.unknown.hint(&phoneParam), "send one of them")
		return link, nil, problem.New("", chatlink.CodeMissingTarget, "the parameters username and phone are missing; %s", remedy)
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

func qrOptions(in *input) (qrcode.Options, error) {
	opts := qrcode.Options{
		Format: qrcode.PNG,
		Size:   defaultQRSize,
		Style:  qrcode.Style{Foreground: qrcode.RGB(0, 0, 0), Background: qrcode.RGB(0xff, 0xff, 0xff)},
	}
	for _, err := range []error{
		parseInto(&opts.Format, in.get(&formatParam), qrcode.ParseFormat),
		parseInto(&opts.Size, in.get(&sizeParam), parseSize),
		parseInto(&opts.Foreground, in.get(&colorParam), parseColor),
		parseInto(&opts.Background, in.get(&bgParam), parseBackground),
	} {
		if err != nil {
			return opts, err
		}
	}
	return opts, nil
}

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

// parseColor and parseBackground reject a #, which the interface specification excludes.
func parseColor(s string) (qrcode.Color, error) {
	if strings.HasPrefix(s, "#") {
		return qrcode.Color{}, problem.New("color", qrcode.CodeInvalidColor, "color begins with #; leave it out, as in 25d366")
	}
	return qrcode.ParseColor(s)
}

func parseBackground(s string) (qrcode.Color, error) {
	if strings.HasPrefix(s, "#") {
		return qrcode.Color{}, problem.New("bg", qrcode.CodeInvalidBackground, "background begins with #; leave it out, as in 25d366")
	}
	return qrcode.ParseBackground(s)
}

// Limits for the parameter size. The library draws larger images.
const (
	minQRSize     = qrcode.MinSize
	defaultQRSize = 512
	maxQRSize     = 1024
)

// parseSize parses a size in decimal digits, without a sign, space or fraction.
func parseSize(s string) (int, error) {
	size, err := strconv.ParseUint(s, 10, 31)
	if err != nil || size < minQRSize || size > maxQRSize {
		return 0, problem.New("size", qrcode.CodeInvalidSize, "size isn't a whole number of pixels from %d to %d", minQRSize, maxQRSize)
	}
	return int(size), nil
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
