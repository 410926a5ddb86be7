package lives

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// A Mistake is something that a receiver did wrong.
type Mistake string

const (
	Lost       Mistake = "lost"       // no contact contains a delivered message
	Duplicate  Mistake = "duplicate"  // a message is stored more than once
	Mixed      Mistake = "mixed"      // a contact contains messages from two people
	Split      Mistake = "split"      // a person's messages are in two contacts
	System     Mistake = "system"     // a contact contains a system message, which nobody wrote
	Replied    Mistake = "replied"    // a reply went to a message that expects none
	Repeated   Mistake = "repeated"   // a message got two replies
	Unanswered Mistake = "unanswered" // a message got no reply
)

// A Finding is a mistake with the messages that show it.
type Finding struct {
	Mistake Mistake
	Contact string // the contact that contains A, if any
	Other   string // if split, the contact that contains B

	// If mixed, A and B are messages from two people in one contact; if split, messages from one
	// person in two contacts. Otherwise A is the message, and B is empty.
	A, B Event

	// Unavoidable is set if no receiver can know better, because webhooks with enough evidence were
	// lost or never existed.
	Unavoidable bool
}

// A Report contains the differences between what a receiver did and the truth.
type Report struct {
	Messages int // delivered, without repetitions
	People   int // who wrote a message that a contact contains
	Findings []Finding
}

func (r Report) String() string {
	unavoidable := 0
	for _, f := range r.Findings {
		if f.Unavoidable {
			unavoidable++
		}
	}
	counts := make([]string, 0, 8)
	for _, m := range []Mistake{Lost, Duplicate, Mixed, Split, System, Replied, Repeated, Unanswered} {
		counts = append(counts, fmt.Sprintf("%d %s", r.Count(m), m))
	}
	return fmt.Sprintf("%d messages from %d people; avoidable: %s; %d unavoidable", r.Messages, r.People, strings.Join(counts, ", "), unavoidable)
}

// Count returns the number of avoidable findings with a mistake.
func (r Report) Count(m Mistake) (n int) {
	for _, f := range r.Findings {
		if f.Mistake == m && !f.Unavoidable {
			n++
		}
	}
	return n
}

// Avoidable returns the findings that a receiver could have avoided.
func (r Report) Avoidable() (found []Finding) {
	for _, f := range r.Findings {
		if !f.Unavoidable {
			found = append(found, f)
		}
	}
	return found
}

// String describes the finding for a receiver's developer.
func (f Finding) String() string {
	switch f.Mistake {
	case Lost:
		return "lost: no contact has the message " + f.A.Describe()
	case Replied:
		return "replied: no reply should go to the message " + f.A.Describe()
	case Repeated:
		return "repeated: more than one reply went to the message " + f.A.Describe()
	case Unanswered:
		return "unanswered: no reply went to the message " + f.A.Describe()
	case System:
		return fmt.Sprintf("system: contact %q has a message that nobody wrote: %s", f.Contact, f.A.Describe())
	case Duplicate:
		return fmt.Sprintf("duplicate: contact %q has more than once the message %s", f.Contact, f.A.Describe())
	case Mixed:
		return fmt.Sprintf("mixed: contact %q has messages from two people: %s; and %s", f.Contact, f.A.Describe(), f.B.Describe())
	case Split:
		return fmt.Sprintf("split: one person is contact %q in %s; and contact %q in %s", f.Contact, f.A.Describe(), f.Other, f.B.Describe())
	}
	return string(f.Mistake)
}

// Describe describes the event in a few words for a developer.
func (e *Event) Describe() string {
	shown := strings.TrimSpace(strings.Join([]string{e.Shown.Phone, e.Shown.BSUID}, " "))
	typ := e.Type
	switch {
	case e.Standby:
		typ += " in standby"
	case e.Kind == KindSent:
		typ = "sent to them"
	case e.Kind != KindMessage:
		typ += " of the " + e.Kind.String()
	}
	date := e.At.Format("2 January 2006")
	switch {
	case e.Person < 0:
		return fmt.Sprintf("%s (%s)", typ, date)
	case e.ID == "":
		return fmt.Sprintf("%s (person %d, %s, %s)", typ, e.Person, date, shown)
	}
	return fmt.Sprintf("%s (person %d, %s, %s, %s)", e.ID, e.Person, typ, date, shown)
}

// Results tell what a receiver did. The judge doesn't check what's absent.
type Results struct {
	// ContactsOf returns the IDs of the contacts that contain a message.
	ContactsOf func(messageID string) []string

	// NoSystem is set if no contact must contain a system message.
	NoSystem bool

	// Replies returns how many replies went to a message.
	Replies func(messageID string) int

	// MustReply is set if each message that expects an answer must get one.
	MustReply bool

	// Delivered, if set, reports whether an event was delivered, by Seq. Nil means that all were, except for lost ones.
	Delivered func(seq int) bool

	// Sent contains the messages that the business sent to people's numbers. A receiver doesn't need
	// to store them, but if it does, they must stay with the person whom the business answered.
	Sent []Sent
}

// A Sent is a message that the business sent in response to a person's message, to the number that
// it shows, as soon as it arrived.
type Sent struct {
	ID string
	To Event // the person's message
}

// event returns a Sent as an event that shows only the number.
func (s Sent) event() Event {
	e := s.To
	e.Kind, e.ID = KindSent, s.ID
	e.Shown = Identifiers{Phone: e.Shown.Phone}
	return e
}

// A judge compares a receiver's contacts with the truth.
type judge struct {
	results  Results
	messages []message
	contacts map[string]int32 // index of each contact in names
	names    []string
	report   Report
	cited    [][2]int // Seq of A and B of each finding; for a Sent, its index as a negative number
}

// A message is what the judge keeps about a message until the last webhook has been delivered.
type message struct {
	seq, person int
	contact     int32
	shown       alias // a BSUID, unless hasBSUID is false
	hasBSUID    bool
	number      use
	place       int32
	certain     bool
}

// judge compares what a receiver did with a story. It reads the events twice.
func (s Story) Judge(results Results) Report {
	j := judge{results: results, contacts: map[string]int32{}}
	t := newTruth()
	for e := range s.events(t) {
		j.add(&e)
	}
	for i, sent := range results.Sent {
		e := sent.event()
		e.Seq = -1 - i
		if names := results.ContactsOf(e.ID); len(names) > 0 {
			j.store(&e, sent.To.aliases(), names)
		}
	}
	places := t.places()
	for i := range j.messages {
		m := &j.messages[i]
		var shown []alias
		if m.hasBSUID {
			shown = []alias{m.shown}
		}
		m.place, m.certain = places.of(shown, m.number)
	}
	j.findMixed()
	j.findSplit()
	j.fillIn(s.events(newTruth()))
	return j.report
}

func (j *judge) add(e *Event) {
	if e.Lost || j.results.Delivered != nil && !j.results.Delivered(e.Seq) {
		return
	}
	j.checkReplies(e)
	if e.Kind == KindChange && j.results.NoSystem && !e.Again {
		if names := j.results.ContactsOf(e.ID); len(names) > 0 {
			j.find(Finding{Mistake: System, Contact: names[0]}, e.Seq, e.Seq)
		}
	}
	if e.Again || e.Kind != KindMessage && e.Kind != KindHistory {
		return
	}
	j.report.Messages++
	if j.results.ContactsOf == nil {
		return
	}
	if names := j.results.ContactsOf(e.ID); len(names) > 0 {
		j.store(e, e.aliases(), names)
	} else {
		j.find(Finding{Mistake: Lost}, e.Seq, e.Seq)
	}
}

func (j *judge) checkReplies(e *Event) {
	if j.results.Replies == nil || e.ID == "" {
		return
	}
	replies := j.results.Replies(e.ID)
	switch answer := e.Answer(); {
	case replies > 0 && answer == AnswerWrong:
		j.find(Finding{Mistake: Replied}, e.Seq, e.Seq)
	case replies > 1 && e.Kind == KindMessage:
		j.find(Finding{Mistake: Repeated}, e.Seq, e.Seq)
	case replies == 0 && answer == AnswerWanted && j.results.MustReply:
		j.find(Finding{Mistake: Unanswered}, e.Seq, e.Seq)
	}
}

// store records that contacts contain a message.
func (j *judge) store(e *Event, shown []alias, names []string) {
	contact, ok := j.contacts[names[0]]
	if !ok {
		contact = int32(len(j.names))
		j.contacts[names[0]] = contact
		j.names = append(j.names, names[0])
	}
	if len(names) > 1 {
		j.find(Finding{Mistake: Duplicate, Contact: names[0]}, e.Seq, e.Seq)
	}
	m := message{seq: e.Seq, person: e.Person, contact: contact, number: use{e.portfolio, e.lease}}
	if len(shown) > 0 {
		m.shown, m.hasBSUID = shown[0], true
	}
	j.messages = append(j.messages, m)
}

func (j *judge) find(f Finding, a, b int) {
	j.report.Findings = append(j.report.Findings, f)
	j.cited = append(j.cited, [2]int{a, b})
}

// fillIn reads the events again to complete the findings.
func (j *judge) fillIn(events iter.Seq[Event]) {
	wanted := map[int]Event{}
	for _, c := range j.cited {
		wanted[c[0]], wanted[c[1]] = Event{}, Event{}
	}
	if len(wanted) == 0 {
		return
	}
	for e := range events {
		if _, ok := wanted[e.Seq]; ok {
			wanted[e.Seq] = e
		}
	}
	for i, sent := range j.results.Sent {
		if _, ok := wanted[-1-i]; ok {
			wanted[-1-i] = sent.event()
		}
	}
	for i, c := range j.cited {
		f := &j.report.Findings[i]
		f.A = wanted[c[0]]
		if f.Mistake == Mixed || f.Mistake == Split {
			f.B = wanted[c[1]]
		}
	}
}

// findMixed finds the contacts with messages from two people.
func (j *judge) findMixed() {
	person := func(m *message) int { return m.person }
	for _, group := range j.groupBy(func(m *message) int { return int(m.contact) }) {
		a, b, mixed := differ(group, person)
		if !mixed {
			continue
		}
		x, y, avoidable := differ(certain(group), person)
		if avoidable {
			a, b = x, y
		}
		j.find(Finding{Mistake: Mixed, Contact: j.names[a.contact], Unavoidable: !avoidable}, a.seq, b.seq)
	}
}

// findSplit finds the people with messages in two contacts.
func (j *judge) findSplit() {
	contact := func(m *message) int { return int(m.contact) }
	people := j.groupBy(func(m *message) int { return m.person })
	j.report.People = len(people)
	for _, group := range people {
		a, b, split := differ(group, contact)
		if !split {
			continue
		}
		avoidable := false
		for _, connected := range groupBy(certain(group), func(m *message) int { return int(m.place) }) {
			if x, y, ok := differ(connected, contact); ok {
				a, b, avoidable = x, y, true
				break
			}
		}
		j.find(Finding{Mistake: Split, Contact: j.names[a.contact], Other: j.names[b.contact], Unavoidable: !avoidable}, a.seq, b.seq)
	}
}

// differ returns two messages that differ in a property.
func differ(group []*message, property func(*message) int) (a, b *message, ok bool) {
	for _, m := range group {
		if property(m) != property(group[0]) {
			return group[0], m, true
		}
	}
	return nil, nil, false
}

// certain returns the messages whose writer the webhooks reveal.
func certain(group []*message) []*message {
	return slices.DeleteFunc(slices.Clone(group), func(m *message) bool { return !m.certain })
}

func (j *judge) groupBy(property func(*message) int) [][]*message {
	all := make([]*message, len(j.messages))
	for i := range j.messages {
		all[i] = &j.messages[i]
	}
	return groupBy(all, property)
}

// groupBy groups messages by a property, in its order.
func groupBy(messages []*message, property func(*message) int) [][]*message {
	groups := map[int][]*message{}
	for _, m := range messages {
		groups[property(m)] = append(groups[property(m)], m)
	}
	sorted := make([][]*message, 0, len(groups))
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		slices.SortStableFunc(groups[key], func(a, b *message) int { return cmp.Compare(a.seq, b.seq) })
		sorted = append(sorted, groups[key])
	}
	return sorted
}
