package calls

import (
	"slices"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// functions contains the functions of every module. Test vectors use the same names.
var functions = []function{
	{"bsuid.IsBSUID", func(a *arguments, r *result) error {
		_, err := bsuid.ParseAlphanumeric(a.string())
		r.bool(err == nil)
		return nil
	}},
	{"bsuid.ParseAlphanumeric", func(a *arguments, r *result) error { return r.bsuid(bsuid.ParseAlphanumeric(a.string())) }},
	{"bsuid.ParseBSUID", func(a *arguments, r *result) error { return r.bsuid(bsuid.ParseBSUID(a.string())) }},

	{"busname.Parse", text(busname.Parse)},
	{"busname.Reasons", reasons},
	{"busname.Validate", func(a *arguments, r *result) error {
		r.problems(busname.Validate(a.string()))
		return nil
	}},
	{"busname.Warnings", func(a *arguments, r *result) error {
		username, err := busname.Parse(a.string())
		r.problems(busname.Warnings(username))
		return err
	}},

	{"calls.Version", func(_ *arguments, r *result) error {
		r.string(Version)
		return nil
	}},

	{"chatlink.BuildPhoneLink", link(chatlink.BuildPhoneLink)},
	{"chatlink.BuildUsernameLink", link(chatlink.BuildUsernameLink)},
	{"chatlink.DefaultNotice", func(_ *arguments, r *result) error {
		r.string(chatlink.UsernameNotice)
		return nil
	}},
	{"phone.Parse", text(phone.Parse)},
	{"chatlink.ParseKey", text(chatlink.ParseKey)},
	{"chatlink.ParseLink", parseLink},
	{"phone.ParseDigits", text(phone.ParseDigits)},
	{"chatlink.ParseShortPath", func(a *arguments, r *result) error {
		username, _ := chatlink.ParseShortPath(a.string())
		r.string(username.String())
		return nil
	}},
	{"phone.Inspect", func(a *arguments, r *result) error {
		n, warnings, err := phone.Inspect(a.string())
		for _, s := range [...]string{n.String(), n.CallingCode(), n.Country(), n.Region()} {
			r.string(s)
		}
		r.problems(warnings)
		return err
	}},
	{"phone.Number.Same", func(a *arguments, r *result) error {
		p, err := phone.ParseDigits(a.string())
		if err != nil {
			return err
		}
		q, err := phone.ParseDigits(a.string())
		r.bool(p.Same(q))
		return err
	}},
	{"chatlink.BaseURL.ShortLink", shortLink},

	{"qrcode.Encode", encode},
	{"qrcode.ParseBackground", text(qrcode.ParseBackground)},
	{"qrcode.ParseColor", text(qrcode.ParseColor)},
	{"qrcode.ParseFormat", text(qrcode.ParseFormat)},
	{"qrcode.RenderQR", render},
	{"qrcode.Warnings", func(a *arguments, r *result) error {
		o, err := a.options()
		if err != nil {
			return err
		}
		warnings, err := o.Check()
		r.problems(warnings)
		return err
	}},
}

// text returns a function that parses a string and returns its canonical form.
func text[T interface{ String() string }](parse func(string) (T, error)) func(*arguments, *result) error {
	return func(a *arguments, r *result) error {
		v, err := parse(a.string())
		r.string(v.String())
		return err
	}
}

func link(build func(recipient, text string) (string, error)) func(*arguments, *result) error {
	return func(a *arguments, r *result) error {
		link, err := build(a.string(), a.string())
		r.string(link)
		return err
	}
}

func (r *result) bsuid(b bsuid.BSUID, err error) error {
	r.string(b.CountryCode())
	r.string(b.ID())
	r.bool(b.IsParent())
	r.bool(b.CountryKnown())
	return err
}

func reasons(a *arguments, r *result) error {
	list := busname.Reasons(a.string())
	r.int(len(list))
	for _, reason := range list {
		r.string(string(reason))
	}
	return nil
}

func parseLink(a *arguments, r *result) error {
	l, err := chatlink.ParseLink(a.string())
	for _, s := range [...]string{string(l.Kind()), l.Phone().String(), l.Username().String(), l.Code(), l.Text(), l.String()} {
		r.string(s)
	}
	return err
}

func shortLink(a *arguments, r *result) error {
	address := a.string()
	username, err := busname.Parse(a.string())
	if err != nil {
		return err
	}
	var base chatlink.BaseURL
	if address != "" {
		base, err = chatlink.ParseBaseURL(address)
	}
	r.string(base.ShortLink(username))
	return err
}

// problemsOf joins the errors' problems.
func problemsOf(errs ...error) error {
	var all problem.List
	for _, err := range errs {
		all = append(all, problem.All(err)...)
	}
	return slices.Clip(all).Err()
}
