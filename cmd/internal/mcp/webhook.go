package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/httpapi/wire"
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
	Summary string      `json:"summary"`
	Events  []eventInfo `json:"events" jsonschema:"at most 100 events"`
	Others  []otherInfo `json:"others,omitempty" jsonschema:"at most 100 changes that aren't about a person, such as a template's rejection"`
}

// An eventInfo contains members of an event in the HTTP API, without raw and other long ones.
type eventInfo struct {
	Summary string `json:"summary" jsonschema:"the event in words"`
	NoReply string `json:"noReply,omitempty" jsonschema:"why no reply should be sent to the person"`

	Kind          webhooknorm.Kind            `json:"kind"`
	BSUID         string                      `json:"bsuid,omitempty"`
	ParentBSUID   string                      `json:"parentBsuid,omitempty"`
	Phone         string                      `json:"phone,omitempty"`
	Username      string                      `json:"username,omitempty"`
	DisplayName   string                      `json:"displayName,omitempty"`
	Reply         *replyAddress               `json:"reply,omitempty" jsonschema:"where to send a reply; missing if none should be sent to the person"`
	Address       *replyAddress               `json:"address,omitempty" jsonschema:"where messages to the person go"`
	WantsReply    bool                        `json:"wantsReply,omitempty" jsonschema:"a person sent the message to get a reply"`
	Text          string                      `json:"text,omitempty" jsonschema:"the text of the message, written by a stranger"`
	Choice        string                      `json:"choice,omitempty" jsonschema:"the ID of the chosen button or list entry"`
	Type          string                      `json:"type,omitempty"`
	State         string                      `json:"state,omitempty"`
	Errors        []webhooknorm.Error         `json:"errors,omitempty" jsonschema:"the platform's errors, for example of a failed status"`
	Change        *webhooknorm.IdentityChange `json:"change,omitempty" jsonschema:"the person's other identifiers"`
	Handover      *webhooknorm.Handover       `json:"handover,omitempty" jsonschema:"the conversation passed to another application"`
	Time          string                      `json:"time,omitempty"`
	Key           string                      `json:"key,omitempty" jsonschema:"the same for repetitions of the event"`
	MessageID     string                      `json:"messageId,omitempty"`
	GroupID       string                      `json:"groupId,omitempty"`
	PhoneNumberID string                      `json:"phoneNumberId,omitempty" jsonschema:"the ID of the business phone number"`
	BusinessPhone string                      `json:"businessPhone,omitempty"`
}

// An otherInfo contains members of an other in the HTTP API.
type otherInfo struct {
	Field         string              `json:"field,omitempty"`
	Errors        []webhooknorm.Error `json:"errors,omitempty"`
	Time          string              `json:"time,omitempty"`
	PhoneNumberID string              `json:"phoneNumberId,omitempty"`
}

// A replyAddress specifies the recipient in a send-message request.
type replyAddress struct {
	Field string `json:"field" jsonschema:"the field of the send-message request"`
	Value string `json:"value"`
}

func explainWebhook(in webhookParameters) (out webhookInfo, _ []sdk.Content, err error) {
	if len(in.Payload) > maxWebhook {
		return out, nil, problem.New("payload", "body_too_large", "payload is %d KiB long; at most %d KiB are allowed", len(in.Payload)>>10, maxWebhook>>10)
	}
	webhook, err := webhooknorm.Read(in.Payload)
	if err != nil {
		return out, nil, err
	}
	out.Summary = fmt.Sprintf("%s and %s.", count(len(webhook.Events), "event"), count(len(webhook.Others), "other part"))
	if max(len(webhook.Events), len(webhook.Others)) > maxEvents {
		out.Summary += fmt.Sprintf(" Only the first %d of each are listed.", maxEvents)
	}
	out.Events = make([]eventInfo, min(len(webhook.Events), maxEvents))
	for i := range out.Events {
		e, info := &webhook.Events[i], &out.Events[i]
		if err := json.Unmarshal(wire.AppendEvent(nil, e), info); err != nil {
			return out, nil, err
		}
		info.Summary = summaryOf(e)
		if info.Reply == nil {
			info.NoReply = noReply(e)
		}
	}
	out.Others = make([]otherInfo, min(len(webhook.Others), maxEvents))
	for i := range out.Others {
		if err := json.Unmarshal(wire.AppendOther(nil, &webhook.Others[i]), &out.Others[i]); err != nil {
			return out, nil, err
		}
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

func noReply(e *webhooknorm.Event) string {
	switch {
	case e.Standby:
		return "Another application or Meta's agent answers this conversation (standby)."
	case e.Kind == webhooknorm.KindHistory || e.Kind == webhooknorm.KindHistoryEcho:
		return "It's history: the message is from before the business joined the platform."
	case e.Type == "system" || e.Kind == webhooknorm.KindIdentityUpdate:
		return "Nobody wrote it, and its identifiers may have ended. A change contains the current ones."
	case !e.WantsReply():
		return "It isn't a message that waits for a reply."
	case e.GroupID != "":
		return fmt.Sprintf("It happened in a group. To reply there, send to %s with recipient_type group.", e.GroupID)
	default:
		return "The webhook doesn't identify the person."
	}
}

// summaries describes events. {who}, {state}, {from} and {to} are placeholders.
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
	webhooknorm.KindHandover:          "The conversation with {who} passed from {from} to {to}",
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
	h := cmp.Or(e.Handover, &webhooknorm.Handover{})
	summary = strings.NewReplacer(
		"{who}", who, "{state}", cmp.Or(e.State, "unknown"),
		"{from}", cmp.Or(h.PreviousOwner, h.PreviousAppID, "an unknown application"), "{to}", cmp.Or(h.NewOwner, "an unknown application"),
	).Replace(summary)
	for i, err := range e.Errors {
		separator := ", with error"
		if i > 0 {
			separator = "; error"
		}
		summary += fmt.Sprintf("%s %d: %s", separator, err.Code, cmp.Or(err.Details, err.Message, err.Title))
	}
	summary += "."
	if c := e.Change; c != nil {
		summary += fmt.Sprintf(" The identifiers of the person changed from %s to %s. Use the new ones.", describe(c.Previous), describe(c.Current))
	}
	return summary
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
