package webhooktest

import "strconv"

// The choices of form, see [Event.has].
const (
	formAt = iota
	formContactOnly
	formContext
	formUserIDAbsent
	formUserIDNew
	formTwoNames
	formGroupQuote
)

// A writer writes the elements of one webhook.
type writer struct {
	businesses []Business
	blank      bool // whether absent ids are written as empty strings
}

// where returns the field of the change and the name of the array that e belongs in.
func (e *Event) where() (field, array string) {
	switch e.Kind {
	case KindStatus:
		return "messages", "statuses"
	case KindCall, KindCallToUser:
		return "calls", "calls"
	case KindEcho:
		return "smb_message_echoes", "message_echoes"
	case KindPreference:
		return "user_preferences", "user_preferences"
	case KindParticipant:
		return "group_participants_update", "groups"
	case KindMessage, KindChange:
	}
	return "messages", "messages"
}

func (w *writer) element(e *Event) object {
	switch e.Kind {
	case KindStatus:
		return w.status(e)
	case KindChange:
		return w.change(e)
	case KindCall, KindCallToUser:
		return w.call(e)
	case KindEcho:
		return w.echo(e)
	case KindPreference:
		return w.preference(e)
	case KindParticipant:
		return w.participant(e)
	case KindMessage:
	}
	return w.message(e)
}

func (e *Event) seconds() string { return strconv.FormatInt(e.At.Unix(), 10) }

// username returns the username as the webhook spells it: some have an "@".
func (e *Event) username() string {
	if e.Shown.Username != "" && e.has(formAt, 2) {
		return "@" + e.Shown.Username
	}
	return e.Shown.Username
}

// contactOnly reports whether only the contact of a message has the BSUID.
func (e *Event) contactOnly() bool {
	return e.Kind == KindMessage && e.Shown.Phone != "" && e.Shown.BSUID != "" && e.Shared == "" && e.has(formContactOnly, 6)
}

// contact returns the contact of e, and false if webhooks of its kind have none.
func (w *writer) contact(e *Event) (c object, ok bool) {
	switch {
	case e.Kind == KindChange, e.Kind == KindParticipant:
		return nil, false
	case e.Kind == KindStatus && (e.Type == "failed" || e.Shown.BSUID == ""):
		return nil, false
	}
	var profile object
	if e.Kind == KindMessage || e.Kind == KindPreference {
		profile.add("name", e.Shown.Name)
	}
	profile.addText("username", e.username(), false)
	if profile != nil {
		c.add("profile", profile)
	}
	c.addText("wa_id", e.Shown.Phone, w.blank)
	c.addText("user_id", e.Shown.BSUID, false)
	c.addText("parent_user_id", e.Shown.Parent, false)
	return c, true
}

func (w *writer) message(e *Event) (o object) {
	o.addText("from", e.Shown.Phone, w.blank)
	if !e.contactOnly() {
		o.addText("from_user_id", e.Shown.BSUID, false)
		o.addText("from_parent_user_id", e.Shown.Parent, false)
	}
	o.addText("group_id", e.group, false)
	if e.has(formContext, 8) {
		o.add("context", w.context(e))
	}
	o.add("id", e.ID)
	o.add("timestamp", e.seconds())
	o.add("type", e.Type)
	w.addContent(&o, e)
	return o
}

// context describes the message that e quotes. Its author is the business or, in some
// groups, another person.
func (w *writer) context(e *Event) (o object) {
	if e.group != "" && e.has(formGroupQuote, 2) {
		o.add("from", phoneNumber(e.Seq*31+7))
		o.add("from_user_id", "US.1"+strconv.FormatInt(1_000_000_000_000+int64(e.form), 10))
	} else {
		o.add("from", w.businesses[e.Business].Phone)
	}
	o.add("id", messageID("wamid.", uint64(e.form), uint64(e.Seq)))
	return o
}

func (w *writer) addContent(o *object, e *Event) {
	switch e.Type {
	case "text":
		o.add("text", object{{"body", e.text}})
	case "image", "audio", "sticker":
		mime := map[string]string{"image": "image/jpeg", "audio": "audio/ogg; codecs=opus", "sticker": "image/webp"}[e.Type]
		o.add(e.Type, object{{"mime_type", mime}, {"sha256", "3f9d94d399fa61c191bc1d4ca71375a035cdb9f5b1f7a5e8d7d3d2a1b6c0e4f2"}, {"id", strconv.FormatUint(uint64(e.form), 10)}})
	case "location":
		o.add("location", object{{"latitude", 37.44}, {"longitude", -122.16}, {"name", "Philz Coffee"}, {"address", "101 Forest Ave, Palo Alto"}})
	case "reaction":
		o.add("reaction", object{{"message_id", messageID("wamid.", uint64(e.form), uint64(e.Seq))}, {"emoji", "👍"}})
	case "button":
		o.add("button", object{{"payload", "yes"}, {"text", "Yes, please"}})
	case "interactive":
		o.add("interactive", object{{"type", "button_reply"}, {"button_reply", object{{"id", "yes"}, {"title", "Yes"}}}})
	case "unsupported":
		o.add("errors", []any{object{{"code", int64(131051)}, {"title", "Message type unknown"}, {"message", "Message type unknown"}, {"error_data", object{{"details", "Message type is currently not supported."}}}}})
		o.add("unsupported", object{{"type", "unknown"}})
	case "contacts":
		w.addCard(o, e)
	}
}

// addCard adds the person's own number if they share it, and otherwise the card of
// someone else.
func (w *writer) addCard(o *object, e *Event) {
	if e.Shared != "" {
		o.add("origin", "contact_request")
		o.add("contacts", []any{object{{"phones", []any{object{{"phone", "+" + e.Shared}, {"wa_id", e.Shared}, {"type", "CELL"}}}}}})
		return
	}
	other := phoneNumber(e.Seq*17 + 3)
	o.add("origin", "other")
	o.add("contacts", []any{object{
		{"name", object{{"formatted_name", "Pat Other"}, {"first_name", "Pat"}, {"last_name", "Other"}}},
		{"phones", []any{object{{"phone", "+" + other}, {"wa_id", other}, {"type", "CELL"}}}},
		{"vcard", "BEGIN:VCARD\nVERSION:3.0\nFN:Pat Other\nTEL;TYPE=CELL:+" + other + "\nEND:VCARD"},
	}})
}

func (w *writer) status(e *Event) (o object) {
	o.add("id", e.ID)
	o.add("status", e.Type)
	o.add("timestamp", e.seconds())
	o.addText("recipient_id", e.Shown.Phone, w.blank)
	o.addText("recipient_user_id", e.Shown.BSUID, false)
	o.addText("recipient_parent_user_id", e.Shown.Parent, false)
	if e.Type == "failed" {
		o.add("errors", []any{object{
			{"code", int64(131026)},
			{"title", "Message undeliverable"},
			{"message", "Message undeliverable"},
			{"error_data", object{{"details", "Message Undeliverable."}}},
			{"href", "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/"},
		}})
		return o
	}
	if e.Type == "sent" {
		o.add("conversation", object{{"id", strconv.FormatUint(mix(uint64(e.form)), 16)}, {"origin", object{{"type", "service"}}}})
	}
	o.add("pricing", object{{"billable", true}, {"pricing_model", "PMP"}, {"category", "service"}, {"type", "regular"}})
	return o
}

// change writes a system message. Since August 2026 its system object has the previous
// ids. The message itself mostly has no BSUID, sometimes the previous one, and sometimes
// already the current one.
func (w *writer) change(e *Event) (o object) {
	inSystem := e.At.Unix() >= previousFrom
	o.addText("from", e.Previous.Phone, w.blank)
	switch {
	case !inSystem || e.has(formUserIDAbsent, 4):
		o.addText("from_user_id", e.Previous.BSUID, false)
		o.addText("from_parent_user_id", e.Previous.Parent, false)
	case e.Previous.Phone == "" && e.has(formUserIDNew, 6):
		o.addText("from_user_id", e.Shown.BSUID, false)
	}
	o.add("id", e.ID)
	o.add("timestamp", e.seconds())
	o.add("type", "system")
	body := "User " + e.True.Name + " changed their number"
	if e.Previous.Phone != "" && e.Shown.Phone != "" {
		body = "User " + e.True.Name + " changed from " + e.Previous.Phone + " to " + e.Shown.Phone
	}
	system := object{{"body", body}}
	system.addText("wa_id", e.Shown.Phone, w.blank)
	system.addText("user_id", e.Shown.BSUID, false)
	system.addText("parent_user_id", e.Shown.Parent, false)
	if inSystem {
		system.addText("previous_user_id", e.Previous.BSUID, false)
		system.addText("previous_parent_user_id", e.Previous.Parent, false)
	}
	system.add("type", e.Type)
	o.add("system", system)
	return o
}

func (w *writer) call(e *Event) (o object) {
	business, prefix, direction := w.businesses[e.Business].Phone, "from", "USER_INITIATED"
	o.add("id", e.ID)
	if e.Kind == KindCallToUser {
		prefix, direction = "to", "BUSINESS_INITIATED"
		o.add("from", business)
	} else {
		o.add("to", business)
	}
	o.addText(prefix, e.Shown.Phone, w.blank)
	o.addText(prefix+"_user_id", e.Shown.BSUID, false)
	o.addText(prefix+"_parent_user_id", e.Shown.Parent, false)
	o.add("event", e.Type)
	o.add("timestamp", e.seconds())
	o.add("direction", direction)
	if e.Type == "connect" {
		o.add("session", object{{"sdp_type", "offer"}, {"sdp", "v=0\n"}})
	} else {
		o.add("status", "COMPLETED")
		o.add("duration", int64(e.form%600))
	}
	return o
}

func (w *writer) echo(e *Event) (o object) {
	o.add("from", w.businesses[e.Business].Phone)
	o.addText("to", e.Shown.Phone, w.blank)
	o.addText("to_user_id", e.Shown.BSUID, false)
	o.addText("to_parent_user_id", e.Shown.Parent, false)
	o.add("id", e.ID)
	o.add("timestamp", e.seconds())
	o.add("type", "text")
	o.add("text", object{{"body", "See you tomorrow"}})
	return o
}

func (w *writer) preference(e *Event) (o object) {
	o.addText("wa_id", e.Shown.Phone, w.blank)
	o.addText("user_id", e.Shown.BSUID, false)
	o.addText("parent_user_id", e.Shown.Parent, false)
	o.add("detail", "User requested to stop marketing messages")
	o.add("category", "marketing_messages")
	o.add("value", e.Type)
	o.add("timestamp", e.At.Unix())
	return o
}

func (w *writer) participant(e *Event) (o object) {
	var p object
	p.addText("wa_id", e.Shown.Phone, w.blank)
	p.addText("user_id", e.Shown.BSUID, false)
	p.addText("parent_user_id", e.Shown.Parent, false)
	p.addText("username", e.username(), false)
	o.add("timestamp", e.seconds())
	o.add("group_id", e.group)
	o.add("type", e.Type)
	o.add("reason", "invite_link")
	o.add("added_participants", []any{p})
	return o
}
