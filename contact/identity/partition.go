package identity

import (
	"time"

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

// A Conflict reports that a phone number passed to another person without an announcement. Either
// the number has a new holder, or an announcement was lost and both are one person; then an
// operator should observe a [Joined].
type Conflict struct {
	Phone    Alias
	From, To Alias // the least alias of each person
	At       int64 // when the number was seen with To after From, in Unix seconds
}

// Partition returns the people that facts are about, sorted by their least alias, and the conflicts,
// sorted by phone number, time and people. maxSilence is [Config].MaxSilence. The facts' order and
// repetitions make no difference, and an [Engine] that observed the facts contains the same people.
// docs/identity-spec.md specifies the rules.
func Partition(facts []Fact, maxSilence time.Duration) ([]Person, []Conflict) {
	people, conflicts := rules.Partition(stateOf(facts), Config{MaxSilence: maxSilence}.silence())
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
	return Conflict{Alias{c.Phone}, Alias{c.From}, Alias{c.To}, c.At}
}

// Condense returns the fewest facts with the same [Partition]: for IDs seen together, the first and the
// last sighting in each period of 30 days and those with the latest names, and all other facts once. It
// makes room while reading many facts.
func Condense(facts []Fact) []Fact { return stateFacts(stateOf(facts)) }

func stateOf(facts []Fact) *rules.State {
	state := new(rules.State)
	for i := range facts {
		state.Add(&facts[i].rule)
	}
	return state
}

func stateFacts(state *rules.State) []Fact {
	list := state.Facts()
	facts := make([]Fact, len(list))
	for i := range list {
		facts[i] = Fact{list[i]}
	}
	return facts
}
