package identity

// A ChangeKind is the kind of a [Change].
type ChangeKind uint8

const (
	Created    ChangeKind = iota + 1 // To is a new person
	Merged                           // the ID From leads to To, until later facts split them
	Split                            // some aliases or messages of From belong to To, who is new or has their ID back
	AliasAdded                       // To has an Alias that they didn't have before
	AliasEnded                       // From no longer uses an Alias
	Moved                            // messages sent with Alias from Since to Until pass from From to To
	Conflicted                       // a [Conflict] about Alias at Since; From and To are its people
)

var changeNames = [...]string{
	Created: "created", Merged: "merged", Split: "split", AliasAdded: "alias_added", AliasEnded: "alias_ended",
	Moved: "moved", Conflicted: "conflict",
}

// String returns "created", "merged", "split", "alias_added", "alias_ended", "moved" or
// "conflict", or "" for any other value.
func (k ChangeKind) String() string { return nameOf(changeNames[:], k) }

// A Change reports how a call affected people. It sets only the fields that its kind's description
// contains. Later sightings and new names aren't reported.
//
// [Moved] is enough to keep the caller's messages with the people who wrote them, if each message
// is stored with the Alias and At of its [Sighting]: run the UPDATE statement in the package's
// usage. Don't select rows by From, because rows keep their last person if the facts that
// identified this person turn out not to be evidence.
//
// In what the caller stores by person only, such as notes, keep the ID and look it up with
// [Engine.Person], because later facts can lead it elsewhere. In a split, the part with the stable ID
// that was added first keeps the ID, and without one, the part with the first number.
type Change struct {
	Kind         ChangeKind
	From, To     PersonID // in a Moved, a zero From means rows without a person, such as messages sent to Alias
	Alias        Alias
	Since, Until int64        // Unix seconds, both included; the greatest int64 means that there is no end
	Conflict     ConflictKind // only of Conflicted
}
