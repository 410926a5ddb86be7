// Package wire contains the JSON that the HTTP API responds with about webhooks and contacts, without
// HTTP, so that other programs can send it in another way, for example through a queue.
//
//	webhook, err := webhooknorm.Read(payload)
//	if err != nil {
//		return err
//	}
//	for i := range webhook.Events {
//		queue.Send(wire.AppendEvent(nil, &webhook.Events[i]))
//	}
//
// [NormalizedWebhook] and [ResolvedContact] are the resources of the interface specification. They can
// be encoded with encoding/json. [AppendEvent], [AppendOther] and [EncodeWebhook] write what POST
// /api/v1/business/webhook/read, the command hailmark normalize and the npm package return.
package wire

import (
	"encoding/json"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A Problem is an error or a warning: a code for programs, and a message for people, which may change.
type Problem struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
}

// Problems returns the problems in a list, or nil if there are none.
func Problems(list problem.List) []Problem {
	var items []Problem
	for _, p := range list {
		items = append(items, Problem{p.Code, p.Message})
	}
	return items
}

// A ResolvedContact is the response to POST /api/v1/business/contact/resolve.
type ResolvedContact struct {
	// ID is the most lasting identifier, and Type its kind.
	ID   string       `json:"id"`
	Type contact.Kind `json:"type"`

	// These are null in JSON if they're empty.
	Username    string `json:"username"`
	Phone       string `json:"phone"`
	BSUID       string `json:"bsuid"`
	DisplayName string `json:"displayName"` // always empty, because nothing is looked up

	PhoneKnown bool `json:"phoneKnown"`
	BSUIDKnown bool `json:"bsuidKnown"`

	// Warnings are those about the number. The specification doesn't contain them.
	Warnings []Problem `json:"warnings,omitempty"`
}

// NewResolvedContact returns the response about a person from [contact.Resolve].
func NewResolvedContact(p contact.Person, warnings problem.List) ResolvedContact {
	kind, id := p.Identifier()
	return ResolvedContact{
		ID:         id,
		Type:       kind,
		Username:   p.Username,
		Phone:      p.Phone,
		BSUID:      p.BSUID,
		PhoneKnown: p.Phone != "",
		BSUIDKnown: p.BSUID != "",
		Warnings:   Problems(warnings),
	}
}

// MarshalJSON writes empty identifiers as null.
func (c ResolvedContact) MarshalJSON() ([]byte, error) {
	var out writer
	out.resolvedContact(&c)
	return out.buf, nil
}

// Provider is the only value of [NormalizedWebhook]'s Provider.
const Provider = "vendor_cloud_api"

// A NormalizedWebhook is the response to POST /api/v1/business/webhook/normalize.
type NormalizedWebhook struct {
	Provider string            `json:"provider"`
	Events   []NormalizedEvent `json:"events"`
}

// A NormalizedEvent is a message or a status.
type NormalizedEvent struct {
	Kind webhooknorm.Kind `json:"kind"`

	// These are null in JSON if they're empty.
	BSUID       string `json:"bsuid"`
	Phone       string `json:"phone"`
	Username    string `json:"username"`
	DisplayName string `json:"displayName"`

	// Standby means that another application answers. The specification doesn't contain it.
	Standby bool `json:"standby,omitempty"`

	Raw json.RawMessage `json:"raw"`
}

// Normalize returns the response about a payload, from which it reads what [webhooknorm.Normalize] does,
// with the same error. It takes no events, because the specification knows two of their kinds.
func Normalize(payload []byte) (NormalizedWebhook, error) {
	events, err := webhooknorm.Normalize(payload)
	if err != nil {
		return NormalizedWebhook{}, err
	}
	w := NormalizedWebhook{Provider, make([]NormalizedEvent, len(events))}
	for i := range events {
		e := &events[i]
		w.Events[i] = NormalizedEvent{e.Kind, e.BSUID, e.Phone, e.Username, e.DisplayName, e.Standby, e.Raw}
	}
	return w, nil
}

// Encode returns the JSON of w, with a newline at the end, or false if it's longer than most bytes.
// Unlike encoding/json, it doesn't change white space in Raw, and needs no memory for JSON that's too
// long.
func (w NormalizedWebhook) Encode(most int) (_ []byte, ok bool) {
	return encode(most, func(out *writer) {
		out.open('{')
		out.always("provider", w.Provider)
		out.name("events")
		list(out, w.Events, (*writer).normalizedEvent)
		out.close('}')
		out.raw("\n")
	})
}

// MarshalJSON writes the escape of a lone surrogate in Raw, such as \ud800, as \ufffd, because many
// decoders would reject the whole JSON.
func (e NormalizedEvent) MarshalJSON() ([]byte, error) {
	var out writer
	out.normalizedEvent(&e)
	return out.buf, nil
}

// AppendEvent appends an event as a JSON object: the members of [webhooknorm.Event] and, with what
// its methods return, time (RFC 3339), key, text, choice, flowResponse, referral, media, reaction,
// location, wantsReply, address and reply. Members without a value are left out, except kind and raw.
// The object can be decoded into a [webhooknorm.Event]. Lone surrogates are replaced, as in
// [NormalizedEvent.MarshalJSON].
//
// White space in conversationContext and raw stays as it came, so the object can contain
// line breaks. For one object per line, pass it to [json.Compact].
func AppendEvent(dst []byte, e *webhooknorm.Event) []byte {
	out := writer{buf: dst}
	out.event(e)
	return out.buf
}

// AppendOther appends an other as a JSON object, like [AppendEvent].
func AppendOther(dst []byte, o *webhooknorm.Other) []byte {
	out := writer{buf: dst}
	out.other(o)
	return out.buf
}

// EncodeWebhook returns a webhook's events and others as JSON, with a newline at the end, or false if
// it's longer than most bytes.
func EncodeWebhook(w webhooknorm.Webhook, most int) (_ []byte, ok bool) {
	return encode(most, func(out *writer) {
		out.open('{')
		out.name("events")
		list(out, w.Events, (*writer).event)
		out.name("others")
		list(out, w.Others, (*writer).other)
		out.close('}')
		out.raw("\n")
	})
}
