package people

import (
	"cmp"

	"github.com/hailmark/hailmark/contact/identity"
)

// A Reason says why contacts are one person, or why a contact is ambiguous.
type Reason string

const (
	// BecauseFacts: the facts of the merge join the contacts.
	BecauseFacts Reason = "facts"
	// BecauseSameBSUID: the contacts have the same BSUID.
	BecauseSameBSUID Reason = "same_bsuid"
	// BecauseSamePhone: the contacts have the same number, which one person has had.
	BecauseSamePhone Reason = "same_phone"

	// SeveralHolders: several people have had the number since the contact was created.
	SeveralHolders Reason = "several_holders"
	// OtherHolder: the BSUID belongs to a person who never had the number, and other
	// people had it.
	OtherHolder Reason = "other_holder"
	// BSUIDWithoutFacts: no fact names the BSUID, but some person had the number.
	BSUIDWithoutFacts Reason = "bsuid_without_facts"
)

// A Merge says that several contacts are one person.
type Merge struct {
	Person  string   // the id of the oldest contact
	IDs     []string // the ids of all contacts, in the order of the table
	Because Reason
	Facts   []identity.Fact // for BecauseFacts: together they join the contacts
	More    int             // facts that are left out of a long list
}

// An Ambiguous is a contact that is left to a person to decide.
type Ambiguous struct {
	ID      string
	Reason  Reason
	Persons []identity.Alias // the least alias of each person that it may be
}

// A Plan is how contacts become people.
type Plan struct {
	Merges    []Merge
	Ambiguous []Ambiguous
	Persons   []Assignment // one for each contact that is not ambiguous, in the order of the table
	Unknown   int          // contacts about which no fact says anything
}

// An Assignment says to which person a contact belongs. A person has the id of its oldest
// contact.
type Assignment struct{ ID, Person string }

// A planner knows who has the ids of the contacts.
type planner struct {
	people  []identity.Person
	holders map[identity.Alias][]holder
}

// A holder is a person who has or had an alias.
type holder struct {
	person int
	last   int64
}

// NewPlan plans how contacts become people. Contacts become one person only if facts
// join them, or if they have the same id and no other person has had it.
func NewPlan(facts []identity.Fact, people []identity.Person, contacts []Contact) Plan {
	p := newPlanner(people, contacts)
	var plan Plan
	units := map[any]int{} // a person by its index, or an alias without facts: index in groups
	var groups [][]int     // contacts
	for i := range contacts {
		unit, ambiguous := p.find(&contacts[i])
		if ambiguous != nil {
			plan.Ambiguous = append(plan.Ambiguous, *ambiguous)
			continue
		}
		if _, known := unit.(int); !known {
			plan.Unknown++
		}
		group, known := units[unit]
		if !known {
			group = len(groups)
			units[unit] = group
			groups = append(groups, nil)
		}
		groups[group] = append(groups[group], i)
	}
	assigned := make([]string, len(contacts))
	var unexplained []int // indexes in plan.Merges
	for _, group := range groups {
		oldest := group[0]
		for _, i := range group {
			if before(&contacts[i], &contacts[oldest]) {
				oldest = i
			}
		}
		merge := Merge{Person: contacts[oldest].ID}
		for _, i := range group {
			assigned[i] = merge.Person
			merge.IDs = append(merge.IDs, contacts[i].ID)
		}
		if len(group) == 1 {
			continue
		}
		if merge.Because = sameKey(contacts, group); merge.Because == BecauseFacts {
			unexplained = append(unexplained, len(plan.Merges))
		}
		plan.Merges = append(plan.Merges, merge)
	}
	for i, person := range assigned {
		if person != "" {
			plan.Persons = append(plan.Persons, Assignment{contacts[i].ID, person})
		}
	}
	p.explain(facts, contacts, plan.Merges, unexplained)
	return plan
}

func newPlanner(people []identity.Person, contacts []Contact) *planner {
	p := &planner{people, map[identity.Alias][]holder{}}
	for i := range contacts {
		for _, a := range [...]identity.Alias{contacts[i].Stable, contacts[i].Phone} {
			if a != (identity.Alias{}) {
				p.holders[a] = nil
			}
		}
	}
	for i := range people {
		for _, h := range people[i].Aliases {
			if holders, wanted := p.holders[h.Alias]; wanted {
				p.holders[h.Alias] = append(holders, holder{i, h.Last})
			}
		}
	}
	return p
}

// find returns the index of the person that a contact belongs to. If no fact says
// anything about it, it returns its alias, or the id of a contact without any.
func (p *planner) find(c *Contact) (unit any, ambiguous *Ambiguous) {
	byPhone := p.since(c.Phone, c.Created)
	switch byStable := p.holders[c.Stable]; {
	case len(byStable) > 0:
		person := byStable[0].person // a stable alias has one holder
		if len(byPhone) > 0 && !holds(p.holders[c.Phone], person) {
			return nil, p.ambiguous(c, OtherHolder, append(byStable, byPhone...))
		}
		return person, nil
	case c.Stable != (identity.Alias{}) && len(byPhone) > 0:
		return nil, p.ambiguous(c, BSUIDWithoutFacts, byPhone)
	case len(byPhone) > 1:
		return nil, p.ambiguous(c, SeveralHolders, byPhone)
	case len(byPhone) == 1:
		return byPhone[0].person, nil
	case c.key() != (identity.Alias{}):
		return c.key(), nil
	default:
		return c.ID, nil
	}
}

// since returns the people who have had a number since a time. If there are none, it
// returns those who had it last.
func (p *planner) since(phone identity.Alias, created int64) []holder {
	all := p.holders[phone]
	for _, h := range all {
		if h.last >= created {
			return after(all, created)
		}
	}
	last := int64(0)
	for _, h := range all {
		last = max(last, h.last)
	}
	return after(all, last)
}

// after returns the holders who were seen at a time or after it.
func after(holders []holder, at int64) []holder {
	var found []holder
	for _, h := range holders {
		if h.last >= at {
			found = append(found, h)
		}
	}
	return found
}

func holds(holders []holder, person int) bool {
	for _, h := range holders {
		if h.person == person {
			return true
		}
	}
	return false
}

func (p *planner) ambiguous(c *Contact, reason Reason, holders []holder) *Ambiguous {
	a := &Ambiguous{ID: c.ID, Reason: reason}
	for _, h := range holders {
		a.Persons = append(a.Persons, p.people[h.person].Aliases[0].Alias)
	}
	return a
}

// before reports whether c was created before d. A contact without a time comes last.
func before(c, d *Contact) bool {
	if (c.Created == 0) != (d.Created == 0) {
		return c.Created != 0
	}
	return cmp.Less(c.Created, d.Created)
}

// sameKey returns why a group of contacts is one person.
func sameKey(contacts []Contact, group []int) Reason {
	first := contacts[group[0]].key()
	for _, i := range group {
		if contacts[i].key() != first {
			return BecauseFacts
		}
	}
	if first.Kind() != identity.KindPhone {
		return BecauseSameBSUID
	}
	return BecauseSamePhone
}
