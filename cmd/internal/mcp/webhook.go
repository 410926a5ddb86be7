package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

const (
	maxWebhook = 1 << 20 // bytes; an assistant can't read more
	maxEvents  = 100     // in a result
)

type webhookParameters struct {
	Payload payload `json:"payload"`
}

// A payload is the JSON of a webhook. An argument contains it as a string, or as the object itself,
// whose bytes stay as they are.
type payload []byte

func (p *payload) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		*p = bytes.Clone(text)
		return nil
	}
	var s string
	err := json.Unmarshal(text, &s)
	*p = payload(s)
	return err
}

func describePayload(s *jsonschema.Schema) {
	s.Properties["payload"] = &jsonschema.Schema{
		Types:       []string{"string", "object"},
		Description: "the body of the webhook request, as a string exactly as received, or as an object; at most 1 MiB",
	}
}

type webhookInfo struct {
	Summary   string         `json:"summary"`
	Events    []eventInfo    `json:"events" jsonschema:"at most 100 events"`
	Changes   []changeInfo   `json:"changes,omitempty" jsonschema:"people whose identifiers have changed"`
	Handovers []handoverInfo `json:"handovers,omitempty" jsonschema:"conversations that passed to another application"`
}

type eventInfo struct {
	Summary       string              `json:"summary" jsonschema:"the event in words"`
	Kind          webhooknorm.Kind    `json:"kind"`
	Person        *contact.Person     `json:"person,omitempty" jsonschema:"the person the event is about, as far as the webhook identifies them"`
	Reply         *replyAddress       `json:"reply,omitempty" jsonschema:"where to send a reply; missing if no reply should be sent to the person"`
	NoReply       string              `json:"noReply,omitempty" jsonschema:"why there is no address to reply to"`
	Text          string              `json:"text,omitempty" jsonschema:"the text of the message, written by a stranger"`
	Type          string              `json:"type,omitempty"`
	State         string              `json:"state,omitempty"`
	Errors        []webhooknorm.Error `json:"errors,omitempty" jsonschema:"the platform's errors, for example of a failed status"`
	Time          string              `json:"time,omitempty"`
	MessageID     string              `json:"messageId,omitempty"`
	GroupID       string              `json:"groupId,omitempty"`
	PhoneNumberID string              `json:"phoneNumberId,omitempty" jsonschema:"the ID of the business phone number"`
	BusinessPhone string              `json:"businessPhone,omitempty"`
}

// A replyAddress specifies the recipient in a send-message request.
type replyAddress struct {
	Field string `json:"field" jsonschema:"the field of the send-message request"`
	Value string `json:"value"`
}

type changeInfo struct {
	Summary  string        `json:"summary"`
	Previous contact.IDs   `json:"previous"`
	Current  contact.IDs   `json:"current"`
	Reply    *replyAddress `json:"reply,omitempty" jsonschema:"where to send messages to the person from now on"`
}

type handoverInfo struct {
	Summary string      `json:"summary"`
	Person  contact.IDs `json:"person"`
}

func explainWebhook(in webhookParameters) (out webhookInfo, _ []sdk.Content, err error) {
	if len(in.Payload) > maxWebhook {
		return out, nil, problem.New("payload", "body_too_large", "payload is %d KiB long; at most %d KiB are allowed", len(in.Payload)>>10, maxWebhook>>10)
	}
	webhook, err := webhooknorm.Read(in.Payload)
	if err != nil {
		return out, nil, err
	}
	out.Summary = fmt.Sprintf("%s, %s and %s.", count(len(webhook.Events), "event"), count(len(webhook.Changes), "identifier change"), count(len(webhook.Handovers), "handover"))
	if len(webhook.Events) > maxEvents {
		out.Summary += fmt.Sprintf(" Only the first %d of each are listed.", maxEvents)
	}
	out.Events = []eventInfo{}
	for i := range webhook.Events[:min(len(webhook.Events), maxEvents)] {
		out.Events = append(out.Events, infoOfEvent(&webhook.Events[i]))
	}
	for i := range webhook.Changes[:min(len(webhook.Changes), maxEvents)] {
		c := &webhook.Changes[i]
		info := changeInfo{Previous: c.Previous, Current: c.Current, Reply: replyTo(c.Current.Address())}
		info.Summary = fmt.Sprintf("The identifiers of a person changed from %s to %s. Use the new ones.", describe(c.Previous), describe(c.Current))
		out.Changes = append(out.Changes, info)
	}
	for i := range webhook.Handovers[:min(len(webhook.Handovers), maxEvents)] {
		h := &webhook.Handovers[i]
		out.Handovers = append(out.Handovers, handoverInfo{
			Summary: fmt.Sprintf("The conversation with %s passed from %s to %s.", describe(h.Person), cmp.Or(h.PreviousOwner, h.PreviousAppID, "an unknown application"), cmp.Or(h.NewOwner, "an unknown application")),
			Person:  h.Person,
		})
	}
	return out, nil, nil
}

// count returns a number with its noun, for example 2 events.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func infoOfEvent(e *webhooknorm.Event) eventInfo {
	info := eventInfo{
		Kind: e.Kind, Reply: replyTo(e.Address()), Text: e.Text(), Type: e.Type, State: e.State, Errors: e.Errors,
		MessageID: e.MessageID, GroupID: e.GroupID, PhoneNumberID: e.PhoneNumberID, BusinessPhone: e.BusinessPhone,
	}
	if e.Person != (contact.Person{}) {
		info.Person = &e.Person
	}
	if at, ok := e.Time(); ok {
		info.Time = at.UTC().Format(time.RFC3339)
	}
	if info.Reply == nil {
		info.NoReply = noReply(e)
	}
	info.Summary = summaryOf(e)
	return info
}

func replyTo(address contact.Address, ok bool) *replyAddress {
	if !ok {
		return nil
	}
	return &replyAddress{address.Field, address.Value}
}

func noReply(e *webhooknorm.Event) string {
	switch {
	case e.Standby:
		return "Another application or Meta's agent answers this conversation (standby)."
	case e.Kind == webhooknorm.KindHistory || e.Kind == webhooknorm.KindHistoryEcho:
		return "It's history: the message is from before the business joined the platform."
	case e.GroupID != "":
		return fmt.Sprintf("It happened in a group. To reply there, send to %s with recipient_type group.", e.GroupID)
	case e.Type == "system" || e.Kind == webhooknorm.KindIdentityUpdate:
		return "Nobody wrote it, and its identifiers may have ended. See changes for the current ones."
	default:
		return "The webhook doesn't identify the person."
	}
}

// summaries describes events. {who} and {state} are placeholders.
var summaries = map[webhooknorm.Kind]string{
	webhooknorm.KindStatus:            "A message or call to {who} has the status {state}",
	webhooknorm.KindEcho:              "The business sent {who} a message from another device or application",
	webhooknorm.KindHistory:           "{who} sent a message before the business joined the platform",
	webhooknorm.KindHistoryEcho:       "The business sent {who} a message before it joined the platform",
	webhooknorm.KindCall:              "{who} called the business; the state of the call is {state}",
	webhooknorm.KindCallToUser:        "The business called {who}; the state of the call is {state}",
	webhooknorm.KindPreference:        "{who} set the preference for marketing messages to {state}",
	webhooknorm.KindParticipant:       "{who} joined or left a group, was invited or asks to join ({state})",
	webhooknorm.KindParticipantFailed: "{who} couldn't be added to, removed from or invited to a group ({state})",
	webhooknorm.KindAppContact:        "The address book of the business's phone has an entry for {who} ({state})",
	webhooknorm.KindIdentityUpdate:    "{who} has new identifiers",
	webhooknorm.KindHandover:          "The conversation with {who} passed to another application",
}

// summaryOf returns an event in a sentence.
func summaryOf(e *webhooknorm.Event) string {
	summary := summaries[e.Kind]
	switch {
	case e.Kind == webhooknorm.KindMessage && e.Type == "system":
		summary = "WhatsApp sent a system message about {who}"
	case e.Kind == webhooknorm.KindMessage:
		summary = "{who} sent a message of type " + cmp.Or(e.Type, "unknown")
	}
	who := cmp.Or(e.Label(), "A person the webhook doesn't identify")
	summary = strings.NewReplacer("{who}", who, "{state}", cmp.Or(e.State, "unknown")).Replace(summary)
	for i, err := range e.Errors {
		separator := ", with error"
		if i > 0 {
			separator = "; error"
		}
		summary += fmt.Sprintf("%s %d: %s", separator, err.Code, cmp.Or(err.Details, err.Message, err.Title))
	}
	return summary + "."
}

func describe(ids contact.IDs) string {
	var list []string
	for _, id := range [][2]string{{"BSUID", ids.BSUID}, {"parent BSUID", ids.ParentBSUID}, {"phone", ids.Phone}} {
		if id[1] != "" {
			list = append(list, id[0]+" "+id[1])
		}
	}
	return cmp.Or(strings.Join(list, ", "), "unknown identifiers")
}
