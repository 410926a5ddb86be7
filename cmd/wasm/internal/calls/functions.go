package calls

import (
	"slices"
	"strings"

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
		r.bool(bsuid.Is(a.string()))
		return nil
	}},
	{"bsuid.ParseBSUID", func(a *arguments, r *result) error { return r.bsuid(bsuid.ParseBSUID(a.string())) }},

	{"busname.Parse", parser(busname.Parse)},
	{"busname.Validate", func(a *arguments, r *result) error {
		r.problems(busname.Validate(a.string()))
		return nil
	}},
	{"busname.ValidateBusiness", func(a *arguments, r *result) error {
		r.problems(busname.ValidateBusiness(a.string()))
		return nil
	}},
	{"busname.Warnings", func(a *arguments, r *result) error {
		username, err := busname.Parse(a.string())
		r.problems(username.Warnings())
		return err
	}},

	{"calls.Fields", listFields},
	{"calls.Version", func(_ *arguments, r *result) error {
		r.string(Version)
		return nil
	}},

	{"chatlink.BuildPhoneLink", link(chatlink.BuildPhoneLink)},
	{"chatlink.BuildUsernameLink", link(chatlink.BuildUsernameLink)},
	{"phone.Parse", parser(phone.Parse)},
	{"chatlink.ParseKey", func(a *arguments, r *result) error {
		key, err := chatlink.ParseKey(a.string())
		r.string(key.Text())
		return err
	}},
	{"chatlink.ParseLink", parseLink},
	{"chatlink.ParseTarget", parseTarget},
	{"chatlink.Suggest", suggest},
	{"phone.Countries", countries},
	{"phone.ParseIn", func(a *arguments, r *result) error {
		n, err := phone.ParseIn(a.string(), a.string())
		r.string(n.String())
		return err
	}},
	{"phone.ParseDigits", parser(phone.ParseDigits)},
	{"phone.Inspect", func(a *arguments, r *result) error {
		n, warnings, err := phone.Inspect(a.string())
		write(r, inspectionMembers, &n)
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

	{"qrcode.Encode", encode},
	{"qrcode.ParseBackground", parser(qrcode.ParseBackground)},
	{"qrcode.ParseColor", parser(qrcode.ParseColor)},
	{"qrcode.ParseFormat", parser(qrcode.ParseFormat)},
	{"qrcode.RenderQR", render},
	{"qrcode.CheckText", func(a *arguments, r *result) error {
		text, err := a.content()
		o, invalid := a.options()
		if err := problemsOf(invalid, err); err != nil {
			return err
		}
		warnings, err := o.CheckText(text)
		r.verdict(warnings)
		return err
	}},
	{"qrcode.VerdictOf", func(a *arguments, r *result) error {
		var warnings problem.List
		for code := range strings.FieldsSeq(a.string()) {
			warnings = append(warnings, problem.Problem{Code: problem.Code(code)})
		}
		r.string(string(qrcode.VerdictOf(warnings, nil).Light))
		return nil
	}},
}

// parser returns a function that parses a string and returns its canonical form.
func parser[T interface{ String() string }](parse func(string) (T, error)) func(*arguments, *result) error {
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

var bsuidMembers = []member[bsuid.BSUID]{
	textOf("countryCode", func(b *bsuid.BSUID) string { return b.CountryCode() }),
	textOf("id", func(b *bsuid.BSUID) string { return b.ID() }),
	boolOf("isParent", func(b *bsuid.BSUID) bool { return b.IsParent() }),
	boolOf("countryKnown", func(b *bsuid.BSUID) bool { return b.CountryKnown() }),
}

func (r *result) bsuid(b bsuid.BSUID, err error) error {
	write(r, bsuidMembers, &b)
	return err
}

var linkMembers = []member[chatlink.Link]{
	textOf("kind", func(l *chatlink.Link) string { return string(l.Kind()) }),
	textOf("phone", func(l *chatlink.Link) string { return l.Phone().String() }),
	textOf("username", func(l *chatlink.Link) string { return l.Username().String() }),
	textOf("code", (*chatlink.Link).Code),
	textOf("text", (*chatlink.Link).Text),
	textOf("link", (*chatlink.Link).String),
}

func parseLink(a *arguments, r *result) error {
	l, err := chatlink.ParseLink(a.string())
	write(r, linkMembers, &l)
	return err
}

// A target is a target with the link to it.
type target struct {
	chatlink.Target
	link chatlink.Link
}

var targetMembers = []member[target]{
	textOf("kind", func(t *target) string { return string(t.Kind()) }),
	textOf("phone", func(t *target) string { return t.Phone().String() }),
	textOf("username", func(t *target) string { return t.Username().String() }),
	textOf("code", func(t *target) string { return t.link.Code() }),
	textOf("text", func(t *target) string { return t.link.Text() }),
	textOf("link", func(t *target) string { return t.link.String() }),
	textOf("name", func(t *target) string { return t.String() }),
	textOf("countryName", func(t *target) string { return t.Phone().CountryName() }),
}

// parseTarget reads a target. A number without a country code is one of a country, unless that's empty.
func parseTarget(a *arguments, r *result) error {
	s, country := a.string(), a.string()
	var t target
	var err error
	if country == "" {
		t.Target, err = chatlink.ParseTarget(s)
	} else {
		t.Target, err = chatlink.ParseTargetIn(s, country)
	}
	if err == nil {
		t.link, err = t.Link("")
	}
	write(r, targetMembers, &t)
	r.problems(t.Warnings())
	return err
}

// suggest finds the targets in a text.
func suggest(a *arguments, r *result) error {
	targets := chatlink.Suggest(a.string(), a.string())
	r.int(len(targets))
	for _, t := range targets {
		link, err := t.Link("")
		if err != nil {
			return err
		}
		write(r, targetMembers, &target{t, link})
	}
	return nil
}

var inspectionMembers = []member[phone.Number]{
	textOf("phone", func(n *phone.Number) string { return n.String() }),
	textOf("callingCode", func(n *phone.Number) string { return n.CallingCode() }),
	textOf("countryName", func(n *phone.Number) string { return n.CountryName() }),
	textOf("countryCode", func(n *phone.Number) string { return n.CountryCode() }),
}

// countries lists the codes that phone.ParseIn knows.
func countries(_ *arguments, r *result) error {
	var list []string
	for c := 'A'; c <= 'Z'; c++ {
		for d := 'A'; d <= 'Z'; d++ {
			code := string([]rune{c, d})
			if phone.CheckCountry(code) == nil {
				list = append(list, code)
			}
		}
	}
	r.strings(list)
	return nil
}

// problemsOf joins the errors' problems.
func problemsOf(errs ...error) error {
	var all problem.List
	for _, err := range errs {
		all = append(all, problem.All(err)...)
	}
	return slices.Clip(all).Err()
}
