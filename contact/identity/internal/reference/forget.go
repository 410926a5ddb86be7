package reference

import "maps"

// Forget returns the facts without those about the person (section 11). Nobody else's person
// changes. Facts that name other people too lose only the person's IDs.
func (p Person) Forget() *Facts {
	r := removal{p.solution, p.person, newFacts()}
	for id, crowded := range r.evidence.crowded {
		if crowded && !r.owns(id) {
			r.left.crowded[id] = true
		}
	}
	for _, q := range r.people {
		for id := range q.spans {
			if l, found := r.received[id]; found && q != r.person {
				r.left.received[id] = l
			}
		}
	}
	for _, c := range r.combinations() {
		r.combination(c)
	}
	for _, a := range r.announcements {
		r.announcement(a)
	}
	for v := range r.verdicts {
		if !r.concerns(v) {
			r.left.verdicts[v] = true
		}
	}
	maps.Copy(r.left.handovers, r.handovers)
	for n, l := range r.lines {
		r.line(n, l)
	}
	return r.left
}

type removal struct {
	*solution
	person *person
	left   *Facts
}

func (r removal) is(n node) bool { return r.people[r.leader(n)] == r.person }

func (r removal) owns(stable ID) bool { return r.is(node{id: stable}) }

func (r removal) had(n ID, position int64) bool { return r.is(r.at(n, position)) }

// combination keeps a combination, or of its parts those of others.
func (r removal) combination(c combination) {
	var parts []combination
	changed := false
	for _, part := range r.apart(r.uncrowded(c, r.evidence.crowded), r.evidence.withdrawn) {
		kept := r.part(part)
		changed = changed || len(kept) != 1 || kept[0] != part
		parts = append(parts, kept...)
	}
	if !changed {
		r.left.see(c)
		return
	}
	for _, part := range parts {
		if part.ids != (ids{}) {
			part.rest = true
			r.left.see(part)
		}
	}
}

// part returns what others have of a combination.
func (r removal) part(c combination) []combination {
	if c.ids.bare() {
		return r.alone(c)
	}
	if r.owns(c.ids.least()) {
		c.username, c.name = label{}, label{}
	}
	c.ids = r.others(c.ids)
	return []combination{c}
}

// alone returns what others have of a number alone: each time and each label on its own.
func (r removal) alone(c combination) []combination {
	n := c.ids.number
	of := func(at int64) bool { return at > 0 && !r.had(n, 2*at) }
	for _, l := range []*label{&c.username, &c.name} {
		if l.text != "" && !of(l.at) {
			*l = label{}
		}
	}
	switch first, last := of(c.first), of(c.last); {
	case first && last:
	case first:
		c.last = c.first
	case last:
		c.first = c.last
	case c.username != label{} || c.name != label{}:
		c.first, c.last = 0, 0 // only a label is left
	default:
		return nil
	}
	return []combination{c}
}

// others returns the IDs without the person's. A number leaves with the least stable ID.
func (r removal) others(s ids) ids {
	if s.least() != (ID{}) && r.owns(s.least()) {
		s.number = ID{}
	}
	return s.keep(func(id ID) bool { return id.Kind == number || !r.owns(id) })
}

// announcement keeps an announcement, or what it says of others. Where its number alone was the
// person's, a handover breaks the line instead.
func (r removal) announcement(a told) {
	left := change{a.at, a.sides, true}
	for i, side := range a.sides {
		left.sides[i] = r.others(side)
		if side.bare() && r.had(side.number, 2*a.at) {
			left.sides[i] = ids{}
			r.left.handovers[handover{side.number, a.at + int64(1-i)}] = true
		}
	}
	switch {
	case left.sides == a.sides:
		for _, c := range a.facts {
			r.left.changes[c] = true
		}
	case left.sides != [2]ids{}:
		r.left.changes[left] = true
	}
}

// concerns reports whether an operator's statement is about the person.
func (r removal) concerns(v verdict) bool {
	for i, id := range v.pair {
		switch {
		case id.Kind != number:
			if r.owns(id) {
				return true
			}
		case v.pair[0].Kind == number && !v.withdrawn && r.had(id, 2*v.times[i]):
			return true
		}
	}
	return false
}

// line leaves handovers where the person's stays kept others from getting the number.
func (r removal) line(n ID, l line) {
	for i, e := range l {
		if e.stay == nil || !r.owns(e.stay.id) {
			continue
		}
		if !r.spanned(l, i) && !r.asked(n, e.stay.from) {
			r.left.handovers[handover{n, e.stay.from}] = true
		}
		until := e.stay.end
		if until == never {
			until = e.stay.last
		}
		if r.found(l[:l.before(2*until+1)], 2*until+1) == e.stay {
			r.left.handovers[handover{n, until + 1}] = true
		}
	}
}

// spanned reports whether somebody else's stay began before the stay at index i, and was seen
// then or later, or is before it in the same second.
func (r removal) spanned(l line, i int) bool {
	t := l[i].stay
	for j, e := range l {
		if e.stay == nil || r.owns(e.stay.id) {
			continue
		}
		if e.stay.from < t.from && t.from <= e.stay.last || e.stay.from == t.from && j < i {
			return true
		}
	}
	return false
}

// asked reports whether an operator joined somebody else with who had the number just before. A
// break there would be before that.
func (r removal) asked(n ID, at int64) bool {
	for _, v := range r.evidence.joined {
		if v.pair[1] == n && v.pair[0].Kind != number && v.times[1] == at && !r.owns(v.pair[0]) {
			return true
		}
	}
	return false
}
