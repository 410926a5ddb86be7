package webhooktest

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// A mistake is something that a receiver did wrong.
type mistake string

const (
	mistakeLost      mistake = "lost"      // no contact contains a delivered message
	mistakeDuplicate mistake = "duplicate" // a message is stored more than once
	mistakeMixed     mistake = "mixed"     // a contact contains messages from two people
	mistakeSplit     mistake = "split"     // a person's messages are in two contacts
	mistakeReplied   mistake = "replied"   // a reply went to a message that expects none
)

// A cause is the reason why a receiver can't avoid a mistake.
type cause string

const (
	noCause     cause = ""        // it can, because the webhooks contain enough
	silence     cause = "silence" // a number changed hands, and no webhook distinguishes its two holders
	apart       cause = "apart"   // no webhook connects the IDs in the two messages
	webhookLost cause = "lost"    // a lost webhook would have contained enough
)

// A finding is a mistake with the messages that show it.
type finding struct {
	mistake mistake
	cause   cause
	contact string // the contact that contains a, if any
	other   string // if split, the contact that contains b

	// If lost or duplicate, a is the message. If mixed, a and b are messages from two people
	// in one contact; if split, messages from one person in two contacts.
	a, b event
}

// A report contains the differences between a receiver's contacts and the truth.
type report struct {
	messages int // delivered, without repetitions
	people   int // who wrote a message that a contact contains
	findings []finding
}

func (r report) String() string {
	return fmt.Sprintf("%d messages from %d people; avoidable: %d lost, %d duplicate, %d mixed, %d split, %d replied; "+
		"unavoidable: %d by silence, %d by lost webhooks, %d not connected",
		r.messages, r.people, r.count(mistakeLost, noCause), r.count(mistakeDuplicate, noCause),
		r.count(mistakeMixed, noCause), r.count(mistakeSplit, noCause), r.count(mistakeReplied, noCause),
		r.count("", silence), r.count("", webhookLost), r.count("", apart))
}

// count returns the number of findings with a cause and a mistake, or any if it's "".
func (r report) count(m mistake, c cause) (n int) {
	for _, f := range r.findings {
		if f.cause == c && (f.mistake == m || m == "") {
			n++
		}
	}
	return n
}

// avoidable returns the findings without a cause.
func (r report) avoidable() (found []finding) {
	for _, f := range r.findings {
		if f.cause == noCause {
			found = append(found, f)
		}
	}
	return found
}

// compare compares a receiver's contacts with the truth. It reads the events twice. It
// ignores repeated deliveries and lost messages.
func compare(events iter.Seq[event], contactsOf func(event) []string, replied func(messageID string) bool) report {
	c := comparison{numbers: map[string]uint32{}, contacts: map[string]int32{}}
	for e := range events {
		c.add(e, contactsOf)
		if replied != nil && !e.Lost && e.expectsNoReply() && replied(e.ID) {
			c.find(finding{mistake: mistakeReplied}, e.Seq, e.Seq)
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

// A sighting contains the part of an event for a comparison.
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
	report    report
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
	c.report.messages++
	names := contactsOf(e)
	if len(names) == 0 {
		c.find(finding{mistake: mistakeLost}, e.Seq, e.Seq)
		return -1
	}
	contact, ok := c.contacts[names[0]]
	if !ok {
		contact = int32(len(c.names))
		c.contacts[names[0]] = contact
		c.names = append(c.names, names[0])
	}
	if len(names) > 1 {
		c.find(finding{mistake: mistakeDuplicate, contact: names[0]}, e.Seq, e.Seq)
	}
	return contact
}

func (c *comparison) find(f finding, a, b int) {
	c.report.findings = append(c.report.findings, f)
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
		f := &c.report.findings[i]
		f.a = wanted[w[0]]
		if f.mistake == mistakeMixed || f.mistake == mistakeSplit {
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
			cause   cause
			certain func(i int) bool
		}{{noCause, delivered.certain}, {webhookLost, all.certain}, {silence, any}} {
			if a, b, ok := c.differ(group, try.certain, func(s *sighting) int { return s.person }); ok {
				c.find(finding{mistake: mistakeMixed, cause: try.cause, contact: c.names[c.sightings[a].contact]}, c.sightings[a].seq, c.sightings[b].seq)
				break
			}
		}
	}
}

// differ returns two certain sightings in a group that differ in a property.
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
	c.report.people = len(people)
	for _, group := range people {
		a, b, split := c.differ(group, func(int) bool { return true }, contact)
		if !split {
			continue
		}
		cause := apart
		if x, y, ok := c.differInComponent(group, delivered, contact); ok {
			a, b, cause = x, y, noCause
		} else if x, y, ok := c.differInComponent(group, all, contact); ok {
			a, b, cause = x, y, webhookLost
		} else if slices.ContainsFunc(group, func(i int32) bool { return !all.certain(int(i)) }) {
			cause = silence
		}
		c.find(finding{
			mistake: mistakeSplit, cause: cause,
			contact: c.names[c.sightings[a].contact], other: c.names[c.sightings[b].contact],
		}, c.sightings[a].seq, c.sightings[b].seq)
	}
}

// differInComponent returns a person's certain sightings that webhooks connect but that
// differ in a property.
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

// messagesBy returns the messages with a contact, grouped and sorted by a property.
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
