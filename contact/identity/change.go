package identity

// A Change is one effect of a call of [Engine.Observe] or [Engine.Forget] on who people
// are: a [Created], [AliasAdded], [AliasEnded], [Merged], [Split], [Moved] or
// [Conflicted]. There is none for first and last times, labels, and which of
// several BSUIDs was seen last.
type Change interface{ change() }

// Created reports a new person.
type Created struct {
	Person  PersonID
	Aliases []Alias
}

// AliasAdded reports that a person has an alias that they did not have before.
type AliasAdded struct {
	Person  PersonID
	Alias   Alias
	Silence Silence
}

// AliasEnded reports that a person no longer uses an alias, because a change replaced
// it, or a phone number because it was given up.
type AliasEnded struct {
	Person PersonID
	Alias  Alias
}

// Merged reports that two persons turned out to be one. From leads to Into for ever:
// move everything of From to Into in the same transaction. A reply still goes to the
// ids of the message that it answers.
type Merged struct {
	From, Into PersonID
	Silence    Silence
}

// Split reports that aliases of one person belong to another, who is new unless a
// Created or an earlier call named them.
type Split struct {
	From, To PersonID
	Aliases  []Alias
}

// Moved reports that a phone number is used by another person now.
type Moved struct {
	Phone    Alias
	From, To PersonID
}

// Conflicted reports that a phone number passed from one person to another without an
// announcement: see [Conflict].
type Conflicted struct {
	Phone    Alias
	From, To PersonID
	At       int64
}

func (Created) change()    {}
func (AliasAdded) change() {}
func (AliasEnded) change() {}
func (Merged) change()     {}
func (Split) change()      {}
func (Moved) change()      {}
func (Conflicted) change() {}

// A Silence is the time between the last sighting of a phone number alone and the first
// one with a stable alias. After a long silence the number may have got another holder,
// and nothing shows whether it did. It is zero where a change does not rest on a number
// that was first known alone.
type Silence struct {
	Phone      Alias
	LastAlone  int64
	FirstOwned int64
}

// Seconds returns the length of the silence.
func (s Silence) Seconds() int64 { return s.FirstOwned - s.LastAlone }
