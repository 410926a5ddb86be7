//go:build !core && !page

package calls

import (
	"maps"
	"net/url"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The tags core and page leave out what receivers of webhooks need.
func init() {
	maps.Copy(fields, map[string][]field{
		"contact": fieldsOf(contactMembers),
		"eventKey": {
			{"standby", boolKind},
			{"kind", textKind},
			{"bsuid", textKind},
			{"phone", textKind},
			{"messageId", textKind},
			{"state", textKind},
			{"timestamp", textKind},
			{"phoneNumberId", textKind},
		},
		"identifier": {{"bsuid", textKind}, {"phone", textKind}, {"username", textKind}},
		"person":     fieldsOf(personMembers),
	})
	functions = append(functions, []function{
		{"contact.Person.Address", func(a *arguments, r *result) error { return r.address(a.person().Address()) }},
		{"contact.Person.Label", func(a *arguments, r *result) error {
			r.string(a.person().Label())
			return nil
		}},
		{"contact.Person.PhoneAddress", func(a *arguments, r *result) error { return r.address(a.person().PhoneAddress()) }},
		{"contact.RequiresPhone", func(a *arguments, r *result) error {
			r.bool(contact.RequiresPhone(a.string()))
			return nil
		}},
		{"contact.Resolve", resolve},

		{"webhooknorm.Challenge", challenge},
		{"webhooknorm.Event.Key", func(a *arguments, r *result) error {
			o := a.object("eventKey")
			var e webhooknorm.Event
			e.Standby = o.bool("standby")
			e.Kind = webhooknorm.Kind(o.text("kind"))
			e.BSUID, e.Phone = o.text("bsuid"), o.text("phone")
			e.MessageID, e.State, e.Timestamp, e.PhoneNumberID = o.text("messageId"), o.text("state"), o.text("timestamp"), o.text("phoneNumberId")
			r.string(e.Key())
			return nil
		}},
		{"webhooknorm.Normalize", normalize},
		{"webhooknorm.Read", read},
		{"webhooknorm.VerifySignature", verifySignature},
	}...)
}

func (a *arguments) person() contact.Person {
	o := a.object("person")
	return contact.Person{
		IDs:      contact.IDs{BSUID: o.text("bsuid"), ParentBSUID: o.text("parentBsuid"), Phone: o.text("phone")},
		Username: o.text("username"), DisplayName: o.text("displayName"),
	}
}

func (r *result) address(address contact.Address, ok bool) error {
	r.bool(ok)
	r.string(address.Field)
	r.string(address.Value)
	return nil
}

var contactMembers = []member[contact.Person]{
	textOf("type", func(p *contact.Person) string { kind, _ := p.Identifier(); return string(kind) }),
	textOf("id", func(p *contact.Person) string { _, id := p.Identifier(); return id }),
	boolOf("phoneKnown", func(p *contact.Person) bool { return p.Phone != "" }),
	boolOf("bsuidKnown", func(p *contact.Person) bool { return p.BSUID != "" }),
}

func resolve(a *arguments, r *result) error {
	o := a.object("identifier")
	p, err := contact.Resolve(contact.Input{BSUID: o.text("bsuid"), Phone: o.text("phone"), Username: o.text("username")})
	write(r, contactMembers, &p)
	return err
}

func challenge(a *arguments, r *result) error {
	query, err := url.ParseQuery(a.string())
	if err != nil { // the request is not from the platform
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
