package identity

import (
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
)

// A Person contains a person's aliases, latest username and latest name.
type Person struct {
	ID       PersonID  `json:"-"`                  // zero in the result of [Partition]
	Aliases  []Holding `json:"aliases"`            // sorted by alias; see [Engine.Person] for when it's empty
	Username string    `json:"username,omitempty"` // the latest one
	Name     string    `json:"name,omitempty"`     // the latest one
}

// A Holding is an alias and the time in which a person had it.
type Holding struct {
	Alias       Alias
	First, Last int64  // when facts first and last contain it, in Unix seconds
	Current     bool   // according to the facts, the person uses the alias now
	Received    string // the phone number as last received, if it differs from the alias
}

// A ConflictKind is the kind of a [Conflict].
type ConflictKind uint8

const (
	// PhoneMoved means that a number passed to another person without an announcement. Either the number
	// has a new holder, or an announcement was lost and both are one person; then an operator should
	// observe a [Joined].
	PhoneMoved = ConflictKind(rules.PhoneMoved)

	// Inherited means that a person's first BSUID on a number was seen more than 180 days after the number
	// alone, so the older messages may be a stranger's; then an operator should observe a [HandedOver].
	Inherited = ConflictKind(rules.Inherited)

	// Crowded means that an ID was seen beside so many others that it's a switchboard's or a provider's
	// placeholder. It's no evidence.
	Crowded = ConflictKind(rules.Crowded)
)

var conflictNames = [...]string{Crowded: "crowded", Inherited: "inherited", PhoneMoved: "phone_moved"}

// String returns "phone_moved", "inherited" or "crowded", or "" for any other value.
func (k ConflictKind) String() string { return nameOf(conflictNames[:], k) }

// A Conflict reports what the rules don't decide.
type Conflict struct {
	Kind     ConflictKind
	Alias    Alias // a number, or any ID that's crowded
	From, To Alias // the least alias of each person; From only if Kind is PhoneMoved, and neither if it's Crowded
	At       int64 // when the number was first theirs for To, in Unix seconds; 0 if Kind is Crowded
}

// Partition returns the people that facts are about, sorted by their least alias, and the conflicts,
// sorted by alias and time. The facts' order and repetitions make no difference, and an [Engine] that
// observed the facts contains the same people. docs/identity-spec.md specifies the rules.
func Partition(facts []Fact) ([]Person, []Conflict) {
	people, conflicts := rules.Partition(stateOf(facts))
	var outPeople []Person
	for i := range people {
		outPeople = append(outPeople, personOf(&people[i]))
	}
	var outConflicts []Conflict
	for _, c := range conflicts {
		outConflicts = append(outConflicts, conflictOf(c))
	}
	return outPeople, outConflicts
}

func personOf(p *rules.Person) Person {
	out := Person{Username: p.Username, Name: p.Name}
	for _, h := range p.Aliases {
		out.Aliases = append(out.Aliases, Holding{Alias{h.Alias}, h.First, h.Last, h.Current, h.Received})
	}
	return out
}

func conflictOf(c rules.Conflict) Conflict {
	return Conflict{ConflictKind(c.Kind), Alias{c.Alias}, Alias{c.From}, Alias{c.To}, c.At}
}

// Condense returns the fewest facts with the same [Partition]: for IDs seen together, the first and the
// last sighting and those with the latest names, for a number alone these in each period of 30 days, and
// all other facts once. It makes room while reading many facts.
func Condense(facts []Fact) []Fact { return stateFacts(stateOf(facts)) }

func stateOf(facts []Fact) *rules.State {
	state := rules.NewState()
	for i := range facts {
		state.Add(&facts[i].rule)
	}
	return state
}

// stateFacts returns a state's facts, sorted by time and text.
func stateFacts(state *rules.State) []Fact {
	list := state.Facts()
	slices.SortFunc(list, rules.CompareFacts)
	facts := make([]Fact, len(list))
	for i := range list {
		facts[i] = Fact{list[i]}
	}
	return facts
}
