package identity

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hailmark/hailmark/webhooknorm"
)

// FactsOf returns a webhook's facts. scope returns the [Scope] for a phone number ID. If it's
// nil, all numbers use the zero Scope.
//
//   - An announced ID change yields only a [Changed]. A number that could belong to either side is
//     left out. If the previous side has a number, BSUIDs that didn't change are left out of it.
//   - A message, a call, a marketing preference or a group participant yields [Seen], even with
//     one ID. A history thread yields one Seen with its latest time.
//   - Any other event yields [Seen] only if it contains two IDs. The business chose the
//     recipient, so a number alone doesn't show who has it.
//   - A response to a contact request yields [Seen] with the shared number.
//
// Events without a time, an ID or a valid scope yield no facts. IDs that [NewAlias] rejects, the
// business's own number and address book names are omitted.
//
// arrived is the webhook's arrival time. It replaces times more than a day later, because a wrong
// clock could keep a number forever, unless it's the zero Time or before 1970.
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

// announces reports whether an event is a change's notice. It compares contents, because a queue
// or JSON loses pointers.
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

// A factBuilder collects a webhook's facts.
type factBuilder struct {
	facts  []Fact
	source func(string) Scope
	latest int64 // no fact is later
	now    int64 // what replaces a later time

	// Consecutive events look up a business number's scope once.
	scope   Scope
	number  string
	known   bool
	invalid bool // the scope has a name that cannot be one

	thread int  // index in facts of the history thread that the last event belongs to, or -1
	counts bool // the thread is enough for a fact
}

// maxAhead limits how many seconds a time can be ahead of the arrival.
const maxAhead = 86_400

func newFactBuilder(arrived time.Time, scope func(string) Scope) *factBuilder {
	b := &factBuilder{source: scope, thread: -1, latest: math.MaxInt64}
	if b.now = min(arrived.Unix(), firstMillisecond); b.now > 0 {
		b.latest = b.now + maxAhead
	}
	return b
}

func (b *factBuilder) parseTime(text string) (int64, bool) {
	at, ok := parseTime(text)
	if at > b.latest {
		at = b.now
	}
	return at, ok && at > 0
}

func (b *factBuilder) key(e *webhooknorm.Event) Sighting {
	at, ok := b.parseTime(e.Timestamp)
	if !ok || !b.setScope(e.PhoneNumberID) {
		return Sighting{}
	}
	var m members
	m.fill(b.scope, e.BSUID, e.ParentBSUID, e.Phone, e.BusinessPhone)
	return Sighting{Alias: m.key(), At: at}
}

// setScope sets b.scope to a business number's scope. It reports whether its names are valid.
func (b *factBuilder) setScope(number string) bool {
	if b.source != nil && (!b.known || b.number != number) {
		b.scope, b.number, b.known = b.source(number), number, true
		b.invalid = checkText("portfolio", b.scope.Portfolio) != nil || checkText("group", b.scope.Group) != nil
	}
	return !b.invalid
}

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

// actions are the events that a person causes. Others don't prove that the person exists.
var actions = []webhooknorm.Kind{
	webhooknorm.KindMessage, webhooknorm.KindHistory, webhooknorm.KindCall, webhooknorm.KindPreference, webhooknorm.KindParticipant,
}

func (b *factBuilder) addEvent(e *webhooknorm.Event) {
	at, ok := b.parseTime(e.Timestamp)
	if !ok || !b.setScope(e.PhoneNumberID) {
		return
	}
	f := Fact{kind: factSeen, at: at, username: cleanLabel(e.Username)}
	n := f.a.fill(b.scope, e.BSUID, e.ParentBSUID, e.Phone, e.BusinessPhone)
	if e.Kind != webhooknorm.KindAppContact {
		f.name = cleanLabel(e.DisplayName)
	}
	enough := n > 1 || n == 1 && slices.Contains(actions, e.Kind)
	if e.Kind == webhooknorm.KindHistory || e.Kind == webhooknorm.KindHistoryEcho {
		if n > 0 {
			b.extendThread(&f, enough)
		}
		return
	}
	b.endThread()
	if enough {
		b.facts = append(b.facts, f)
		b.addShared(e)
	}
}

// extendThread adds a message to the history thread. Other aliases begin another thread. counts
// indicates that the message is enough for a fact.
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
		t.username = cmp.Or(f.username, t.username)
		t.name = cmp.Or(f.name, t.name)
	}
}

// endThread ends the history thread, and drops its fact if it isn't enough.
func (b *factBuilder) endThread() {
	if b.thread >= 0 && !b.counts {
		b.facts = b.facts[:b.thread]
	}
	b.thread = -1
}

// addShared adds a shared number to the last fact, or adds another fact.
func (b *factBuilder) addShared(e *webhooknorm.Event) {
	if e.SharedPhone == "" {
		return
	}
	f := &b.facts[len(b.facts)-1]
	shared := members{bsuid: f.a.bsuid, parent: f.a.parent}
	shared.fill(b.scope, "", "", e.SharedPhone, e.BusinessPhone)
	switch {
	case !shared.phone.isValid() || shared.phone == f.a.phone || !f.a.stable().isValid():
		// There is nothing to add, or no alias to which the number could be added.
	case !f.a.phone.isValid():
		f.a = shared
	default:
		b.facts = append(b.facts, Fact{kind: factSeen, at: f.at, a: shared, username: f.username, name: f.name})
	}
}

// fill sets aliases to a webhook's IDs, and returns how many are valid.
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

// parseTime parses a timestamp.
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
