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
	Webhooks int       `json:"webhooks"` // without repetitions
	Messages int       `json:"messages"` // from people
	Replies  int       `json:"replies"`
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

// judge compares what the receiver did with the truth.
func (s *Stage) judge(ctx context.Context) (Result, error) {
	c := s.conversation
	results := lives.Results{Replies: c.repliesTo, MustReply: c.isReplying()}
	var failed error
	if s.Ask != "" {
		results.Sent = slices.Clone(c.sent)
		results.ContactsOf = func(id string) []string {
			if failed != nil {
				return nil
			}
			contacts, err := s.ask(ctx, id)
			failed = err
			return contacts
		}
	}
	report := s.Story.Judge(results)
	if failed != nil {
		return Result{}, failed
	}
	strays, replies := c.outcome()
	accepted, err := s.forge(ctx)
	if err != nil {
		return Result{}, err
	}
	if len(accepted) > 0 {
		strays = append(strays, stray{mistake: forged, event: s.first.Events[0], accepted: accepted})
	}
	result := Result{Mistakes: []Mistake{}, Messages: report.Messages, Replies: replies, Unavoidable: len(report.Findings) - len(report.Avoidable())}
	for _, f := range report.Avoidable() {
		m := Mistake{Mistake: f.Mistake, Life: s.Story.Life(&f.A), Text: f.String(), Messages: []Message{newMessage(&f.A, f.Contact)}}
		if code := c.refusal(f.A.ID); f.Mistake == lives.Unanswered && code != 0 {
			m.Text += fmt.Sprintf(", because the stand-in refused it with the error %d", code)
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
	return result, nil
}

func newMessage(e *lives.Event, contact string) Message {
	return Message{
		ID: e.ID, Kind: e.Kind.String(), Type: e.Type, Person: e.Person, At: e.At,
		Phone: e.Shown.Phone, BSUID: e.Shown.BSUID, Contact: contact, sequence: e.Seq,
	}
}

func (s stray) mistakeOf(story lives.Story) Mistake {
	return Mistake{Mistake: s.mistake, Life: story.Life(&s.event), Text: s.String(), Messages: []Message{newMessage(&s.event, "")}}
}

func (s stray) String() string {
	text := fmt.Sprintf("bsuid_in_to: a reply was sent with to %q, which must be a phone number; put a BSUID into recipient", s.target.address)
	if s.mistake == forged {
		return fmt.Sprintf("forged: the receiver answered 2xx to a webhook with %s; it must answer 403, because anybody can post one", strings.Join(s.accepted, ", with "))
	}
	if s.mistake == rejected {
		return fmt.Sprintf("rejected: the receiver answered %s to a webhook with %s; it must answer 200, whatever a webhook contains", s.response, s.event.Describe())
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
	for d := range s.Story.Deliveries() {
		if d.Repeat {
			continue
		}
		result.Webhooks++
		for _, e := range d.Events {
			for _, m := range wanted[e.ID] {
				if m.Webhook == 0 && m.sequence == e.Seq {
					m.Webhook, m.Payload = result.Webhooks, string(d.Body)
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
