// Package reference is a second implementation of the rules, written from the specification
// alone: one function for each section, with neither indexes nor shortcuts. Tests compare the
// engine with it. It shares no code with the engine, so a mistake has to be made twice to remain
// unnoticed.
//
// [Read] reads facts as JSON, [Facts.Partition] returns people, and [Facts.Forget] removes one.
package reference

// A Rule is a rule that tests can switch off to show what it's for.
type Rule uint16

const (
	Crowding    Rule = 1 << iota // section 3: IDs beside too many others are no evidence
	Withdrawing                  // section 3: a number withdrawn from a stable ID stands alone
	Copies                       // section 4: an announcement told again within a day is one
	Naming                       // section 5: stable IDs named together are one person's
	Beginning                    // section 5: an announcement begins the life of a stable ID
	Ending                       // section 5: an announcement ends the life of a stable ID
	Leaving                      // section 6: a number alone on the previous side breaks its line
	Entering                     // section 6: a number alone on the current side breaks its line
	HandingOver                  // section 6: an operator breaks a line
	SeenLater                    // section 7: who is seen with the number later keeps it
	Adopting                     // section 7: the first stable ID takes over rows of the number alone
	Following                    // section 8: an announced number alone is its holder's
	SameSecond                   // section 8: except in two announcements of one second
	Joining                      // section 8: an operator joins the holder of a number
	Holding                      // section 9: only the last holder has the number now
	allRules    = iota
)

// Rules returns all rules.
func Rules() []Rule {
	rules := make([]Rule, allRules)
	for i := range rules {
		rules[i] = 1 << i
	}
	return rules
}

const (
	day      = 86_400
	period   = 30 * day
	silence  = 180 * day
	never    = int64(1) << 60 // no end
	maxIDs   = 50             // stable IDs beside a number
	maxFew   = 10             // numbers beside a BSUID, BSUIDs beside a parent
	maxFacts = 100            // combinations, changes and handovers that name any ID
	previous = 0              // sides of a change
	current  = 1
)
