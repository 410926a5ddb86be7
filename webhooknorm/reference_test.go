package webhooknorm_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// This file says everything a second time, on encoding/json and without a thought
// for speed, so that the fuzz target has something to hold Normalize to.

// wellFormed reports whether text is one JSON value in UTF-8 without duplicate
// names and without more than 128 levels.
func wellFormed(text []byte) bool {
	if !utf8.Valid(text) || !json.Valid(text) {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return walk(dec, 0)
}

func walk(dec *json.Decoder, depth int) bool {
	token, err := dec.Token()
	if err != nil {
		return false
	}
	if token != json.Delim('{') && token != json.Delim('[') {
		return true
	}
	if depth++; depth > 128 {
		return false
	}
	names := map[string]bool{}
	for dec.More() {
		if token == json.Delim('{') {
			name, err := dec.Token()
			if err != nil || names[name.(string)] {
				return false
			}
			names[name.(string)] = true
		}
		if !walk(dec, depth) {
			return false
		}
	}
	_, err = dec.Token()
	return err == nil
}

type object = map[string]json.RawMessage

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
func isArray(raw json.RawMessage) bool  { return len(raw) > 0 && raw[0] == '[' }

func members(raw json.RawMessage) object {
	var o object
	if isObject(raw) {
		_ = json.Unmarshal(raw, &o)
	}
	return o
}

// objects returns the elements of an array that are objects.
func objects(raw json.RawMessage) (list []json.RawMessage) {
	var all []json.RawMessage
	if isArray(raw) {
		_ = json.Unmarshal(raw, &all)
	}
	for _, element := range all {
		if isObject(element) {
			list = append(list, element)
		}
	}
	return list
}

func text(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &s)
	}
	return strings.TrimSpace(s)
}

var reInteger = regexp.MustCompile(`\A[0-9]+\z`)

func textOrInteger(raw json.RawMessage) string {
	if reInteger.Match(raw) {
		return string(raw)
	}
	return text(raw)
}

// person is an identity with the names of a contact.
type person struct{ user, parent, phone, username, name string }

var (
	reBSUID      = regexp.MustCompile(`\A(?:whatsapp:)?[\s\v\p{Z}\x{85}]*\+?([A-Z]{2}\.(?:ENT\.)?[0-9A-Za-z]{1,128})\z`)
	reParent     = regexp.MustCompile(`\A[A-Z]{2}\.ENT\.[0-9A-Za-z]{1,128}\z`)
	rePhone      = regexp.MustCompile(`\A(?:whatsapp:)?[\s\v\p{Z}\x{85}]*\+?([0-9\s\v\p{Z}\x{85}.()\[\]-]*)\z`)
	reAt         = regexp.MustCompile(`\A[@\s\v\p{Z}\x{85}]+`)
	reDecoration = regexp.MustCompile(`[^0-9]`)
)

func identify(user, parent, phone json.RawMessage) person {
	p := person{user: text(user), parent: text(parent)}
	field := textOrInteger(phone)
	if m := reBSUID.FindStringSubmatch(field); m != nil {
		if p.user == "" {
			p.user = m[1]
		}
	} else if m := rePhone.FindStringSubmatch(field); m != nil {
		p.phone = reDecoration.ReplaceAllString(m[1], "")
	}
	if p.parent == "" && reParent.MatchString(p.user) {
		p.parent = p.user
	}
	return p
}

func either(o object, names ...string) json.RawMessage {
	for _, name := range names {
		if textOrInteger(o[name]) != "" {
			return o[name]
		}
	}
	return nil
}

func contactOf(raw json.RawMessage) person {
	o := members(raw)
	p := identify(o["user_id"], o["parent_user_id"], o["wa_id"])
	profile := members(o["profile"])
	for _, field := range []json.RawMessage{profile["username"], o["username"]} {
		if name := reAt.ReplaceAllString(text(field), ""); name != "" && p.username == "" {
			p.username = name
		}
	}
	p.name = text(profile["name"])
	return p
}

func senderOf(o object) (who person, fixed bool) {
	who = identify(o["from_user_id"], o["from_parent_user_id"], o["from"])
	kind := text(o["type"])
	if !isObject(o["system"]) || kind != "" && kind != "system" {
		return who, false
	}
	system := members(o["system"])
	if who == (person{}) {
		who = identify(system["user_id"], system["parent_user_id"], either(system, "wa_id", "new_wa_id"))
	}
	return who, who != person{} && text(system["type"]) != "customer_identity_changed"
}

func recipientOf(o object) person {
	user := either(o, "recipient_participant_user_id", "participant_recipient_user_id")
	parent := either(o, "recipient_participant_parent_user_id", "participant_recipient_parent_user_id")
	phone := either(o, "recipient_participant_id", "participant_recipient_id")
	if text(o["recipient_type"]) == "group" || text(user) != "" || text(parent) != "" || phone != nil {
		return identify(user, parent, phone)
	}
	return identify(o["recipient_user_id"], either(o, "recipient_parent_user_id", "parent_recipient_user_id"), o["recipient_id"])
}

// agreed returns the only text that get finds in people, if there is just one.
func agreed(people []person, get func(person) string) string {
	found := ""
	for _, p := range people {
		switch s := get(p); {
		case s == "" || s == found:
		case found == "":
			found = s
		default:
			return ""
		}
	}
	return found
}

func (p person) hits(contacts []person) []person {
	for _, get := range []func(person) string{
		func(p person) string { return p.user },
		func(p person) string { return p.parent },
		func(p person) string { return p.phone },
	} {
		var found []person
		for _, c := range contacts {
			if get(p) != "" && get(p) == get(c) {
				found = append(found, c)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

func eventsOf(o object) (events []webhooknorm.Event) {
	type element struct {
		kind webhooknorm.Kind
		raw  json.RawMessage
	}
	var (
		elements []element
		contacts []person
	)
	for _, level := range []object{o, members(o["standby"])} {
		for _, raw := range objects(level["messages"]) {
			elements = append(elements, element{webhooknorm.KindMessage, raw})
		}
		for _, raw := range objects(level["statuses"]) {
			elements = append(elements, element{webhooknorm.KindStatus, raw})
		}
		for _, raw := range objects(level["contacts"]) {
			contacts = append(contacts, contactOf(raw))
		}
	}
	for _, e := range elements {
		var (
			m     = members(e.raw)
			who   person
			fixed bool
		)
		if e.kind == webhooknorm.KindMessage {
			who, fixed = senderOf(m)
		} else {
			who = recipientOf(m)
		}
		hits := who.hits(contacts)
		if hits == nil && len(elements) == 1 && len(contacts) == 1 {
			c := contacts[0]
			if (c.user == "" || who.user == "" || c.user == who.user) && (c.parent == "" || who.parent == "" || c.parent == who.parent) {
				hits = contacts
			}
		}
		ev := webhooknorm.Event{
			Kind: e.kind, Raw: e.raw, ID: textOrInteger(m["id"]), Timestamp: textOrInteger(m["timestamp"]),
			PhoneNumberID: textOrInteger(members(o["metadata"])["phone_number_id"]),
			Username:      agreed(hits, func(p person) string { return p.username }),
			DisplayName:   agreed(hits, func(p person) string { return p.name }),
			BSUID:         firstOf(who.user, who.parent), Phone: who.phone, ParentBSUID: who.parent,
		}
		if e.kind == webhooknorm.KindStatus {
			ev.Status = text(m["status"])
		}
		if !fixed {
			user := agreed(hits, func(p person) string { return p.user })
			parent := agreed(hits, func(p person) string { return p.parent })
			ev.BSUID = firstOf(who.user, user, who.parent, parent)
			ev.Phone = firstOf(who.phone, agreed(hits, func(p person) string { return p.phone }))
			if who.parent == "" && (who.user == "" || user == "" || who.user == user) {
				ev.ParentBSUID = parent
			}
		}
		events = append(events, ev)
	}
	return events
}

func reference(payload []byte) (events []webhooknorm.Event, code problem.Code) {
	if !wellFormed(payload) {
		return nil, webhooknorm.CodeInvalidJSON
	}
	top := members(bytes.TrimSpace(payload))
	if entry, wrapped := top["entry"]; wrapped {
		code = webhooknorm.CodeUnrecognizedShape
		for _, e := range objects(entry) {
			for _, change := range objects(members(e)["changes"]) {
				code = ""
				events = append(events, eventsOf(members(members(change)["value"]))...)
			}
		}
		return events, code
	}
	if isArray(top["messages"]) || isArray(top["statuses"]) || isArray(top["contacts"]) {
		return eventsOf(top), ""
	}
	return nil, webhooknorm.CodeUnrecognizedShape
}
