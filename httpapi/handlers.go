package httpapi

import (
	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/httpapi/wire"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

func getUsernameLink(h *Handler, in input) (usernameLink, error) {
	u, err := busname.Parse(in.get(&usernameParam))
	if err != nil {
		return usernameLink{}, err
	}
	var key chatlink.Key
	if err := parseInto(&key, in.get(&keyParam), chatlink.ParseKey); err != nil {
		return usernameLink{}, err
	}
	link, err := chatlink.UsernameLink(u, in.get(&textParam))
	if err != nil {
		return usernameLink{}, err
	}
	return usernameLink{
		Username:  u.String(),
		Key:       key.Text(),
		Link:      h.chatHost.link(link),
		ShortLink: h.base.shortLink(u),
		Notice:    h.notice,
	}, nil
}

func getPhoneLink(h *Handler, in input) (phoneLink, error) {
	p, warnings, err := in.inspectPhone()
	if err != nil {
		return phoneLink{}, err
	}
	link, err := chatlink.PhoneLink(p, in.get(&textParam))
	if err != nil {
		return phoneLink{}, err
	}
	return phoneLink{p.String(), h.chatHost.link(link), wire.Problems(warnings)}, nil
}

// inspectPhone reads the parameter phone, as a number of the parameter country if that is given.
func (in *input) inspectPhone() (phone.Number, problem.List, error) {
	s, country := in.get(&phoneParam), in.get(&countryParam)
	if country == "" {
		return phone.Inspect(s)
	}
	n, err := phone.ParseIn(s, country)
	return n, n.Warnings(), err
}

// checkCountry returns an error for an unknown country.
func (in *input) checkCountry() error {
	if country := in.get(&countryParam); country != "" {
		return phone.CheckCountry(country)
	}
	return nil
}

// validatePhone returns a verdict about the number, but an error about an unknown country, because
// then there's no verdict.
func validatePhone(_ *Handler, in input) (response, error) {
	if err := in.checkCountry(); err != nil {
		return response{}, err
	}
	_, warnings, err := in.inspectPhone()
	return verdict(warnings, err)
}

func validateBSUID(_ *Handler, in input) (bsuidValidation, error) {
	b, _ := bsuid.ParseDigits(in.get(&bsuidParam)) // an invalid one is the zero value
	return bsuidValidation{b != bsuid.BSUID{}, b.IsParent()}, nil
}

func parseBSUID(_ *Handler, in input) (bsuidParse, error) {
	b, err := bsuid.ParseDigits(in.get(&bsuidParam))
	return bsuidParse{b.CountryCode(), b.ID(), b.IsParent()}, err
}

func validateBusinessUsername(_ *Handler, in input) (businessUsernameValidation, error) {
	reasons := Reasons(in.get(&usernameParam))
	return businessUsernameValidation{len(reasons) == 0, reasons}, nil
}

func resolveContact(_ *Handler, in input) (wire.ResolvedContact, error) {
	id := contact.Input{BSUID: in.get(&bsuidParam), Phone: in.get(&phoneParam), Username: in.get(&usernameParam), Country: in.get(&countryParam)}
	var warnings problem.List
	if id.Phone != "" && id.BSUID == "" && id.Username == "" { // the API needs no plus, but the library does
		n, list, err := in.inspectPhone()
		if err != nil {
			return wire.ResolvedContact{}, err
		}
		id.Phone, id.Country, warnings = n.String(), "", list
	}
	p, err := contact.Resolve(id)
	switch { // the API accepts fewer identifiers than the library
	case err != nil:
	case id.BSUID != "":
		_, err = bsuid.ParseDigits(id.BSUID)
	case id.Username != "":
		_, err = busname.Parse(id.Username)
	}
	return wire.NewResolvedContact(p, warnings), err
}

func normalizeWebhook(_ *Handler, in input) (response, error) {
	webhook, err := wire.Normalize(in.body)
	if err != nil {
		return response{}, err
	}
	return in.aboutWebhook(webhook.Encode(in.mostBytes))
}

func readWebhook(_ *Handler, in input) (response, error) {
	webhook, err := webhooknorm.ReadUpTo(in.body, mostEvents)
	if err != nil {
		return response{}, err
	}
	return in.aboutWebhook(wire.EncodeWebhook(webhook, in.mostBytes))
}

// aboutWebhook returns the response about a webhook, or an error if it was too long.
func (in *input) aboutWebhook(body []byte, ok bool) (response, error) {
	if !ok {
		return response{}, problem.New("", CodeResponseTooLarge, "the response would be longer than %d MiB; send parts of the webhook's arrays one after another", maxResponse>>20)
	}
	return response{contentType: mediaJSON, body: body}, nil
}
