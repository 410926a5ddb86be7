package calls

import (
	"net/url"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/service"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
	"github.com/hailmark/hailmark/webhooknorm"
)

// functions contains the supported functions. Test vectors use the same names.
var functions = []function{
	{"batch.Close", closeBatch},
	{"batch.Finish", finishBatch},
	{"batch.Open", openBatch},
	{"batch.Step", stepBatch},

	{"bsuid.IsBSUID", func(a *arguments, r *result) error {
		r.bool(bsuid.IsBSUID(a.string()))
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
		r.string(service.DefaultNotice)
		return nil
	}},
	{"phone.ParseInternational", text(phone.ParseInternational)},
	{"chatlink.ParseKey", func(a *arguments, r *result) error {
		key := a.string()
		err := service.CheckKey(key)
		if err == nil {
			r.string(key)
		} else {
			r.string("")
		}
		return err
	}},
	{"chatlink.ParseLink", parseLink},
	{"phone.Parse", text(phone.Parse)},
	{"chatlink.ParseShortPath", func(a *arguments, r *result) error {
		username, _ := service.ParseShortPath(a.string())
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
		p, err := phone.Parse(a.string())
		if err != nil {
			return err
		}
		q, err := phone.Parse(a.string())
		r.bool(p.Same(q))
		return err
	}},
	{"chatlink.BaseURL.ShortLink", shortLink},

	{"contact.Person.Address", func(a *arguments, r *result) error { return r.address(a.person().Address()) }},
	{"contact.Person.Label", func(a *arguments, r *result) error {
		r.string(a.person().Label())
		return nil
	}},
	{"contact.Person.PhoneAddress", func(a *arguments, r *result) error { return r.address(a.person().PhoneAddress()) }},
	{"contact.RequiresPhone", func(a *arguments, r *result) error {
		r.bool(slices.Contains([]string{"ONE_TAP", "ZERO_TAP", "COPY_CODE"}, strings.ToUpper(a.string())))
		return nil
	}},
	{"contact.Resolve", resolve},

	{"qrprint.Code.Page", page},
	{"qrprint.LabelNames", func(_ *arguments, r *result) error {
		r.strings(qrprint.LabelNames())
		return nil
	}},

	{"qrcode.Encode", encode},
	{"qrcode.ParseBackground", text(qrcode.ParseBackground)},
	{"qrcode.ParseColor", text(qrcode.ParseColor)},
	{"qrcode.ParseFormat", text(qrcode.ParseFormat)},
	{"qrcode.RenderQR", render},
	{"qrcode.Warnings", func(a *arguments, r *result) error {
		o, err := a.options()
		if err == nil {
			err = o.Validate()
		}
		r.problems(qrcode.Warnings(o))
		return err
	}},

	{"webhooknorm.Challenge", challenge},
	{"webhooknorm.Event.Key", func(a *arguments, r *result) error {
		var e webhooknorm.Event
		e.Standby = a.bool()
		e.Kind = webhooknorm.Kind(a.string())
		e.BSUID, e.Phone = a.string(), a.string()
		e.MessageID, e.State, e.Timestamp, e.PhoneNumberID = a.string(), a.string(), a.string(), a.string()
		r.string(e.Key())
		return nil
	}},
	{"webhooknorm.Normalize", normalize},
	{"webhooknorm.Read", read},
	{"webhooknorm.VerifySignature", verifySignature},
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

func (r *result) strings(list []string) {
	r.int(len(list))
	for _, s := range list {
		r.string(s)
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
	list := service.Reasons(a.string())
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
	var base service.BaseURL
	if address != "" {
		base, err = service.ParseBaseURL(address)
	}
	r.string(base.ShortLink(username))
	return err
}

func (a *arguments) person() contact.Person {
	return contact.Person{IDs: contact.IDs{BSUID: a.string(), ParentBSUID: a.string(), Phone: a.string()}, Username: a.string(), DisplayName: a.string()}
}

func (r *result) address(address contact.Address, ok bool) error {
	r.bool(ok)
	r.string(string(address.Field))
	r.string(address.Value)
	return nil
}

func resolve(a *arguments, r *result) error {
	p, err := contact.Resolve(contact.Identifier{BSUID: a.string(), Phone: a.string(), Username: a.string()})
	kind, id := service.Identifier(p)
	r.string(kind)
	r.string(id)
	r.bool(p.Phone != "")
	r.bool(p.BSUID != "")
	return err
}

func challenge(a *arguments, r *result) error {
	query, err := url.ParseQuery(a.string())
	if err != nil { // the platform didn't send it
		query = nil
	}
	challenge, ok := webhooknorm.Challenge(query, a.string())
	r.bool(ok)
	r.string(challenge)
	return nil
}

func verifySignature(a *arguments, r *result) error {
	payload, header := a.bytes(), a.string()
	secrets := make([][]byte, a.int())
	for i := range secrets {
		secrets[i] = a.bytes()
	}
	r.bool(webhooknorm.VerifySignature(payload, header, secrets...))
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
