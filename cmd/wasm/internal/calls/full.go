//go:build !core

package calls

import (
	"net/url"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/qrcode/qrprint"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The tag core leaves out what a page needs only after its first code: batches, layout for
// paper, people and webhooks.
func init() {
	functions = append(functions, []function{
		{"batch.Close", closeBatch},
		{"batch.Finish", finishBatch},
		{"batch.Open", openBatch},
		{"batch.Step", stepBatch},
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

		{"qrprint.Code.Page", page},
		{"batch.Rows", tableRows},
		{"qrprint.Labels", labelProducts},
		{"qrprint.Labels.Page", labelSheet},
		{"qrprint.LabelNames", func(_ *arguments, r *result) error {
			r.strings(qrprint.LabelNames())
			return nil
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
	}...)
}

func (r *result) strings(list []string) {
	r.int(len(list))
	for _, s := range list {
		r.string(s)
	}
}

func (a *arguments) person() contact.Person {
	return contact.Person{IDs: contact.IDs{BSUID: a.string(), ParentBSUID: a.string(), Phone: a.string()}, Username: a.string(), DisplayName: a.string()}
}

func (r *result) address(address contact.Address, ok bool) error {
	r.bool(ok)
	r.string(address.Field)
	r.string(address.Value)
	return nil
}

func resolve(a *arguments, r *result) error {
	p, err := contact.Resolve(contact.Input{BSUID: a.string(), Phone: a.string(), Username: a.string()})
	kind, id := p.Identifier()
	r.string(kind)
	r.string(id)
	r.bool(p.Phone != "")
	r.bool(p.BSUID != "")
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
