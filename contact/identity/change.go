package identity

// A Change is one effect of a call of [Engine.Observe] or [Engine.Forget] on who people
// are: a [Created], [AliasAdded], [AliasEnded], [Merged], [Split], [Moved] or
// [Conflicted]. A later time, a new label, and another BSUID that was seen last are not
// reported.
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

// AliasEnded reports that a person no longer uses an alias: an announced change replaced
// it, or the person gave up the phone number.
type AliasEnded struct {
	Person PersonID
	Alias  Alias
}

// Merged reports that two persons are one. [Engine.Person] returns Into for the id From,
// until later facts separate the two again. Move the caller's rows of From to Into in the same transaction. Send a
// reply to the ids of the message that it replies to, as before.
type Merged struct {
	From, Into PersonID
	Silence    Silence
}

// Split reports that aliases of the person From belong to the person To. To is a new
// person, one that an earlier call named, or one that was merged into From and has its id
// back.
type Split struct {
	From, To PersonID
	Aliases  []Alias
}

// Moved reports that the person To now uses a phone number that the person From used.
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

// A Silence is the time between the last fact that names a phone number alone and the
// first one that names it with a stable alias. During a long silence the number may have
// passed to another person, which the facts do not show. The zero Silence means that the
// change does not depend on such a number.
type Silence struct {
	Phone      Alias
	LastAlone  int64
	FirstOwned int64
}

// Seconds returns the length of the silence.
func (s Silence) Seconds() int64 { return s.FirstOwned - s.LastAlone }
