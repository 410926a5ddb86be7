//go:build !core && !page

package calls

import (
	"math"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/httpapi/wire"
	"github.com/hailmark/hailmark/webhooknorm"
)

func normalize(a *arguments, r *result) error {
	events, err := webhooknorm.Normalize(a.bytes())
	r.webhook(webhooknorm.Webhook{Events: events}, err)
	return err
}

func read(a *arguments, r *result) error {
	w, err := webhooknorm.Read(a.bytes())
	r.webhook(w, err)
	return err
}

// webhook appends the JSON of a webhook, which is that of the HTTP API.
func (r *result) webhook(w webhooknorm.Webhook, err error) {
	if err != nil {
		return
	}
	text, _ := wire.EncodeWebhook(w, math.MaxInt32) // the most that fits the memory of a module
	r.data = append(r.data, text...)
}

// The members of a person.
var personMembers = []member[contact.Person]{
	textOf("bsuid", func(p *contact.Person) string { return p.BSUID }),
	textOf("parentBsuid", func(p *contact.Person) string { return p.ParentBSUID }),
	textOf("phone", func(p *contact.Person) string { return p.Phone }),
	textOf("username", func(p *contact.Person) string { return p.Username }),
	textOf("displayName", func(p *contact.Person) string { return p.DisplayName }),
}
