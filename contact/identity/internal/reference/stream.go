package reference

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// A Stream is random facts as JSON, about a few IDs at a few times, so that they meet.
func Stream(seed uint64) [][]byte {
	s := stream{Rand: rand.New(rand.NewPCG(seed, 12))}
	s.bsuids, s.parents, s.numbers = 1+s.IntN(6), 1+s.IntN(2), 1+s.IntN(4)
	s.step = []int64{1, 1, 60, day / 3, day, period / 2, period, silence}[s.IntN(8)]
	var out [][]byte
	for range 1 + s.IntN(16) {
		out = append(out, s.facts()...)
	}
	if s.IntN(16) == 0 {
		out = append(out, s.crowd()...)
	}
	s.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

type (
	stream struct {
		*rand.Rand
		bsuids, parents, numbers int
		step                     int64
	}

	object map[string]any
)

var idKeys = []string{"bsuid", "parent", "phone"}

func (s *stream) odds(n int) bool { return s.IntN(n) == 0 }

func (s *stream) at() int64 {
	at := 1_700_000_000 + s.step*s.Int64N(12)
	if s.odds(6) {
		at += s.Int64N(3) - 1
	}
	return at
}

func (s *stream) bsuid() string  { return fmt.Sprintf("US.%d", s.IntN(s.bsuids)) }
func (s *stream) parent() string { return fmt.Sprintf("US.ENT.%d", s.IntN(s.parents)) }

// number returns a number. The first has two forms.
func (s *stream) number() string {
	switch n := s.IntN(s.numbers); {
	case n == 0 && s.odds(2):
		return "551191234567"
	case n == 0:
		return "5511991234567"
	default:
		return fmt.Sprintf("1650555000%d", n)
	}
}

func (s *stream) ids() object {
	o := object{}
	for len(o) == 0 {
		if s.IntN(8) < 5 {
			o["bsuid"] = s.bsuid()
		}
		if s.odds(8) {
			o["parent"] = s.parent()
		}
		if s.IntN(8) < 5 {
			o["phone"] = s.number()
		}
	}
	return o
}

// one returns one ID, for an operator.
func (s *stream) one() object {
	switch s.IntN(6) {
	case 0:
		return object{"kind": "parent", "value": s.parent()}
	case 1, 2, 3:
		return object{"kind": "bsuid", "value": s.bsuid()}
	default:
		o := object{"kind": "phone", "value": s.number()}
		if s.odds(2) {
			o["at"] = s.at()
		}
		return o
	}
}

// facts returns a fact, and for some of them what often comes with it.
func (s *stream) facts() [][]byte {
	o := object{"at": s.at()}
	var more [][]byte
	switch n := s.IntN(40); {
	case n < 22:
		o = s.ids()
		o["fact"], o["at"] = "seen", s.at()
		s.label(o)
	case n < 32:
		o["fact"], o["previous"], o["current"] = "changed", s.ids(), s.ids()
		more = s.copies(o)
	case n < 35:
		o["fact"] = "joined"
		s.pair(o)
	case n < 38:
		o["fact"] = "withdrawn"
		s.pair(o)
	default:
		o["fact"], o["phone"] = "handed_over", s.number()
		if s.odds(6) {
			o["undo"] = true
		}
	}
	if s.odds(12) && o["fact"] != "joined" && o["fact"] != "withdrawn" {
		o["portfolio"] = "b"
	}
	return append(more, o.text())
}

func (s *stream) label(o object) {
	if s.odds(4) {
		o["username"] = string(rune('a' + s.IntN(3)))
	}
	if s.odds(4) {
		o["name"] = string(rune('A' + s.IntN(3)))
	}
}

// pair adds two IDs that aren't the same.
func (s *stream) pair(o object) {
	for {
		o["a"], o["b"] = s.one(), s.one()
		if o["fact"] == "withdrawn" { // it has no time of a number
			delete(o["a"].(object), "at")
			delete(o["b"].(object), "at")
		}
		if _, err := Read(o.text()); err == nil {
			return
		}
	}
}

// copies returns the same change, told again without some of its IDs.
func (s *stream) copies(o object) [][]byte {
	var list [][]byte
	for range s.IntN(3) {
		list = append(list, object{
			"fact": "changed", "at": o["at"].(int64) + s.Int64N(2*day)*s.Int64N(2),
			"previous": s.some(o["previous"].(object)), "current": s.some(o["current"].(object)),
		}.text())
	}
	return list
}

func (s *stream) some(o object) object {
	out := object{}
	for len(out) == 0 {
		for _, key := range idKeys {
			if value, found := o[key]; found && s.IntN(4) > 0 {
				out[key] = value
			}
		}
	}
	return out
}

// crowd returns facts with one ID beside almost too many, or too many others, or told at almost too many, or
// too many times.
func (s *stream) crowd() [][]byte {
	if s.odds(6) {
		return s.repeated()
	}
	var list [][]byte
	kind, n := s.IntN(3), 10+s.IntN(3)
	if kind == 0 {
		n += 40
	}
	for i := range n {
		o := object{"fact": "seen", "at": s.at()}
		switch kind {
		case 0:
			o["phone"], o["bsuid"] = s.number(), fmt.Sprintf("US.9%d", i)
		case 1:
			o["bsuid"], o["phone"] = "US.0", fmt.Sprintf("165055511%02d", i)
		default:
			o["parent"], o["bsuid"] = "US.ENT.0", fmt.Sprintf("US.9%d", i)
		}
		if s.odds(4) {
			o["fact"], o["previous"], o["current"] = "changed", object{"phone": s.number()}, object{}
			for _, key := range idKeys {
				if value, found := o[key]; found {
					o["current"].(object)[key] = value
					delete(o, key)
				}
			}
		}
		list = append(list, o.text())
	}
	return list
}

// repeated returns one change or handover at about a hundred times.
func (s *stream) repeated() [][]byte {
	o := object{"fact": "changed", "previous": s.ids(), "current": s.ids()}
	if s.odds(2) {
		o = object{"fact": "handed_over", "phone": s.number()}
	}
	var list [][]byte
	for i := range int64(maxFacts - 3 + s.IntN(6)) {
		o["at"] = 1_700_000_000 + s.step*i
		list = append(list, o.text())
	}
	return list
}

func (o object) text() []byte {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // the maps contain only strings, numbers and maps
	}
	return text
}
