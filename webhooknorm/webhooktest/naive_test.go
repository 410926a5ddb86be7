package webhooktest_test

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

// The three ways in which people find the contact of a message today. Each returns the
// contact, given what the message says and a name for a new contact.
var naive = []struct {
	name string
	find func() func(bsuid, phone, name string) string
}{
	{"by phone number", func() func(bsuid, phone, name string) string {
		contacts := map[string]string{}
		return func(_, phone, name string) string {
			if phone == "" {
				return "" // there is nothing to find the contact by
			}
			return contactOf(contacts, name, phone)
		}
	}},
	{"by BSUID, and by number without one", func() func(bsuid, phone, name string) string {
		contacts := map[string]string{}
		return func(bsuid, phone, name string) string {
			if bsuid != "" {
				phone = ""
			}
			return contactOf(contacts, name, bsuid, phone)
		}
	}},
	{"by BSUID, then by number, both written back", func() func(bsuid, phone, name string) string {
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

// take reads the messages of a webhook that people wrote.
func take(t *testing.T, body []byte, message func(id, bsuid, phone string)) {
	var hook webhook
	require.NoError(t, json.Unmarshal(body, &hook))
	for _, entry := range hook.Entry {
		for _, change := range entry.Changes {
			for _, m := range change.Value.Messages {
				for _, c := range change.Value.Contacts {
					if m.BSUID == "" && m.From != "" && m.From == c.Phone {
						m.BSUID = c.BSUID
					}
				}
				if m.System == nil {
					message(m.ID, m.BSUID, m.From)
				}
			}
		}
	}
}

// WEBHOOKTEST_PEOPLE is the number of people of TestNaiveWays, 1,000 by default.
func people(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("WEBHOOKTEST_PEOPLE"))
	if err != nil {
		return 1000
	}
	return n
}

func TestNaiveWays(t *testing.T) {
	for _, lost := range []float64{0, 0.05} {
		w := webhooktest.NewWorld(1, people(t), 3*365*24*time.Hour)
		w.Faults.Lost = lost
		contacts := make([]map[string]string, len(naive))
		find := make([]func(bsuid, phone, name string) string, len(naive))
		for i, way := range naive {
			contacts[i], find[i] = map[string]string{}, way.find()
		}
		for hook := range w.Webhooks() {
			take(t, hook.Body, func(id, bsuid, phone string) {
				for i := range naive {
					if _, stored := contacts[i][id]; !stored {
						contacts[i][id] = find[i](bsuid, phone, id)
					}
				}
			})
		}
		for i, way := range naive {
			r := webhooktest.Judge(w.Events(), func(e webhooktest.Event) []string {
				if c := contacts[i][e.ID]; c != "" {
					return []string{c}
				}
				return nil
			})
			t.Logf("lost %g %s: %d messages of %d people", lost, way.name, r.Messages, r.People)
			for _, fault := range []webhooktest.Fault{webhooktest.Lost, webhooktest.Mixed, webhooktest.Split} {
				t.Logf("  %s: evident %d, silence %d, apart %d, webhook lost %d", fault, r.Count(fault, webhooktest.Evident),
					r.Count(fault, webhooktest.Silence), r.Count(fault, webhooktest.Apart), r.Count(fault, webhooktest.WebhookLost))
			}
		}
	}
}
