package lives

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The three ways in which people find the contact of a message today. Each returns the
// contact, given what the message says and a name for a new contact.
var naive = []struct {
	name string
	find func() func(bsuid, phone, name string) string
}{
	{"by number", func() func(bsuid, phone, name string) string {
		contacts := map[string]string{}
		return func(_, phone, name string) string {
			if phone == "" {
				return "" // there is nothing to find the contact by
			}
			return contactOf(contacts, name, phone)
		}
	}},
	{"by BSUID, without one by number", func() func(bsuid, phone, name string) string {
		contacts := map[string]string{}
		return func(bsuid, phone, name string) string {
			if bsuid != "" {
				phone = ""
			}
			return contactOf(contacts, name, bsuid, phone)
		}
	}},
	{"by BSUID, else by number, both written back", func() func(bsuid, phone, name string) string {
		contacts := map[string]string{}
		return func(bsuid, phone, name string) string { return contactOf(contacts, name, bsuid, phone) }
	}},
}

// contactOf returns the contact of the first key that has one, and gives it all keys.
func contactOf(contacts map[string]string, name string, keys ...string) string {
	for _, key := range keys {
		if c := contacts[key]; key != "" && c != "" {
			name = c
			break
		}
	}
	for _, key := range keys {
		if key != "" {
			contacts[key] = name
		}
	}
	return name
}

// people is the number of people of TestNaiveWays.
func people() int {
	n, err := strconv.Atoi(os.Getenv("LIVES_PEOPLE"))
	if err != nil {
		return 100
	}
	return n
}

// TestNaiveWays prints a table for as many people as the variable
// LIVES_PEOPLE says.
func TestNaiveWays(t *testing.T) {
	w := NewWorld(1, people(), 3*year)
	contacts := make([]map[string]string, len(naive))
	find := make([]func(bsuid, phone, name string) string, len(naive))
	for i, way := range naive {
		contacts[i], find[i] = map[string]string{}, way.find()
	}
	for hook := range w.Story(nil).Deliveries() {
		for _, e := range hook.Events {
			if e.Kind != KindMessage && e.Kind != KindHistory {
				continue
			}
			for i := range naive {
				if _, stored := contacts[i][e.ID]; !stored {
					contacts[i][e.ID] = find[i](e.Shown.BSUID, e.Shown.Phone, e.ID)
				}
			}
		}
	}
	comparison := func(name string, contactsOf func(Event) []string) Report {
		r := judged(w.Story(nil), contactsOf)
		t.Logf("| %s | %.1f %% | %d | %d | %d |", name,
			100*float64(r.Count(Lost))/float64(r.Messages),
			r.Count(Mixed), r.Count(Split),
			len(r.Findings)-len(r.Avoidable()))
		return r
	}
	for i, way := range naive {
		r := comparison(way.name, func(e Event) []string {
			if c := contacts[i][e.ID]; c != "" {
				return []string{c}
			}
			return nil
		})
		require.NotEmpty(t, r.Avoidable(), way.name)
	}
	r := comparison("from all webhooks at once", newBatch(w.Story(nil).events(newTruth())).contactsOf)
	require.Empty(t, r.Avoidable())
	t.Logf("%d people, %d messages", r.People, r.Messages)
}
