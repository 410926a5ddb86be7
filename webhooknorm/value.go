package webhooknorm

import (
	"cmp"
	"slices"
)

// A value is what one change is about: messages, statuses and the contacts whom
// they concern. Its members come in any order, so nothing can be concluded before
// all of them are read.
type value struct {
	first         int // the index of its first event
	firstChange   int // and of its first change of ids
	runs          [2 * arrays]run
	count         int // of runs
	contacts      directory
	phoneNumberID string
	recognised    bool  // it has an array of messages, statuses or contacts
	fixed         []int // the events that must not be filled up from a contact
}

// arrays is how many arrays on one level have events.
const arrays = 9

// A run is the events of one array.
type run struct {
	start, end int
	rank       rank
	contained  bool // complete in itself, so not filled up from a contact
}

// A rank is the place of an array among those of a value.
type rank uint8

const (
	rankMessages rank = iota
	rankStatuses
	rankStandbyMessages
	rankStandbyStatuses
	rankOthers
)

// reset makes v a value without members, whose events and changes are to come.
func (v *value) reset(first, firstChange int) {
	v.first, v.firstChange, v.count = first, firstChange, 0
	v.contacts.reset()
	v.phoneNumberID = ""
	v.fixed = v.fixed[:0]
}

// readMember reads a member of a value.
func (r *reader) readMember(name []byte) {
	switch v := &r.value; string(name) {
	case "metadata":
		for name := range r.Members {
			if string(name) == "phone_number_id" {
				v.phoneNumberID = r.textOrDigits()
			}
		}
	case "standby":
		// Conversations that another application handles: the same arrays, one level
		// deeper. Their contacts are on either level.
		for name := range r.Members {
			r.readArray(name, rankStandbyMessages)
		}
	case "messages", "statuses", "contacts":
		if r.Peek() == '[' {
			v.recognised = true
		}
		r.readArray(name, rankMessages)
	default:
		r.readArray(name, rankMessages)
	}
}

// readArray reads a member of a value or of its standby part. The rank is that of
// the messages there.
func (r *reader) readArray(name []byte, messages rank) {
	switch string(name) {
	case "contacts":
		for range r.objects {
			var c contact
			r.readContact(&c)
			r.value.contacts.add(&c)
		}
	case "messages":
		r.readRun(messages, r.readMessage)
	case "statuses":
		r.readRun(messages+1, r.readStatus)
	default:
		if r.all {
			r.readOther(name)
		}
	}
}

// readOther reads the arrays that only Read returns.
func (r *reader) readOther(name []byte) {
	switch string(name) {
	case "message_echoes":
		r.readRun(rankOthers, r.readEcho)
	case "calls":
		r.readRun(rankOthers, r.readCall)
	case "user_preferences":
		r.readRun(rankOthers, r.readPreference)
	case "user_id_update":
		r.readRun(rankOthers, r.readIdentityUpdate)
	case "history":
		r.readContained(r.readHistory)
	case "state_sync":
		r.readContained(r.readAppContact)
	case "groups":
		r.readContained(r.readGroup)
	}
}

// readRun reads an array of objects with a function that adds events. The function
// gets the offset at which the object begins.
func (r *reader) readRun(rank rank, read func(start int)) {
	start := len(r.events)
	for range r.objects {
		read(r.Offset())
	}
	if len(r.events) > start {
		v := &r.value
		v.runs[v.count] = run{rank: rank, start: start, end: len(r.events)}
		v.count++
	}
}

// readContained is readRun for events that are complete in themselves.
func (r *reader) readContained(read func(start int)) {
	before := r.value.count
	r.readRun(rankOthers, read)
	if r.value.count > before {
		r.value.runs[before].contained = true
	}
}

// completeEvents brings the events of the value in order and fills them up from the
// contacts.
func (r *reader) completeEvents() {
	v := &r.value
	runs := v.runs[:v.count]
	elements := 0 // messages and statuses, so that Read finds for them what Normalize finds
	for _, run := range runs {
		if run.rank < rankOthers {
			elements += run.end - run.start
		}
	}
	for _, run := range runs {
		for i := run.start; i < run.end; i++ {
			e := &r.events[i]
			e.PhoneNumberID = v.phoneNumberID
			switch {
			case run.rank < rankOthers:
				_, fixed := slices.BinarySearch(v.fixed, i)
				v.complete(e, fixed, elements == 1)
			case !run.contained:
				alone := len(r.events)-v.first == 1 && e.identity() == (identity{})
				v.complete(e, e.Kind == KindIdentityUpdate, alone)
			}
		}
	}
	for i := v.firstChange; i < len(r.changes); i++ {
		r.changes[i].PhoneNumberID = v.phoneNumberID
	}
	byRank := func(a, b run) int { return cmp.Compare(a.rank, b.rank) }
	if slices.IsSortedFunc(runs, byRank) {
		return
	}
	slices.SortStableFunc(runs, byRank)
	unsorted := slices.Clone(r.events[v.first:])
	sorted := r.events[:v.first]
	for _, run := range runs {
		sorted = append(sorted, unsorted[run.start-v.first:run.end-v.first]...)
	}
}

// complete fills an event up from its contact: with the names, and with ids unless
// they are fixed. A contact that shares no id with the event is its own only where
// there is no choice: one contact, an event that is alone, and nothing that speaks
// against it.
func (v *value) complete(e *Event, fixed, alone bool) {
	id := e.identity()
	c := v.contacts.find(id)
	if c == nil && alone && v.contacts.count == 1 && !v.contacts.first.contradicts(id) {
		c = &v.contacts.first
	}
	if c != nil {
		e.Username = c.username.text
		e.DisplayName = c.name.text
		if !fixed {
			e.BSUID = cmp.Or(e.BSUID, c.user.text)
			e.Phone = cmp.Or(e.Phone, c.phone.text)
			if !differ(id.user, c.user.text) { // a shared phone or parent may join two BSUIDs
				e.ParentBSUID = cmp.Or(e.ParentBSUID, c.parent.text)
			}
		}
	}
	e.BSUID = cmp.Or(e.BSUID, e.ParentBSUID)
}
