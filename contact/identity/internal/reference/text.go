package reference

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/hailmark/hailmark/phone"
)

// The JSON forms (section 12).
type (
	factJSON struct {
		Fact      string  `json:"fact"`
		At        int64   `json:"at"`
		Portfolio string  `json:"portfolio"`
		Group     string  `json:"group"`
		Previous  idsJSON `json:"previous"`
		Current   idsJSON `json:"current"`
		A         idJSON  `json:"a"`
		B         idJSON  `json:"b"`
		Undo      bool    `json:"undo"`
		Username  string  `json:"username"`
		Name      string  `json:"name"`
		idsJSON
	}
	idsJSON struct {
		BSUID  string `json:"bsuid"`
		Parent string `json:"parent"`
		Phone  string `json:"phone"`
	}
	idJSON struct {
		Kind      string `json:"kind"`
		Value     string `json:"value"`
		Portfolio string `json:"portfolio,omitempty"`
		Group     string `json:"group,omitempty"`
		At        int64  `json:"at,omitempty"`
	}

	// People are the people and conflicts.
	People struct {
		People    []Person
		Conflicts []Conflict
	}

	// A Person is one line of the people.
	Person struct {
		Aliases  []Alias `json:"aliases"`
		Username string  `json:"username,omitempty"`
		Name     string  `json:"name,omitempty"`
		person   *person
		solution *solution
	}

	// An Alias is one of a person's IDs.
	Alias struct {
		idJSON
		First    int64  `json:"first"`
		Last     int64  `json:"last"`
		Current  bool   `json:"current"`
		Received string `json:"received,omitempty"`
	}

	// A Conflict is one line of the conflicts.
	Conflict struct {
		Conflict string  `json:"conflict"`
		Alias    idJSON  `json:"alias"`
		From     *idJSON `json:"from,omitempty"`
		To       *idJSON `json:"to,omitempty"`
		At       int64   `json:"at,omitempty"`
	}
)

var errRefused = errors.New("the fact has no time, or not the IDs that it needs")

// Read returns the facts of JSON objects.
func Read(lines ...[]byte) (*Facts, error) {
	f := newFacts()
	for _, text := range lines {
		var in factJSON
		err := json.Unmarshal(text, &in)
		if err == nil {
			err = f.add(in)
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *Facts) add(in factJSON) error {
	at := seconds(in.At)
	one, before, after := f.ids(in, in.idsJSON), f.ids(in, in.Previous), f.ids(in, in.Current)
	a, b := readID(in.A), readID(in.B)
	v := verdict{withdrawn: in.Fact == "withdrawn", at: at, pair: pair{a, b}}
	switch {
	case at <= 0:
	case in.Fact == "seen" && one != ids{}:
		f.receive(at, one, in.Phone)
		f.see(combination{ids: one, first: at, last: at, username: label{at, in.Username}, name: label{at, in.Name}})
		return nil
	case in.Fact == "changed" && before != ids{} && after != ids{}:
		if before != after {
			f.receive(at, before, in.Previous.Phone)
			f.receive(at, after, in.Current.Phone)
		}
		f.change(change{at: at, sides: [2]ids{before, after}})
		return nil
	case in.Fact == "handed_over" && one.number != ID{}:
		f.handOver(handover{one.number, at}, in.Undo)
		return nil
	case v.withdrawn && a.Value != "" && b.Value != "" && (a != b || a.Kind == number) && in.A.At+in.B.At == 0:
		v.pair = newPair(a, b)
		f.verdicts[v] = true
		return nil
	case in.Fact == "joined" && a.Value != "" && b.Value != "":
		return f.joined(v, theirs(in.A, at), theirs(in.B, at))
	}
	return errRefused
}

func (f *Facts) joined(v verdict, a, b int64) error {
	if v.pair[0] == v.pair[1] && a == b {
		return errRefused
	}
	v.times = [2]int64{a, b}
	if c := compareIDs(v.pair[0], v.pair[1]); c > 0 || c == 0 && a > b {
		v.pair, v.times = newPair(v.pair[0], v.pair[1]), [2]int64{b, a}
	}
	f.verdicts[v] = true
	return nil
}

// theirs returns when a joined number was somebody's.
func theirs(id idJSON, at int64) int64 {
	if id.Kind != number {
		return 0
	}
	return cmp.Or(seconds(id.At), at)
}

func (f *Facts) receive(at int64, s ids, text string) {
	if s.number != (ID{}) {
		f.received[s.number] = f.received[s.number].later(label{at, text})
	}
}

func seconds(at int64) int64 {
	if at >= 100_000_000_000 {
		return at / 1000
	}
	return at
}

func (f *Facts) ids(in factJSON, s idsJSON) ids {
	return ids{
		readID(idJSON{Kind: bsuid, Value: s.BSUID, Portfolio: in.Portfolio}),
		readID(idJSON{Kind: parent, Value: s.Parent, Group: in.Group}),
		readID(idJSON{Kind: number, Value: s.Phone, Portfolio: in.Portfolio}),
	}
}

func readID(in idJSON) ID {
	if in.Value == "" {
		return ID{}
	}
	id := ID{in.Kind, in.Portfolio + in.Group, in.Value}
	if id.Kind == number {
		if n, err := phone.ParseDigits(in.Value); err == nil {
			id.Value = n.Canonical().String()
		}
	}
	return id
}

func (id ID) json() idJSON {
	if id.Kind == parent {
		return idJSON{Kind: id.Kind, Value: id.Value, Group: id.Scope}
	}
	return idJSON{Kind: id.Kind, Value: id.Value, Portfolio: id.Scope}
}

// Partition returns who the people are.
func (f *Facts) Partition() People {
	s := f.solve()
	var out People
	for _, p := range s.people {
		out.People = append(out.People, s.json(p))
	}
	slices.SortFunc(out.People, func(a, b Person) int {
		x, y := a.person.least(), b.person.least()
		return cmp.Or(compareIDs(x, y), cmp.Compare(a.person.spans[x].first, b.person.spans[y].first))
	})
	for _, c := range s.conflicts() {
		line := Conflict{Conflict: c.kind, Alias: c.id.json(), At: c.at}
		line.From, line.To = pointer(c.from), pointer(c.to)
		out.Conflicts = append(out.Conflicts, line)
	}
	return out
}

func pointer(id ID) *idJSON {
	if id == (ID{}) {
		return nil
	}
	out := id.json()
	return &out
}

func (s *solution) json(p *person) Person {
	out := Person{Username: p.username.text, Name: p.name.text, person: p, solution: s}
	for id, span := range p.spans {
		a := Alias{idJSON: id.json(), First: span.first, Last: span.last, Current: s.isCurrent(p, id)}
		if id.Kind == number && s.received[id].text != id.Value {
			a.Received = s.received[id].text
		}
		out.Aliases = append(out.Aliases, a)
	}
	slices.SortFunc(out.Aliases, func(a, b Alias) int { return compareIDs(readID(a.idJSON), readID(b.idJSON)) })
	return out
}

// Contacts returns a function that returns whose a sighting is, as JSON: equal names mean one
// person, and "" means nobody. The sighting needn't be one of the facts.
func (f *Facts) Contacts() func(sighting []byte) string {
	s := f.solve()
	return func(sighting []byte) string {
		one, err := Read(sighting)
		if err != nil {
			return ""
		}
		for _, c := range one.seen {
			parts := s.apart(s.uncrowded(c, s.evidence.crowded), s.evidence.withdrawn)
			if len(parts) > 0 {
				return s.contact(parts[0])
			}
		}
		return ""
	}
}

func (s *solution) contact(c combination) string {
	n := node{id: c.ids.least()}
	if c.ids.bare() {
		n = s.at(c.ids.number, 2*c.first)
	}
	if n = s.leader(n); s.people[n] == nil {
		return ""
	}
	return n.id.text() + "\t" + strconv.Itoa(n.place)
}
