package webhooktest

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// A Fault is what a receiver did wrong with messages.
type Fault string

// The faults of receivers.
const (
	Lost   Fault = "lost"   // it has no contact for a message that was delivered
	Double Fault = "double" // it has a message more than once
	Mixed  Fault = "mixed"  // one of its contacts has messages from two people
	Split  Fault = "split"  // it has a person's messages in two contacts
)

// A Cause says why no receiver can do better.
type Cause string

// The causes.
const (
	Evident     Cause = ""        // none: the webhooks say enough
	Silence     Cause = "silence" // a number changed hands, and no webhook told the two holders apart
	Apart       Cause = "apart"   // no webhook names ids of both
	WebhookLost Cause = "lost"    // the webhook that would have told was lost
)

// A Finding is a fault with its witnesses.
type Finding struct {
	Fault   Fault
	Cause   Cause
	Contact string // of A
	Other   string // of B, for Split

	// A is the message of Lost and Double. For Mixed, A and B are messages from two
	// people; for Split, two messages from one person.
	A, B Event
}

// A Report says how a receiver did.
type Report struct {
	Messages int // delivered, each counted once
	People   int // with at least one of these messages
	Contacts int // that the receiver made for them
	Findings []Finding
}

// Count returns how many findings have a fault and a cause: messages for Lost and
// Double, contacts for Mixed, people for Split.
func (r Report) Count(fault Fault, cause Cause) (n int) {
	for _, f := range r.Findings {
		if f.Fault == fault && f.Cause == cause {
			n++
		}
	}
	return n
}

// Evident returns the findings that the webhooks say enough to avoid.
func (r Report) Evident() (found []Finding) {
	for _, f := range r.Findings {
		if f.Cause == Evident {
			found = append(found, f)
		}
	}
	return found
}

// Judge compares what a receiver has made of all messages of a stream of events with
// the truth. The stream is that of [World.Events] or [Platform.Events] and is read
// twice. contactsOf returns the contact under which the receiver has a message now,
// once for each time it has the message.
//
// A message that was sent twice or late counts once. Messages that were lost on the
// way do not count.
func Judge(events iter.Seq[Event], contactsOf func(Event) []string) Report {
	j := judge{numbers: map[string]uint32{}, contacts: map[string]int32{}}
	for e := range events {
		j.add(e, contactsOf)
	}
	delivered, all := j.evidence(false), j.evidence(true)
	j.reportMixed(delivered, all)
	j.reportSplit(delivered, all)
	j.report.Contacts = len(j.contacts)
	j.fillIn(events)
	return j.report
}

// A sighting is what the judge keeps of an event.
type sighting struct {
	at                 int64
	seq                int
	person             int
	contact            int32  // of a delivered message that has one, else -1
	number, lastNumber uint32 // 0 for none
	lease, lastLease   uint32
	generation         uint16
	portfolio, linked  uint8
	change             bool
	rotated            bool
	bsuid, parent      bool
	lost               bool
}

type judge struct {
	sightings []sighting
	numbers   map[string]uint32 // from 1, by phone number
	contacts  map[string]int32
	names     []string // of contacts
	report    Report
	witnesses [][2]int // Seq of A and B, for each finding
}

func (j *judge) add(e Event, contactsOf func(Event) []string) {
	s := sighting{
		at: e.At.Unix(), seq: e.Seq, person: e.Person, contact: -1,
		number: j.number(cmp.Or(e.Shown.Phone, e.Shared)), lastNumber: j.number(e.Previous.Phone),
		lease: e.lease, lastLease: e.lastLease, generation: e.generation,
		portfolio: e.portfolio, linked: e.linked,
		change: e.Kind == KindChange, rotated: e.rotated, bsuid: e.Shown.BSUID != "", parent: e.Shown.Parent != "",
		lost: e.Lost,
	}
	switch e.Kind {
	case KindStatus, KindEcho, KindCallToUser:
		if !s.bsuid || s.number == 0 {
			return // what the business addressed on its own proves nothing
		}
	case KindMessage:
		if !e.Lost {
			s.contact = j.ask(e, contactsOf)
		}
	case KindChange, KindCall, KindPreference, KindParticipant:
	}
	j.sightings = append(j.sightings, s)
}

func (j *judge) number(phone string) uint32 {
	if phone == "" {
		return 0
	}
	n, ok := j.numbers[phone]
	if !ok {
		n = uint32(len(j.numbers)) + 1
		j.numbers[phone] = n
	}
	return n
}

func (j *judge) ask(e Event, contactsOf func(Event) []string) int32 {
	j.report.Messages++
	names := contactsOf(e)
	if len(names) == 0 {
		j.find(Finding{Fault: Lost}, e.Seq, e.Seq)
		return -1
	}
	contact, ok := j.contacts[names[0]]
	if !ok {
		contact = int32(len(j.names))
		j.contacts[names[0]] = contact
		j.names = append(j.names, names[0])
	}
	if len(names) > 1 {
		j.find(Finding{Fault: Double, Contact: names[0]}, e.Seq, e.Seq)
	}
	return contact
}

func (j *judge) find(f Finding, a, b int) {
	j.report.Findings = append(j.report.Findings, f)
	j.witnesses = append(j.witnesses, [2]int{a, b})
}

// fillIn reads the stream again for the witnesses.
func (j *judge) fillIn(events iter.Seq[Event]) {
	wanted := map[int]Event{}
	for _, w := range j.witnesses {
		wanted[w[0]], wanted[w[1]] = Event{}, Event{}
	}
	if len(wanted) == 0 {
		return
	}
	for e := range events {
		if _, ok := wanted[e.Seq]; ok {
			wanted[e.Seq] = e
		}
	}
	for i, w := range j.witnesses {
		f := &j.report.Findings[i]
		f.A = wanted[w[0]]
		if f.Fault == Mixed || f.Fault == Split {
			f.B = wanted[w[1]]
		}
	}
}

// reportMixed finds the contacts that have messages from two people.
func (j *judge) reportMixed(delivered, all evidence) {
	messages := j.messagesBy(func(s *sighting) int { return int(s.contact) })
	for _, group := range messages {
		any := func(int) bool { return true }
		for _, try := range []struct {
			cause   Cause
			certain func(i int) bool
		}{{Evident, delivered.certain}, {WebhookLost, all.certain}, {Silence, any}} {
			if a, b, ok := j.differ(group, try.certain, func(s *sighting) int { return s.person }); ok {
				j.find(Finding{Fault: Mixed, Cause: try.cause, Contact: j.names[j.sightings[a].contact]}, j.sightings[a].seq, j.sightings[b].seq)
				break
			}
		}
	}
}

// differ returns two of a group of sightings, among those that are certain, that
// differ in a property.
func (j *judge) differ(group []int32, certain func(int) bool, property func(*sighting) int) (a, b int, ok bool) {
	a = -1
	for _, i := range group {
		if i := int(i); certain(i) {
			if a < 0 {
				a = i
			} else if property(&j.sightings[i]) != property(&j.sightings[a]) {
				return a, i, true
			}
		}
	}
	return 0, 0, false
}

// reportSplit finds the people with messages in two contacts.
func (j *judge) reportSplit(delivered, all evidence) {
	contact := func(s *sighting) int { return int(s.contact) }
	people := j.messagesBy(func(s *sighting) int { return s.person })
	j.report.People = len(people)
	for _, group := range people {
		a, b, split := j.differ(group, func(int) bool { return true }, contact)
		if !split {
			continue
		}
		cause := Apart
		if x, y, ok := j.differInComponent(group, delivered, contact); ok {
			a, b, cause = x, y, Evident
		} else if x, y, ok := j.differInComponent(group, all, contact); ok {
			a, b, cause = x, y, WebhookLost
		} else if slices.ContainsFunc(group, func(i int32) bool { return !all.certain(int(i)) }) {
			cause = Silence
		}
		j.find(Finding{
			Fault: Split, Cause: cause,
			Contact: j.names[j.sightings[a].contact], Other: j.names[j.sightings[b].contact],
		}, j.sightings[a].seq, j.sightings[b].seq)
	}
}

// differInComponent returns two certain sightings of a person that webhooks connect
// and that differ in a property.
func (j *judge) differInComponent(group []int32, e evidence, property func(*sighting) int) (a, b int, ok bool) {
	first := map[int32]int{}
	for _, i := range group {
		i := int(i)
		if !e.certain(i) {
			continue
		}
		if f, seen := first[e.component[i]]; !seen {
			first[e.component[i]] = i
		} else if property(&j.sightings[i]) != property(&j.sightings[f]) {
			return f, i, true
		}
	}
	return 0, 0, false
}

// messagesBy returns the messages that have a contact, grouped by a property and in
// the order of its values.
func (j *judge) messagesBy(property func(*sighting) int) [][]int32 {
	groups := map[int][]int32{}
	for i := range j.sightings {
		if s := &j.sightings[i]; s.contact >= 0 {
			groups[property(s)] = append(groups[property(s)], int32(i))
		}
	}
	sorted := make([][]int32, 0, len(groups))
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		sorted = append(sorted, groups[key])
	}
	return sorted
}
