package identity

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
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
	b.facts = make([]Fact, 0, len(webhook.Events))
	announced := map[*webhooknorm.Event]bool{}
	for i := range webhook.Events {
		e := &webhook.Events[i]
		if f := b.changed(e); f.Kind != 0 {
			b.facts = append(b.facts, Fact{f})
			announced[e] = true
		}
	}
	for i := range webhook.Events {
		if e := &webhook.Events[i]; !announced[e] {
			b.addEvent(e)
		}
	}
	b.endThread()
	return b.facts
}

// A factBuilder collects a webhook's facts.
type factBuilder struct {
	facts  []Fact
	source func(string) Scope
	now    int64 // what replaces a later time, if above 0

	// Consecutive events look up a business number's scope once.
	scope   Scope
	number  string
	known   bool
	invalid bool // the scope has a name that cannot be one

	thread rules.Fact // the history thread that the last event belongs to, if any
	counts bool       // the thread is enough for a fact
}

// maxAhead limits how many seconds a time can be ahead of the arrival.
const maxAhead = 86_400

func newFactBuilder(arrived time.Time, scope func(string) Scope) *factBuilder {
	return &factBuilder{source: scope, now: min(arrived.Unix(), firstMillisecond)}
}

// begin sets b.scope for an element, and returns the element's time, or 0 if either is invalid.
func (b *factBuilder) begin(of *webhooknorm.Source) int64 {
	number, err := strconv.ParseUint(of.Timestamp, 10, 63)
	at, invalid := seconds(int64(number))
	if err != nil || invalid != nil || len(of.Timestamp) > 18 {
		return 0
	}
	if b.source != nil && (!b.known || b.number != of.PhoneNumberID) {
		b.scope, b.number, b.known = b.source(of.PhoneNumberID), of.PhoneNumberID, true
		b.invalid = checkText("portfolio", b.scope.Portfolio) != nil || checkText("group", b.scope.Group) != nil
	}
	switch {
	case b.invalid:
		return 0
	case b.now > 0 && at > b.now+maxAhead:
		return b.now
	default:
		return at
	}
}

// members returns the valid aliases without the business's own number.
func (b *factBuilder) members(ids contact.IDs, business string) rules.Members {
	if isParent(ids.BSUID) { // only that form is known
		if !isParent(ids.ParentBSUID) {
			ids.ParentBSUID = ids.BSUID
		}
		ids.BSUID = ""
	}
	if ids.Phone == business {
		ids.Phone = ""
	}
	m, _ := newMembers(b.scope, ids)
	return m
}

// changed returns the fact that an event announces, or the zero Fact.
func (b *factBuilder) changed(e *webhooknorm.Event) rules.Fact {
	c := e.Change
	if c == nil {
		return rules.Fact{}
	}
	at := b.begin(&e.Source)
	if at == 0 {
		return rules.Fact{}
	}
	previous := c.Previous
	if previous.Phone != "" && previous.Phone != e.BusinessPhone {
		if previous.BSUID == c.Current.BSUID {
			previous.BSUID = ""
		}
		if previous.ParentBSUID == c.Current.ParentBSUID {
			previous.ParentBSUID = ""
		}
	}
	f := rules.Fact{Kind: rules.Changed, At: at, A: b.members(previous, e.BusinessPhone), B: b.members(c.Current, e.BusinessPhone)}
	if f.A.Side == (rules.Side{}) || f.B.Side == (rules.Side{}) {
		return rules.Fact{}
	}
	return f
}

// seen returns an event's aliases, names and time.
func (b *factBuilder) seen(e *webhooknorm.Event) rules.Fact {
	at := b.begin(&e.Source)
	if at == 0 {
		return rules.Fact{}
	}
	f := rules.Fact{Kind: rules.Seen, At: at, A: b.members(e.IDs, e.BusinessPhone), Username: cleanLabel(e.Username)}
	if e.Kind != webhooknorm.KindAppContact {
		f.Name = cleanLabel(e.DisplayName)
	}
	return f
}

func (b *factBuilder) mention(e *webhooknorm.Event) mention {
	f := b.seen(e)
	return mentionOf(&f)
}

// actions are the events that a person causes. Others don't prove that the person exists.
var actions = []webhooknorm.Kind{
	webhooknorm.KindMessage, webhooknorm.KindHistory, webhooknorm.KindCall, webhooknorm.KindPreference, webhooknorm.KindParticipant,
}

func (b *factBuilder) addEvent(e *webhooknorm.Event) {
	f := b.seen(e)
	n := len(f.A.IDs())
	enough := n > 1 || n == 1 && slices.Contains(actions, e.Kind)
	switch {
	case f.Kind == 0:
	case e.Kind == webhooknorm.KindHistory || e.Kind == webhooknorm.KindHistoryEcho:
		if n > 0 {
			b.extendThread(&f, enough)
		}
	default:
		b.endThread()
		if enough {
			b.addSeen(&f, e)
		}
	}
}

// extendThread adds a message to the history thread. Other aliases begin another thread. counts
// indicates that the message is enough for a fact.
func (b *factBuilder) extendThread(f *rules.Fact, counts bool) {
	t := &b.thread
	if t.A.Side != f.A.Side {
		b.endThread()
		*t = *f
	}
	b.counts = b.counts || counts
	if f.At >= t.At {
		t.At, t.A.Received = f.At, f.A.Received
		t.Username = cmp.Or(f.Username, t.Username)
		t.Name = cmp.Or(f.Name, t.Name)
	}
}

// endThread adds the history thread's fact if it's enough.
func (b *factBuilder) endThread() {
	if b.counts {
		b.facts = append(b.facts, Fact{b.thread})
	}
	b.thread, b.counts = rules.Fact{}, false
}

// addSeen adds a fact. A number that the event shares belongs to it, or to another fact if it
// contains a number already.
func (b *factBuilder) addSeen(f *rules.Fact, e *webhooknorm.Event) {
	b.facts = append(b.facts, Fact{*f})
	shared := b.members(contact.IDs{Phone: e.SharedPhone}, e.BusinessPhone)
	if !shared.Phone.IsValid() || shared.Phone == f.A.Phone || !f.A.Stable().IsValid() {
		return
	}
	if f.A.Phone.IsValid() {
		b.facts = append(b.facts, Fact{*f})
	}
	shared.BSUID, shared.Parent = f.A.BSUID, f.A.Parent
	b.facts[len(b.facts)-1].rule.A = shared
}
