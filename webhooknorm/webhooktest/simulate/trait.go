package simulate

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A trait is something that webhooks or messages can have in common, in words.
type trait struct {
	text string
	rank int // of two traits that explain the same, the lower one is the likelier cause
}

// The ranks of traits.
const (
	rankField = iota
	rankType
	rankAbsent
	rankMember
	rankSeveral
)

// A group contains the members of a set that have a trait. The trait is the zero trait if they have none in common.
type group struct {
	trait   trait
	members []int // indexes into the set
}

// explain divides a set by the traits that distinguish it from others: again and again, it takes the trait that most of
// the rest and fewest others have.
func explain(set, others []map[trait]bool) (groups []group) {
	elsewhere := map[trait]int{}
	for _, traits := range others {
		for t := range traits {
			elsewhere[t]++
		}
	}
	rest := make([]int, len(set))
	for i := range rest {
		rest[i] = i
	}
	for len(rest) > 0 {
		score := map[trait]int{}
		for _, i := range rest {
			for t := range set[i] {
				score[t]++
			}
		}
		best := trait{}
		for t, n := range score {
			const caution = 3 // an exception weighs as much as so many examples
			score[t] = n - caution*elsewhere[t]
			if score[t] > 0 && (best == trait{} || better(t, best, score)) {
				best = t
			}
		}
		has := func(i int) bool { return best == trait{} || set[i][best] }
		members := slices.DeleteFunc(slices.Clone(rest), func(i int) bool { return !has(i) })
		groups = append(groups, group{best, members})
		rest = slices.DeleteFunc(rest, has)
	}
	return groups
}

func better(a, b trait, score map[trait]int) bool {
	return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.text), len(b.text)), strings.Compare(a.text, b.text)) < 0
}

// A shape is what a webhook's JSON looks like: the members of its objects, by path, and its traits.
type shape struct {
	members map[string]map[string]int // how many objects at a path have a member
	objects map[string]int            // how many objects there are at a path
	traits  map[trait]bool
}

// shapeOf returns the shape of a body that the simulation wrote.
func shapeOf(body []byte) shape {
	s := shape{members: map[string]map[string]int{}, objects: map[string]int{}, traits: map[trait]bool{}}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		panic("simulate: the simulation wrote invalid JSON: " + err.Error())
	}
	s.walk("", v)
	return s
}

// walk adds a value at a path, such as "messages[]" for what entry[].changes[].value.messages[] contains.
func (s *shape) walk(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["standby"]; !ok { // what it contains is at the same path
			s.objects[path]++
		}
		if s.members[path] == nil {
			s.members[path] = map[string]int{}
		}
		for name, member := range v {
			s.members[path][name]++
			inner := join(path, name)
			s.add(rankMember, inner)
			text, isText := member.(string)
			switch {
			case isText && name == "field":
				s.add(rankField, "the field "+text)
			case isText && (name == "type" || name == "status") && text != "" && strings.HasSuffix(path, "[]"):
				s.add(rankType, inner+" "+text)
			case isText && text == "":
				s.add(rankAbsent, `"" as `+inner)
			}
			s.walk(inner, member)
		}
	case []any:
		if len(v) > 1 {
			s.add(rankSeveral, "several "+path)
		}
		for _, element := range v {
			s.walk(path+"[]", element)
		}
	}
}

func (s *shape) add(rank int, text string) { s.traits[trait{text, rank}] = true }

const valuePath = "entry[].changes[].value"

// join returns the path of a member. The outer levels, which all webhooks have, are left out, and so is standby, which
// contains the same as a value.
func join(path, name string) string {
	switch path + "." + name {
	case ".entry", "entry[].changes", "entry[].changes[].value":
		return strings.TrimPrefix(path+"."+name, ".")
	case valuePath + ".standby":
		return valuePath
	}
	path = strings.TrimPrefix(path, valuePath)
	return strings.TrimPrefix(path+"."+name, ".")
}

// addAbsent adds the members that other webhooks have at the same place. They're the more telling, the more webhooks
// have them.
func (s *shape) addAbsent(known map[string]map[string]int) {
	for path, n := range s.objects {
		for name := range known[path] {
			if s.members[path][name] < n {
				s.add(rankAbsent, cmp.Or(strings.TrimPrefix(path, "entry[].changes[]."), "a webhook")+" without "+name)
			}
		}
	}
}

// failureTraits returns the traits of the webhooks that the receiver accepted, and of those that it didn't. It reads
// the posted webhooks again.
func (s *Stage) failureTraits(failures []failure) (failed, accepted []map[trait]bool) {
	index := map[int]int{}
	for i, f := range failures {
		index[f.webhook] = i
	}
	shapes, numbers, known := []shape{}, []int{}, map[string]map[string]int{}
	for d := range s.Story.Deliveries() {
		n := s.posted[d.Events[0].Seq]
		if d.Repeat || n == 0 {
			continue
		}
		shape := shapeOf(d.Body)
		shapes, numbers = append(shapes, shape), append(numbers, n)
		for path, members := range shape.members {
			if known[path] == nil {
				known[path] = map[string]int{}
			}
			for name, count := range members {
				known[path][name] += count
			}
		}
	}
	failed = make([]map[trait]bool, len(failures))
	for i, shape := range shapes {
		shape.addAbsent(known)
		if j, ok := index[numbers[i]]; ok {
			failed[j] = shape.traits
		} else {
			accepted = append(accepted, shape.traits)
		}
	}
	return failed, accepted
}

// eventTraits returns the traits of a message.
func eventTraits(e *lives.Event) map[trait]bool {
	traits := map[trait]bool{{"of the type " + e.Type, rankType}: true}
	switch {
	case e.Standby:
		traits[trait{"in standby", rankField}] = true
	case e.Kind == lives.KindHistory:
		traits[trait{"in the history", rankField}] = true
	case e.Kind != lives.KindMessage:
		traits[trait{"that are a " + strings.ReplaceAll(e.Kind.String(), "_", " "), rankField}] = true
	}
	if e.Shown.Phone == "" {
		traits[trait{"without a number", rankAbsent}] = true
	}
	if e.Shown.BSUID == "" {
		traits[trait{"without a BSUID", rankAbsent}] = true
	}
	return traits
}

// sorted returns the keys of a map in order.
func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
