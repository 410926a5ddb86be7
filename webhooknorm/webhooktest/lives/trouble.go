package lives

import (
	"math/rand/v2"
	"time"
)

// Trouble makes people hard to tell apart. Except for Numbers, Recycle and Leave, its fields are
// probabilities, all usually 0.
//
// A [Report] can't judge what a receiver can avoid if webhooks contain wrong IDs. Use [World.Count].
type Trouble struct {
	Numbers time.Duration // how much earlier the world starts, when webhooks contain only numbers

	Recycle float64 // a new number was somebody else's before; 0 means 0.3
	Leave   float64 // how often a person gives the number up in silence per year; 0 means 0.05
	Family  float64 // somebody gets a changed number within a day

	LoseChange   float64 // an announcement is lost
	DropPrevious float64 // an announcement contains no previous BSUID, and often no previous number
	Retell       float64 // an announcement is told again hours later, with fewer IDs
	LateStatus   float64 // a status arrives up to 40 days after a change, with the IDs before it
	Zombie       float64 // a status about a person who left contains the number that they gave up

	DropBSUID         float64 // an event with a number contains no BSUID
	WrongBSUID        float64 // a message contains somebody else's BSUID
	PlaceholderBSUID  float64 // a message contains a BSUID that's the same for everybody
	PlaceholderNumber float64 // an announcement has one number for everybody as its only previous ID
}

const (
	// PlaceholderBSUID is the BSUID of everybody if [Trouble] has PlaceholderBSUID.
	PlaceholderBSUID  = "US.13491208655302741918"
	placeholderNumber = "16315551181"
	hour              = 60 * 60
)

// A troublemaker changes events on their way into webhooks.
type troublemaker struct {
	Trouble
	random *rand.Rand
	last   map[uint8]*Event              // the last message with a BSUID, by portfolio
	after  func(seconds int64, f func()) // makes something happen later
	born   func(*user)                   // lets a new person live
}

func newTroublemaker(t Trouble, seed uint64) *troublemaker {
	return &troublemaker{Trouble: t, random: rand.New(rand.NewPCG(seed, 5)), last: map[uint8]*Event{}}
}

func (t *troublemaker) chance(p float64) bool { return p > 0 && t.random.Float64() < p }

// distort changes an event. It reports whether the event is lost.
func (t *troublemaker) distort(e *Event) (lost bool) {
	if e.Kind == KindChange {
		t.distortChange(e)
		return t.chance(t.LoseChange)
	}
	if e.Kind == KindMessage {
		t.distortMessage(e)
	}
	if e.Shown.Phone != "" && t.chance(t.DropBSUID) {
		e.Shown.BSUID, e.Shown.Parent = "", ""
	}
	return false
}

func (t *troublemaker) distortChange(e *Event) {
	if t.chance(t.DropPrevious) {
		e.Previous.BSUID, e.Previous.Parent = "", ""
		if t.random.IntN(2) == 0 {
			e.Previous.Phone = ""
		}
	}
	if t.chance(t.PlaceholderNumber) {
		e.Previous = Identifiers{Phone: placeholderNumber}
	}
}

func (t *troublemaker) distortMessage(e *Event) {
	if e.Shown.BSUID == "" {
		return
	}
	if other := t.last[e.portfolio]; other != nil && other.Person != e.Person && t.chance(t.WrongBSUID) {
		e.Shown.BSUID, e.Shown.Parent = other.Shown.BSUID, ""
		return
	}
	if t.chance(t.PlaceholderBSUID) {
		e.Shown.BSUID, e.Shown.Parent = PlaceholderBSUID, ""
		return
	}
	last := *e
	t.last[e.portfolio] = &last
}

// retell announces a change again.
func (t *troublemaker) retell(p *platform, e Event) {
	if !t.chance(t.Retell) {
		return
	}
	switch t.random.IntN(3) {
	case 0:
		e.Previous.BSUID, e.Previous.Parent = "", ""
	case 1:
		e.Shown.BSUID, e.Shown.Parent = "", ""
	default:
		e.Previous.Phone = ""
	}
	t.after(1+t.random.Int64N(20*hour), func() {
		e.ID = p.messageID("wamid.")
		p.send(e)
	})
}

// remember lets a status arrive long after its person's change.
func (t *troublemaker) remember(h *user, business int) {
	if t.chance(t.LateStatus) {
		t.after(1+t.random.Int64N(40*24*hour), func() { h.ReadLate(business) })
	}
}

// haunt lets a status arrive after its person left.
func (t *troublemaker) haunt(h *user, business int) {
	if !t.chance(t.Zombie) {
		return
	}
	h.known[business].before = h.event(KindStatus, "", business)
	t.after((30+t.random.Int64N(400))*24*hour, func() { h.ReadLate(business) })
}

// inherit gives a number to somebody else within a day.
func (t *troublemaker) inherit(p *platform, phone string) {
	if !t.chance(t.Family) {
		return
	}
	p.free = p.free[:len(p.free)-1] // the number that was just given up
	t.after(1+t.random.Int64N(24*hour), func() {
		person := p.Add(profile{Name: name(p.seed, p.people), Phone: phone})
		person.Write(0, "Hello!")
		t.born(person)
	})
}
