package lives

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The value of each kind of webhook, as the platform documents it for November 2026.
// OLDPHONE, OLDBSUID and OLDPARENT are the ids before a change.
func TestValues(t *testing.T) {
	const head = `"messaging_product": "whatsapp", "metadata": {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"}`
	const contact = `{"profile": {"name": "Jane"}, "wa_id": "PHONE", "user_id": "BSUID", "parent_user_id": "PARENT"}`
	const hidden = `{"profile": {"name": "Jane", "username": "jane"}, "user_id": "BSUID", "parent_user_id": "PARENT"}`
	const from = `"from": "PHONE", "from_user_id": "BSUID", "from_parent_user_id": "PARENT", "id": "ID", "timestamp": "TIME"`
	jane := profile{Name: "Jane"}
	shy := profile{Name: "Jane", Username: "jane", Hidden: true}
	november := time.Date(2026, time.November, 2, 0, 0, 0, 0, time.UTC)
	february := time.Date(2026, time.February, 2, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name    string
		start   time.Time
		profile profile
		play    func(h *user)
		want    string // the value of the last event
	}{
		{"a message", november, jane, func(h *user) { h.Write(0, "Olá") }, `{` + head + `,
			"contacts": [` + contact + `], "messages": [{` + from + `, "type": "text", "text": {"body": "Olá"}}]}`},
		{"a message before BSUIDs", february, jane, func(h *user) { h.Write(0, "Olá") }, `{` + head + `,
			"contacts": [{"profile": {"name": "Jane"}, "wa_id": "PHONE"}],
			"messages": [{"from": "PHONE", "id": "ID", "timestamp": "TIME", "type": "text", "text": {"body": "Olá"}}]}`},
		{"a message without a number", november, shy, func(h *user) { h.Write(0, "Olá") }, `{` + head + `,
			"contacts": [` + hidden + `],
			"messages": [{"from_user_id": "BSUID", "from_parent_user_id": "PARENT", "id": "ID", "timestamp": "TIME", "type": "text", "text": {"body": "Olá"}}]}`},
		{"an answer to a contact request", november, shy, func(h *user) { h.ShareNumber(0) }, `{` + head + `,
			"contacts": [` + hidden + `],
			"messages": [{"from_user_id": "BSUID", "from_parent_user_id": "PARENT", "id": "ID", "timestamp": "TIME", "type": "contacts",
				"origin": "contact_request", "contacts": [{"phones": [{"phone": "+PHONE", "wa_id": "PHONE", "type": "CELL"}]}]}]}`},
		{"the receipt of a message", november, shy, func(h *user) { h.Receive(0) }, `{` + head + `,
			"contacts": [{"profile": {"username": "jane"}, "user_id": "BSUID", "parent_user_id": "PARENT"}],
			"statuses": [{"id": "ID", "status": "read", "timestamp": "TIME", "recipient_user_id": "BSUID", "recipient_parent_user_id": "PARENT",
				"pricing": {"billable": true, "pricing_model": "PMP", "category": "service", "type": "regular"}}]}`},
		{"a change of the number", november, jane, func(h *user) { h.Write(0, "Olá"); h.ChangeNumber("") }, `{` + head + `,
			"messages": [{"from": "OLDPHONE", "id": "ID", "timestamp": "TIME", "type": "system", "system": {
				"body": "User Jane changed from OLDPHONE to PHONE", "wa_id": "PHONE", "user_id": "BSUID", "parent_user_id": "PARENT",
				"previous_user_id": "OLDBSUID", "previous_parent_user_id": "OLDPARENT", "type": "user_changed_number"}}]}`},
		{"a change of a hidden number", november, shy, func(h *user) { h.Write(0, "Olá"); h.ChangeNumber("") }, `{` + head + `,
			"messages": [{"id": "ID", "timestamp": "TIME", "type": "system", "system": {
				"body": "User Jane changed their number", "user_id": "BSUID", "parent_user_id": "PARENT",
				"previous_user_id": "OLDBSUID", "previous_parent_user_id": "OLDPARENT", "type": "user_changed_user_id"}}]}`},
		{"a change before BSUIDs", february, jane, func(h *user) { h.Write(0, "Olá"); h.ChangeNumber("") }, `{` + head + `,
			"messages": [{"from": "OLDPHONE", "id": "ID", "timestamp": "TIME", "type": "system", "system": {
				"body": "User Jane changed from OLDPHONE to PHONE", "wa_id": "PHONE", "type": "user_changed_number"}}]}`},
		{"a preference", november, jane, func(h *user) { h.StopMarketing(0) }, `{` + head + `,
			"contacts": [` + contact + `],
			"user_preferences": [{"wa_id": "PHONE", "user_id": "BSUID", "parent_user_id": "PARENT", "detail": "User requested to stop marketing messages",
				"category": "marketing_messages", "value": "stop", "timestamp": NUMBER}]}`},
		{"a new member of a group", november, jane, func(h *user) { h.JoinGroup(0, "120363418770915618@g.us") }, `{` + head + `,
			"groups": [{"timestamp": "TIME", "group_id": "120363418770915618@g.us", "type": "group_participants_add", "reason": "invite_link",
				"added_participants": [{"wa_id": "PHONE", "user_id": "BSUID", "parent_user_id": "PARENT"}]}]}`},
		{"a message in standby", november, jane, func(h *user) { h.Write(0, "Olá"); h.TakeOver(0); h.Write(0, "Olá") }, `{` + head + `, "standby": {
			"contacts": [` + contact + `], "messages": [{` + from + `, "type": "text", "text": {"body": "Olá"}}]}}`},
		{"an echo in standby", november, jane, func(h *user) { h.Write(0, "Olá"); h.TakeOver(0); h.ReceiveEcho(0) }, `{` + head + `, "standby": {
			"message_echoes": [{"id": "ID", "timestamp": "TIME", "message": {"to": "PHONE", "recipient": "BSUID", "recipient_type": "individual",
				"type": "text", "text": {"body": "See you tomorrow", "preview_url": "true"}}}]}}`},
		{"a receipt in standby", november, shy, func(h *user) { h.Write(0, "Olá"); h.TakeOver(0); h.Receive(0) }, `{` + head + `, "standby": {
			"contacts": [{"profile": {"username": "jane"}, "user_id": "BSUID", "parent_user_id": "PARENT"}],
			"statuses": [{"id": "ID", "status": "read", "timestamp": "TIME", "recipient_user_id": "BSUID", "recipient_parent_user_id": "PARENT",
				"pricing": {"billable": true, "pricing_model": "PMP", "category": "service", "type": "regular"}}]}}`},
		{"a documented handover", november, jane, func(h *user) { h.Write(0, "Olá"); h.TakeOver(0); h.PassBack(0) }, `{
			"messaging_product": "whatsapp", "sender": {"phone_number": "PHONE"},
			"recipient": {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"},
			"type": "control_passed", "timestamp": "TIME", "control_passed": {"previous_owner_app_id": "263902037430900",
				"previous_owner_role": "ai_agent", "new_owner_role": "escalation", "metadata": "asked for a human",
				"conversation_context": {"type": "summary", "summary": {"text": "Wants to return the red one"}}}}`},
		{"a handover with a sender and contacts", november, shy, func(h *user) { h.Write(0, "Olá"); h.TakeOver(0) }, `{
			"messaging_product": "whatsapp", "sender": {"user_id": "BSUID", "parent_user_id": "PARENT"},
			"contacts": [{"user_id": "BSUID", "parent_user_id": "PARENT"}],
			"recipient": {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"},
			"type": "control_taken", "timestamp": "TIME", "control_taken": {"previous_owner": {
				"app_id": "263902037430900", "app_role": "meta_business_agent", "business_id": "102290129340398"}}}`},
		{"a handover without a sender that takes control", february, jane, func(h *user) { h.Write(0, "Olá"); h.TakeOver(0) }, `{` + head + `,
			"contacts": [{"wa_id": "PHONE"}], "control_taken": {"metadata": "{\"reason\":\"MARKETING_MESSAGE\"}"}}`},
		{"a handover without a sender", november, jane, func(h *user) { h.Write(0, "Olá"); h.TakeOver(0); h.PassBack(0) }, `{` + head + `,
			"contacts": [{"wa_id": "PHONE", "user_id": "BSUID"}], "control_passed": {"previous_owner_app_id": "263902037430900",
				"previous_owner_app_role": "meta_business_agent", "metadata": "{\"reason\":\"MARKETING_MESSAGE\"}"}}`},
		{"history", february, jane, func(h *user) { h.shareOld(KindHistory, "text", 0, historyLength) }, `{` + head + `, "history": [{
			"metadata": {"phase": 0, "chunk_order": 1, "progress": 55}, "threads": [{"id": "PHONE",
				"messages": [{"from": "PHONE", "id": "ID", "timestamp": "TIME", "type": "text", "text": {"body": "See you tomorrow"},
					"history_context": {"status": "READ"}}]}]}]}`},
		{"history without a number", november, shy, func(h *user) { h.shareOld(KindHistory, "text", 0, historyLength) }, `{` + head + `, "history": [{
			"metadata": {"phase": 0, "chunk_order": 1, "progress": 55}, "threads": [{
				"context": {"user_id": "BSUID", "parent_user_id": "PARENT", "username": "jane"},
				"messages": [{"from_user_id": "BSUID", "id": "ID", "timestamp": "TIME", "type": "text", "text": {"body": "See you tomorrow"},
					"history_context": {"status": "READ"}}]}]}]}`},
		{"a file of the history", november, shy, func(h *user) { h.shareFile(h.shareOld(KindHistory, "media_placeholder", 0, filesLength)) }, `{` + head + `,
			"contacts": [{"profile": {"name": "Jane", "username": "jane"}, "user_id": "BSUID", "parent_user_id": "PARENT"}],
			"messages": [{"from_user_id": "BSUID", "from_parent_user_id": "PARENT", "id": "ID", "timestamp": "TIME", "type": "image", "image": {
				"mime_type": "image/jpeg", "sha256": "3f9d94d399fa61c191bc1d4ca71375a035cdb9f5b1f7a5e8d7d3d2a1b6c0e4f2", "id": "FORM"}}]}`},
		{"a file of the business in the history", february, jane, func(h *user) { h.shareFile(h.shareOld(KindHistoryEcho, "media_placeholder", 0, filesLength)) }, `{` + head + `,
			"contacts": [{"wa_id": "PHONE"}],
			"message_echoes": [{"from": "15550783881", "to": "PHONE", "id": "ID", "timestamp": "TIME", "type": "image", "image": {
				"mime_type": "image/jpeg", "sha256": "3f9d94d399fa61c191bc1d4ca71375a035cdb9f5b1f7a5e8d7d3d2a1b6c0e4f2", "id": "FORM"}}]}`},
		{"an edit", november, shy, func(h *user) { h.Write(0, "Helo!"); h.WriteType(0, "edit") }, `{` + head + `,
			"contacts": [{"profile": {"name": "Jane", "username": "jane"}, "user_id": "BSUID", "parent_user_id": "PARENT"}],
			"messages": [{"from_user_id": "BSUID", "from_parent_user_id": "PARENT", "id": "ID", "timestamp": "TIME", "type": "edit", "edit": {
				"original_message_id": "TARGET", "message": {"context": {"id": "M0"}, "type": "text", "text": {"body": "Corrected"}}}}]}`},
		{"a deletion", november, shy, func(h *user) { h.Write(0, "Helo!"); h.WriteType(0, "revoke") }, `{` + head + `,
			"contacts": [{"profile": {"name": "Jane", "username": "jane"}, "user_id": "BSUID", "parent_user_id": "PARENT"}],
			"messages": [{"from_user_id": "BSUID", "from_parent_user_id": "PARENT", "id": "ID", "timestamp": "TIME", "type": "revoke", "revoke": {
				"original_message_id": "TARGET"}}]}`},
		{"an error of a value", november, jane, func(h *user) { h.platform.Update(0, "errors") }, `{` + head + `, "errors": [{"code": 130429,
			"title": "Rate limit hit", "message": "(#130429) Rate limit hit", "error_data": {
			"details": "Message failed to send because there were too many messages sent from this phone number in a short period of time"}}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			// The form of a webhook varies with the seed. One of them is the documented one.
			var got string
			for seed := range uint64(200) {
				p := newRecording(seed, test.start)
				test.play(p.Add(test.profile))
				var last Delivery
				for last = range p.Webhooks(faults{}) {
				}
				e := last.Events[0]
				if e.sent != 0 {
					e.At = time.Unix(e.sent, 0)
				}
				want := strings.NewReplacer("OLDPHONE", e.Previous.Phone, "OLDBSUID", e.Previous.BSUID, "OLDPARENT", e.Previous.Parent,
					"FORM", strconv.FormatUint(uint64(e.form), 10), "TARGET", e.target, "PHONE", e.True.Phone, "BSUID", e.Shown.BSUID, "PARENT", e.Shown.Parent, `"ID"`, strconv.Quote(e.ID),
					"TIME", strconv.FormatInt(e.At.Unix(), 10), "NUMBER", strconv.FormatInt(e.At.Unix(), 10)).Replace(test.want)
				var body struct {
					Object string
					Entry  []struct {
						ID      string
						Changes []struct {
							Field string
							Value json.RawMessage
						}
					}
				}
				require.NoError(t, json.Unmarshal(last.Body, &body))
				require.Equal(t, "whatsapp_business_account", body.Object)
				require.Equal(t, "102290129340398", body.Entry[0].ID)
				got = string(body.Entry[0].Changes[0].Value)
				if equalJSON(t, want, got) {
					for field, name := range map[string]string{"standby": "in standby", "messaging_handovers": " handover", "history": "history"} {
						if strings.Contains(test.name, name) {
							require.Equal(t, field, body.Entry[0].Changes[0].Field)
						}
					}
					return
				}
			}
			t.Errorf("no seed gives the documented form, but such as %s", got)
		})
	}
}

func equalJSON(t *testing.T, x, y string) bool {
	var a, b any
	require.NoError(t, json.Unmarshal([]byte(x), &a), x)
	require.NoError(t, json.Unmarshal([]byte(y), &b), y)
	left, err := json.Marshal(a)
	require.NoError(t, err)
	right, err := json.Marshal(b)
	require.NoError(t, err)
	return bytes.Equal(left, right)
}

// shownPhone returns the number that the person's next message shows to a business.
func shownPhone(p *platform, h *user, business int) string {
	h.Write(business, "Hello!")
	var last Event
	for last = range p.Events() {
	}
	return last.Shown.Phone
}

func TestHiddenNumber(t *testing.T) {
	p := newRecording(1, summer)
	h := p.Add(profile{Name: "Jane"})
	number := h.Phone()
	require.Equal(t, number, shownPhone(p, h, 0))
	h.AdoptUsername("jane")
	h.HideNumber()
	require.Equal(t, number, shownPhone(p, h, 0), "used within 30 days")
	require.Empty(t, shownPhone(p, h, 1), "never used with this business")
	p.Wait(31 * 24 * time.Hour)
	require.Empty(t, shownPhone(p, h, 0))
	h.ShareNumber(1)
	require.Equal(t, number, shownPhone(p, h, 1), "in the contact book")
	require.Empty(t, shownPhone(p, h, 0))
	h.ShowNumber()
	require.Equal(t, number, shownPhone(p, h, 0))
	h.HideNumber()
	h.ChangeNumber("")
	require.Empty(t, shownPhone(p, h, 0), "the new number was never used")
	h.DropUsername()
	require.Equal(t, h.Phone(), shownPhone(p, h, 0), "without a username there is nothing to hide behind")
	require.NotEqual(t, number, h.Phone())
}

func TestGroupsHaveNoStandby(t *testing.T) {
	p := newRecording(1, summer)
	h := p.Add(profile{})
	h.Write(0, "Hello!")
	h.TakeOver(0)
	h.WriteInGroup(0, "120363418770915618@g.us", "Hello!")
	h.Write(0, "Hello!")
	var standby []bool
	for e := range p.Events() {
		if e.Kind == KindMessage {
			standby = append(standby, e.Standby)
		}
	}
	require.Equal(t, []bool{false, false, true}, standby)
}

func TestIDsOfAPerson(t *testing.T) {
	shops := []Business{{Portfolio: "a", Group: "g"}, {Portfolio: "a", Group: "g"}, {Portfolio: "b", Group: "g"}, {Portfolio: "c"}}
	p := newRecording(1, summer, shops...)
	h, other := p.Add(profile{}), p.Add(profile{})
	require.Equal(t, h.IDs(0), h.IDs(1), "one portfolio")
	require.NotEqual(t, h.IDs(0).BSUID, h.IDs(2).BSUID, "another portfolio")
	require.Equal(t, h.IDs(0).Parent, h.IDs(2).Parent, "linked portfolios")
	require.Empty(t, h.IDs(3).Parent)
	require.NotEqual(t, h.IDs(0).BSUID, other.IDs(0).BSUID)
	require.Regexp(t, `^US\.[0-9]{16}$`, h.IDs(0).BSUID)
	require.Regexp(t, `^US\.ENT\.[0-9]{16}$`, h.IDs(0).Parent)
	require.Regexp(t, `^1[2-9][0-9]{2}555[0-9]{4}$`, h.Phone())

	before := h.IDs(0)
	h.AdoptUsername("jane")
	require.Equal(t, before.BSUID, h.IDs(0).BSUID, "a username changes no id")
	h.ChangeNumber("")
	after := h.IDs(0)
	require.NotEqual(t, before.BSUID, after.BSUID)
	require.NotEqual(t, before.Parent, after.Parent)
	h.Rotate()
	require.NotEqual(t, after.BSUID, h.IDs(0).BSUID)
	require.Equal(t, after.Phone, h.IDs(0).Phone)

	h.GiveUpNumber()
	require.Panics(t, func() { h.Write(0, "") })
}

func TestChangesAreAnnouncedToEachBusinessOfAPerson(t *testing.T) {
	p := newRecording(1, summer, Business{ID: "1"}, Business{ID: "2"}, Business{ID: "3"})
	h := p.Add(profile{})
	h.Write(0, "Hello!")
	h.Receive(2)
	h.ChangeNumber("")
	announced := map[int]int{}
	for e := range p.Events() {
		if e.Kind == KindChange {
			announced[e.Business]++
		}
	}
	require.Equal(t, map[int]int{0: 1, 2: 1}, announced)
}
