package identity

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// Each byte of the input chooses something, so that the fuzzer can shape a stream.
func factsFrom(data []byte) []Fact {
	next := func(n int) int {
		if len(data) == 0 {
			return 0
		}
		b := int(data[0])
		data = data[1:]
		return b % n
	}
	bsuids := []string{"", "US.1", "US.2", "US.3"}
	parents := []string{"", "", "US.ENT.1", "US.ENT.2"}
	phones := []string{"", "16505550001", "551191234567", "5511991234567"}
	times := []int64{1, 2, 3, 5, 86_400, 86_403, 172_800, rules.Period - 1, rules.Period, rules.Period + 7, 2*rules.Period + 1}
	ids := func() contact.IDs {
		n := next(64)
		return contact.IDs{BSUID: bsuids[n%4], ParentBSUID: parents[n/4%4], Phone: phones[n/16]}
	}
	alias := func() Alias {
		n := next(6)
		switch {
		case n < 2:
			return mustAlias(KindBSUID, "", bsuids[1+n])
		case n < 4:
			return mustAlias(KindPhone, "", phones[1+n%2])
		default:
			return mustAlias(KindParent, "", parents[n-2])
		}
	}
	var facts []Fact
	for len(data) > 0 && len(facts) < 24 {
		var f Fact
		var err error
		kind, at := next(8), times[next(len(times))]
		switch kind {
		case 0, 1, 2, 3:
			f, err = Seen(at, Scope{}, contact.Person{IDs: ids(), DisplayName: string(rune('A' + at%3))})
		case 4, 5:
			f, err = Changed(at, Scope{}, ids(), ids())
		case 6:
			kind := rules.Joined + rules.FactKind(next(2))
			a, b := Sighting{Alias: alias()}, Sighting{Alias: alias()}
			if kind == rules.Joined {
				f, err = Joined(at, a, b)
			} else {
				f, err = Withdrawn(at, a.Alias, b.Alias)
			}
		default:
			f, err = newHandover(at, "", phones[1+next(3)], next(4) == 0)
		}
		if err == nil {
			facts = append(facts, f)
		}
	}
	return facts
}

// FuzzEngine compares the engine, the partition and its second form.
func FuzzEngine(f *testing.F) {
	f.Add([]byte("\x00\x01\x11\x04\x02\x01\x02\x00\x05\x20"))
	f.Add([]byte("\x04\x03\x11\x22\x00\x02\x10\x07\x04\x00\x01\x00\x09\x12"))
	f.Fuzz(func(t *testing.T, data []byte) {
		facts := factsFrom(data)
		want := partition(facts...)
		requirePeople(t, want, partition(facts...))
		e, m := newTestEngine()
		for _, f := range facts {
			observe(t, e, f)
			stored(t, m)
		}
		got := stored(t, m)
		requirePeople(t, want, got)
	})
}

// FuzzFactJSON reads any text: it gives a problem, or a fact that survives a round trip.
func FuzzFactJSON(f *testing.F) {
	f.Add([]byte(`{"fact":"seen","at":1786000000,"bsuid":"US.1","parent":"US.ENT.1","phone":"16505551234","username":"jane.doe","name":"Jane"}`))
	f.Add([]byte(`{"fact":"changed","at":1786000100,"previous":{"bsuid":"US.1","phone":"16505551234"},"current":{"bsuid":"US.2"}}`))
	f.Add([]byte(`{"fact":"joined","at":1786000200,"a":{"kind":"bsuid","value":"US.1"},"b":{"kind":"phone","value":"16505559999"}}`))
	f.Add([]byte(`{"fact":"handed_over","at":1786000300,"phone":"16505551234","undo":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var fact Fact
		if err := fact.UnmarshalJSON(data); err != nil {
			require.NotEmpty(t, problem.All(err))
			require.Zero(t, fact)
			return
		}
		text, err := json.Marshal(fact)
		require.NoError(t, err)
		var again Fact
		require.NoError(t, json.Unmarshal(text, &again), "%s", text)
		require.Equal(t, fact, again)
		partition(fact)
	})
}

// FuzzFactsOf gets facts from any webhook. They can be observed and written as JSON.
func FuzzFactsOf(f *testing.F) {
	f.Add([]byte(`{"entry":[{"changes":[{"value":{"metadata":{"display_phone_number":"15550783881"},"messages":[{"from":"16505551234","from_user_id":"US.1","timestamp":"1786000000"}]}}]}]}`))
	f.Add([]byte(`{"entry":[{"changes":[{"value":{"messages":[{"from":"1","timestamp":"1","type":"system","system":{"type":"user_changed_number","wa_id":"2","user_id":"US.2","previous_user_id":"US.1"}}]}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		webhook, err := webhooknorm.Read(data)
		if err != nil {
			return
		}
		facts := FactsOf(webhook, time.Time{}, nil)
		for _, fact := range facts {
			text, err := json.Marshal(fact)
			require.NoError(t, err)
			var again Fact
			require.NoError(t, json.Unmarshal(text, &again), "%s", text)
			require.Equal(t, fact, again)
		}
		e, m := newTestEngine()
		for _, fact := range facts {
			observe(t, e, fact)
		}
		got := stored(t, m)
		requirePeople(t, partition(facts...), got)
	})
}
