package identity_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/internal/testenv"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

// An inbox is a receiver that leaves to package identity who sent a message.
type inbox struct {
	engine *identity.Engine
	sent   map[string]identity.Sighting // by message ID
	// answered holds the IDs of messages that got a reply.
	answered map[string]bool
}

func (i *inbox) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil || !webhooknorm.VerifySignature(body, q.Header.Get("X-Hub-Signature-256"), []byte("app secret")) {
		http.Error(w, "bad signature", http.StatusUnauthorized)
		return
	}
	webhook, err := webhooknorm.Read(body)
	var sightings []identity.Sighting
	var changes []identity.Change
	if err == nil {
		sightings, changes, err = i.engine.ObserveWebhook(q.Context(), webhook, time.Time{})
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for n, e := range webhook.Events {
		if e.Kind == webhooknorm.KindMessage || e.Kind == webhooknorm.KindHistory {
			i.sent[e.MessageID] = sightings[n]
		}
		if _, ok := e.Address(); ok && e.Kind == webhooknorm.KindMessage {
			i.answered[e.MessageID] = true
		}
	}
	for _, c := range changes {
		if c.Kind == identity.Moved {
			for id, s := range i.sent {
				if s.Alias == c.Alias && c.Since <= s.At && s.At <= c.Until {
					s.Person = c.To
					i.sent[id] = s
				}
			}
		}
	}
}

func (i *inbox) contactsOf(messageID string) []string {
	if s := i.sent[messageID]; !s.Person.IsZero() {
		return []string{s.Person.String()}
	}
	return nil
}

func newInbox() webhooktest.Receiver {
	i := &inbox{identity.NewEngine(store.NewMemory(), identity.Config{}), map[string]identity.Sighting{}, map[string]bool{}}
	return webhooktest.Receiver{Handler: i, AppSecret: "app secret", ContactsOf: i.contactsOf, Replied: func(id string) bool { return i.answered[id] }}
}

func TestInbox(t *testing.T) {
	webhooktest.Run(t, newInbox())
}

func TestInboxInALargeWorld(t *testing.T) {
	testenv.Slow(t)
	w := webhooktest.NewWorld(7, 300, 365*24*time.Hour)
	w.Change, w.Delay, w.Batch = 0.5, 0.3, 0.2
	w.Run(t, newInbox())
}
