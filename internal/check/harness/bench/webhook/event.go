package main

import (
	"bytes"

	"github.com/hailmark/hailmark/webhooknorm"
)

// An event is the result of every contestant for a message.
type event = webhooknorm.Event

// newEvent returns the event for a message and its sender.
func newEvent(m message, accountID, phoneNumberID string, sender profile, raw []byte) (e event) {
	e.Kind = webhooknorm.KindMessage
	e.BSUID, e.Phone, e.Username, e.DisplayName = m.FromUserID, m.From, sender.Username, sender.Name
	e.MessageID, e.ReplyTo, e.Type, e.Timestamp = m.ID, m.Context.ID, m.Type, m.Timestamp
	e.AccountID, e.PhoneNumberID, e.Raw = accountID, phoneNumberID, raw
	return e
}

// sameEvent compares what newEvent sets.
func sameEvent(a, b event) bool {
	return bytes.Equal(a.Raw, b.Raw) && a.Kind == b.Kind && a.BSUID == b.BSUID && a.Phone == b.Phone && a.Username == b.Username &&
		a.DisplayName == b.DisplayName && a.MessageID == b.MessageID && a.ReplyTo == b.ReplyTo && a.Type == b.Type &&
		a.Timestamp == b.Timestamp && a.AccountID == b.AccountID && a.PhoneNumberID == b.PhoneNumberID
}
