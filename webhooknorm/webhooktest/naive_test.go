package webhooktest

import (
	"encoding/json"
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
	n, err := strconv.Atoi(os.Getenv("WEBHOOKTEST_PEOPLE"))
	if err != nil {
		return 100
	}
	return n
}

// TestNaiveWays prints a table for as many people as the variable
// WEBHOOKTEST_PEOPLE says.
func TestNaiveWays(t *testing.T) {
	w := NewWorld(1, people(), 3*year)
	contacts := make([]map[string]string, len(naive))
	find := make([]func(bsuid, phone, name string) string, len(naive))
	for i, way := range naive {
		contacts[i], find[i] = map[string]string{}, way.find()
	}
	for hook := range w.deliveries() {
		var body webhook
		require.NoError(t, json.Unmarshal(hook.body, &body))
		body.each(func(id, bsuid, phone string) {
			for i := range naive {
				if _, stored := contacts[i][id]; !stored {
					contacts[i][id] = find[i](bsuid, phone, id)
				}
			}
		}, func(string, string, *ids) {})
	}
	comparison := func(name string, contactsOf func(event) []string) report {
		r := compare(w.events(), contactsOf, nil)
		t.Logf("| %s | %.1f %% | %d | %d | %d |", name,
			100*float64(r.count(mistakeLost, noCause))/float64(r.messages),
			r.count(mistakeMixed, noCause), r.count(mistakeSplit, noCause),
			len(r.findings)-len(r.avoidable()))
		return r
	}
	for i, way := range naive {
		r := comparison(way.name, func(e event) []string {
			if c := contacts[i][e.ID]; c != "" {
				return []string{c}
			}
			return nil
		})
		require.NotEmpty(t, r.avoidable(), way.name)
	}
	r := comparison("from all webhooks at once", newBatch(w.events()).contactsOf)
	require.Empty(t, r.avoidable())
	t.Logf("%d people, %d messages", r.people, r.messages)
}
