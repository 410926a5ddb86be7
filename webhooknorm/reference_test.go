package webhooknorm_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// This file is a second implementation of Read and Normalize. Its author read the
// specification, docs/webhooks.md and the vectors, but not the reader, so that the two
// don't share a misunderstanding. Keep it plain, and derive changes from the text.

// wellFormed reports whether text is one JSON value in UTF-8 without duplicate names, at
// most 128 levels deep. Names are compared after decoding.
func wellFormed(text []byte) bool {
	if !json.Valid(text) || !utf8.Valid(text) {
		return false
	}
	type level struct {
		names  map[string]bool // nil in an array
		isName bool            // the next token is a name
	}
	var open []level
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return true
		}
		top := len(open) - 1
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:top]
			continue
		}
		if top >= 0 && open[top].isName {
			name := token.(string)
			if open[top].names[name] {
				return false
			}
			open[top].names[name], open[top].isName = true, false
			continue
		}
		if top >= 0 {
			open[top].isName = open[top].names != nil
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{map[string]bool{}, true})
		case json.Delim('['):
			open = append(open, level{})
		}
		if len(open) > 128 {
			return false
		}
	}
}

func isObject(raw json.RawMessage) bool { return bytes.HasPrefix(raw, []byte("{")) }
func isArray(raw json.RawMessage) bool  { return bytes.HasPrefix(raw, []byte("[")) }

// The members of an object. A member of an unexpected type counts as absent.
type object map[string]json.RawMessage

func members(raw json.RawMessage) (o object) {
	if isObject(raw) {
		_ = json.Unmarshal(raw, &o)
	}
	return o
}

func (o object) object(name string) object { return members(o[name]) }

// objects returns the elements of an array that are objects.
func (o object) objects(name string) (list []json.RawMessage) {
	if isArray(o[name]) {
		_ = json.Unmarshal(o[name], &list)
	}
	return slices.DeleteFunc(list, func(e json.RawMessage) bool { return !isObject(e) })
}

// text returns the first of several members that's a string and not blank.
func (o object) text(names ...string) string {
	for _, name := range names {
		var s string
		if bytes.HasPrefix(o[name], []byte(`"`)) {
			_ = json.Unmarshal(o[name], &s)
		}
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}

var digits = regexp.MustCompile(`^[0-9]+$`)

// id is like text, but also reads integers.
func (o object) id(names ...string) string {
	for _, name := range names {
		if digits.Match(o[name]) {
			return string(o[name])
		}
		if s := o.text(name); s != "" {
			return s
		}
	}
	return ""
}

// names returns the names of an object in the order of the payload.
func names(raw json.RawMessage) (list []string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token()
	for dec.More() {
		name, _ := dec.Token()
		list = append(list, name.(string))
		var value json.RawMessage
		_ = dec.Decode(&value)
	}
	return list
}

// ids are the ids of a person. isBusiness tells that the number was the business's.
type ids struct {
	user, parent, phone string
	isBusiness          bool
}

func (p ids) empty() bool { return p.user == "" && p.parent == "" && p.phone == "" }

func (p ids) shares(q ids) bool {
	return p.user != "" && p.user == q.user || p.parent != "" && p.parent == q.parent || p.phone != "" && p.phone == q.phone
}

// contradicts reports whether a contact contains other BSUIDs than an event. A parent BSUID
// that stands in for the event's BSUID is only compared as a parent BSUID.
func (c knownContact) contradicts(event ids) bool {
	return event.user != event.parent && differ(c.user, event.user) || differ(c.parent, event.parent)
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

func (p ids) export() contact.IDs {
	return contact.IDs{BSUID: cmp.Or(p.user, p.parent), ParentBSUID: p.parent, Phone: p.phone}
}

var (
	anyBSUID    = regexp.MustCompile(`^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$`)
	parentBSUID = regexp.MustCompile(`^[A-Z]{2}\.ENT\.[0-9A-Za-z]{1,128}$`)
)

// identify cleans ids. A BSUID in the field of the number is one unless there's another,
// and a parent BSUID in a field of the BSUID is the parent BSUID, too.
func identify(user, parent, number string) ids {
	number = strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(number, "whatsapp:")), "+")
	p := ids{user: user, parent: parent}
	if p.user == "" && anyBSUID.MatchString(number) {
		p.user = number
	}
	if p.parent == "" && parentBSUID.MatchString(p.user) {
		p.parent = p.user
	}
	number = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune(".-()[]", r) {
			return -1
		}
		return r
	}, number)
	if digits.MatchString(number) {
		p.phone = number
	}
	return p
}

// A knownContact is an element of contacts.
type knownContact struct {
	ids
	waID, username, name string
	at                   int  // its index
	says                 bool // anything
}

// A draft is an event before a contact completes it.
type draft struct {
	webhooknorm.Event
	who       ids
	notAlone  bool // takes nothing from a contact that doesn't match
	noContact bool // takes nothing from a contact
	namesOnly bool // takes no ids from a contact
	hits      []knownContact
}

func (d *draft) ofNormalize() bool {
	return d.Kind == webhooknorm.KindMessage || d.Kind == webhooknorm.KindStatus
}

type valueReader struct {
	raw                     json.RawMessage
	o                       object
	all                     bool   // Read
	account, field, time    string // of the entry and the change
	numberID, businessPhone string
	contextTaken            bool
	elements                int // in all arrays
	others                  []webhooknorm.Other
	standby                 bool
	contacts                []knownContact
	drafts                  []*draft
}

// person is identify without the number of the business, which is nobody's.
func (v *valueReader) person(user, parent, number string) ids {
	p := identify(user, parent, number)
	if p.phone != "" && v.businessPhone != "" && isSameNumber(p.phone, v.businessPhone) {
		p.phone, p.isBusiness = "", true
	}
	return p
}

func (v *valueReader) add(kind webhooknorm.Kind, raw json.RawMessage, who ids) *draft {
	d := &draft{who: who}
	d.Kind, d.Raw, d.Standby, d.Field = kind, raw, v.standby, v.field
	d.AccountID, d.PhoneNumberID, d.BusinessPhone = v.account, v.numberID, v.businessPhone
	v.drafts = append(v.drafts, d)
	return d
}

// message sets the content members.
func (d *draft) message(o object) {
	d.MessageID, d.Timestamp, d.Type, d.Errors = o.id("id"), o.id("timestamp"), o.text("type"), errorsOf(o)
	d.Target = target(d.Raw)
	d.GroupID, d.ReplyTo = o.id("group_id"), o.object("context").id("id")
}

// target returns the message that a message is about, from the first member that says it.
func target(raw json.RawMessage) (id string) {
	o := members(raw)
	for _, name := range names(raw) {
		switch member := o.object(name); name {
		case "reaction":
			id = cmp.Or(id, member.id("message_id"))
		case "edit", "revoke":
			id = cmp.Or(id, member.id("original_message_id"))
		}
	}
	return id
}

func errorsOf(o object) (list []webhooknorm.Error) {
	for _, raw := range o.objects("errors") {
		e := members(raw)
		number := func(name string) int {
			if n, err := strconv.ParseInt(e.id(name), 10, 64); err == nil && n < 1<<31 && digits.MatchString(e.id(name)) {
				return int(n)
			}
			return 0
		}
		list = append(list, webhooknorm.Error{
			Code: number("code"), Title: e.text("title"), Message: e.text("message"),
			Details: cmp.Or(e.object("error_data").text("details"), e.text("details")), Subcode: number("error_subcode"),
			UserTitle: e.text("error_user_title"), UserMessage: e.text("error_user_msg"), TraceID: e.id("fbtrace_id"),
		})
	}
	return list
}

func withoutAt(username string) string {
	return strings.TrimLeftFunc(username, func(r rune) bool { return r == '@' || unicode.IsSpace(r) })
}

func (v *valueReader) read() {
	if !isObject(v.raw) {
		v.other(v.raw, "", nil)
		return
	}
	handover := isObject(v.o["sender"]) || isObject(v.o["control_passed"]) || isObject(v.o["control_taken"])
	business := []object{v.o.object("metadata")}
	if handover {
		business = append(business, v.o.object("recipient"))
	}
	for _, o := range business {
		v.numberID = cmp.Or(v.numberID, o.id("phone_number_id"))
		v.businessPhone = cmp.Or(v.businessPhone, identify("", "", o.id("display_phone_number")).phone)
	}
	standby := v.o.object("standby")
	for _, raw := range append(v.o.objects("contacts"), standby.objects("contacts")...) {
		o := members(raw)
		profile := o.object("profile")
		who := v.person(o.text("user_id"), o.text("parent_user_id"), o.id("wa_id"))
		if who.user == who.parent {
			who.user = ""
		}
		v.contacts = append(v.contacts, knownContact{
			who, o.id("wa_id"),
			cmp.Or(withoutAt(profile.text("username")), withoutAt(o.text("username"))), profile.text("name"),
			len(v.contacts), says(raw),
		})
	}
	v.standby = v.field == "standby"
	v.arrays(v.o)
	v.standby = true
	v.arrays(standby)
	v.standby = false
	if handover {
		v.handover()
	}
	for _, d := range v.drafts {
		v.complete(d)
	}
	gives := len(v.drafts) > 0 || len(v.others) > 0
	left := isObject(v.o["conversation_context"]) && !v.contextTaken || isArray(v.o["errors"]) || isArray(standby["errors"])
	for _, name := range []string{"conversation_context", "sender", "control_passed", "control_taken", "standby", "metadata", "recipient"} {
		left = left || isObject(standby[name])
	}
	known := []string{"messaging_product"}
	if handover {
		known = append(known, "type", "timestamp") // the event's raw is the whole value
		left = left || saysMore(v.o["recipient"], "phone_number_id", "display_phone_number")
	} else {
		left = left || isObject(v.o["recipient"])
	}
	left = left || saysMore(v.o["metadata"], "phone_number_id", "display_phone_number")
	if !gives || left || hasUnknown(v.o, known) || hasUnknown(standby, []string{"messaging_product"}) || v.hasUnusedContact() {
		v.other(v.raw, v.o.id("timestamp"), errorsOf(v.o))
	}
}

// says reports whether a value isn't null, blank or empty.
func says(raw json.RawMessage) bool {
	switch {
	case raw == nil || string(raw) == "null":
		return false
	case isObject(raw):
		return len(members(raw)) > 0
	case isArray(raw):
		var list []json.RawMessage
		_ = json.Unmarshal(raw, &list)
		return len(list) > 0
	case raw[0] == '"':
		return object{"x": raw}.text("x") != ""
	}
	return true
}

// saysMore reports whether an object says something but scalars with some names.
func saysMore(raw json.RawMessage, names ...string) bool {
	for name, member := range members(raw) {
		if says(member) && (!slices.Contains(names, name) || isObject(member) || isArray(member)) {
			return true
		}
	}
	return false
}

// hasMore reports whether an envelope says more than an array's objects, or what a change contains, and
// scalars.
func hasMore(o object, content string, scalars ...string) bool {
	for name, raw := range o {
		inside := isArray(raw) || isObject(raw)
		isContent := name == content && (isArray(raw) || content == "value" || content == "data")
		isScalar := slices.Contains(scalars, name) && !inside
		if says(raw) && !isContent && !isScalar {
			return true
		}
	}
	return content != "value" && o.isMixed(content)
}

// isMixed reports whether an array contains what isn't an object.
func (o object) isMixed(name string) bool {
	var list []json.RawMessage
	if isArray(o[name]) {
		_ = json.Unmarshal(o[name], &list)
	}
	return len(o.objects(name)) != len(list)
}

// hasUnusedContact reports whether no event says all that a contact does.
func (v *valueReader) hasUnusedContact() bool {
	for _, c := range v.contacts {
		used := !c.says
		for _, d := range v.drafts {
			used = used || slices.ContainsFunc(d.hits, func(hit knownContact) bool { return hit.at == c.at }) && c.isIn(d)
		}
		if !used {
			return true
		}
	}
	return false
}

// isIn reports whether an event says all that a contact, and the contacts combined with it, do.
func (c knownContact) isIn(d *draft) bool {
	for _, hit := range d.hits {
		own := d.who
		if d.BSUID != d.ParentBSUID {
			own.user = d.BSUID
		} else {
			own.user = ""
		}
		own.parent, own.phone = d.ParentBSUID, d.Phone
		if hit.user != "" && hit.user != own.user || hit.parent != "" && hit.parent != own.parent ||
			hit.phone != "" && !isSameNumber(hit.phone, own.phone) ||
			hit.username != "" && hit.username != d.Username || hit.name != "" && hit.name != d.DisplayName {
			return false
		}
	}
	return true
}

func isSameNumber(a, b string) bool {
	if a == b {
		return true
	}
	m, err := phone.ParseDigits(a)
	if err != nil {
		return false
	}
	n, err := phone.ParseDigits(b)
	return err == nil && m.Canonical() == n.Canonical()
}

// other adds what gives no event.
func (v *valueReader) other(raw json.RawMessage, timestamp string, errors []webhooknorm.Error) {
	o := webhooknorm.Other{Field: v.field, AccountID: v.account, Errors: errors}
	o.Raw, o.PhoneNumberID, o.BusinessPhone, o.Timestamp = raw, v.numberID, v.businessPhone, cmp.Or(timestamp, v.time)
	v.others = append(v.others, o)
}

var (
	knownArrays = []string{
		"contacts", "messages", "statuses", "message_echoes", "calls", "user_preferences", "user_id_update", "history", "state_sync",
		"groups", "errors",
	}
	knownObjects = []string{
		"metadata", "recipient", "conversation_context", "sender", "control_passed", "control_taken", "standby",
	}
)

// hasUnknown reports whether a value contains members of other names or types that say something, or
// elements that aren't objects.
func hasUnknown(value object, scalars []string) bool {
	for name, raw := range value {
		known := scalars
		switch {
		case isArray(raw):
			known = knownArrays
		case isObject(raw):
			known = knownObjects
		}
		if says(raw) && !slices.Contains(known, name) || slices.Contains(knownArrays, name) && value.isMixed(name) {
			return true
		}
	}
	return false
}

// takeContext returns the value's context the first time.
func (v *valueReader) takeContext() json.RawMessage {
	if v.contextTaken || !isObject(v.o["conversation_context"]) {
		return nil
	}
	v.contextTaken = true
	return v.o["conversation_context"]
}

// arrays reads the arrays of a value or of its standby.
func (v *valueReader) arrays(o object) {
	for _, array := range []struct {
		name string
		read func(o object, raw json.RawMessage)
	}{
		{"messages", v.message},
		{"statuses", v.status},
		{"message_echoes", v.echo},
		{"calls", v.call},
		{"user_preferences", v.preference},
		{"user_id_update", v.update},
		{"history", v.history},
		{"state_sync", v.appContact},
		{"groups", v.group},
	} {
		for _, raw := range o.objects(array.name) {
			v.elements++
			array.read(members(raw), raw)
		}
	}
}

func (v *valueReader) message(o object, raw json.RawMessage) {
	if v.all && v.field == "history" {
		v.historyFile(o, raw)
		return
	}
	d := v.add(webhooknorm.KindMessage, raw, v.person(o.text("from_user_id", "from_bsuid"), o.text("from_parent_user_id"), o.id("from")))
	d.message(o)
	d.ConversationContext = v.takeContext()
	if d.Type == "contacts" || d.Type == "" {
		d.SharedPhone = v.sharedPhone(o)
	}
	if isObject(o["system"]) && (d.Type == "system" || d.Type == "") {
		d.Type = "system"
		v.system(d, o.object("system"))
	}
}

// historyFile reads a message with a file that the history lacks.
func (v *valueReader) historyFile(o object, raw json.RawMessage) {
	kind, who := webhooknorm.KindHistory, v.side(o, "from")
	if to := v.side(o, "to"); v.isByBusiness(ids{}, who, to) {
		kind, who = webhooknorm.KindHistoryEcho, to
	}
	v.add(kind, raw, who).message(o)
}

// sharedPhone returns the only number on the cards that respond to a contact request.
func (v *valueReader) sharedPhone(o object) (shared string) {
	for _, raw := range o.objects("contacts") {
		card := members(raw)
		if o.text("origin") != "contact_request" && card.text("origin") != "contact_request" {
			continue
		}
		for _, raw := range card.objects("phones") {
			o := members(raw)
			phone := cmp.Or(v.person("", "", o.id("wa_id")).phone, v.person("", "", o.id("phone")).phone)
			if differ(phone, shared) {
				return ""
			}
			shared = cmp.Or(shared, phone)
		}
	}
	return shared
}

// system reads a message that the platform wrote. It's about its own ids, otherwise the
// previous ones, otherwise all new ones.
func (v *valueReader) system(d *draft, o object) {
	sender := d.who
	user, parent, previousUser, previousParent := o.text("user_id"), o.text("parent_user_id"), o.text("previous_user_id"), o.text("previous_parent_user_id")
	if o.text("new_user_id")+o.text("new_parent_user_id") != "" {
		previousUser, previousParent = cmp.Or(previousUser, user), cmp.Or(previousParent, parent)
		user, parent = o.text("new_user_id"), o.text("new_parent_user_id")
	}
	current := v.person(user, parent, o.id("wa_id", "new_wa_id"))
	previous := v.person(previousUser, previousParent, "")
	if sender.empty() {
		keys := o.text("type") == "customer_identity_changed"
		if d.who = previous; previous.empty() || keys {
			d.who = current
		}
		d.who.isBusiness = sender.isBusiness
	}
	if o.text("type") == "customer_identity_changed" {
		return
	}
	senderIsNew := sender.parent != "" && sender.parent == current.parent
	if sender.user != "" && previous.user != "" {
		senderIsNew = sender.user != previous.user
	}
	if sender.user != "" && current.user != "" {
		senderIsNew = sender.user == current.user
	}
	onlyBSUID := o.text("type") == "user_changed_user_id"
	hasUser := sender.user+sender.parent != ""
	d.namesOnly = !d.who.empty()
	if senderIsNew {
		current.user, current.parent = cmp.Or(current.user, sender.user), cmp.Or(current.parent, sender.parent)
	} else {
		previous.user, previous.parent = cmp.Or(previous.user, sender.user), cmp.Or(previous.parent, sender.parent)
	}
	number := ""
	switch customer := v.person("", "", o.id("customer")).phone; {
	case sender.phone == "", sender.phone == current.phone: // the number is the current one
		if customer != current.phone {
			previous.phone = customer
		}
		if hasUser && !senderIsNew {
			d.who.phone = ""
		}
	case current.phone != "", hasUser && !senderIsNew, !hasUser && !onlyBSUID: // it's the previous one
		previous.phone = sender.phone
		if senderIsNew {
			d.who.phone = ""
		}
	default:
		number = sender.phone
		if hasUser {
			d.who.phone = ""
		}
	}
	newNumber := differ(previous.phone, current.phone) || !onlyBSUID && current.phone != "" && previous.phone == ""
	if newNumber || current.replaces(previous) {
		d.change(previous, current, number)
	}
}

func (d *draft) change(previous, current ids, number string) {
	if previous.phone+current.phone != "" {
		number = ""
	}
	if previous.parent == current.parent {
		if previous.user == previous.parent {
			previous.user = ""
		}
		previous.parent = ""
	}
	if previous.user == current.user && differ(previous.phone, current.phone) {
		previous.user = ""
	}
	if previous.empty() || current.empty() {
		return
	}
	d.Change = &webhooknorm.IdentityChange{Previous: previous.export(), Current: current.export(), Phone: number}
}

// replaces reports whether a BSUID is another one or only known after a change.
func (current ids) replaces(previous ids) bool {
	return differ(previous.user, current.user) || differ(previous.parent, current.parent) ||
		previous.user+previous.parent == "" && current.user+current.parent != ""
}

func (v *valueReader) update(o object, raw json.RawMessage) {
	user, parent := o.object("user_id"), o.object("parent_user_id")
	previous := v.person(user.text("previous"), parent.text("previous"), "")
	current := v.person(user.text("current"), parent.text("current"), "")
	number := v.person("", "", o.id("wa_id"))
	d := v.add(webhooknorm.KindIdentityUpdate, raw, previous)
	if previous.empty() {
		d.who = number
	}
	d.Timestamp, d.namesOnly = o.id("timestamp"), true
	if current.replaces(previous) {
		d.change(previous, current, number.phone)
	}
}

func (v *valueReader) status(o object, raw json.RawMessage) {
	id := o.id("recipient_participant_id", "participant_recipient_id")
	user := o.text("recipient_participant_user_id", "participant_recipient_user_id")
	parent := o.text("recipient_participant_parent_user_id", "participant_recipient_parent_user_id")
	inGroup := o.text("recipient_type") == "group" || id+user+parent != ""
	if !inGroup {
		id, user, parent = o.id("recipient_id"), o.text("recipient_user_id"), o.text("recipient_parent_user_id", "parent_recipient_user_id")
	}
	d := v.add(webhooknorm.KindStatus, raw, v.person(user, parent, id))
	d.message(o)
	d.State = o.text("status")
	if inGroup {
		d.GroupID = o.id("recipient_id")
	}
}

func (v *valueReader) echo(o object, raw json.RawMessage) {
	inner := o.object("message")
	to, recipient := cmp.Or(o.id("to"), inner.id("to")), inner.text("recipient")
	kind := webhooknorm.KindEcho
	if v.all && v.field == "history" {
		kind = webhooknorm.KindHistoryEcho
	}
	d := v.add(kind, raw, v.person(cmp.Or(o.text("to_user_id"), recipient), o.text("to_parent_user_id"), to))
	d.message(o)
	d.Type = cmp.Or(d.Type, inner.text("type"))
	d.ReplyTo = cmp.Or(d.ReplyTo, inner.object("context").id("id"))
	if isObject(o["message"]) {
		d.Target = cmp.Or(d.Target, target(o["message"]))
	}
	if inner.text("recipient_type") == "group" || o.text("recipient_type") == "group" || strings.HasSuffix(to, "@g.us") {
		d.GroupID, d.who = cmp.Or(d.GroupID, to, recipient), ids{}
		d.noContact = true
	}
}

func (v *valueReader) side(o object, side string) ids {
	return v.person(o.text(side+"_user_id"), o.text(side+"_parent_user_id"), o.id(side))
}

func (v *valueReader) call(o object, raw json.RawMessage) {
	from, to := v.side(o, "from"), v.side(o, "to")
	fromPerson, toPerson := from.user+from.parent != "", to.user+to.parent != ""
	if fromPerson == toPerson { // then it's the side that isn't the business
		other := func(p, other ids) bool {
			return p.phone != "" && (other.isBusiness || other.empty() && v.businessPhone != "")
		}
		fromPerson, toPerson = other(from, to), other(to, from)
	}
	kind, who, unknown := webhooknorm.KindCall, from, false
	switch direction := strings.ToUpper(o.text("direction")); {
	case direction == "USER_INITIATED", direction != "BUSINESS_INITIATED" && fromPerson:
	case direction == "BUSINESS_INITIATED", toPerson:
		kind, who = webhooknorm.KindCallToUser, to
	default:
		who, unknown = ids{}, true
	}
	if who.empty() && who.isBusiness { // the sides are swapped
		for _, side := range []ids{from, to} {
			if !side.empty() {
				who = side
			}
		}
	}
	d := v.add(kind, raw, who)
	d.message(o)
	d.State, d.notAlone = o.text("event"), unknown
}

func (v *valueReader) preference(o object, raw json.RawMessage) {
	d := v.add(webhooknorm.KindPreference, raw, v.person(o.text("user_id"), o.text("parent_user_id"), o.id("wa_id")))
	d.State, d.Timestamp = o.text("value"), o.id("timestamp")
}

func (v *valueReader) history(o object, raw json.RawMessage) {
	events := len(v.drafts)
	v.threads(o)
	rest := o.isMixed("threads")
	for name, member := range o {
		isKnown := name == "metadata" && isObject(member) || name == "threads" && isArray(member)
		rest = rest || says(member) && !isKnown
	}
	switch errors := errorsOf(o); {
	case len(v.drafts) == events || rest:
		v.other(raw, "", errors)
	case len(o.object("metadata")) > 0:
		v.other(o["metadata"], "", nil)
	}
}

func (v *valueReader) threads(o object) {
	for _, raw := range o.objects("threads") {
		thread := members(raw)
		left := len(thread.objects("messages")) == 0 || thread.isMixed("messages") || saysMore(thread["context"], "wa_id", "user_id", "parent_user_id", "username")
		for name, member := range thread {
			switch {
			case name == "context" && isObject(member), name == "messages" && isArray(member), name == "id" && !isObject(member) && !isArray(member):
			default:
				left = left || says(member)
			}
		}
		whole := raw
		c := thread.object("context")
		person := v.person(c.text("user_id"), c.text("parent_user_id"), cmp.Or(c.id("wa_id"), thread.id("id")))
		for _, raw := range thread.objects("messages") {
			o := members(raw)
			kind, who := webhooknorm.KindHistory, v.side(o, "from")
			if to := v.side(o, "to"); v.isByBusiness(person, who, to) {
				kind, who = webhooknorm.KindHistoryEcho, to
			}
			if !person.empty() {
				who = person
			}
			d := v.add(kind, raw, who)
			d.message(o)
			d.noContact = true
			if !person.empty() || !person.isBusiness {
				d.Username = withoutAt(c.text("username"))
			}
		}
		if left {
			v.other(whole, "", nil)
		}
	}
}

// isByBusiness reports whether the business wrote a message in a person's thread.
func (v *valueReader) isByBusiness(person, from, to ids) bool {
	fromBSUID, toBSUID := from.user+from.parent != "", to.user+to.parent != ""
	switch {
	case from.shares(person):
		return false
	case to.shares(person):
		return true
	case fromBSUID:
		return false
	case toBSUID:
		return true
	case from.isBusiness || to.isBusiness:
		return from.isBusiness
	case from.empty():
		return !to.empty()
	}
	return v.businessPhone == "" && person.phone != ""
}

func (v *valueReader) appContact(o object, raw json.RawMessage) {
	c := o.object("contact")
	d := v.add(webhooknorm.KindAppContact, raw, v.person(c.text("user_id"), c.text("parent_user_id"), c.id("phone_number", "wa_id")))
	d.State, d.Timestamp, d.noContact = o.text("action"), o.object("metadata").id("timestamp"), true
	d.DisplayName, d.Username = c.text("full_name", "first_name"), withoutAt(c.text("username"))
}

func (v *valueReader) group(o object, raw json.RawMessage) {
	group, events := raw, len(v.drafts)
	participant := func(kind webhooknorm.Kind, raw json.RawMessage) *draft {
		p := members(raw)
		who := v.person(p.text("user_id"), p.text("parent_user_id"), p.id("wa_id"))
		if who.empty() && !who.isBusiness {
			who = v.person("", "", p.id("input"))
		}
		d := v.add(kind, raw, who)
		d.State, d.Timestamp, d.GroupID, d.noContact = o.text("type"), o.id("timestamp"), o.id("group_id"), true
		d.Username = withoutAt(p.text("username"))
		return d
	}
	for _, name := range names(raw) {
		kind := webhooknorm.KindParticipant
		if strings.HasPrefix(name, "failed") {
			kind = webhooknorm.KindParticipantFailed
		}
		if strings.HasSuffix(name, "participants") {
			for _, p := range o.objects(name) {
				participant(kind, p).Errors = errorsOf(members(p))
			}
		}
	}
	self := o.text("user_id", "parent_user_id")+o.id("wa_id", "input")+withoutAt(o.text("username")) != ""
	if len(v.drafts) > events || !self || errorsOf(o) != nil {
		v.other(group, o.id("timestamp"), errorsOf(o))
	}
	if self {
		participant(webhooknorm.KindParticipant, group)
	}
}

func (v *valueReader) handover() {
	v.elements++
	sender := v.o.object("sender")
	d := v.add(webhooknorm.KindHandover, v.raw, v.person(sender.text("user_id"), sender.text("parent_user_id"), sender.id("phone_number", "wa_id")))
	d.State, d.Timestamp = v.o.text("type"), v.o.id("timestamp")
	name := "control_passed"
	if !isObject(v.o[name]) {
		name = "control_taken"
	}
	control := v.o.object(name)
	if isObject(v.o[name]) {
		d.State = cmp.Or(d.State, name)
	}
	if d.ConversationContext = control["conversation_context"]; !isObject(d.ConversationContext) {
		d.ConversationContext = v.takeContext()
	}
	owner := control.object("previous_owner")
	d.Handover = &webhooknorm.Handover{
		PreviousOwner: cmp.Or(control.text("previous_owner_role", "previous_owner_app_role"), owner.text("app_role")),
		NewOwner:      control.text("new_owner_role"),
		PreviousAppID: cmp.Or(control.id("previous_owner_app_id"), owner.id("app_id")),
		Metadata:      control.text("metadata"),
	}
	if isObject(control["metadata"]) {
		d.Handover.Metadata = string(control["metadata"])
	}
}

// complete adds what the contacts know about the person of an event.
func (v *valueReader) complete(d *draft) {
	if d.who.phone == d.GroupID {
		d.who.phone = ""
	}
	if d.who.empty() && d.who.isBusiness {
		d.Username, d.DisplayName = "", ""
		return
	}
	hits := v.matching(d)
	d.hits = hits
	agreed := func(get func(knownContact) string) (value string) {
		for _, c := range hits {
			s := get(c)
			if differ(s, value) {
				return ""
			}
			value = cmp.Or(value, s)
		}
		return value
	}
	who := d.who
	if !d.namesOnly {
		user := agreed(func(c knownContact) string { return c.user })
		parent := agreed(func(c knownContact) string { return c.parent })
		phone := agreed(func(c knownContact) string { return c.phone })
		otherPerson := false // one of the contacts is, or all
		for _, c := range hits {
			otherPerson = otherPerson || c.contradicts(d.who)
		}
		if !otherPerson {
			who = ids{user: cmp.Or(who.user, user), parent: cmp.Or(who.parent, parent), phone: cmp.Or(who.phone, phone)}
		}
		if who.phone == d.GroupID {
			who.phone = ""
		}
	}
	d.IDs = who.export()
	d.Username = cmp.Or(d.Username, agreed(func(c knownContact) string { return c.username }))
	d.DisplayName = cmp.Or(d.DisplayName, agreed(func(c knownContact) string { return c.name }))
}

// matching returns the contacts of an event: those with the same BSUID, otherwise parent
// BSUID, otherwise number unless another BSUID says that it's somebody else; otherwise the lone contact
// of a lone event.
func (v *valueReader) matching(d *draft) (hits []knownContact) {
	if d.noContact {
		return nil
	}
	for _, get := range []func(ids) string{
		func(p ids) string { return p.user }, func(p ids) string { return p.parent }, func(p ids) string { return p.phone },
	} {
		for _, c := range v.contacts {
			if get(d.who) != "" && get(c.ids) == get(d.who) {
				hits = append(hits, c)
			}
		}
		if len(hits) > 0 {
			break
		}
	}
	if len(hits) > 0 {
		byNumberOnly := !slices.ContainsFunc(hits, func(c knownContact) bool { return ids{user: c.user, parent: c.parent}.shares(d.who) })
		if byNumberOnly && !d.namesOnly && slices.ContainsFunc(hits, func(c knownContact) bool { return c.contradicts(d.who) }) {
			return nil
		}
		return hits
	}
	likeMessage := d.ofNormalize() || d.Kind == webhooknorm.KindHistory
	alone := v.elements == 1 && (likeMessage || d.who.empty())
	if len(v.contacts) != 1 || !alone || d.notAlone {
		return nil
	}
	c := v.contacts[0]
	if d.who.phone != "" && !isSameNumber(d.who.phone, c.phone) {
		return nil
	}
	if c.contradicts(d.who) || c.isBusiness || c.waID != "" && c.waID == d.GroupID || strings.HasSuffix(c.waID, "@g.us") {
		return nil
	}
	return v.contacts
}

// isResponse reports whether a payload is what the API answers to a request to send.
func isResponse(o object) bool {
	for name, raw := range o {
		if slices.Contains(knownArrays, name) && name != "messages" && name != "contacts" && isArray(raw) ||
			slices.Contains(knownObjects, name) && isObject(raw) || (name == "type" || name == "timestamp") && says(raw) && !isObject(raw) && !isArray(raw) {
			return false
		}
	}
	for _, raw := range o.objects("contacts") {
		if members(raw)["input"] != nil {
			return true
		}
	}
	messages, hasID := o.objects("messages"), false
	for _, raw := range messages {
		if saysMore(raw, "id", "message_status", "group_id") {
			return false
		}
		hasID = hasID || members(raw).id("id") != ""
	}
	return hasID
}

// isBareValue reports whether a value needs no entry around it for Read.
func isBareValue(o object) bool {
	for _, name := range knownArrays {
		if isArray(o[name]) {
			return true
		}
	}
	return isObject(o["standby"]) || isObject(o["control_passed"]) || isObject(o["control_taken"])
}

// referenceRead is Read, or Normalize unless all is set.
func referenceRead(payload []byte, all bool) (w webhooknorm.Webhook, code problem.Code) {
	if !wellFormed(payload) {
		return w, webhooknorm.CodeInvalidJSON
	}
	whole := payload
	payload = bytes.TrimSpace(payload)
	top := members(payload)
	var values []*valueReader
	add := func(raw json.RawMessage, field string) *valueReader {
		v := &valueReader{raw: raw, o: members(raw), all: all, field: field}
		values = append(values, v)
		return v
	}
	if _, ok := top["entry"]; ok {
		hasChange := false
		for _, raw := range top.objects("entry") {
			entry, whole := members(raw), raw
			addOf := func(raw json.RawMessage, field string) *valueReader {
				v := add(raw, field)
				if v.account = entry.id("id"); all {
					v.time = entry.id("time")
				}
				return v
			}
			for _, raw := range entry.objects("changes") {
				change, field := members(raw), members(raw).text("field")
				if value, ok := change["value"]; ok {
					addOf(value, field)
				}
				if change["value"] == nil || hasMore(change, "value", "field") {
					addOf(raw, field).o = nil // the change isn't a value
				}
			}
			hasChange = hasChange || len(entry.objects("changes")) > 0
			if hasMore(entry, "changes", "id", "time") {
				addOf(whole, "").o = nil
			}
		}
		if hasMore(top, "entry", "object") {
			add(payload, "").o = nil
		}
		if !hasChange {
			values = nil
		}
	} else if isResponse(top) {
		return w, webhooknorm.CodeUnrecognizedShape
	} else if isArray(top["messages"]) || isArray(top["statuses"]) || isArray(top["contacts"]) || all && isBareValue(top) {
		add(payload, "")
	} else if field := top.text("field"); all && field != "" && isObject(top["value"]) {
		add(top["value"], field)
		if hasMore(top, "value", "field") {
			add(payload, field).o = nil
		}
	} else if field := top.text("event"); all && field != "" && isObject(top["data"]) && isBareValue(top.object("data")) {
		add(top["data"], field)
		if hasMore(top, "data", "event") {
			add(payload, field).o = nil
		}
	}
	if len(values) == 0 {
		return w, webhooknorm.CodeUnrecognizedShape
	}
	contacts, standard := 0, 0
	for _, v := range values {
		if v.o == nil {
			v.other(v.raw, "", nil)
		} else {
			v.read()
		}
		contacts += len(v.contacts)
		for _, d := range v.drafts {
			if all || d.ofNormalize() {
				w.Events = append(w.Events, d.Event)
			}
			if d.ofNormalize() {
				standard++
			}
		}
		if !all {
			continue
		}
		w.Others = append(w.Others, v.others...)
	}
	const most = 16_384
	if standard > most || contacts > most || len(w.Events)-standard+len(w.Others) > max(most, len(whole)/64) {
		return webhooknorm.Webhook{}, webhooknorm.CodeTooManyEvents
	}
	return w, ""
}
