package webhooktest

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// A Mistake is something that a receiver did wrong.
type Mistake string

// The mistakes of receivers.
const (
	Lost      Mistake = "lost"      // a delivered message has no contact
	Duplicate Mistake = "duplicate" // a message is stored more than once
	Mixed     Mistake = "mixed"     // a contact has messages from two people
	Split     Mistake = "split"     // a person's messages are in two contacts
	Replied   Mistake = "replied"   // a reply went to a message that expects none
)

// A Cause is the reason why a receiver cannot avoid a mistake.
type Cause string

// The causes of mistakes.
const (
	Avoidable   Cause = ""        // there is none: the webhooks contain enough to avoid the mistake
	Silence     Cause = "silence" // a number changed hands, and no webhook tells its two holders apart
	Apart       Cause = "apart"   // no webhook connects the ids of the two messages
	WebhookLost Cause = "lost"    // a lost webhook would have contained enough
)

// A Finding is a mistake with the messages that show it.
type Finding struct {
	Mistake Mistake
	Cause   Cause
	contact string // the contact that a is stored under, if any
	other   string // for Split, the contact that b is stored under

	// For Lost and Duplicate, a is the message. For Mixed, a and b are messages from two
	// people in one contact; for Split, messages from one person in two contacts.
	a, b event
}

// A Report is the result of a comparison with the truth.
type Report struct {
	Messages int // messages that were delivered, each counted once
	People   int // people who wrote a message that has a contact
	Findings []Finding
}

// Count returns the number of findings with a mistake and a cause. A finding stands for
// a message if it is Lost, Duplicate or Replied, for a contact if Mixed, for a person if Split.
func (r Report) Count(mistake Mistake, cause Cause) (n int) {
	for _, f := range r.Findings {
		if f.Mistake == mistake && f.Cause == cause {
			n++
		}
	}
	return n
}

// Avoidable returns the findings without a cause: a receiver can avoid them.
func (r Report) Avoidable() (found []Finding) {
	for _, f := range r.Findings {
		if f.Cause == Avoidable {
			found = append(found, f)
		}
	}
	return found
}

// compare compares the contacts of a receiver with the truth. The events are read twice.
// Each delivered message counts once, however often it was delivered. Lost messages don't
// count.
func compare(events iter.Seq[event], contactsOf func(event) []string, replied func(messageID string) bool) Report {
	c := comparison{numbers: map[string]uint32{}, contacts: map[string]int32{}}
	for e := range events {
		c.add(e, contactsOf)
		if replied != nil && !e.Lost && e.expectsNoReply() && replied(e.ID) {
			c.find(Finding{Mistake: Replied}, e.Seq, e.Seq)
		}
	}
	delivered, all := c.evidence(false), c.evidence(true)
	c.reportMixed(delivered, all)
	c.reportSplit(delivered, all)
	c.fillIn(events)
	return c.report
}

// expectsNoReply reports whether a reply to the message e.ID is wrong.
func (e *event) expectsNoReply() bool {
	if e.Kind == kindMessage {
		return e.Standby
	}
	return slices.Contains([]kind{kindEcho, kindHistory, kindHistoryEcho, kindChange}, e.Kind)
}

// A sighting is the part of an event that a comparison needs.
type sighting struct {
	at                 int64
	seq                int
	person             int
	contact            int32  // index of the contact of a delivered message, or -1
	number, lastNumber uint32 // 0 for none
	lease, lastLease   uint32
	generation         uint16
	portfolio, linked  uint8
	change             bool
	rotated            bool
	bsuid, parent      bool
	lost               bool
}

type comparison struct {
	sightings []sighting
	numbers   map[string]uint32 // index of each phone number, from 1
	contacts  map[string]int32  // index of each contact in names
	names     []string
	report    Report
	messages  [][2]int // Seq of A and B of each finding
}

func (c *comparison) add(e event, contactsOf func(event) []string) {
	s := sighting{
		at: e.At.Unix(), seq: e.Seq, person: e.Person, contact: -1,
		number: c.number(cmp.Or(e.Shown.Phone, e.Shared)), lastNumber: c.number(e.Previous.Phone),
		lease: e.lease, lastLease: e.lastLease, generation: e.generation,
		portfolio: e.portfolio, linked: e.linked,
		change: e.Kind == kindChange, rotated: e.rotated, bsuid: e.Shown.BSUID != "", parent: e.Shown.Parent != "",
		lost: e.Lost,
	}
	switch e.Kind {
	case kindStatus, kindEcho, kindCallToUser:
		if e.Standby || !s.bsuid || s.number == 0 {
			return // an address that the business used proves nothing about a person
		}
	case kindHandover, kindHistoryEcho:
		return
	case kindMessage, kindHistory:
		if !e.Lost {
			s.contact = c.ask(e, contactsOf)
		}
	case kindChange, kindCall, kindPreference, kindParticipant:
	}
	c.sightings = append(c.sightings, s)
}

func (c *comparison) number(phone string) uint32 {
	if phone == "" {
		return 0
	}
	n, ok := c.numbers[phone]
	if !ok {
		n = uint32(len(c.numbers)) + 1
		c.numbers[phone] = n
	}
	return n
}

func (c *comparison) ask(e event, contactsOf func(event) []string) int32 {
	c.report.Messages++
	names := contactsOf(e)
	if len(names) == 0 {
		c.find(Finding{Mistake: Lost}, e.Seq, e.Seq)
		return -1
	}
	contact, ok := c.contacts[names[0]]
	if !ok {
		contact = int32(len(c.names))
		c.contacts[names[0]] = contact
		c.names = append(c.names, names[0])
	}
	if len(names) > 1 {
		c.find(Finding{Mistake: Duplicate, contact: names[0]}, e.Seq, e.Seq)
	}
	return contact
}

func (c *comparison) find(f Finding, a, b int) {
	c.report.Findings = append(c.report.Findings, f)
	c.messages = append(c.messages, [2]int{a, b})
}

// fillIn reads the events again to complete the findings.
func (c *comparison) fillIn(events iter.Seq[event]) {
	wanted := map[int]event{}
	for _, w := range c.messages {
		wanted[w[0]], wanted[w[1]] = event{}, event{}
	}
	if len(wanted) == 0 {
		return
	}
	for e := range events {
		if _, ok := wanted[e.Seq]; ok {
			wanted[e.Seq] = e
		}
	}
	for i, w := range c.messages {
		f := &c.report.Findings[i]
		f.a = wanted[w[0]]
		if f.Mistake == Mixed || f.Mistake == Split {
			f.b = wanted[w[1]]
		}
	}
}

// reportMixed finds the contacts with messages from two people.
func (c *comparison) reportMixed(delivered, all evidence) {
	groups := c.messagesBy(func(s *sighting) int { return int(s.contact) })
	for _, group := range groups {
		any := func(int) bool { return true }
		for _, try := range []struct {
			cause   Cause
			certain func(i int) bool
		}{{Avoidable, delivered.certain}, {WebhookLost, all.certain}, {Silence, any}} {
			if a, b, ok := c.differ(group, try.certain, func(s *sighting) int { return s.person }); ok {
				c.find(Finding{Mistake: Mixed, Cause: try.cause, contact: c.names[c.sightings[a].contact]}, c.sightings[a].seq, c.sightings[b].seq)
				break
			}
		}
	}
}

// differ returns two of a group of sightings, among those that are certain, that
// differ in a property.
func (c *comparison) differ(group []int32, certain func(int) bool, property func(*sighting) int) (a, b int, ok bool) {
	a = -1
	for _, i := range group {
		if i := int(i); certain(i) {
			if a < 0 {
				a = i
			} else if property(&c.sightings[i]) != property(&c.sightings[a]) {
				return a, i, true
			}
		}
	}
	return 0, 0, false
}

// reportSplit finds the people with messages in two contacts.
func (c *comparison) reportSplit(delivered, all evidence) {
	contact := func(s *sighting) int { return int(s.contact) }
	people := c.messagesBy(func(s *sighting) int { return s.person })
	c.report.People = len(people)
	for _, group := range people {
		a, b, split := c.differ(group, func(int) bool { return true }, contact)
		if !split {
			continue
		}
		cause := Apart
		if x, y, ok := c.differInComponent(group, delivered, contact); ok {
			a, b, cause = x, y, Avoidable
		} else if x, y, ok := c.differInComponent(group, all, contact); ok {
			a, b, cause = x, y, WebhookLost
		} else if slices.ContainsFunc(group, func(i int32) bool { return !all.certain(int(i)) }) {
			cause = Silence
		}
		c.find(Finding{
			Mistake: Split, Cause: cause,
			contact: c.names[c.sightings[a].contact], other: c.names[c.sightings[b].contact],
		}, c.sightings[a].seq, c.sightings[b].seq)
	}
}

// differInComponent returns two certain sightings of a person that webhooks connect
// and that differ in a property.
func (c *comparison) differInComponent(group []int32, e evidence, property func(*sighting) int) (a, b int, ok bool) {
	first := map[int32]int{}
	for _, i := range group {
		i := int(i)
		if !e.certain(i) {
			continue
		}
		if f, seen := first[e.component[i]]; !seen {
			first[e.component[i]] = i
		} else if property(&c.sightings[i]) != property(&c.sightings[f]) {
			return f, i, true
		}
	}
	return 0, 0, false
}

// messagesBy returns the messages with a contact, grouped by a property and in
// the order of its values.
func (c *comparison) messagesBy(property func(*sighting) int) [][]int32 {
	groups := map[int][]int32{}
	for i := range c.sightings {
		if s := &c.sightings[i]; s.contact >= 0 {
			groups[property(s)] = append(groups[property(s)], int32(i))
		}
	}
	sorted := make([][]int32, 0, len(groups))
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		sorted = append(sorted, groups[key])
	}
	return sorted
}
