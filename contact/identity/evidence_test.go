package identity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
)

// A late read status with the old IDs divides nobody, although somebody else had the number.
func TestLateStatusDividesNobody(t *testing.T) {
	const number = "16505550001"
	facts := []Fact{
		seen(t, 1786000000, "US.Alice1", number),
		seen(t, 1788592000, "US.Bob", number),
		seen(t, 1791184000, "US.Alice1", number),
		mustFact(t)(Changed(1792912000, Scope{}, contact.IDs{Phone: number}, contact.IDs{BSUID: "US.Alice2"})),
		seen(t, 1792950000, "US.Alice2", ""),
	}
	groups := func(facts []Fact) (all [][]string) {
		for _, p := range partition(facts...).Persons {
			var values []string
			for _, h := range p.Aliases {
				if h.Alias.isStable() {
					values = append(values, h.Alias.value)
				}
			}
			all = append(all, values)
		}
		return all
	}
	want := [][]string{{"US.Alice1", "US.Alice2"}, {"US.Bob"}}
	require.Equal(t, want, groups(facts))
	require.Equal(t, want, groups(append(facts, seen(t, 1792998400, "US.Alice1", number))))
}

// Bob has Alice's old number and writes every ten days, and the business answers to the number. One
// stale webhook with Alice's IDs moves no answer outside of its own period of 30 days.
func TestStaleWebhookMovesNoReply(t *testing.T) {
	const number, day = "16505550001", 86_400
	alias := MustAlias(KindPhone, "", number)
	for shift := range int64(30) {
		e, m := newTestEngine()
		f := newFollower()
		write := func(at int64, bsuid string) PersonID {
			sightings, changes, err := e.Observe(t.Context(), seen(t, at, bsuid, number))
			require.NoError(t, err)
			f.follow(changes)
			return sightings[0].Person
		}
		write(start+shift*day, "US.Alice")
		at, stale := start+(shift+100)*day, int64(0)
		var bob PersonID
		for i := range int64(70) {
			if i == 12 {
				stale = at + 5*day
				write(stale, "US.Alice")
			}
			at += 10 * day
			bob = write(at, "US.Bob")
			f.messages = append(f.messages, Sighting{bob, alias, at + 3600})
		}
		check(t, m, 0)
		for _, s := range f.messages {
			if s.At/period != stale/period { // in its cell, only the first and the last message remain
				require.Equal(t, bob, s.Person, "shift %d: the answer at %d", shift, s.At)
			}
		}
	}
}
