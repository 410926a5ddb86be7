package webhooknorm

import (
	"cmp"
	"slices"

	"github.com/hailmark/hailmark/contact"
)

// A value is what one change is about: messages, statuses and the contacts whom
// they concern. Its members come in any order, so its events are completed after all
// of them are read.
type value struct {
	start       int // the offset of the object
	first       int // the index of its first event
	firstChange int // the index of its first change of ids

	runs      [maxRuns]run
	count     int // how many runs there are
	contacts  directory
	namesOnly []int  // the indices of events that take only names from a contact
	group     string // the ID of the group of its last message or status, if that is in a group

	metadata
	lastMetadata    metadata // the last that was read
	lastMetadataRaw []byte   // its bytes in the payload

	handover *handoverFields // nil if the value has no member of a handover

	recognised    bool // it has an array of messages, statuses or contacts
	needsMetadata bool // it has events that were read by the metadata
	outOfOrder    bool // it has events that were read before the metadata that they need
}

// metadata is the business phone number that a value is about.
type metadata struct {
	phoneNumberID string
	businessPhone string // digits
}

// maxRuns is how many arrays of a value can hold events: each of the table once in the
// value and once in its standby part.
const maxRuns = 2 * 9

const _ = uint(maxRuns - 2*len(arrays)) // enough for the table

// A run is the events of one array.
type run struct {
	array  uint8 // the index in arrays
	rank   rank
	offset int // the offset of the array
	start  int // the index of the first event; the last is before the first one of the next run
}

// end returns the index after the last event of run i.
func (r *reader) end(i int) int {
	if i+1 < r.value.count {
		return r.value.runs[i+1].start
	}
	return len(r.events)
}

// beginValue makes r.value empty for the object that comes next.
func (r *reader) beginValue() {
	v := &r.value
	v.start, v.first, v.firstChange = r.Offset(), len(r.events), len(r.changes)
	v.count = 0
	v.contacts.reset()
	v.namesOnly = v.namesOnly[:0]
	v.group = ""
	v.metadata = metadata{}
	v.needsMetadata, v.outOfOrder = false, false
	v.handover = nil
}

// readRun reads the array of a run.
func (r *reader) readRun(run *run) {
	run.start = len(r.events)
	for range r.objects {
		r.readElement(arrays[run.array].element)
	}
}

// finishValue brings the events of the value in order and completes them.
func (r *reader) finishValue() {
	if r.truncated {
		return
	}
	v := &r.value
	if r.counted > 0 {
		if v.isHandover() {
			r.add(&Event{})
		}
		return
	}
	runs := v.runs[:v.count]
	byRank := func(a, b run) int { return cmp.Compare(a.rank, b.rank) }
	if v.outOfOrder || r.yield != nil || !slices.IsSortedFunc(runs, byRank) {
		slices.SortStableFunc(runs, byRank)
		if r.yield != nil {
			r.yieldRuns()
			return
		}
		r.readRunsAgain()
	}
	r.completeRuns()
	for i := v.firstChange; i < len(r.changes); i++ {
		c := &r.changes[i]
		c.PhoneNumberID, c.BusinessPhone = v.phoneNumberID, v.businessPhone
		for _, phone := range []*string{&c.Phone, &c.Previous.Phone} {
			if *phone == v.businessPhone {
				*phone = ""
			}
		}
	}
	if v.isHandover() {
		r.addHandover()
	}
}

// readRunsAgain reads the arrays of the value in the order of the runs.
func (r *reader) readRunsAgain() {
	v := &r.value
	end := r.Offset()
	r.events, r.changes = r.events[:v.first], r.changes[:v.firstChange]
	v.namesOnly = v.namesOnly[:0]
	for i := range v.runs[:v.count] {
		r.Seek(v.runs[i].offset)
		r.readRun(&v.runs[i])
	}
	r.Seek(end)
}

// completeRuns completes the events of the value.
func (r *reader) completeRuns() {
	v := &r.value
	elements := 0 // messages and statuses
	for i, run := range v.runs[:v.count] {
		if run.rank < rankOthers {
			elements += r.end(i) - run.start
		}
	}
	all := len(r.events) - v.first
	if v.isHandover() {
		all++
	}
	for i, run := range v.runs[:v.count] {
		r.completeEvents(&arrays[run.array], run.start, r.end(i), elements, all)
	}
}

// completeEvents completes the events with indices from start up to end, which are of one
// array, in a value with so many elements, which are messages and statuses, and so many
// events altogether.
func (r *reader) completeEvents(a *array, start, end, elements, all int) {
	v := &r.value
	for i := start; i < end; i++ {
		e, fill := &r.events[i], a.fill
		if isIn(v.namesOnly, i) {
			fill = fillNames
		}
		r.complete(e, fill, v.isAlone(e, a.lone, elements, all))
	}
}

// isAlone reports whether an event may take the lone contact of a value with so many
// elements and events.
func (v *value) isAlone(e *Event, lone lone, elements, all int) bool {
	switch lone {
	case loneElement:
		return elements == 1
	case loneUnnamed:
		return all == 1 && e.identity() == (identity{})
	case loneNever:
	}
	return false
}

// complete adds to an event what the value says about it and its person. It is the
// place where the parent BSUID takes the place of a missing BSUID.
func (r *reader) complete(e *Event, fill fill, alone bool) {
	v := &r.value
	e.PhoneNumberID, e.BusinessPhone = v.phoneNumberID, v.businessPhone
	id := e.identity()
	if v.isBusiness(id) {
		e.Person = contact.Person{}
		return
	}
	if fill != fillNothing {
		c := r.findContact(id)
		if c == nil && alone {
			c = v.loneContact(id)
		}
		if c != nil {
			e.takeNames(c)
			if fill == fillAll {
				e.takeIDs(c)
			}
		}
	}
	if e.BSUID == "" {
		e.BSUID = e.ParentBSUID
	}
}

func (e *Event) takeNames(c *contactFacts) {
	e.Username = c.username.text
	e.DisplayName = c.name.text
}

// takeIDs sets the ids that the event does not have. A contact that was found by its
// phone number or parent BSUID can have another BSUID; its parent BSUID is then left out.
func (e *Event) takeIDs(c *contactFacts) {
	if e.ParentBSUID == "" && !differ(e.BSUID, c.user.text) {
		e.ParentBSUID = c.parent.text
	}
	if e.BSUID == "" {
		e.BSUID = c.user.text
	}
	if e.Phone == "" {
		e.Phone = c.phone.text
	}
}

// isBusiness reports whether the only id is the business's own number.
func (v *value) isBusiness(id identity) bool {
	return id.phone == v.businessPhone && id.phone != "" && !id.isOfUser()
}

// loneContact returns the only contact of the value if it may be the person with this
// identity: it does not contradict it, and it is neither the business nor the group.
func (v *value) loneContact(id identity) *contactFacts {
	c := &v.contacts.first
	if v.contacts.count != 1 || c.contradicts(id) || v.contacts.firstIsGroup(v.group) ||
		v.isBusiness(c.identity()) {
		return nil
	}
	return c
}

// isIn reports whether i is in a sorted list, which is nearly always empty.
func isIn(list []int, i int) bool {
	if len(list) == 0 {
		return false
	}
	_, found := slices.BinarySearch(list, i)
	return found
}
