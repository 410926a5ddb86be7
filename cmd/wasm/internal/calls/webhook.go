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
		r.identity(&c.Previous)
		r.identity(&c.Current)
		for _, s := range [...]string{c.Phone, c.MessageID, c.Timestamp, c.PhoneNumberID, c.BusinessPhone} {
			r.string(s)
		}
		r.int(c.Event)
		r.part(payload, c.Raw)
	}
	r.int(len(w.Handovers))
	for i := range w.Handovers {
		h := &w.Handovers[i]
		r.identity(&h.Person)
		for _, s := range [...]string{h.PreviousOwner, h.NewOwner, h.PreviousAppID, h.Metadata, h.Timestamp, h.PhoneNumberID, h.BusinessPhone} {
			r.string(s)
		}
		r.int(h.Event)
		r.part(payload, h.Raw)
	}
	r.int(len(w.Others))
	for i := range w.Others {
		o := &w.Others[i]
		for _, s := range [...]string{o.Field, o.AccountID, o.Timestamp, o.PhoneNumberID, o.BusinessPhone} {
			r.string(s)
		}
		r.errors(o.Errors)
		r.part(payload, o.Raw)
	}
	return err
}

func (r *result) events(payload []byte, events []webhooknorm.Event) {
	r.int(len(events))
	for i := range events {
		e := &events[i]
		for _, s := range [...]string{
			string(e.Kind), e.Field, e.BSUID, e.Phone, e.Username, e.DisplayName, e.ParentBSUID, e.SharedPhone,
			e.GroupID, e.MessageID, e.ReplyTo, e.Target, e.Type, e.State, e.Timestamp, e.AccountID, e.PhoneNumberID, e.BusinessPhone,
		} {
			r.string(s)
		}
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
		e := &errors[i]
		r.int(e.Code)
		for _, s := range [...]string{e.Title, e.Message, e.Details} {
			r.string(s)
		}
	}
}

func (r *result) identity(i *contact.IDs) {
	r.string(i.BSUID)
	r.string(i.ParentBSUID)
	r.string(i.Phone)
}

// part appends the offset and length for a part of the payload. Events can share a part, so
// the parts themselves could be much longer than the payload.
func (r *result) part(payload, part []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(payload)))
	r.int(int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - start))
	r.int(len(part))
}
