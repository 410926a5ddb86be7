package simulate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A Result is what the rehearsal found.
type Result struct {
	Webhooks int       `json:"webhooks"` // posted, without repetitions
	Messages int       `json:"messages"` // from people
	Replies  int       `json:"replies"`
	Causes   []Cause   `json:"causes"` // of the mistakes, what to fix first at the beginning
	Mistakes []Mistake `json:"mistakes"`

	// Unavoidable is the number of contacts and people that no receiver could have told apart or joined.
	Unavoidable int `json:"unavoidable"`
}

// A Mistake is something that the receiver did wrong, with the evidence.
type Mistake struct {
	Mistake  lives.Mistake `json:"mistake"`
	Life     string        `json:"life,omitempty"` // the name of the life in which it happened
	Text     string        `json:"text"`
	Messages []Message     `json:"messages"`
	because  string        // why it was lost or not answered, or ""
}

// A Message is a simulated event, and the webhook that contains it.
type Message struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	Type     string    `json:"type"`
	Person   int       `json:"person"`
	At       time.Time `json:"at"`
	Phone    string    `json:"phone,omitempty"`
	BSUID    string    `json:"bsuid,omitempty"`
	Contact  string    `json:"contact,omitempty"` // the receiver's contact
	Webhook  int       `json:"webhook,omitempty"` // the first is 1
	Payload  string    `json:"payload,omitempty"` // the webhook's body
	sequence int
}

// judge compares what the receiver did with the truth. If the rehearsal stopped before its end, it returns why, and
// judges only what was posted. Contacts aren't compared then, because webhooks that connect a person's IDs can be missing.
func (s *Stage) judge(ctx context.Context, stopped error) (Result, error) {
	c := s.conversation
	results := lives.Results{Replies: c.repliesTo, MustReply: c.isReplying()}
	questions := inquiry{stage: s, ctx: ctx, failed: map[string]error{}}
	if stopped != nil {
		results.Delivered = func(seq int) bool { return s.posted[seq] > 0 }
	} else if s.Ask != "" {
		results.Sent = slices.Clone(c.sent)
		results.ContactsOf = questions.contactsOf
	}
	report := s.Story.Judge(results)
	if ctx.Err() != nil && stopped == nil {
		return s.judge(ctx, errInterrupted)
	}
	if err := questions.failure(); err != nil {
		return s.judge(ctx, err)
	}
	strays, replies := c.outcome()
	if accepted := s.forge(ctx); len(accepted) > 0 {
		strays = append(strays, stray{mistake: forged, event: s.first.Events[0], accepted: accepted})
	}
	for _, f := range s.failures {
		strays = append(strays, f.stray())
	}
	result := Result{
		Mistakes: []Mistake{}, Webhooks: s.webhooks, Messages: report.Messages, Replies: replies,
		Unavoidable: len(report.Findings) - len(report.Avoidable()),
	}
	notes := s.notes(&questions)
	for _, f := range report.Avoidable() {
		m := Mistake{Mistake: f.Mistake, Life: s.Story.Life(&f.A), Text: f.String(), Messages: []Message{newMessage(&f.A, f.Contact)}}
		if note := notes(f.A); note != "" && (f.Mistake == lives.Lost || f.Mistake == lives.Unanswered) {
			m.because = "because " + note
			m.Text += ", " + m.because
		}
		if f.Mistake == lives.Mixed {
			m.Messages = append(m.Messages, newMessage(&f.B, f.Contact))
		}
		if f.Mistake == lives.Split {
			m.Messages = append(m.Messages, newMessage(&f.B, f.Other))
		}
		result.Mistakes = append(result.Mistakes, m)
	}
	for _, stray := range strays {
		result.Mistakes = append(result.Mistakes, stray.mistakeOf(s.Story))
	}
	slices.SortStableFunc(result.Mistakes, func(a, b Mistake) int { return a.Messages[0].sequence - b.Messages[0].sequence })
	s.addWebhooks(&result)
	result.Causes = s.causes(&result)
	return result, stopped
}

// notes returns a function that says why a message was lost or not answered, or "".
func (s *Stage) notes(q *inquiry) func(e lives.Event) string {
	failures := map[int]failure{} // by webhook
	for _, f := range s.failures {
		if !f.delivery.Repeat {
			failures[f.webhook] = f
		}
	}
	return func(e lives.Event) string {
		f, failed := failures[s.posted[e.Seq]]
		err, code := q.failed[e.ID], s.conversation.refusal(e.ID)
		switch {
		case failed && f.crashed:
			return fmt.Sprintf("the receiver crashed at webhook %d", f.webhook)
		case failed:
			return fmt.Sprintf("the receiver rejected webhook %d", f.webhook)
		case err != nil:
			return err.Error()
		case code != 0:
			return fmt.Sprintf("the stand-in refused it with the error %d", code)
		}
		return ""
	}
}

func newMessage(e *lives.Event, contact string) Message {
	return Message{
		ID: e.ID, Kind: e.Kind.String(), Type: e.Type, Person: e.Person, At: e.At,
		Phone: e.Shown.Phone, BSUID: e.Shown.BSUID, Contact: contact, sequence: e.Seq,
	}
}

func (f failure) stray() stray {
	s := stray{mistake: rejected, event: f.delivery.Events[0], failure: f}
	if f.crashed {
		s.mistake = crashed
	}
	return s
}

func (s stray) mistakeOf(story lives.Story) Mistake {
	return Mistake{Mistake: s.mistake, Life: story.Life(&s.event), Text: s.String(), Messages: []Message{newMessage(&s.event, "")}}
}

func (s stray) String() string {
	text := fmt.Sprintf("bsuid_in_to: a reply was sent with to %q, which must be a phone number; put a BSUID into recipient", s.target.address)
	if s.mistake == forged {
		return fmt.Sprintf("forged: the receiver answered 2xx to a webhook with %s; it must answer 403, because anybody can post one", strings.Join(s.accepted, ", with "))
	}
	if s.mistake == crashed {
		return fmt.Sprintf("crashed: the receiver stopped while it handled webhook %d, with %s", s.failure.webhook, s.event.Describe())
	}
	if s.mistake == rejected {
		return fmt.Sprintf("rejected: the receiver answered %s to webhook %d, with %s; it must answer 200, whatever a webhook contains", s.failure.response, s.failure.webhook, s.event.Describe())
	}
	if s.mistake == misdirected {
		who := "nobody"
		if s.target.person >= 0 {
			who = fmt.Sprintf("person %d", s.target.person)
		}
		text = fmt.Sprintf("misdirected: a reply was sent to %s, which belongs to %s; nobody there waits for one", s.target.address, who)
	}
	if s.event.ID != "" {
		text += ". The last webhook contains " + s.event.Describe()
	}
	return text
}

// addWebhooks adds the webhooks that contain the messages.
func (s *Stage) addWebhooks(result *Result) {
	wanted := map[string][]*Message{}
	for i := range result.Mistakes {
		for j := range result.Mistakes[i].Messages {
			m := &result.Mistakes[i].Messages[j]
			wanted[m.ID] = append(wanted[m.ID], m)
		}
	}
	if len(wanted) == 0 {
		return
	}
	for d := range s.Story.Deliveries() {
		for _, e := range d.Events {
			for _, m := range wanted[e.ID] {
				if m.Webhook == 0 && m.sequence == e.Seq {
					m.Webhook, m.Payload = s.posted[e.Seq], string(d.Body)
				}
			}
		}
	}
}

// Kinds returns the kinds of the mistakes, in the order in which they first happened.
func (r *Result) Kinds() (kinds []lives.Mistake) {
	for _, m := range r.Mistakes {
		if !slices.Contains(kinds, m.Mistake) {
			kinds = append(kinds, m.Mistake)
		}
	}
	return kinds
}
