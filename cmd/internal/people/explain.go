package people

import (
	"cmp"
	"slices"

	"github.com/hailmark/hailmark/contact/identity"
)

// maxFacts is how many facts of a merge are listed at most.
const maxFacts = 20

// explain finds the facts that join the contacts of some merges.
func (p *planner) explain(state *identity.State, contacts []Contact, merges []Merge, unexplained []int) {
	if len(unexplained) == 0 {
		return
	}
	byID := make(map[string]int, len(contacts))
	for i := range contacts {
		byID[contacts[i].ID] = i
	}
	keys := make([][]identity.Alias, len(merges)) // of the contacts of each merge
	persons := map[int]int{}                      // person: merge
	for _, m := range unexplained {
		for _, id := range merges[m].IDs {
			c := &contacts[byID[id]]
			keys[m] = append(keys[m], c.key())
			unit, _ := p.find(c)
			persons[unit.(int)] = m
		}
	}
	wanted := map[identity.Alias][]int{} // merges
	for person, m := range persons {
		for _, h := range p.people.Persons[person].Aliases {
			wanted[h.Alias] = append(wanted[h.Alias], m)
		}
	}
	evidence := state.EvidenceOf(func(a identity.Alias) bool { return len(wanted[a]) > 0 })
	facts := make([][]identity.Fact, len(merges))
	eachFact(&evidence, func(f identity.Fact, aliases ...identity.Alias) {
		var done []int
		for _, a := range aliases {
			for _, m := range wanted[a] {
				if !slices.Contains(done, m) {
					done = append(done, m)
					facts[m] = append(facts[m], f)
				}
			}
		}
	})
	for _, m := range unexplained {
		list := joining(facts[m], keys[m])
		merges[m].More = max(len(list)-maxFacts, 0)
		merges[m].Facts = list[:len(list)-merges[m].More]
	}
}

// eachFact calls add for the facts of some evidence, with the aliases that they name.
// Those that only a person can have stated come last.
func eachFact(e *identity.Evidence, add func(f identity.Fact, aliases ...identity.Alias)) {
	must := func(f identity.Fact, err error) identity.Fact {
		if err != nil {
			panic("people: evidence that is no fact: " + err.Error())
		}
		return f
	}
	for i := range e.Cells {
		c := &e.Cells[i]
		scope := scopeOf(c.BSUID, c.Parent, c.Phone)
		ids := identity.IDs{BSUID: c.BSUID.Value(), Parent: c.Parent.Value(), Phone: c.Phone.Value()}
		add(must(identity.Seen(c.First, scope, ids, identity.Labels{})), c.BSUID, c.Parent, c.Phone)
		if c.Last != c.First {
			add(must(identity.Seen(c.Last, scope, ids, identity.Labels{})), c.BSUID, c.Parent, c.Phone)
		}
	}
	for i := range e.Changes {
		c := &e.Changes[i]
		a, b := &c.Previous, &c.Current
		scope := scopeOf(a.BSUID, b.BSUID, a.Phone, b.Phone, a.Parent, b.Parent)
		add(must(identity.Changed(c.At, scope,
			identity.IDs{BSUID: a.BSUID.Value(), Parent: a.Parent.Value(), Phone: a.Phone.Value()},
			identity.IDs{BSUID: b.BSUID.Value(), Parent: b.Parent.Value(), Phone: b.Phone.Value()},
		)), a.BSUID, a.Parent, a.Phone, b.BSUID, b.Parent, b.Phone)
	}
	for _, v := range e.Verdicts {
		state := identity.Withdrawn
		if v.Joined {
			state = identity.Joined
		}
		add(must(state(v.At, v.A, v.B)), v.A, v.B)
	}
	for _, h := range e.Handovers {
		state := identity.HandedOver
		if h.Undone {
			state = identity.NotHandedOver
		}
		add(must(state(h.At, h.Phone.Scope(), h.Phone.Value())), h.Phone)
	}
}

func scopeOf(aliases ...identity.Alias) identity.Scope {
	var s identity.Scope
	for _, a := range aliases {
		if a.Kind() == identity.KindParent {
			s.Group = a.Scope()
		} else if a.IsValid() {
			s.Portfolio = a.Scope()
		}
	}
	return s
}

// joining returns few of the facts, which together make one person of the keys. Facts of
// an operator that separate people always count, but are not returned.
func joining(facts []identity.Fact, keys []identity.Alias) []identity.Fact {
	var fixed, list []identity.Fact
	for _, f := range facts {
		if f.Kind() == identity.FactWithdrawn || f.Kind() == identity.FactHandedOver {
			fixed = append(fixed, f)
		} else {
			list = append(list, f)
		}
	}
	join := func(list []identity.Fact) bool {
		people := identity.Partition(identity.NewState(append(slices.Clone(fixed), list...)...))
		return slices.ContainsFunc(people.Persons, func(p identity.Person) bool {
			return !slices.ContainsFunc(keys, func(key identity.Alias) bool {
				return !slices.ContainsFunc(p.Aliases, func(h identity.Holding) bool { return h.Alias == key })
			})
		})
	}
	if !join(list) {
		return list
	}
	budget := 1 << 22 // facts to partition; a person with very many facts keeps more than needed
	for size := (len(list) + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < len(list) && budget > 0; {
			budget -= len(list)
			rest := slices.Concat(list[:i], list[min(i+size, len(list)):])
			if join(rest) {
				list = rest
			} else {
				i += size
			}
		}
	}
	slices.SortStableFunc(list, func(a, b identity.Fact) int { return cmp.Compare(a.At(), b.At()) })
	return list
}
