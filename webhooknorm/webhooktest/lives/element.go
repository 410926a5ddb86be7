package lives

import (
	"cmp"
	"slices"
	"strconv"
)

// The random choices for [event.has].
const (
	formAt = iota
	formContactOnly
	formContext
	formUserIDAbsent
	formUserIDNew
	formTwoNames
	formGroupQuote
	formHandover
	formHistory
)

// A writer writes a webhook's elements.
type writer struct {
	businesses []Business
	blank      bool // whether absent IDs are written as empty strings
}

// where returns the change's field and the array that contain e.
func (e *Event) where() (field, array string) {
	switch e.Kind {
	case KindStatus:
		field, array = "messages", "statuses"
	case KindCall, KindCallToUser:
		field, array = "calls", "calls"
	case KindEcho:
		field, array = "smb_message_echoes", "message_echoes"
	case KindPreference:
		field, array = "user_preferences", "user_preferences"
	case KindParticipant:
		field, array = "group_participants_update", "groups"
	case KindHistory, KindHistoryEcho:
		field, array = "history", "history"
		switch {
		case e.media && e.Kind == KindHistory:
			array = "messages"
		case e.media:
			array = "message_echoes"
		}
	case KindUpdate:
		field, array = e.Type, e.Type
		if e.Type == "errors" {
			field = "messages"
		}
	case KindSent:
	case KindHandover:
		field = "messaging_handovers"
	case KindMessage, KindChange:
		field, array = "messages", "messages"
	}
	if e.Standby {
		field = "standby"
	}
	return field, array
}

func (w *writer) element(e *Event) object {
	switch e.Kind {
	case KindStatus:
		return w.status(e)
	case KindChange:
		return w.change(e)
	case KindCall, KindCallToUser:
		return w.call(e)
	case KindEcho, KindHistoryEcho:
		return w.echo(e)
	case KindPreference:
		return w.preference(e)
	case KindParticipant:
		return w.participant(e)
	case KindMessage, KindHandover, KindHistory, KindUpdate, KindSent:
	}
	return w.message(e)
}

// seconds returns when it happened, for a message of the history when it was sent.
func (e *Event) seconds() string { return strconv.FormatInt(cmp.Or(e.sent, e.At.Unix()), 10) }

// username returns the username as written in the webhook, sometimes with an "@".
func (e *Event) username() string {
	if e.Shown.Username != "" && e.has(formAt, 2) {
		return "@" + e.Shown.Username
	}
	return e.Shown.Username
}

// contactOnly reports whether only a message's contact contains the BSUID.
func (e *Event) contactOnly() bool {
	return e.Kind == KindMessage && e.Shown.Phone != "" && e.Shown.BSUID != "" && e.Shared == "" && e.has(formContactOnly, 6)
}

// contact returns e's contact. Some kinds contain none.
func (w *writer) contact(e *Event) (c object, ok bool) {
	switch {
	case e.Kind == KindChange, e.Kind == KindParticipant, e.Kind == KindEcho && e.Standby:
		return nil, false
	case e.Kind == KindStatus && (e.Type == "failed" || e.Shown.BSUID == ""):
		return nil, false
	}
	var profile object
	if e.Kind == KindMessage || e.Kind == KindPreference || e.Kind == KindHistory {
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
		o.add("reaction", object{{"message_id", e.target}, {"emoji", "👍"}})
	case "button":
		o.add("button", object{{"payload", "yes"}, {"text", "Yes, please"}})
	case "interactive":
		o.add("interactive", object{{"type", "button_reply"}, {"button_reply", object{{"id", "yes"}, {"title", "Yes"}}}})
	case "unsupported":
		o.add("errors", []any{object{{"code", int64(131051)}, {"title", "Message type unknown"}, {"message", "Message type unknown"}, {"error_data", object{{"details", "Message type is currently not supported."}}}}})
		o.add("unsupported", object{{"type", "unknown"}})
	case "edit":
		content := object{{"context", object{{"id", "M0"}}}, {"type", "text"}, {"text", object{{"body", "Corrected"}}}}
		o.add("edit", object{{"original_message_id", e.target}, {"message", content}})
	case "revoke":
		o.add("revoke", object{{"original_message_id", e.target}})
	case "contacts":
		w.addCard(o, e)
	}
}

// addCard adds the person's own number if they share it, otherwise someone else's card.
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

// change writes a system message. Since August 2026 its system object contains the previous
// IDs. The message itself usually contains no BSUID, but sometimes the previous or current one.
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
	if e.Standby { // has the request with which the other application sent the message
		message := object{{"recipient_type", "individual"}, {"type", "text"}, {"text", object{{"body", "See you tomorrow"}, {"preview_url", "true"}}}}
		message.addText("to", e.Shown.Phone, w.blank)
		message.addText("recipient", e.Shown.BSUID, false)
		return object{{"id", e.ID}, {"timestamp", e.seconds()}, {"message", message}}
	}
	o.add("from", w.businesses[e.Business].Phone)
	o.addText("to", e.Shown.Phone, w.blank)
	o.addText("to_user_id", e.Shown.BSUID, false)
	o.addText("to_parent_user_id", e.Shown.Parent, false)
	o.add("id", e.ID)
	o.add("timestamp", e.seconds())
	o.add("type", e.Type)
	e.text = "See you tomorrow"
	w.addContent(&o, e)
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

// handover returns a handover's value. The platform documents one form but also sends
// others, some without a sender.
func (w *writer) handover(e *Event, head object) (value object) {
	b := w.businesses[e.Business]
	recipient := object{{"phone_number_id", b.ID}, {"display_phone_number", b.Phone}}
	contact := object{}
	contact.addText("wa_id", e.Shown.Phone, w.blank)
	contact.addText("user_id", e.Shown.BSUID, false)
	const reason = `{"reason":"MARKETING_MESSAGE"}`
	switch {
	case e.Shown.Phone != "" && e.has(formHandover, 2): // documented
		control := object{
			{"previous_owner_app_id", "263902037430900"},
			{"previous_owner_role", "ai_agent"},
			{"new_owner_role", "escalation"},
			{"metadata", "asked for a human"},
			{"conversation_context", object{{"type", "summary"}, {"summary", object{{"text", "Wants to return the red one"}}}}},
		}
		return object{
			{"messaging_product", "whatsapp"},
			{"sender", object{{"phone_number", e.Shown.Phone}}},
			{"recipient", recipient},
			{"type", e.Type},
			{"timestamp", e.seconds()},
			{e.Type, control},
		}
	case e.has(formHandover, 3):
		contact.addText("parent_user_id", e.Shown.Parent, false)
		owner := object{{"app_id", "263902037430900"}, {"app_role", "meta_business_agent"}, {"business_id", b.Account}}
		return object{
			{"messaging_product", "whatsapp"},
			{"sender", contact},
			{"recipient", recipient},
			{"contacts", []any{contact}},
			{"type", e.Type},
			{"timestamp", e.seconds()},
			{e.Type, object{{"previous_owner", owner}}},
		}
	case e.Type == "control_taken":
		return append(head, member{"contacts", []any{contact}}, member{e.Type, object{{"metadata", reason}}})
	}
	return append(head, member{"contacts", []any{contact}}, member{e.Type, object{
		{"previous_owner_app_id", "263902037430900"}, {"previous_owner_app_role", "meta_business_agent"}, {"metadata", reason},
	}})
}

// history returns an element with a thread for each person.
func (w *writer) history(events []Event) object {
	var threads []any
	for len(events) > 0 {
		first := events[0]
		var messages []any
		events = slices.DeleteFunc(events, func(e Event) bool {
			if e.Shown != first.Shown {
				return false
			}
			messages = append(messages, w.historyMessage(&e))
			return true
		})
		var thread, context object
		thread.addText("id", first.Shown.Phone, false)
		if first.Shown.BSUID != "" {
			context.addText("wa_id", first.Shown.Phone, w.blank)
			context.addText("user_id", first.Shown.BSUID, false)
			context.addText("parent_user_id", first.Shown.Parent, false)
			context.addText("username", first.Shown.Username, false)
			thread.add("context", context)
		}
		thread.add("messages", messages)
		threads = append(threads, thread)
	}
	return object{
		{"metadata", object{{"phase", int64(0)}, {"chunk_order", int64(1)}, {"progress", int64(55)}}},
		{"threads", threads},
	}
}

func (w *writer) historyMessage(e *Event) (o object) {
	if e.Kind == KindHistoryEcho {
		o.add("from", w.businesses[e.Business].Phone)
		if e.has(formHistory, 2) {
			o.addText("to", e.Shown.Phone, false)
		}
	} else {
		o.addText("from", e.Shown.Phone, w.blank)
		o.addText("from_user_id", e.Shown.BSUID, false)
	}
	o.add("id", e.ID)
	o.add("timestamp", e.seconds())
	o.add("type", e.Type)
	if e.Type == "text" {
		o.add("text", object{{"body", e.text}})
	}
	o.add("history_context", object{{"status", "READ"}})
	return o
}

// update returns the value of an update about the business.
func (w *writer) update(e *Event, head object) object {
	number := w.businesses[e.Business].Phone
	switch e.Type {
	case "message_template_status_update":
		return object{
			{"event", "REJECTED"},
			{"message_template_id", int64(e.form)},
			{"message_template_name", "order_confirmation"},
			{"message_template_language", "pt_BR"},
			{"reason", "INVALID_FORMAT"},
		}
	case "account_update":
		return object{{"phone_number", number}, {"event", "ACCOUNT_RESTRICTION"}, {"restriction_info", []any{
			object{{"restriction_type", "RESTRICTED_BIZ_INITIATED_MESSAGING"}, {"expiration", e.At.Unix() + 7*24*60*60}},
		}}}
	case "phone_number_quality_update":
		return object{{"display_phone_number", number}, {"event", "FLAGGED"}, {"current_limit", "TIER_10K"}}
	}
	return append(head, member{"errors", []any{object{
		{"code", int64(130429)},
		{"title", "Rate limit hit"},
		{"message", "(#130429) Rate limit hit"},
		{"error_data", object{{"details", "Message failed to send because there were too many messages sent from this phone number in a short period of time"}}},
	}}})
}
