package lives

import (
	"iter"
	"strings"
	"time"
)

// A Story is what happens to people, and the webhooks about it. Equal stories result in the same
// bytes.
type Story struct {
	seed       uint64
	businesses []Business
	faults     faults
	play       func(t *truth, yield func(Event) bool) // calls yield until it returns false
	names      []string                               // of each person's life; nil in a [World]
}

// events returns the events in order of time, including lost ones, and writes the truth about them.
func (s Story) events(t *truth) iter.Seq[Event] {
	return func(yield func(Event) bool) { s.play(t, yield) }
}

// Deliveries returns the webhooks in their order of arrival. They're created one by one, so memory
// contains only people and late events.
func (s Story) Deliveries() iter.Seq[Delivery] { return s.deliver(newTruth()) }

func (s Story) deliver(t *truth) iter.Seq[Delivery] {
	businesses := s.businesses
	if len(businesses) == 0 {
		businesses = shops()
	}
	return deliver(s.seed, businesses, s.faults, s.events(t))
}

// Life returns the name of the life to which an event belongs, or "".
func (s Story) Life(e *Event) string {
	if e.Person < 0 || e.Person >= len(s.names) {
		return ""
	}
	return s.names[e.Person]
}

// A Directory tells who people are while a story is told.
type Directory struct {
	truth      *truth
	Businesses []Business
}

// Tell returns the webhooks and a directory that always knows at least what they report.
func (s Story) Tell() (iter.Seq[Delivery], Directory) {
	t := newTruth()
	businesses := s.businesses
	if len(businesses) == 0 {
		businesses = shops()
	}
	return s.deliver(t), Directory{t, businesses}
}

// Holder returns who holds a phone number, digits only, at a time.
func (d Directory) Holder(phone string, at time.Time) (person int, ok bool) {
	return d.truth.holder(phone, at.Unix())
}

// Owner returns whose BSUID or parent BSUID it is at a time.
func (d Directory) Owner(bsuid string, at time.Time) (person int, ok bool) {
	return d.truth.owner(bsuid, at.Unix())
}

// Conditions are the probabilities that something goes wrong on the way to the receiver.
type Conditions struct {
	Repeat  float64 // a webhook is delivered a second time
	Shuffle float64 // an event is up to seven days late, and half as often shares a webhook with others, in any order
	Lose    float64 // an event is never delivered
}

// Scenarios returns the fifteen lives that receivers often handle wrongly, all at the same time.
// Fields are the delivered webhook fields, or nil for all.
func Scenarios(seed uint64, c Conditions, fields []string) Story {
	p := newRecording(seed, time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC))
	p.fields, p.lossRate = fields, c.Lose
	var names []string
	start := p.now
	for _, s := range scenarios {
		p.now = start + int64(p.events) // all scenarios take place at the same time
		s.play(p)
		for len(names) < p.people {
			names = append(names, s.name)
		}
	}
	p.sort()
	story := p.Story(faults{duplicate: c.Repeat, delay: c.Shuffle, batch: c.Shuffle / 2})
	story.names = names
	return story
}

// Answers returns what the business answers to a webhook: the messages that expect an answer, show the
// person's number and arrive at once.
func (d Delivery) Answers() (answers []Sent) {
	if d.Repeat {
		return nil
	}
	for _, e := range d.Events {
		if e.Answer() == AnswerWanted && e.Shown.Phone != "" && e.At.Equal(d.At) {
			answers = append(answers, Sent{ID: "wamid.S" + strings.TrimPrefix(e.ID, "wamid."), To: e})
		}
	}
	return answers
}
