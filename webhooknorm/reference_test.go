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

// This file is a second, plain form of Read, on encoding/json. The vectors, the corpus,
// generated payloads and the fuzz targets compare the two.

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

// person is an identity with names.
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

// completion says what the events of a kind take from the contacts of their value.
type completion struct {
	ids, names bool
	lone       string // "element": the only message or status; "unnamed": the only event, without ids
}

var completions = map[webhooknorm.Kind]completion{
	webhooknorm.KindMessage:        {ids: true, names: true, lone: "element"},
	webhooknorm.KindStatus:         {ids: true, names: true, lone: "element"},
	webhooknorm.KindEcho:           {ids: true, names: true, lone: "unnamed"},
	webhooknorm.KindCall:           {ids: true, names: true, lone: "unnamed"},
	webhooknorm.KindCallToUser:     {ids: true, names: true, lone: "unnamed"},
	webhooknorm.KindPreference:     {ids: true, names: true, lone: "unnamed"},
	webhooknorm.KindHandover:       {ids: true, names: true, lone: "unnamed"},
	webhooknorm.KindIdentityUpdate: {names: true, lone: "unnamed"},
}

// A draft is an event before it is completed.
type draft struct {
	webhooknorm.Event
	who       person // from the element alone
	namesOnly bool
	group     string
}

// A valueReference reads one value.
type valueReference struct {
	object
	raw       json.RawMessage
	standby   object
	business  string
	contacts  []person
	contactID string // the wa_id of the last contact
	drafts    []draft
	changes   []webhooknorm.IdentityChange
}

func digitsOf(raw json.RawMessage) string { return identify(nil, nil, raw).phone }

func referenceValue(raw json.RawMessage, all bool) (w webhooknorm.Webhook) {
	v := valueReference{object: members(raw), raw: raw}
	v.standby = members(v.object["standby"])
	metadata := members(v.object["metadata"])
	recipient := object{}
	if all && isObject(v.object["sender"]) {
		recipient = members(v.object["recipient"])
	}
	number := textOrInteger(metadata["phone_number_id"])
	v.business = digitsOf(metadata["display_phone_number"])
	for _, level := range []object{v.object, v.standby} {
		for _, raw := range objects(level["contacts"]) {
			v.contacts = append(v.contacts, contactOf(raw))
			v.contactID = textOrInteger(members(raw)["wa_id"])
		}
	}
	for _, level := range []object{v.object, v.standby} {
		for _, raw := range objects(level["messages"]) {
			v.message(members(raw), raw)
		}
		for _, raw := range objects(level["statuses"]) {
			v.status(members(raw), raw)
		}
	}
	elements := len(v.drafts)
	if all {
		for _, m := range inOrder(raw) {
			if m.name != "standby" {
				v.others(m)
				continue
			}
			for _, m := range inOrder(m.raw) {
				v.others(m)
			}
		}
		if isObject(v.object["sender"]) {
			v.handover(members(v.object["sender"]))
		}
	} else {
		v.changes = nil
	}
	for _, c := range v.changes {
		c.PhoneNumberID, c.BusinessPhone = number, v.business
		if c.Phone == v.business {
			c.Phone = ""
		}
		if c.Previous.Phone == v.business {
			c.Previous.Phone = ""
		}
		w.Changes = append(w.Changes, c)
	}
	for _, d := range v.drafts {
		if d.Kind == webhooknorm.KindHandover {
			number = firstOf(number, textOrInteger(recipient["phone_number_id"]))
			v.business = firstOf(v.business, digitsOf(recipient["display_phone_number"]))
		}
		d.PhoneNumberID, d.BusinessPhone = number, v.business
		w.Events = append(w.Events, v.complete(d, elements))
	}
	if all && isObject(v.object["sender"]) {
		e := w.Events[len(w.Events)-1]
		passed := members(v.object["control_passed"])
		w.Handovers = append(w.Handovers, webhooknorm.Handover{
			Person:        webhooknorm.Identity{BSUID: e.BSUID, ParentBSUID: e.ParentBSUID, Phone: e.Phone},
			PreviousOwner: firstOf(text(passed["previous_owner_role"]), text(passed["previous_owner_app_role"])),
			NewOwner:      text(passed["new_owner_role"]),
			Timestamp:     e.Timestamp, PhoneNumberID: number, BusinessPhone: v.business, Raw: raw,
		})
	}
	return w
}

// add starts a draft with the members that most elements have.
func (v *valueReference) add(kind webhooknorm.Kind, o object, raw json.RawMessage, who person) *draft {
	v.drafts = append(v.drafts, draft{who: who, Event: webhooknorm.Event{
		Kind: kind, Raw: raw, MessageID: textOrInteger(o["id"]), Timestamp: textOrInteger(o["timestamp"]),
	}})
	return &v.drafts[len(v.drafts)-1]
}

func (v *valueReference) message(o object, raw json.RawMessage) {
	d := v.add(webhooknorm.KindMessage, o, raw, identify(o["from_user_id"], o["from_parent_user_id"], o["from"]))
	d.group = textOrInteger(o["group_id"])
	kind := text(o["type"])
	if kind == "" || kind == "contacts" {
		d.SharedPhone = ownPhoneOn(o)
	}
	system := members(o["system"])
	if !isObject(o["system"]) || kind != "" && kind != "system" {
		return
	}
	now := identify(system["user_id"], system["parent_user_id"], either(system, "wa_id", "new_wa_id"))
	if text(system["type"]) == "customer_identity_changed" {
		if d.who == (person{}) {
			d.who = now
		}
		return
	}
	previous := identify(system["previous_user_id"], system["previous_parent_user_id"], nil)
	c := changeOf(d.who, previous, now, digitsOf(system["customer"]), text(system["type"]) == "user_changed_user_id")
	if c.changed {
		v.changes = append(v.changes, webhooknorm.IdentityChange{
			Previous: exported(c.before), Current: exported(c.after), Phone: c.stray,
			MessageID: d.MessageID, Timestamp: d.Timestamp, Raw: raw,
		})
	}
	for _, p := range []person{c.sender, previous, now} {
		if d.who = p; p != (person{}) {
			d.namesOnly = true
			break
		}
	}
}

// A changeReference is what a system message says about a change of ids.
type changeReference struct {
	before, after person
	stray         string // a number that is on neither side
	changed       bool
	sender        person // without a number that is from before, beside a BSUID from after
}

func changeOf(sender, previous, now person, customer string, onlyID bool) (c changeReference) {
	c.before, c.after, c.sender = previous, now, sender
	senderIsNew := sender.user != "" && sender.user == now.user
	if sender.user == "" {
		senderIsNew = sender.parent != "" && sender.parent == now.parent
	}
	side := &c.before
	if senderIsNew {
		side = &c.after
	}
	side.user, side.parent = firstOf(side.user, sender.user), firstOf(side.parent, sender.parent)

	old, same := "", false // the number before, and whether it is still the number
	switch {
	case sender.phone == "":
		old = customer
	case onlyID && !senderIsNew:
		old = sender.phone
	case sender.phone == now.phone:
		if !onlyID {
			old, same = customer, customer == "" || customer == now.phone
		}
	case onlyID && now.phone == "":
		c.stray = sender.phone
	default:
		old = sender.phone
	}
	if !onlyID && old == now.phone {
		same, old = old != "" || same, ""
	}
	c.before.phone = old

	unlike := func(a, b string) bool { return a != "" && b != "" && a != b }
	switch {
	case unlike(c.before.user, c.after.user), unlike(c.before.parent, c.after.parent), unlike(old, now.phone):
		c.changed = true
	case c.after.user+c.after.parent != "" && c.before.user+c.before.parent == "":
		c.changed = true
	case !onlyID && now.phone != "" && old == "" && !same:
		c.changed = true
	}
	if senderIsNew && old != "" && sender.phone == old && old != now.phone {
		c.sender.phone = ""
	}
	return c
}

func exported(p person) webhooknorm.Identity {
	return webhooknorm.Identity{BSUID: firstOf(p.user, p.parent), ParentBSUID: p.parent, Phone: p.phone}
}

// ownPhoneOn returns the number on the cards of a message that answer a contact request.
func ownPhoneOn(o object) string {
	var numbers []person
	for _, raw := range objects(o["contacts"]) {
		card := members(raw)
		if text(o["origin"]) != "contact_request" && text(card["origin"]) != "contact_request" {
			continue
		}
		for _, raw := range objects(card["phones"]) {
			phone := members(raw)
			numbers = append(numbers, person{phone: firstOf(digitsOf(phone["wa_id"]), digitsOf(phone["phone"]))})
		}
	}
	return agreed(numbers, func(p person) string { return p.phone })
}

func (v *valueReference) status(o object, raw json.RawMessage) {
	user := either(o, "recipient_participant_user_id", "participant_recipient_user_id")
	parent := either(o, "recipient_participant_parent_user_id", "participant_recipient_parent_user_id")
	phone := either(o, "recipient_participant_id", "participant_recipient_id")
	group := ""
	if text(o["recipient_type"]) == "group" || text(user) != "" || text(parent) != "" || phone != nil {
		group = textOrInteger(o["recipient_id"])
	} else {
		user, phone = o["recipient_user_id"], o["recipient_id"]
		parent = either(o, "recipient_parent_user_id", "parent_recipient_user_id")
	}
	d := v.add(webhooknorm.KindStatus, o, raw, identify(user, parent, phone))
	d.State, d.group = text(o["status"]), group
}

// A member is a member of an object, in an order.
type member struct {
	name string
	raw  json.RawMessage
}

func inOrder(raw json.RawMessage) (list []member) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	for dec.More() {
		var m member
		name, _ := dec.Token()
		m.name = name.(string)
		_ = dec.Decode(&m.raw)
		list = append(list, m)
	}
	return list
}

// others reads an array that only Read returns.
func (v *valueReference) others(m member) {
	for _, raw := range objects(m.raw) {
		o := members(raw)
		self := identify(o["user_id"], o["parent_user_id"], o["wa_id"])
		from := identify(o["from_user_id"], o["from_parent_user_id"], o["from"])
		to := identify(o["to_user_id"], o["to_parent_user_id"], o["to"])
		switch m.name {
		case "message_echoes":
			inner := members(o["message"])
			to = identify(either(object{"a": o["to_user_id"], "b": inner["recipient"]}, "a", "b"), o["to_parent_user_id"],
				either(object{"a": o["to"], "b": inner["to"]}, "a", "b"))
			if firstOf(text(inner["recipient_type"]), text(o["recipient_type"])) == "group" {
				to = identify(either(object{"a": o["to_user_id"], "b": inner["recipient"]}, "a", "b"), o["to_parent_user_id"], nil)
			}
			v.add(webhooknorm.KindEcho, o, raw, to)
		case "calls":
			kind, who := v.caller(strings.ToUpper(text(o["direction"])), from, to)
			v.add(kind, o, raw, who).State = text(o["event"])
		case "user_preferences":
			d := v.add(webhooknorm.KindPreference, o, raw, self)
			d.State, d.MessageID = text(o["value"]), ""
		case "user_id_update":
			v.identityUpdate(o, raw)
		case "history":
			for _, raw := range objects(o["threads"]) {
				v.thread(members(raw))
			}
		case "state_sync":
			c := members(o["contact"])
			d := v.add(webhooknorm.KindAppContact, o, raw, identify(c["user_id"], c["parent_user_id"], either(c, "phone_number", "wa_id")))
			d.who.username, d.who.name = withoutAt(c["username"]), firstOf(text(c["full_name"]), text(c["first_name"]))
			d.State, d.MessageID, d.Timestamp = text(o["action"]), "", textOrInteger(members(o["metadata"])["timestamp"])
		case "groups":
			v.groupUpdate(o, raw)
		}
	}
}

func withoutAt(raw json.RawMessage) string { return reAt.ReplaceAllString(text(raw), "") }

// caller returns whether a call is from or to the person, and the person.
func (v *valueReference) caller(direction string, from, to person) (webhooknorm.Kind, person) {
	if direction == "BUSINESS_INITIATED" {
		return webhooknorm.KindCallToUser, to
	}
	if direction == "USER_INITIATED" {
		return webhooknorm.KindCall, from
	}
	hasBSUID := func(p person) bool { return p.user+p.parent != "" }
	isBusiness := func(p person) bool { return p.phone == v.business }
	fromIsPerson, toIsPerson := false, false
	if hasBSUID(from) != hasBSUID(to) {
		fromIsPerson, toIsPerson = hasBSUID(from), hasBSUID(to)
	} else if v.business != "" {
		fromIsPerson = from.phone != "" && !isBusiness(from) && (isBusiness(to) || to == person{})
		toIsPerson = to.phone != "" && !isBusiness(to) && (isBusiness(from) || from == person{})
	}
	switch {
	case toIsPerson:
		return webhooknorm.KindCallToUser, to
	case fromIsPerson:
		return webhooknorm.KindCall, from
	default:
		return webhooknorm.KindCall, person{}
	}
}

func (v *valueReference) identityUpdate(o object, raw json.RawMessage) {
	user, parent := members(o["user_id"]), members(o["parent_user_id"])
	before := identify(user["previous"], parent["previous"], nil)
	after := identify(user["current"], parent["current"], nil)
	phone := digitsOf(o["wa_id"])
	d := v.add(webhooknorm.KindIdentityUpdate, o, raw, before)
	d.MessageID = ""
	if before == (person{}) {
		d.who.phone = phone
	}
	if after != (person{}) && exported(before) != exported(after) {
		v.changes = append(v.changes, webhooknorm.IdentityChange{
			Previous: exported(before), Current: exported(after), Phone: phone, Timestamp: d.Timestamp, Raw: raw,
		})
	}
}

func (v *valueReference) thread(o object) {
	context := members(o["context"])
	whose := identify(context["user_id"], context["parent_user_id"], either(object{"a": context["wa_id"], "b": o["id"]}, "a", "b"))
	if v.business != "" && whose == (person{phone: v.business}) {
		whose = person{}
	}
	for _, raw := range objects(o["messages"]) {
		m := members(raw)
		from := identify(m["from_user_id"], m["from_parent_user_id"], m["from"])
		to := identify(m["to_user_id"], m["to_parent_user_id"], m["to"])
		kind, who := webhooknorm.KindHistory, from
		if v.wroteBusiness(whose, from, to) {
			kind, who = webhooknorm.KindHistoryEcho, to
		}
		if whose != (person{}) {
			who = whose
		}
		who.username = withoutAt(context["username"])
		v.add(kind, m, raw, who)
	}
}

// wroteBusiness collects evidence in the order of its weight; the first piece decides.
func (v *valueReference) wroteBusiness(whose, from, to person) bool {
	is := func(a, b person) bool {
		return a.user != "" && a.user == b.user || a.parent != "" && a.parent == b.parent || a.phone != "" && a.phone == b.phone
	}
	business := person{phone: v.business}
	for _, evidence := range []struct{ found, byBusiness bool }{
		{is(from, whose), false},
		{from.user+from.parent != "", false},
		{is(from, business), true},
		{is(to, whose), true},
		{to.user+to.parent != "", true},
		{is(to, business), false},
		{v.business == "" && from.phone != "" && whose.phone != "", true},
		{from == person{} && to != person{}, true},
	} {
		if evidence.found {
			return evidence.byBusiness
		}
	}
	return false
}

func (v *valueReference) groupUpdate(o object, raw json.RawMessage) {
	participant := func(kind webhooknorm.Kind, p object) {
		who := identify(p["user_id"], p["parent_user_id"], p["wa_id"])
		if who == (person{}) {
			who = identify(nil, nil, p["input"])
		}
		who.username = withoutAt(p["username"])
		d := v.add(kind, o, raw, who)
		d.State, d.MessageID = text(o["type"]), ""
	}
	for _, m := range inOrder(raw) {
		if !strings.HasSuffix(m.name, "participants") {
			continue
		}
		kind := webhooknorm.KindParticipant
		if strings.HasPrefix(m.name, "failed") {
			kind = webhooknorm.KindParticipantFailed
		}
		for _, raw := range objects(m.raw) {
			participant(kind, members(raw))
		}
	}
	if either(o, "user_id", "parent_user_id", "wa_id", "input") != nil || withoutAt(o["username"]) != "" {
		participant(webhooknorm.KindParticipant, o)
	}
}

func (v *valueReference) handover(sender object) {
	d := v.add(webhooknorm.KindHandover, v.object, v.raw,
		identify(sender["user_id"], sender["parent_user_id"], either(sender, "phone_number", "wa_id")))
	d.State, d.MessageID = text(v.object["type"]), ""
}

func (v *valueReference) isBusiness(p person) bool {
	return v.business != "" && p.phone == v.business && p.user+p.parent == ""
}

// complete takes from the contacts what the kind of the event allows.
func (v *valueReference) complete(d draft, elements int) webhooknorm.Event {
	e := d.Event
	if v.isBusiness(d.who) {
		return e
	}
	take := completions[e.Kind]
	if d.namesOnly {
		take.ids = false
	}
	hits := d.who.hits(v.contacts)
	ids := person{user: d.who.user, parent: d.who.parent, phone: d.who.phone}
	alone := take.lone == "element" && elements == 1 || take.lone == "unnamed" && len(v.drafts) == 1 && ids == person{}
	if hits == nil && alone && len(v.contacts) == 1 {
		c := v.contacts[0]
		isGroup := v.contactID != "" && v.contactID == d.group || strings.HasSuffix(v.contactID, "@g.us")
		if !isGroup && !v.isBusiness(c) &&
			(c.user == "" || ids.user == "" || c.user == ids.user) && (c.parent == "" || ids.parent == "" || c.parent == ids.parent) {
			hits = v.contacts
		}
	}
	e.BSUID, e.ParentBSUID, e.Phone = firstOf(ids.user, ids.parent), ids.parent, ids.phone
	e.Username, e.DisplayName = d.who.username, d.who.name
	if take.names && hits != nil {
		e.Username = agreed(hits, func(p person) string { return p.username })
		e.DisplayName = agreed(hits, func(p person) string { return p.name })
	}
	if take.ids {
		user := agreed(hits, func(p person) string { return p.user })
		parent := agreed(hits, func(p person) string { return p.parent })
		e.BSUID = firstOf(ids.user, user, ids.parent, parent)
		e.Phone = firstOf(ids.phone, agreed(hits, func(p person) string { return p.phone }))
		if ids.parent == "" && (ids.user == "" || user == "" || ids.user == user) {
			e.ParentBSUID = parent
		}
	}
	return e
}

// referenceRead is Read, or Normalize if not all is wanted.
func referenceRead(payload []byte, all bool) (w webhooknorm.Webhook, code problem.Code) {
	if !wellFormed(payload) {
		return w, webhooknorm.CodeInvalidJSON
	}
	payload = bytes.TrimSpace(payload)
	top := members(payload)
	entry, wrapped := top["entry"]
	if !wrapped {
		if isArray(top["messages"]) || isArray(top["statuses"]) || isArray(top["contacts"]) {
			return referenceValue(payload, all), ""
		}
		return w, webhooknorm.CodeUnrecognizedShape
	}
	code = webhooknorm.CodeUnrecognizedShape
	for _, e := range objects(entry) {
		for _, change := range objects(members(e)["changes"]) {
			code = ""
			if raw := members(change)["value"]; isObject(raw) {
				part := referenceValue(raw, all)
				w.Events = append(w.Events, part.Events...)
				w.Changes = append(w.Changes, part.Changes...)
				w.Handovers = append(w.Handovers, part.Handovers...)
			}
		}
	}
	return w, code
}
