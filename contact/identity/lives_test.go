package identity_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A way finds the contact of each message in a world. Its contacts are numbers from 1.
type way struct {
	name     string
	contacts map[string]int32
	keys     func(e *webhooknorm.Event) []string // the first one that is known leads to the contact
}

// naiveWays returns how contacts are found without this package.
func naiveWays() []way {
	return []way{
		{"by number", map[string]int32{}, func(e *webhooknorm.Event) []string { return []string{e.Phone} }},
		{"by BSUID, without one by number", map[string]int32{}, func(e *webhooknorm.Event) []string {
			if e.BSUID != "" {
				return []string{e.BSUID}
			}
			return []string{e.Phone}
		}},
		{"by BSUID, else by number, both written back", map[string]int32{}, func(e *webhooknorm.Event) []string {
			return []string{e.BSUID, e.Phone}
		}},
	}
}

// contactOf returns the contact of a message, and a new one if there is none yet. It
// returns 0 if the message has no key.
func (w *way) contactOf(e *webhooknorm.Event, next int32) int32 {
	keys := w.keys(e)
	contact := int32(0)
	for _, key := range keys {
		if contact == 0 && key != "" {
			contact = w.contacts[key]
		}
	}
	for _, key := range keys {
		if key == "" {
			continue
		}
		if contact == 0 {
			contact = next
		}
		w.contacts[key] = contact
	}
	return contact
}

// fromEnv returns an environment variable's number, or another one if it's absent.
func fromEnv(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// TestLives sends the webhooks of simulated people to an engine. The engine must not mix
// two people or split one where the webhooks contain enough to avoid it. The test prints
// the mistakes that nobody can avoid, by cause, and those of simpler ways.
//
// The variable IDENTITY_PEOPLE is the number of people in each of the three worlds, and IDENTITY_SEED
// the worlds' seed.
func TestLives(t *testing.T) {
	for _, test := range []struct {
		name               string
		delay, batch, lose float64
	}{
		{"in order", 0, 0, 0},
		{"late and shuffled", 0.3, 0.2, 0},
		{"2 % lost for ever", 0.1, 0.05, 0.02},
	} {
		t.Run(test.name, func(t *testing.T) {
			world := lives.NewWorld(uint64(fromEnv(t, "IDENTITY_SEED", 1)), fromEnv(t, "IDENTITY_PEOPLE", 300), 3*365*24*time.Hour)
			world.Delay, world.Batch, world.Loss = test.delay, test.batch, test.lose
			world.Change = 0.5 // many, because changes of the number are where mistakes happen
			live(t, world)
		})
	}
}

// live runs the ways on a world and compares their contacts with the truth.
func live(t *testing.T, world lives.World) {
	engine := identity.NewEngine(store.NewMemory(), identity.Config{})

	naive := naiveWays()
	type message struct {
		contacts [3]int32 // in each naive way
		person   identity.PersonID
		at       int64
	}
	messages := map[string]message{}
	byAlias := map[identity.Alias]map[string]bool{}
	for body := range world.Webhooks() {
		webhook, err := webhooknorm.Read(body)
		require.NoError(t, err)
		sightings, changes, err := engine.ObserveWebhook(t.Context(), webhook, time.Time{})
		require.NoError(t, err)
		for _, moved := range changes {
			if moved.Kind == identity.Moved {
				for id := range byAlias[moved.Alias] {
					if m := messages[id]; moved.Since <= m.at && m.at <= moved.Until {
						m.person = moved.To
						messages[id] = m
					}
				}
			}
		}
		for i := range webhook.Events {
			e := &webhook.Events[i]
			if _, stored := messages[e.MessageID]; stored || e.Kind != webhooknorm.KindMessage && e.Kind != webhooknorm.KindHistory {
				continue
			}
			var m message
			for j := range naive {
				m.contacts[j] = naive[j].contactOf(e, int32(len(messages)+1))
			}
			sighting := sightings[i]
			m.person, m.at = sighting.Person, sighting.At
			if byAlias[sighting.Alias] == nil {
				byAlias[sighting.Alias] = map[string]bool{}
			}
			byAlias[sighting.Alias][e.MessageID] = true
			messages[e.MessageID] = m
		}
	}

	for i, w := range naive {
		require.NotEmpty(t, compare(t, world, w.name, func(id string) string {
			if contact := messages[id].contacts[i]; contact != 0 {
				return strconv.Itoa(int(contact))
			}
			return ""
		}))
	}
	avoidable := compare(t, world, "by the engine", func(id string) string {
		return messages[id].person.String()
	})
	for i, f := range avoidable {
		if i < 5 {
			t.Error(f)
		}
	}
	require.Empty(t, avoidable)
}

// compare prints the mistakes of a way, and returns those that the
// webhooks contain enough to avoid.
func compare(t *testing.T, world lives.World, name string, contactOf func(messageID string) string) []string {
	avoidable, summary := world.Compare(func(id string) []string {
		if contact := contactOf(id); contact != "" {
			return []string{contact}
		}
		return nil
	})
	t.Logf("%s: %s", name, summary)
	return avoidable
}
