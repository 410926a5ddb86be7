package webhooknorm_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/contact"
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

func (v *valueReference) contactOf(raw json.RawMessage) person {
	o := members(raw)
	p := v.who(o["user_id"], o["parent_user_id"], o["wa_id"])
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
	business  bool // the element names the business
}

// A valueReference reads one value.
type valueReference struct {
	object
	raw       json.RawMessage
	standby   object
	business  string
	number    string
	account   string
	inStandby bool
	contacts  []person
	contactID string // the wa_id of the last contact
	drafts    []draft
	elements  int // messages and statuses
	all       int // objects in all arrays
	changes   []webhooknorm.IdentityChange
}

func digitsOf(raw json.RawMessage) string { return identify(nil, nil, raw).phone }

// who is identify without the number of the business.
func (v *valueReference) who(user, parent, phone json.RawMessage) person {
	p := identify(user, parent, phone)
	if p.phone == v.business {
		p.phone = ""
	}
	return p
}

// namesBusiness reports whether phone is the number of the business.
func (v *valueReference) namesBusiness(phone json.RawMessage) bool {
	return v.business != "" && digitsOf(phone) == v.business
}

// arrayNames are the arrays with events, in the order of the events.
var arrayNames = []string{
	"messages", "statuses", "message_echoes", "calls", "user_preferences", "user_id_update", "history", "state_sync", "groups",
}

func (v *valueReference) isHandover() bool {
	return isObject(v.object["sender"]) || isObject(v.object["control_passed"]) || isObject(v.object["control_taken"])
}

func referenceValue(raw json.RawMessage, account string, all bool) (w webhooknorm.Webhook, contacts int) {
	v := valueReference{object: members(raw), raw: raw, account: account}
	v.standby = members(v.object["standby"])
	metadata := []object{members(v.object["metadata"])}
	if v.isHandover() {
		metadata = append(metadata, members(v.object["recipient"]))
	}
	for _, o := range metadata {
		v.number = firstOf(v.number, textOrInteger(o["phone_number_id"]))
		v.business = firstOf(v.business, digitsOf(o["display_phone_number"]))
	}
	levels := []object{v.object, v.standby}
	for _, level := range levels {
		for _, raw := range objects(level["contacts"]) {
			v.contacts = append(v.contacts, v.contactOf(raw))
			v.contactID = textOrInteger(members(raw)["wa_id"])
		}
		v.elements += len(objects(level["messages"])) + len(objects(level["statuses"]))
		for _, name := range arrayNames {
			v.all += len(objects(level[name]))
		}
	}
	if v.isHandover() {
		v.all++
	}
	for i, level := range levels {
		v.inStandby = i == 1
		for j, name := range arrayNames {
			if j < 2 || all {
				v.array(name, level[name])
			}
		}
	}
	v.inStandby = false
	if !all {
		v.changes = nil
	}
	w.Changes = v.changes
	if all && v.isHandover() {
		w.Handovers = append(w.Handovers, v.handover())
	}
	for _, d := range v.drafts {
		w.Events = append(w.Events, v.complete(d))
	}
	for i := range w.Handovers {
		w.Handovers[i].Person = w.Events[len(w.Events)-1].IDs
	}
	return w, len(v.contacts)
}

// add starts a draft with the members that most elements have.
func (v *valueReference) add(kind webhooknorm.Kind, o object, raw json.RawMessage, who person) *draft {
	v.drafts = append(v.drafts, draft{who: who, Event: webhooknorm.Event{
		Kind: kind, MessageID: textOrInteger(o["id"]), AccountID: v.account, Standby: v.inStandby,
		Source: webhooknorm.Source{Raw: raw, Timestamp: textOrInteger(o["timestamp"]), PhoneNumberID: v.number, BusinessPhone: v.business},
	}})
	return &v.drafts[len(v.drafts)-1]
}

// content sets what messages of all kinds have.
func (d *draft) content(o object) {
	d.Type, d.ReplyTo = text(o["type"]), textOrInteger(members(o["context"])["id"])
	d.GroupID, d.Error = textOrInteger(o["group_id"]), errorIn(o)
}

func errorIn(o object) *webhooknorm.Error {
	for _, raw := range objects(o["errors"]) {
		o := members(raw)
		e := &webhooknorm.Error{Title: text(o["title"]), Message: text(o["message"]), Details: text(members(o["error_data"])["details"])}
		_ = json.Unmarshal([]byte(textOrInteger(o["code"])), &e.Code)
		return e
	}
	return nil
}

func (v *valueReference) message(o object, raw json.RawMessage) {
	d := v.add(webhooknorm.KindMessage, o, raw, v.who(either(o, "from_user_id", "from_bsuid"), o["from_parent_user_id"], o["from"]))
	d.content(o)
	if isObject(v.object["conversation_context"]) {
		d.ConversationContext = v.object["conversation_context"]
	}
	d.business = v.namesBusiness(o["from"])
	kind := d.Type
	if kind == "" || kind == "contacts" {
		d.SharedPhone = v.ownPhoneOn(o)
	}
	system := members(o["system"])
	if !isObject(o["system"]) || kind != "" && kind != "system" {
		return
	}
	d.Type = "system"
	now := v.who(system["user_id"], system["parent_user_id"], either(system, "wa_id", "new_wa_id"))
	if text(system["type"]) == "customer_identity_changed" {
		if d.who == (person{}) {
			d.who, d.business = now, d.business && now == (person{})
		}
		return
	}
	previous := v.who(system["previous_user_id"], system["previous_parent_user_id"], nil)
	customer := v.who(nil, nil, system["customer"]).phone
	c := announcement{d.who, previous, now, customer, text(system["type"]) != "user_changed_user_id"}
	before, after := c.twoSides()
	if c.isChange(before, after) {
		change := webhooknorm.IdentityChange{MessageID: d.MessageID, Source: d.Source}
		switch {
		case c.ofNumber && before.phone == after.phone:
			before.phone = ""
		case before.phone == "" && after.phone == "":
			change.Phone = d.who.phone
		}
		change.Previous, change.Current = exported(before), exported(after)
		v.changes = append(v.changes, change)
		if c.ofNumber && before.phone == "" {
			before.phone = after.phone // as it was
		}
	}
	if c.senderIsNew() && d.who.phone == before.phone && before.phone != after.phone {
		d.who.phone = ""
	}
	for _, p := range []person{d.who, previous, now} {
		if d.who = p; p != (person{}) {
			d.namesOnly, d.business = true, false
			break
		}
	}
}

// An announcement is what a system message says.
type announcement struct {
	sender, previous, now person
	customer              string
	ofNumber              bool // about the number, and not the BSUID alone
}

// twoSides returns what was before and after the change. What the system object doesn't say,
// the sender does, who is from before the change unless it has the new BSUID.
func (c announcement) twoSides() (before, after person) {
	before, after = c.previous, c.now
	side := &before
	if c.senderIsNew() {
		side = &after
	}
	side.user, side.parent = firstOf(side.user, c.sender.user), firstOf(side.parent, c.sender.parent)
	before.phone = c.sender.phone
	switch {
	case before.phone == "" || c.ofNumber && before.phone == after.phone:
		before.phone = firstOf(c.customer, before.phone)
	case !c.ofNumber && c.senderIsNew() && (after.phone == "" || before.phone == after.phone):
		before.phone = ""
	}
	return before, after
}

func (c announcement) senderIsNew() bool {
	if c.sender.user != "" {
		return c.sender.user == c.now.user
	}
	return c.sender.parent != "" && c.sender.parent == c.now.parent
}

func (c announcement) isChange(before, after person) bool {
	unlike := func(a, b string) bool { return a != "" && b != "" && a != b }
	return unlike(before.user, after.user) || unlike(before.parent, after.parent) || unlike(before.phone, after.phone) ||
		after.user+after.parent != "" && before.user+before.parent == "" ||
		c.ofNumber && after.phone != "" && before.phone == ""
}

func exported(p person) contact.IDs {
	return contact.IDs{BSUID: firstOf(p.user, p.parent), ParentBSUID: p.parent, Phone: p.phone}
}

// ownPhoneOn returns the number on the cards of a message that answer a contact request.
func (v *valueReference) ownPhoneOn(o object) string {
	var numbers []person
	for _, raw := range objects(o["contacts"]) {
		card := members(raw)
		if text(o["origin"]) != "contact_request" && text(card["origin"]) != "contact_request" {
			continue
		}
		for _, raw := range objects(card["phones"]) {
			phone := members(raw)
			numbers = append(numbers, person{phone: firstOf(v.who(nil, nil, phone["wa_id"]).phone, v.who(nil, nil, phone["phone"]).phone)})
		}
	}
	return agreed(numbers, func(p person) string { return p.phone })
}

func (v *valueReference) status(o object, raw json.RawMessage) {
	user := either(o, "recipient_participant_user_id", "participant_recipient_user_id")
	parent := either(o, "recipient_participant_parent_user_id", "participant_recipient_parent_user_id")
	phone := either(o, "recipient_participant_id", "participant_recipient_id")
	group := ""
	inGroup := text(o["recipient_type"]) == "group" || text(user) != "" || text(parent) != "" || phone != nil
	if inGroup {
		group = textOrInteger(o["recipient_id"])
	} else {
		user, phone = o["recipient_user_id"], o["recipient_id"]
		parent = either(o, "recipient_parent_user_id", "parent_recipient_user_id")
	}
	d := v.add(webhooknorm.KindStatus, o, raw, v.who(user, parent, phone))
	d.content(o)
	if d.State = text(o["status"]); inGroup {
		d.GroupID = group
	}
	d.business = v.namesBusiness(phone)
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

// array reads an array of a value or of its standby part.
func (v *valueReference) array(name string, list json.RawMessage) {
	for _, raw := range objects(list) {
		o := members(raw)
		from := v.who(o["from_user_id"], o["from_parent_user_id"], o["from"])
		to := v.who(o["to_user_id"], o["to_parent_user_id"], o["to"])
		switch name {
		case "messages":
			v.message(o, raw)
		case "statuses":
			v.status(o, raw)
		case "message_echoes":
			v.echo(o, raw)
		case "calls":
			direction := strings.ToUpper(text(o["direction"]))
			kind, who := v.caller(direction, from, to, v.namesBusiness(o["from"]), v.namesBusiness(o["to"]))
			d := v.add(kind, o, raw, who)
			d.content(o)
			d.State = text(o["event"])
			d.business = who == person{} && (!strings.HasSuffix(direction, "R_INITIATED") && direction != "BUSINESS_INITIATED" ||
				v.namesBusiness(o[map[bool]string{true: "to", false: "from"}[kind == webhooknorm.KindCallToUser]]))
		case "user_preferences":
			d := v.add(webhooknorm.KindPreference, o, raw, v.who(o["user_id"], o["parent_user_id"], o["wa_id"]))
			d.State, d.MessageID, d.business = text(o["value"]), "", v.namesBusiness(o["wa_id"])
		case "user_id_update":
			v.identityUpdate(o, raw)
		case "history":
			for _, raw := range objects(o["threads"]) {
				v.thread(members(raw))
			}
		case "state_sync":
			c := members(o["contact"])
			d := v.add(webhooknorm.KindAppContact, o, raw, v.who(c["user_id"], c["parent_user_id"], either(c, "phone_number", "wa_id")))
			d.who.username, d.who.name = withoutAt(c["username"]), firstOf(text(c["full_name"]), text(c["first_name"]))
			d.business = v.namesBusiness(either(c, "phone_number", "wa_id"))
			d.State, d.MessageID, d.Timestamp = text(o["action"]), "", textOrInteger(members(o["metadata"])["timestamp"])
		case "groups":
			v.groupUpdate(o, raw)
		}
	}
}

func (v *valueReference) echo(o object, raw json.RawMessage) {
	inner := members(o["message"])
	phone := either(object{"a": o["to"], "b": inner["to"]}, "a", "b")
	group := firstOf(text(inner["recipient_type"]), text(o["recipient_type"])) == "group"
	number := phone
	if group {
		number = nil
	}
	d := v.add(webhooknorm.KindEcho, o, raw, v.who(either(object{"a": o["to_user_id"], "b": inner["recipient"]}, "a", "b"), o["to_parent_user_id"], number))
	var within draft
	within.content(inner)
	d.content(o)
	d.Type, d.ReplyTo = firstOf(d.Type, within.Type), firstOf(d.ReplyTo, within.ReplyTo)
	if group {
		d.GroupID = firstOf(d.GroupID, textOrInteger(phone))
	}
	d.business = v.namesBusiness(number)
}

func withoutAt(raw json.RawMessage) string { return reAt.ReplaceAllString(text(raw), "") }

// caller returns whether a call is from or to the person, and the person.
func (v *valueReference) caller(direction string, from, to person, fromBusiness, toBusiness bool) (webhooknorm.Kind, person) {
	if direction == "BUSINESS_INITIATED" {
		return webhooknorm.KindCallToUser, to
	}
	if direction == "USER_INITIATED" {
		return webhooknorm.KindCall, from
	}
	hasBSUID := func(p person) bool { return p.user+p.parent != "" }
	fromIsPerson, toIsPerson := false, false
	if hasBSUID(from) != hasBSUID(to) {
		fromIsPerson, toIsPerson = hasBSUID(from), hasBSUID(to)
	} else if v.business != "" {
		fromIsPerson = from.phone != "" && (toBusiness && to.phone == "" || to == person{})
		toIsPerson = to.phone != "" && (fromBusiness && from.phone == "" || from == person{})
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
	before := v.who(user["previous"], parent["previous"], nil)
	after := v.who(user["current"], parent["current"], nil)
	own := v.who(nil, nil, o["wa_id"])
	phone := own.phone
	d := v.add(webhooknorm.KindIdentityUpdate, o, raw, before)
	d.MessageID = ""
	if before == (person{}) {
		d.who, d.business = own, v.namesBusiness(o["wa_id"])
	}
	if after != (person{}) && exported(before) != exported(after) {
		v.changes = append(v.changes, webhooknorm.IdentityChange{
			Previous: exported(before), Current: exported(after), Phone: phone, Source: d.Source,
		})
	}
}

func (v *valueReference) thread(o object) {
	context := members(o["context"])
	whose := v.who(context["user_id"], context["parent_user_id"], either(object{"a": context["wa_id"], "b": o["id"]}, "a", "b"))
	for _, raw := range objects(o["messages"]) {
		m := members(raw)
		from := v.who(m["from_user_id"], m["from_parent_user_id"], m["from"])
		to := v.who(m["to_user_id"], m["to_parent_user_id"], m["to"])
		kind, who := webhooknorm.KindHistory, from
		if v.wroteBusiness(whose, from, to, v.namesBusiness(m["from"]), v.namesBusiness(m["to"])) {
			kind, who = webhooknorm.KindHistoryEcho, to
		}
		if whose != (person{}) {
			who = whose
		}
		who.username = withoutAt(context["username"])
		v.add(kind, m, raw, who).content(m)
	}
}

// wroteBusiness collects evidence in the order of its weight; the first piece decides.
func (v *valueReference) wroteBusiness(whose, from, to person, fromBusiness, toBusiness bool) bool {
	is := func(a, b person) bool {
		return a.user != "" && a.user == b.user || a.parent != "" && a.parent == b.parent || a.phone != "" && a.phone == b.phone
	}
	for _, evidence := range []struct{ found, byBusiness bool }{
		{is(from, whose), false},
		{from.user+from.parent != "", false},
		{fromBusiness, true},
		{is(to, whose), true},
		{to.user+to.parent != "", true},
		{toBusiness, false},
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
		who := v.who(p["user_id"], p["parent_user_id"], p["wa_id"])
		phone := p["wa_id"]
		if who == (person{}) && !v.namesBusiness(phone) {
			phone = p["input"]
			who = v.who(nil, nil, phone)
		}
		who.username = withoutAt(p["username"])
		d := v.add(kind, o, raw, who)
		d.business = v.namesBusiness(phone)
		d.State, d.MessageID, d.GroupID = text(o["type"]), "", textOrInteger(o["group_id"])
		if p["self"] == nil {
			d.Error = errorIn(p)
		}
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
		self := maps.Clone(o)
		self["self"] = json.RawMessage("true")
		participant(webhooknorm.KindParticipant, self)
	}
}

func (v *valueReference) handover() (h webhooknorm.Handover) {
	sender := members(v.object["sender"])
	phone := either(sender, "phone_number", "wa_id")
	d := v.add(webhooknorm.KindHandover, v.object, v.raw, v.who(sender["user_id"], sender["parent_user_id"], phone))
	d.State, d.MessageID, d.business = text(v.object["type"]), "", v.namesBusiness(phone)
	for _, name := range []string{"control_passed", "control_taken"} {
		if !isObject(v.object[name]) {
			continue
		}
		o := members(v.object[name])
		owner := members(o["previous_owner"])
		d.State = firstOf(d.State, name)
		h.PreviousOwner = firstOf(text(o["previous_owner_role"]), text(o["previous_owner_app_role"]), text(owner["app_role"]))
		h.PreviousAppID = firstOf(textOrInteger(o["previous_owner_app_id"]), textOrInteger(owner["app_id"]))
		h.NewOwner = firstOf(text(o["new_owner_role"]), h.NewOwner)
		if metadata := o["metadata"]; isObject(metadata) {
			h.Metadata = string(metadata)
		} else {
			h.Metadata = firstOf(text(metadata), h.Metadata)
		}
		if isObject(o["conversation_context"]) {
			d.ConversationContext = o["conversation_context"]
		}
		break
	}
	if d.ConversationContext == nil && isObject(v.object["conversation_context"]) {
		d.ConversationContext = v.object["conversation_context"]
	}
	h.Source = d.Source
	return h
}

// complete takes from the contacts what the kind of the event allows.
func (v *valueReference) complete(d draft) webhooknorm.Event {
	e := d.Event
	ids := person{user: d.who.user, parent: d.who.parent, phone: d.who.phone}
	if d.business && ids == (person{}) {
		return e
	}
	e.Username, e.DisplayName = d.who.username, d.who.name
	take := completions[e.Kind]
	if d.namesOnly {
		take.ids = false
	}
	hits := ids.hits(v.contacts)
	alone := take.lone == "element" && v.elements == 1 || take.lone == "unnamed" && v.all == 1 && ids == person{}
	if hits == nil && alone && len(v.contacts) == 1 {
		c := v.contacts[0]
		isGroup := v.contactID != "" && v.contactID == d.GroupID || strings.HasSuffix(v.contactID, "@g.us")
		onlyBusiness := c.user+c.parent == "" && v.business != "" && identify(nil, nil, mustJSON(v.contactID)).phone == v.business
		if !isGroup && !onlyBusiness &&
			(c.user == "" || ids.user == "" || c.user == ids.user) && (c.parent == "" || ids.parent == "" || c.parent == ids.parent) {
			hits = v.contacts
		}
	}
	e.BSUID, e.ParentBSUID, e.Phone = firstOf(ids.user, ids.parent), ids.parent, ids.phone
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
		e.BSUID = firstOf(ids.user, user, e.ParentBSUID)
	}
	return e
}

func mustJSON(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// referenceRead is Read, or Normalize if not all is wanted.
func referenceRead(payload []byte, all bool) (w webhooknorm.Webhook, code problem.Code) {
	if !wellFormed(payload) {
		return w, webhooknorm.CodeInvalidJSON
	}
	payload = bytes.TrimSpace(payload)
	top := members(payload)
	contacts := 0
	value := func(raw json.RawMessage, account string) {
		part, n := referenceValue(raw, account, all)
		w.Events = append(w.Events, part.Events...)
		w.Changes = append(w.Changes, part.Changes...)
		w.Handovers = append(w.Handovers, part.Handovers...)
		contacts += n
	}
	entry, wrapped := top["entry"]
	switch {
	case !wrapped && !isArray(top["messages"]) && !isArray(top["statuses"]) && !isArray(top["contacts"]):
		return w, webhooknorm.CodeUnrecognizedShape
	case !wrapped:
		value(payload, "")
	default:
		code = webhooknorm.CodeUnrecognizedShape
		for _, raw := range objects(entry) {
			e := members(raw)
			for _, change := range objects(e["changes"]) {
				code = ""
				if raw := members(change)["value"]; isObject(raw) {
					value(raw, textOrInteger(e["id"]))
				}
			}
		}
	}
	if len(w.Events) > 16_384 || contacts > 16_384 {
		return webhooknorm.Webhook{}, webhooknorm.CodeTooManyEvents
	}
	return w, code
}
