package lives

import "slices"

// A truth records who held which number when, and which webhooks about it reached the receiver. People
// write it while they live, and the judge reads it afterward. It never interprets a webhook, because
// then it would share a receiver's mistakes.
type truth struct {
	tenancies []tenancy          // by lease; the first is unused
	latest    map[string]uint32  // the latest lease of each number
	seen      map[use]firstUse   // how a number was first shown with a BSUID
	announced map[boundary]bool  // ends and beginnings of leases that a delivered webhook announced
	ids       components[alias]  // a person's BSUIDs that webhooks connect
	numbers   components[use]    // a person's numbers that webhooks connect without BSUIDs
	bsuids    map[string]version // whose BSUID or parent BSUID it is, for each that a webhook showed
	replaced  map[version]int64  // when a person got other BSUIDs
}

// A tenancy is the time in which a person holds a number.
type tenancy struct {
	phone         string
	person        int
	generation    uint16 // the person's BSUIDs when it began
	since, until  int64  // in Unix seconds; until is 0 while it lasts
	before, after uint32 // the leases of the number's previous and next holder, or 0
}

// A use is a number's lease at a portfolio.
type use struct {
	portfolio uint8
	lease     uint32
}

// A firstUse is the first delivered webhook that shows a number with a BSUID, and the other BSUIDs
// that were shown with it.
type firstUse struct {
	generation uint16
	owners     []alias
}

// A boundary is the beginning or the end of a lease.
type boundary struct {
	use
	end bool
}

// An alias is a person's BSUID or parent BSUID.
type alias struct {
	person     int
	isParent   bool
	scope      uint8 // the portfolio, or the group of portfolios for a parent
	generation uint16
}

// A version counts how often a person's BSUIDs have changed.
type version struct {
	person     int
	generation uint16
}

func newTruth() *truth {
	return &truth{
		tenancies: make([]tenancy, 1), latest: map[string]uint32{}, seen: map[use]firstUse{}, announced: map[boundary]bool{},
		ids: newComponents[alias](), numbers: newComponents[use](), bsuids: map[string]version{}, replaced: map[version]int64{},
	}
}

// begin records that a person gets a number, and returns the lease.
func (t *truth) begin(phone string, person int, generation uint16, now int64) uint32 {
	lease := uint32(len(t.tenancies))
	before := t.latest[phone]
	t.tenancies = append(t.tenancies, tenancy{phone: phone, person: person, generation: generation, since: now, before: before})
	t.tenancies[before].after = lease
	t.latest[phone] = lease
	return lease
}

// end records that a person gives a number up.
func (t *truth) end(lease uint32, now int64) { t.tenancies[lease].until = now }

// aliases returns the BSUIDs that an event shows.
func (e *Event) aliases() (list []alias) {
	add := func(ids Identifiers, generation uint16) {
		if ids.BSUID != "" {
			list = append(list, alias{e.Person, false, e.portfolio, generation})
		}
		if ids.Parent != "" {
			list = append(list, alias{e.Person, true, e.linked, generation})
		}
	}
	add(e.Shown, e.generation)
	if e.rotated {
		add(e.Previous, e.generation-1)
	}
	return list
}

// isEvidence reports whether an event tells a receiver which IDs belong to one person. An address
// that the business used proves nothing unless the platform adds the other ID.
func (e *Event) isEvidence() bool {
	switch e.Kind {
	case KindStatus, KindEcho, KindCallToUser:
		return !e.Standby && e.Shown.BSUID != "" && e.Shown.Phone != ""
	case KindHandover, KindHistoryEcho, KindUpdate:
		return false
	case KindMessage, KindHistory, KindChange, KindCall, KindPreference, KindParticipant, KindSent:
	}
	return true
}

// deliver records what a delivered event shows.
func (t *truth) deliver(e *Event) {
	for _, id := range []string{e.Shown.BSUID, e.Shown.Parent} {
		if id != "" {
			t.bsuids[id] = version{e.Person, e.generation}
		}
	}
	if !e.isEvidence() {
		return
	}
	shown := e.aliases()
	for _, a := range shown {
		t.ids.join(a, shown[0])
	}
	now, before := use{e.portfolio, e.lease}, use{e.portfolio, e.lastLease}
	t.numbers.find(now)
	if len(shown) > 0 && (e.Shown.Phone != "" || e.Shared != "") {
		t.show(now, e.generation, shown[0])
	}
	if len(shown) > 0 && e.Previous.Phone != "" {
		t.show(before, e.generation-1, shown[0])
	}
	if e.Kind != KindChange {
		return
	}
	if !e.rotated {
		t.numbers.join(before, now)
	}
	if e.lease != e.lastLease {
		t.announced[boundary{before, true}] = t.announced[boundary{before, true}] || e.Previous.Phone != ""
		t.announced[boundary{now, false}] = t.announced[boundary{now, false}] || e.Shown.Phone != ""
	}
}

func (t *truth) show(u use, generation uint16, owner alias) {
	t.numbers.find(u)
	first, ok := t.seen[u]
	if !ok {
		first.generation = generation
	}
	if !slices.Contains(first.owners, owner) {
		first.owners = append(first.owners, owner)
		t.seen[u] = first
	}
}

// isDoubtful reports whether the delivered webhooks leave open who used a number, because
//
//   - it passed to or from somebody else, and no webhook announced it,
//   - it was shown with two BSUIDs of the person, and no webhook connects them, or
//   - the person's BSUID changed before it was shown with the number.
//
// A receiver can't avoid a mistake with a message that shows nothing but such a number.
func (t *truth) isDoubtful(u use) bool {
	l := &t.tenancies[u.lease]
	passed := func(from, to uint32) bool {
		return from != 0 && to != 0 && t.tenancies[from].person != t.tenancies[to].person &&
			!t.announced[boundary{use{u.portfolio, from}, true}] && !t.announced[boundary{use{u.portfolio, to}, false}]
	}
	if passed(l.before, u.lease) || passed(u.lease, l.after) {
		return true
	}
	first, shown := t.seen[u]
	return shown && (first.generation != l.generation || !t.areConnected(first.owners))
}

func (t *truth) areConnected(owners []alias) bool {
	for _, o := range owners {
		if t.ids.find(o) != t.ids.find(owners[0]) {
			return false
		}
	}
	return true
}

// holder returns who holds a number at a time, if anybody does.
func (t *truth) holder(phone string, now int64) (person int, ok bool) {
	for lease := t.latest[phone]; lease != 0; lease = t.tenancies[lease].before {
		if l := &t.tenancies[lease]; l.since <= now {
			return l.person, l.until == 0 || now < l.until
		}
	}
	return 0, false
}

// owner returns whose BSUID or parent BSUID it is at a time, if anybody's.
func (t *truth) owner(bsuid string, now int64) (person int, ok bool) {
	v, ok := t.bsuids[bsuid]
	replaced, old := t.replaced[v]
	return v.person, ok && (!old || now < replaced)
}

// A places finds what a person's messages have in common after the last webhook.
type places struct {
	*truth
	doubtful map[int32]bool    // by component of numbers
	owners   map[int32][]alias // by component of numbers
}

func (t *truth) places() places {
	p := places{t, map[int32]bool{}, map[int32][]alias{}}
	for _, u := range t.numbers.keys {
		n := t.numbers.find(u)
		p.doubtful[n] = p.doubtful[n] || t.isDoubtful(u)
		p.owners[n] = append(p.owners[n], t.seen[u].owners...)
	}
	for n, owners := range p.owners {
		p.doubtful[n] = p.doubtful[n] || !t.areConnected(owners)
	}
	return p
}

// of returns a place that a person's messages share if webhooks connect the IDs in them. It isn't
// certain if the receiver can't know whose message it is.
func (p places) of(shown []alias, u use) (place int32, certain bool) {
	if len(shown) > 0 {
		return p.ids.find(shown[0]), true
	}
	n := p.numbers.find(u)
	if owners := p.owners[n]; len(owners) > 0 {
		return p.ids.find(owners[0]), !p.doubtful[n]
	}
	return -1 - n, !p.doubtful[n]
}
