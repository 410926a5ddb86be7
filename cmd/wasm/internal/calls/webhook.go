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
		r.part(payload, c.Raw)
	}
	r.int(len(w.Handovers))
	for i := range w.Handovers {
		h := &w.Handovers[i]
		r.identity(&h.Person)
		for _, s := range [...]string{h.PreviousOwner, h.NewOwner, h.PreviousAppID, h.Metadata, h.Timestamp, h.PhoneNumberID, h.BusinessPhone} {
			r.string(s)
		}
		r.part(payload, h.Raw)
	}
	return err
}

func (r *result) events(payload []byte, events []webhooknorm.Event) {
	r.int(len(events))
	for i := range events {
		e := &events[i]
		for _, s := range [...]string{
			string(e.Kind), e.BSUID, e.Phone, e.Username, e.DisplayName, e.ParentBSUID, e.SharedPhone,
			e.GroupID, e.MessageID, e.ReplyTo, e.Type, e.State, e.Timestamp, e.AccountID, e.PhoneNumberID, e.BusinessPhone,
		} {
			r.string(s)
		}
		r.bool(e.Standby)
		r.bool(e.Error != nil)
		if e.Error != nil {
			r.int(e.Error.Code)
			r.string(e.Error.Title)
			r.string(e.Error.Message)
			r.string(e.Error.Details)
		}
		r.bool(e.ConversationContext != nil)
		if e.ConversationContext != nil {
			r.part(payload, e.ConversationContext)
		}
		r.part(payload, e.Raw)
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
