package identity

import (
	"fmt"
	"math/rand/v2"

	"github.com/hailmark/hailmark/contact"
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
			w.times = append(w.times, int64(1+i)*sameNotice, int64(1+i)*sameNotice+int64(i%2))
		}
	case 2: // around periods
		for i := range 4 {
			w.times = append(w.times, int64(1+i)*period, int64(1+i)*period-1, int64(1+i)*period+100, int64(1+i)*period+200)
		}
	default:
		for range 10 {
			w.times = append(w.times, 1+w.Int64N(4*period))
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
		return MustAlias(KindBSUID, w.scope().Portfolio, ids.BSUID)
	case ids.ParentBSUID != "":
		return MustAlias(KindParent, "", ids.ParentBSUID)
	default:
		return MustAlias(KindPhone, w.scope().Portfolio, ids.Phone)
	}
}

func (w *world) fact() Fact {
	var f Fact
	for err := error(nil); f.kind == 0 || err != nil; {
		switch n := w.IntN(20); {
		case n < 12:
			f, err = Seen(w.at(), w.scope(), w.person())
		case n < 17:
			f, err = Changed(w.at(), w.scope(), w.ids(), w.ids())
		case n < 18:
			f, err = Joined(w.at(), w.alias(), w.alias())
		case n < 19:
			f, err = Withdrawn(w.at(), w.alias(), w.alias())
		default:
			f, err = newHandover(w.at(), w.scope().Portfolio, w.phone(), w.IntN(5) == 0)
		}
	}
	return f
}

func (w *world) facts() []Fact {
	facts := make([]Fact, 1+w.IntN(14))
	for i := range facts {
		facts[i] = w.fact()
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
