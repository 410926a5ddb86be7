package identity

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hailmark/hailmark/webhooknorm"
)

// FactsOf returns the facts of a webhook. scope returns the scope of a business number,
// which it receives as a phone number ID. A nil scope gives every number the zero Scope.
//
//   - An announced change of ids gives a changed and no other fact. If the payload does
//     not say whether a number is the previous or the current one, the number is left
//     out. A BSUID or parent BSUID that did not change is left out of the previous ids if
//     they have a number.
//   - Something that the person did gives a seen: a message, a call from them, a
//     preference, a group that they joined or left. The messages of a history thread
//     together give one seen, at the greatest of their times.
//   - Other events give a seen only if they name two ids, because there the business chose
//     the recipient, and the number of a recipient does not show who has it.
//   - A response to a contact request gives a seen with the shared number.
//
// An event without a time or without an id gives no fact. Neither does an event of a
// business number with a scope that [NewAlias] rejects. An id that can't be an alias is
// left out, and so is the number of the business. The name in an address book is not used,
// because the person didn't choose it.
//
// arrived is when the webhook arrived. A time more than a day later is replaced by it,
// so that a wrong clock can't keep a number for ever. The zero Time stands for no limit.
func FactsOf(webhook webhooknorm.Webhook, arrived time.Time, scope func(phoneNumberID string) Scope) []Fact {
	b := newFactBuilder(arrived, scope)
	b.facts = make([]Fact, 0, len(webhook.Changes)+len(webhook.Events))
	var announced []*webhooknorm.IdentityChange
	for i := range webhook.Changes {
		if c := &webhook.Changes[i]; b.addChange(c) {
			announced = append(announced, c)
		}
	}
	for i := range webhook.Events {
		e := &webhook.Events[i]
		if !slices.ContainsFunc(announced, func(c *webhooknorm.IdentityChange) bool { return announces(e, c) }) {
			b.addEvent(e)
		}
	}
	b.endThread()
	return b.facts
}

// announces reports whether an event is the notice of a change. Both were read from one
// element, but a webhook that was stored in between need not have it anymore.
func announces(e *webhooknorm.Event, c *webhooknorm.IdentityChange) bool {
	switch {
	case e.Kind != webhooknorm.KindIdentityUpdate && e.Type != "system":
		return false
	case e.MessageID != c.MessageID || e.Timestamp != c.Timestamp || e.PhoneNumberID != c.PhoneNumberID:
		return false
	case e.MessageID != "" || e.BSUID == "":
		return true
	}
	return slices.Contains([]string{c.Previous.BSUID, c.Previous.ParentBSUID, c.Current.BSUID, c.Current.ParentBSUID}, e.BSUID)
}

// A factBuilder collects the facts of one webhook.
type factBuilder struct {
	facts  []Fact
	source func(string) Scope
	latest int64 // no fact is later
	now    int64 // what replaces a later time

	// The scope of a business number is looked up once for events that follow each other.
	scope   Scope
	number  string
	known   bool
	invalid bool // the scope has a name that cannot be one

	thread int  // index in facts of the history thread that the last event belongs to, or -1
	counts bool // the thread is enough for a fact
}

// maxAhead is how many seconds a time may be ahead of the arrival.
const maxAhead = 86_400

func newFactBuilder(arrived time.Time, scope func(string) Scope) *factBuilder {
	b := &factBuilder{source: scope, thread: -1, latest: math.MaxInt64}
	if !arrived.IsZero() {
		b.now = arrived.Unix()
		b.latest = b.now + maxAhead
	}
	return b
}

// parseTime reads the timestamp of a webhook.
func (b *factBuilder) parseTime(text string) (int64, bool) {
	at, ok := parseTime(text)
	if at > b.latest {
		at = b.now
	}
	return at, ok && at > 0
}

// key returns the alias of the person of an event and the time.
func (b *factBuilder) key(e *webhooknorm.Event) Sighting {
	at, ok := b.parseTime(e.Timestamp)
	if !ok || !b.setScope(e.PhoneNumberID) {
		return Sighting{}
	}
	var m members
	m.fill(b.scope, e.BSUID, e.ParentBSUID, e.Phone, e.BusinessPhone)
	return Sighting{Alias: m.key(), At: at}
}

// setScope sets b.scope to the scope of a business number, and reports whether its names
// can be used.
func (b *factBuilder) setScope(number string) bool {
	if b.source != nil && (!b.known || b.number != number) {
		b.scope, b.number, b.known = b.source(number), number, true
		b.invalid = checkText("portfolio", b.scope.Portfolio) != nil || checkText("group", b.scope.Group) != nil
	}
	return !b.invalid
}

// addChange adds the fact of a change of ids, and reports whether there is one.
func (b *factBuilder) addChange(c *webhooknorm.IdentityChange) bool {
	at, ok := b.parseTime(c.Timestamp)
	if !ok || !b.setScope(c.PhoneNumberID) {
		return false
	}
	previous, current := c.Previous, c.Current
	if previous.Phone != "" && previous.Phone != c.BusinessPhone {
		if previous.BSUID == current.BSUID {
			previous.BSUID = ""
		}
		if previous.ParentBSUID == current.ParentBSUID {
			previous.ParentBSUID = ""
		}
	}
	b.facts = append(b.facts, Fact{kind: factChanged, at: at})
	f := &b.facts[len(b.facts)-1]
	f.a.fill(b.scope, previous.BSUID, previous.ParentBSUID, previous.Phone, c.BusinessPhone)
	f.b.fill(b.scope, current.BSUID, current.ParentBSUID, current.Phone, c.BusinessPhone)
	if f.a.isEmpty() || f.b.isEmpty() {
		b.facts = b.facts[:len(b.facts)-1]
		return false
	}
	return true
}

// addEvent adds the facts of an event.
func (b *factBuilder) addEvent(e *webhooknorm.Event) {
	at, ok := b.parseTime(e.Timestamp)
	if !ok || !b.setScope(e.PhoneNumberID) {
		return
	}
	// The fact is built where it will stand: it is large, and most events give one.
	last := len(b.facts)
	b.facts = append(b.facts, Fact{})
	f := &b.facts[last]
	f.kind, f.at = factSeen, at
	n := f.a.fill(b.scope, e.BSUID, e.ParentBSUID, e.Phone, e.BusinessPhone)
	f.labels.Username = cleanLabel(e.Username)
	if e.Kind != webhooknorm.KindAppContact {
		f.labels.Name = cleanLabel(e.DisplayName)
	}
	acted := e.Kind.PersonActed()
	if e.Kind == webhooknorm.KindHistory || e.Kind == webhooknorm.KindHistoryEcho {
		message := *f
		b.facts = b.facts[:last]
		if n > 0 {
			b.extendThread(&message, acted || n > 1)
		}
		return
	}
	if b.thread >= 0 {
		fact := *f
		b.facts = b.facts[:last]
		b.endThread()
		last = len(b.facts)
		b.facts = append(b.facts, fact)
	}
	switch {
	case n == 0 || n == 1 && !acted:
		b.facts = b.facts[:last]
	case e.SharedPhone != "":
		b.addShared(e)
	}
}

// extendThread adds a message to the history thread, or begins another one if its
// aliases differ. counts says that the message is enough for a fact.
func (b *factBuilder) extendThread(f *Fact, counts bool) {
	if b.thread < 0 || !b.facts[b.thread].a.sameAliases(&f.a) {
		b.endThread()
		b.thread, b.counts = len(b.facts), counts
		b.facts = append(b.facts, *f)
		return
	}
	t := &b.facts[b.thread]
	b.counts = b.counts || counts
	if f.at >= t.at {
		t.at, t.a.received = f.at, f.a.received
		t.labels.Username = cmp.Or(f.labels.Username, t.labels.Username)
		t.labels.Name = cmp.Or(f.labels.Name, t.labels.Name)
	}
}

// endThread ends the history thread, and drops its fact if it does not count.
func (b *factBuilder) endThread() {
	if b.thread >= 0 && !b.counts {
		b.facts = b.facts[:b.thread]
	}
	b.thread = -1
}

// addShared completes the last fact with a number that the person shared, or adds a fact
// with it.
func (b *factBuilder) addShared(e *webhooknorm.Event) {
	f := &b.facts[len(b.facts)-1]
	shared := members{bsuid: f.a.bsuid, parent: f.a.parent}
	shared.fill(b.scope, "", "", e.SharedPhone, e.BusinessPhone)
	switch {
	case !shared.phone.IsValid() || shared.phone == f.a.phone || !f.a.stable().IsValid():
		// There is nothing to add, or no alias to which the number could be added.
	case !f.a.phone.IsValid():
		f.a = shared
	default:
		b.facts = append(b.facts, Fact{kind: factSeen, at: f.at, a: shared, labels: f.labels})
	}
}

// fill sets the aliases of m from the ids of a webhook, and returns how many there are.
// Ids that cannot be aliases are left out.
func (m *members) fill(scope Scope, bsuid, parent, phone, business string) int {
	if bsuid != "" && (bsuid == parent || isParent(bsuid)) {
		bsuid, parent = "", cmp.Or(parent, bsuid) // only that form is known
	}
	n := 0
	if bsuid != "" && setAlias(&m.bsuid, KindBSUID, scope.Portfolio, bsuid) {
		n++
	}
	if parent != "" && setAlias(&m.parent, KindParent, scope.Group, parent) {
		n++
	}
	if phone != "" && phone != business && setAlias(&m.phone, KindPhone, scope.Portfolio, phone) {
		m.received = phone
		n++
	}
	return n
}

func setAlias(to *Alias, kind Kind, scope, value string) bool {
	a, err := newScoped(kind, scope, value)
	if err != nil {
		return false
	}
	*to = a
	return true
}

// parseTime reads the timestamp of a webhook.
func parseTime(text string) (int64, bool) {
	if text == "" || len(text) > 18 {
		return 0, false
	}
	at := int64(0)
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		at = at*10 + int64(c-'0')
	}
	at, err := seconds(at)
	return at, err == nil
}
