package lives

import (
	"cmp"
	"slices"
)

// A Tally counts mistakes, whether a receiver can avoid them or not.
type Tally struct {
	People, Messages, Sent int // who wrote, what they wrote, and what the business answered

	Split   int // people with messages in several contacts
	Mixed   int // contacts with messages from several people
	Silent  int // of these, those in which at most one person wrote with a BSUID
	Foreign int // messages in a contact whose messages are mostly somebody else's
	Replies int // answers in such a contact
}

// Count counts the mistakes of a receiver after all webhooks from [World.Webhooks] were delivered.
// contactOf returns the contact of a message, or "" for a message without one. Sent are the answers
// from [Delivery.Answers] that the receiver stored.
func (w World) Count(contactOf func(messageID string) string, sent []Sent) Tally {
	var tally Tally
	people, contacts := map[int]map[string]bool{}, map[string]map[int]int{}
	named := map[string]map[int]bool{} // who wrote with a BSUID
	for e := range w.Story(nil).events(newTruth()) {
		if e.Lost || e.Again || e.Kind != KindMessage && e.Kind != KindHistory {
			continue
		}
		tally.Messages++
		contact := contactOf(e.ID)
		if contact == "" {
			continue
		}
		if people[e.Person] == nil {
			people[e.Person] = map[string]bool{}
		}
		people[e.Person][contact] = true
		if contacts[contact] == nil {
			contacts[contact], named[contact] = map[int]int{}, map[int]bool{}
		}
		contacts[contact][e.Person]++
		if e.Shown.BSUID != "" {
			named[contact][e.Person] = true
		}
	}
	tally.People, tally.Sent = len(people), len(sent)
	for _, c := range people {
		if len(c) > 1 {
			tally.Split++
		}
	}
	owners := map[string]int{}
	for contact, writers := range contacts {
		owner := mostFrequent(writers)
		owners[contact] = owner
		if len(writers) > 1 {
			tally.Mixed++
			if len(named[contact]) <= 1 {
				tally.Silent++
			}
		}
		for person, n := range writers {
			if person != owner {
				tally.Foreign += n
			}
		}
	}
	for _, s := range sent {
		if owner, known := owners[contactOf(s.ID)]; known && owner != s.To.Person {
			tally.Replies++
		}
	}
	return tally
}

// mostFrequent returns the key with the greatest value, and of several the least.
func mostFrequent(counts map[int]int) int {
	keys := make([]int, 0, len(counts))
	for key := range counts {
		keys = append(keys, key)
	}
	return slices.MinFunc(keys, func(a, b int) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
}

// Add returns the sum of two tallies.
func (t Tally) Add(u Tally) Tally {
	return Tally{
		t.People + u.People, t.Messages + u.Messages, t.Sent + u.Sent,
		t.Split + u.Split, t.Mixed + u.Mixed, t.Silent + u.Silent, t.Foreign + u.Foreign, t.Replies + u.Replies,
	}
}
