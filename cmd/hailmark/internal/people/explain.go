package people

import (
	"cmp"
	"slices"

	"github.com/hailmark/hailmark/contact/identity"
)

// maxFacts is how many facts of a merge are listed at most.
const maxFacts = 20

// explain finds the facts that join the contacts of some merges.
func (p *planner) explain(all []identity.Fact, contacts []Contact, merges []Merge, unexplained []int) {
	if len(unexplained) == 0 {
		return
	}
	byID := make(map[string]int, len(contacts))
	for i := range contacts {
		byID[contacts[i].ID] = i
	}
	keys := make([][]identity.Alias, len(merges)) // the keys of the contacts, by merge
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
		for _, h := range p.people[person].Aliases {
			wanted[h.Alias] = append(wanted[h.Alias], m)
		}
	}
	facts := make([][]identity.Fact, len(merges))
	for _, f := range all {
		var done []int
		for _, a := range f.Aliases() {
			for _, m := range wanted[a] {
				if !slices.Contains(done, m) {
					done = append(done, m)
					facts[m] = append(facts[m], f)
				}
			}
		}
	}
	for _, m := range unexplained {
		list := joining(facts[m], keys[m])
		merges[m].More = max(len(list)-maxFacts, 0)
		merges[m].Facts = list[:len(list)-merges[m].More]
	}
}

// joining returns few of the facts, which together make one person of the keys. Facts of
// an operator that separate people always count, but are not returned.
func joining(facts []identity.Fact, keys []identity.Alias) []identity.Fact {
	var fixed, list []identity.Fact
	for _, f := range facts {
		if f.Kind() == "withdrawn" || f.Kind() == "handed_over" {
			fixed = append(fixed, f)
		} else {
			list = append(list, f)
		}
	}
	join := func(list []identity.Fact) bool {
		people, _ := identity.Partition(slices.Concat(fixed, list))
		return slices.ContainsFunc(people, func(p identity.Person) bool {
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
