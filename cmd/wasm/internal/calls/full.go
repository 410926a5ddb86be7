//go:build !core

package calls

import (
	"maps"
	"net/url"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/qrcode/qrprint"
	"github.com/hailmark/hailmark/webhooknorm"
)

// codeFields are the settings of a code for paper.
var codeFields = []field{
	{"text", textKind},
	{"size", floatKind},
	{"outer", floatKind},
	{"module", floatKind},
	{"dpi", intKind},
	{"minLevel", textKind},
	{"margin", intKind},
	{"caption", textKind},
	{"frame", textKind},
	{"logo", bytesKind},
	{"logoShare", floatKind},
	{"color", textKind},
	{"bg", textKind},
	{"title", textKind},
	{"bleed", floatKind},
	{"cropMarks", boolKind},
}

// batchFields are the settings of a table, apart from its columns.
var batchFields = []field{
	{"output", textKind},
	{"format", textKind},
	{"labels", textKind},
	{"start", intKind},
	{"border", boolKind},
	{"offsetX", floatKind},
	{"offsetY", floatKind},
	{"padding", floatKind},
	{"country", textKind},
	{"text", textKind},
	{"encoding", textKind},
	{"separator", textKind},
	{"noHeader", boolKind},
	{"size", intKind},
	{"minLevel", textKind},
	{"margin", intKind},
	{"color", textKind},
	{"bg", textKind},
	{"mm", floatKind},
	{"module", floatKind},
	{"dpi", intKind},
	{"bleed", floatKind},
	{"caption", textKind},
	{"frame", textKind},
	{"logo", bytesKind},
	{"logoShare", floatKind},
}

// The tag core leaves out what a page needs only after its first code: batches, layout for
// paper and webhooks.
func init() {
	maps.Copy(fields, map[string][]field{
		"batch":   batchFields,
		"code":    codeFields,
		"columns": columnFields(),
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
		"identifier":   {{"bsuid", textKind}, {"phone", textKind}, {"username", textKind}},
		"label":        fieldsOf(labelMembers),
		"labelOptions": {{"labels", textKind}, {"start", intKind}, {"border", boolKind}, {"offsetX", floatKind}, {"offsetY", floatKind}},
		"measures":     fieldsOf(measureMembers),
		"person":       fieldsOf(personMembers),
		"posterOptions": {
			{"paper", textKind}, {"heading", textKind}, {"footer", textKind}, {"tent", boolKind},
		},
		"row": fieldsOf(rowMembers),
	})
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
		{"qrprint.Poster.Page", posterPage},
		{"batch.Guess", guessColumns},
		{"batch.Rows", tableRows},
		{"qrprint.Labels", labelProducts},
		{"qrprint.Labels.Page", labelSheet},
		{"qrprint.LabelNames", func(_ *arguments, r *result) error {
			r.strings(qrprint.LabelNames())
			return nil
		}},

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
