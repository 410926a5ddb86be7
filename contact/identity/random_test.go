package identity

import (
	"fmt"
	"math/rand/v2"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
)

// A world makes random facts from few aliases and few times, so that they meet.
type world struct {
	*rand.Rand
	bsuids, parents, phones int
	times                   []int64
}

func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1))}
	w.bsuids, w.parents, w.phones = 1+w.IntN(5), 1+w.IntN(2), 1+w.IntN(3)
	switch w.IntN(4) {
	case 0: // neighboring seconds
		for i := range 8 {
			w.times = append(w.times, int64(1+i))
		}
	case 1: // around a day
		for i := range 6 {
			w.times = append(w.times, int64(1+i)*86_400, int64(1+i)*86_400+int64(i%2))
		}
	case 2: // around periods
		for i := range 4 {
			w.times = append(w.times, int64(1+i)*rules.Period, int64(1+i)*rules.Period-1, int64(1+i)*rules.Period+100, int64(1+i)*rules.Period+200)
		}
	default:
		for range 10 {
			w.times = append(w.times, 1+w.Int64N(4*rules.Period))
		}
	}
	return w
}

func (w *world) at() int64 { return w.times[w.IntN(len(w.times))] }

func (w *world) scope() Scope {
	if w.IntN(12) == 0 {
		return Scope{"2", ""}
	}
	return Scope{}
}

func (w *world) ids() contact.IDs {
	var ids contact.IDs
	for ids == (contact.IDs{}) {
		if w.IntN(3) > 0 {
			ids.BSUID = fmt.Sprintf("US.%d", w.IntN(w.bsuids))
		}
		if w.IntN(6) == 0 {
			ids.ParentBSUID = fmt.Sprintf("US.ENT.%d", w.IntN(w.parents))
		}
		if w.IntN(5) > 1 {
			ids.Phone = w.phone()
		}
	}
	return ids
}

// phone returns a number, which for some has two forms.
func (w *world) phone() string {
	switch n := w.IntN(w.phones); {
	case n == 0 && w.IntN(2) == 0:
		return "551191234567"
	case n == 0:
		return "5511991234567"
	default:
		return fmt.Sprintf("1650555000%d", n)
	}
}

func (w *world) person() contact.Person {
	l := contact.Person{IDs: w.ids()}
	if w.IntN(4) == 0 {
		l.Username = string(rune('a' + w.IntN(3)))
	}
	if w.IntN(4) == 0 {
		l.DisplayName = string(rune('A' + w.IntN(3)))
	}
	return l
}

func (w *world) alias() Alias {
	ids := w.ids()
	switch {
	case ids.BSUID != "":
		return mustAlias(KindBSUID, w.scope().Portfolio, ids.BSUID)
	case ids.ParentBSUID != "":
		return mustAlias(KindParent, "", ids.ParentBSUID)
	default:
		return mustAlias(KindPhone, w.scope().Portfolio, ids.Phone)
	}
}

// sighting returns an alias and, for some numbers, a time.
func (w *world) sighting() Sighting {
	s := Sighting{Alias: w.alias()}
	if w.IntN(2) == 0 {
		s.At = w.at()
	}
	return s
}

func (w *world) fact() Fact {
	var f Fact
	for err := error(nil); f.rule.Kind == 0 || err != nil; {
		switch n := w.IntN(20); {
		case n < 12:
			f, err = Seen(w.at(), w.scope(), w.person())
		case n < 17:
			f, err = Changed(w.at(), w.scope(), w.ids(), w.ids())
		case n < 18:
			f, err = Joined(w.at(), w.sighting(), w.sighting())
		case n < 19:
			f, err = Withdrawn(w.at(), w.alias(), w.alias())
		default:
			f, err = newHandover(w.at(), w.scope().Portfolio, w.phone(), w.IntN(5) == 0)
		}
	}
	return f
}

func (w *world) facts() []Fact {
	if w.IntN(3) == 0 {
		return w.returning()
	}
	facts := make([]Fact, 1+w.IntN(14))
	for i := range facts {
		facts[i] = w.fact()
	}
	return facts
}

// returning makes facts in which a number passes between people and returns to them, over months:
// messages, stale webhooks and late statuses with earlier IDs, announced changes with and without
// the IDs before them, rows of an old contact table, and what operators say.
func (w *world) returning() []Fact {
	w.bsuids, w.phones = 2+w.IntN(3), 1+w.IntN(2)
	var facts []Fact
	add := func(f Fact, err error) {
		if err == nil {
			facts = append(facts, f)
		}
	}
	at, step := int64(1+w.IntN(3))*rules.Period, 1+w.Int64N([]int64{100, 86_400, rules.Period / 3, 2 * rules.Period}[w.IntN(4)])
	user := contact.IDs{BSUID: fmt.Sprintf("US.%d", w.IntN(w.bsuids)), Phone: w.phone()}
	seen := func(at int64, ids contact.IDs) { add(Seen(at, Scope{}, contact.Person{IDs: ids})) }
	for range w.IntN(3) { // an old table
		seen(1+w.Int64N(at), contact.IDs{BSUID: fmt.Sprintf("US.%d", w.IntN(w.bsuids)), Phone: w.phone()})
	}
	for range 4 + w.IntN(14) {
		at += w.Int64N(step)
		next := contact.IDs{BSUID: fmt.Sprintf("US.%d", w.IntN(w.bsuids)), Phone: user.Phone}
		switch n := w.IntN(16); {
		case n < 6:
			seen(at, user)
		case n < 8: // the number passes silently, perhaps to somebody who had it before
			user = next
			seen(at, user)
		case n < 10: // a stale webhook or a late status
			seen(at, next)
		case n < 11:
			seen(at, contact.IDs{Phone: user.Phone})
		case n < 13: // the user gets another BSUID, number, or both
			previous := user
			user.BSUID = next.BSUID
			if w.IntN(2) == 0 {
				user.Phone = w.phone()
			}
			current := user
			for _, ids := range []*contact.IDs{&previous, &current} {
				switch w.IntN(3) {
				case 0:
					ids.BSUID = ""
				case 1:
					ids.Phone = ""
				}
			}
			add(Changed(at, Scope{}, previous, current))
		case n < 14: // the user's number is hidden
			seen(at, contact.IDs{BSUID: user.BSUID})
		case n < 15:
			add(HandedOver(at, "", user.Phone))
		default:
			if w.IntN(2) == 0 {
				add(Joined(at, w.sighting(), w.sighting()))
			} else {
				add(Withdrawn(at, w.alias(), w.alias()))
			}
		}
	}
	for range w.IntN(3) { // late
		i, j := w.IntN(len(facts)), w.IntN(len(facts))
		facts[i], facts[j] = facts[j], facts[i]
	}
	return facts
}

// shuffled returns facts in another order, some of them twice.
func (w *world) shuffled(facts []Fact) []Fact {
	out := append([]Fact(nil), facts...)
	for range w.IntN(3) {
		out = append(out, facts[w.IntN(len(facts))])
	}
	w.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
