package identity

// A Change is one effect of a call on who people are: a [Created], [Merged], [Split],
// [AliasAdded], [AliasEnded], [Moved] or [Conflict]. Later times and new labels are not
// reported. [Moved] is enough to keep the caller's messages with their persons, and [Merged]
// to keep what else the caller stores by person.
type Change interface{ change() }

// Created reports a new person.
type Created struct {
	Person  PersonID
	Aliases []Alias
}

// Merged reports that two persons are one: the ID From leads to Into, until later facts
// separate the two again.
type Merged struct {
	From, Into PersonID
}

// Split reports that some of the aliases or messages of the person From belong to the
// person To, who is new or has their ID back. The part with the older sightings is From.
type Split struct {
	From, To PersonID
}

// AliasAdded reports that a person has an alias that they didn't have before.
type AliasAdded struct {
	Person PersonID
	Alias  Alias
}

// AliasEnded reports that a person no longer uses an alias: an announced change replaced
// it, or somebody else has the phone number.
type AliasEnded struct {
	Person PersonID
	Alias  Alias
}

// Moved reports that what an alias did from Since to Until, both included, belongs to To
// instead of From. Store the Alias and At of a [Sighting] in a row of its own; then one
// statement per Moved makes all rows follow:
//
//	UPDATE message SET person = To WHERE alias = Alias AND at BETWEEN Since AND Until
//
// From is zero if nobody was known to have the alias then: messages that a business sent
// to it may be stored without a person. Don't select rows by From: they keep the last
// person where the facts that named one later turn out to be evidence for nobody.
type Moved struct {
	Alias        Alias
	From, To     PersonID
	Since, Until int64
}

func (Created) change()    {}
func (Merged) change()     {}
func (Split) change()      {}
func (AliasAdded) change() {}
func (AliasEnded) change() {}
func (Moved) change()      {}
func (Conflict) change()   {}
