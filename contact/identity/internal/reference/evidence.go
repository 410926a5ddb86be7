package reference

// Evidence is what counts (section 3).
type evidence struct {
	seen      []combination
	changes   []told
	joined    []verdict
	withdrawn map[pair]bool
	handovers []handover
	crowded   map[ID]bool
}

func (f *Facts) evidence() evidence {
	e := evidence{crowded: f.crowds()}
	var joined []verdict
	joined, e.withdrawn = f.latest()
	for _, v := range joined {
		if !e.crowded[v.pair[0]] && !e.crowded[v.pair[1]] {
			e.joined = append(e.joined, v)
		}
	}
	for _, c := range f.combinations() {
		e.seen = append(e.seen, f.apart(f.uncrowded(c, e.crowded), e.withdrawn)...)
	}
	for c := range f.changes {
		raw := c
		for i := range c.sides {
			c.sides[i] = c.sides[i].keep(func(id ID) bool { return !e.crowded[id] })
		}
		e.changes = append(e.changes, told{f.unlent(c, e.withdrawn), []change{raw}})
	}
	for h, counts := range f.handovers {
		if counts {
			e.handovers = append(e.handovers, h)
		}
	}
	return e
}

// crowds returns the IDs that were beside too many others.
func (f *Facts) crowds() map[ID]bool {
	beside := map[ID]map[ID]bool{}
	add := func(a, b ID) {
		if a != (ID{}) && b != (ID{}) {
			for _, p := range [2]pair{{a, b}, {b, a}} {
				if beside[p[0]] == nil {
					beside[p[0]] = map[ID]bool{}
				}
				beside[p[0]][p[1]] = true
			}
		}
	}
	look := func(side, other ids) {
		least, id := side.least(), side.bsuid
		if least == (ID{}) {
			least = other.least()
		}
		if id == (ID{}) {
			id = other.bsuid
		}
		add(side.number, least)
		add(side.parent, id)
	}
	for _, c := range f.combinations() {
		look(c.ids, ids{})
	}
	for c := range f.changes {
		look(c.sides[previous], c.sides[current])
		look(c.sides[current], c.sides[previous])
	}
	crowded := map[ID]bool{}
	for id, others := range beside {
		crowded[id] = isCrowded(id, others)
	}
	for id, n := range f.named() {
		crowded[id] = crowded[id] || n > maxFacts
	}
	for id := range f.crowded {
		crowded[id] = true
	}
	if f.off(Crowding) {
		return map[ID]bool{}
	}
	return crowded
}

// named returns how many combinations, changes and handovers name each ID.
func (f *Facts) named() map[ID]int {
	facts := map[any]map[ID]bool{}
	for _, c := range f.combinations() {
		facts[c.ids] = setOf(c.ids.all()...)
	}
	for c := range f.changes {
		facts[c] = setOf(append(c.sides[previous].all(), c.sides[current].all()...)...)
	}
	for h := range f.handovers {
		facts[h] = setOf(h.number)
	}
	count := map[ID]int{}
	for _, named := range facts {
		for id := range named {
			count[id]++
		}
	}
	return count
}

func setOf(list ...ID) map[ID]bool {
	set := map[ID]bool{}
	for _, id := range list {
		set[id] = true
	}
	return set
}

func isCrowded(id ID, beside map[ID]bool) bool {
	kinds := map[string]int{}
	for other := range beside {
		kinds[other.Kind]++
	}
	switch id.Kind {
	case number:
		return len(beside) > maxIDs
	case bsuid:
		return kinds[number] > maxFew
	}
	return kinds[bsuid] > maxFew
}

// uncrowded leaves crowded IDs out of a combination. A crowded stable ID alone stays.
func (f *Facts) uncrowded(c combination, crowded map[ID]bool) combination {
	if all := c.ids.all(); len(all) > 1 || all[0].Kind == number {
		c.ids = c.ids.keep(func(id ID) bool { return !crowded[id] })
	}
	return c
}

// apart separates a number from stable IDs from which it's withdrawn.
func (f *Facts) apart(c combination, withdrawn map[pair]bool) []combination {
	if len(c.ids.all()) == 0 {
		return nil
	}
	for _, id := range c.ids.stable() {
		if withdrawn[newPair(id, c.ids.number)] && !f.off(Withdrawing) {
			alone := combination{ids: ids{number: c.ids.number}, first: c.first, last: c.last}
			c.ids.number = ID{}
			return []combination{c, alone}
		}
	}
	return []combination{c}
}

// unlent takes a number from both sides of a change that names a stable ID from which it's
// withdrawn.
func (f *Facts) unlent(c change, withdrawn map[pair]bool) change {
	stable := append(c.sides[previous].stable(), c.sides[current].stable()...)
	for _, n := range present(c.sides[previous].number, c.sides[current].number) {
		for _, id := range stable {
			if withdrawn[newPair(id, n)] && !f.off(Withdrawing) {
				c.sides = [2]ids{c.sides[previous].without(n), c.sides[current].without(n)}
			}
		}
	}
	return c
}
