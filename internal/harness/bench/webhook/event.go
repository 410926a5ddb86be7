package main

import (
	"bytes"

	"github.com/hailmark/hailmark/webhooknorm"
)

// An event is the result of every contestant for a message.
type event = webhooknorm.Event

// newEvent returns the event for a message and its sender.
func newEvent(m message, phoneNumberID string, sender profile, raw []byte) (e event) {
	e.Kind = webhooknorm.KindMessage
	e.BSUID, e.Phone, e.Username, e.DisplayName = m.FromUserID, m.From, sender.Username, sender.Name
	e.MessageID, e.Timestamp, e.PhoneNumberID, e.Raw = m.ID, m.Timestamp, phoneNumberID, raw
	return e
}

func sameEvent(a, b event) bool {
	rawA, rawB := a.Raw, b.Raw
	a.Raw, b.Raw = nil, nil
	return bytes.Equal(rawA, rawB) && a.Kind == b.Kind && a.BSUID == b.BSUID && a.Phone == b.Phone && a.Username == b.Username &&
		a.DisplayName == b.DisplayName && a.MessageID == b.MessageID && a.Timestamp == b.Timestamp && a.PhoneNumberID == b.PhoneNumberID
}
