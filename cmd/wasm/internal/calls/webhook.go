//go:build !core

package calls

import (
	"unsafe"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/webhooknorm"
)

func normalize(a *arguments, r *result) error {
	payload := a.bytes()
	events, err := webhooknorm.Normalize(payload)
	r.events(payload, events)
	return err
}

func read(a *arguments, r *result) error {
	payload := a.bytes()
	w, err := webhooknorm.Read(payload)
	r.events(payload, w.Events)
	r.int(len(w.Changes))
	for i := range w.Changes {
		c := &w.Changes[i]
		write(r, identityMembers, &c.Previous)
		write(r, identityMembers, &c.Current)
		write(r, changeMembers, c)
		r.part(payload, c.Raw)
	}
	r.int(len(w.Handovers))
	for i := range w.Handovers {
		h := &w.Handovers[i]
		write(r, identityMembers, &h.Person)
		write(r, handoverMembers, h)
		r.part(payload, h.Raw)
	}
	r.int(len(w.Others))
	for i := range w.Others {
		o := &w.Others[i]
		write(r, otherMembers, o)
		r.errors(o.Errors)
		r.part(payload, o.Raw)
	}
	return err
}

func (r *result) events(payload []byte, events []webhooknorm.Event) {
	r.int(len(events))
	for i := range events {
		e := &events[i]
		write(r, eventMembers, e)
		r.bool(e.Standby)
		r.errors(e.Errors)
		r.bool(e.ConversationContext != nil)
		if e.ConversationContext != nil {
			r.part(payload, e.ConversationContext)
		}
		r.part(payload, e.Raw)
	}
}

func (r *result) errors(errors []webhooknorm.Error) {
	r.int(len(errors))
	for i := range errors {
		r.int(errors[i].Code)
		r.int(errors[i].Subcode)
		write(r, errorMembers, &errors[i])
	}
}

// The members of a webhook's parts. A host leaves empty texts out.
var (
	eventMembers = []member[webhooknorm.Event]{
		textOf("kind", func(e *webhooknorm.Event) string { return string(e.Kind) }),
		textOf("field", func(e *webhooknorm.Event) string { return e.Field }),
		textOf("bsuid", func(e *webhooknorm.Event) string { return e.BSUID }),
		textOf("phone", func(e *webhooknorm.Event) string { return e.Phone }),
		textOf("username", func(e *webhooknorm.Event) string { return e.Username }),
		textOf("displayName", func(e *webhooknorm.Event) string { return e.DisplayName }),
		textOf("parentBsuid", func(e *webhooknorm.Event) string { return e.ParentBSUID }),
		textOf("sharedPhone", func(e *webhooknorm.Event) string { return e.SharedPhone }),
		textOf("groupId", func(e *webhooknorm.Event) string { return e.GroupID }),
		textOf("messageId", func(e *webhooknorm.Event) string { return e.MessageID }),
		textOf("replyTo", func(e *webhooknorm.Event) string { return e.ReplyTo }),
		textOf("target", func(e *webhooknorm.Event) string { return e.Target }),
		textOf("type", func(e *webhooknorm.Event) string { return e.Type }),
		textOf("state", func(e *webhooknorm.Event) string { return e.State }),
		textOf("timestamp", func(e *webhooknorm.Event) string { return e.Timestamp }),
		textOf("accountId", func(e *webhooknorm.Event) string { return e.AccountID }),
		textOf("phoneNumberId", func(e *webhooknorm.Event) string { return e.PhoneNumberID }),
		textOf("businessPhone", func(e *webhooknorm.Event) string { return e.BusinessPhone }),
	}
	errorMembers = []member[webhooknorm.Error]{
		textOf("title", func(e *webhooknorm.Error) string { return e.Title }),
		textOf("message", func(e *webhooknorm.Error) string { return e.Message }),
		textOf("details", func(e *webhooknorm.Error) string { return e.Details }),
		textOf("userTitle", func(e *webhooknorm.Error) string { return e.UserTitle }),
		textOf("userMessage", func(e *webhooknorm.Error) string { return e.UserMessage }),
		textOf("traceId", func(e *webhooknorm.Error) string { return e.TraceID }),
	}
	personMembers = []member[contact.Person]{
		textOf("bsuid", func(p *contact.Person) string { return p.BSUID }),
		textOf("parentBsuid", func(p *contact.Person) string { return p.ParentBSUID }),
		textOf("phone", func(p *contact.Person) string { return p.Phone }),
		textOf("username", func(p *contact.Person) string { return p.Username }),
		textOf("displayName", func(p *contact.Person) string { return p.DisplayName }),
	}
	identityMembers = []member[contact.IDs]{
		textOf("bsuid", func(i *contact.IDs) string { return i.BSUID }),
		textOf("parentBsuid", func(i *contact.IDs) string { return i.ParentBSUID }),
		textOf("phone", func(i *contact.IDs) string { return i.Phone }),
	}
	changeMembers = []member[webhooknorm.IdentityChange]{
		textOf("phone", func(c *webhooknorm.IdentityChange) string { return c.Phone }),
		textOf("messageId", func(c *webhooknorm.IdentityChange) string { return c.MessageID }),
		textOf("timestamp", func(c *webhooknorm.IdentityChange) string { return c.Timestamp }),
		textOf("phoneNumberId", func(c *webhooknorm.IdentityChange) string { return c.PhoneNumberID }),
		textOf("businessPhone", func(c *webhooknorm.IdentityChange) string { return c.BusinessPhone }),
		intOf("event", func(c *webhooknorm.IdentityChange) int { return c.Event }),
	}
	handoverMembers = []member[webhooknorm.Handover]{
		textOf("previousOwner", func(h *webhooknorm.Handover) string { return h.PreviousOwner }),
		textOf("newOwner", func(h *webhooknorm.Handover) string { return h.NewOwner }),
		textOf("previousAppId", func(h *webhooknorm.Handover) string { return h.PreviousAppID }),
		textOf("metadata", func(h *webhooknorm.Handover) string { return h.Metadata }),
		textOf("timestamp", func(h *webhooknorm.Handover) string { return h.Timestamp }),
		textOf("phoneNumberId", func(h *webhooknorm.Handover) string { return h.PhoneNumberID }),
		textOf("businessPhone", func(h *webhooknorm.Handover) string { return h.BusinessPhone }),
		intOf("event", func(h *webhooknorm.Handover) int { return h.Event }),
	}
	otherMembers = []member[webhooknorm.Other]{
		textOf("field", func(o *webhooknorm.Other) string { return o.Field }),
		textOf("accountId", func(o *webhooknorm.Other) string { return o.AccountID }),
		textOf("timestamp", func(o *webhooknorm.Other) string { return o.Timestamp }),
		textOf("phoneNumberId", func(o *webhooknorm.Other) string { return o.PhoneNumberID }),
		textOf("businessPhone", func(o *webhooknorm.Other) string { return o.BusinessPhone }),
	}
)

// part appends the offset and length for a part of the payload. Events can share a part, so
// the parts themselves could be much longer than the payload.
func (r *result) part(payload, part []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(payload)))
	r.int(int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - start))
	r.int(len(part))
}
