package identity_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

// An inbox is a receiver that leaves to package identity who sent a message.
type inbox struct {
	engine *identity.Engine
	sent   map[string]identity.Sighting // by message ID, those of the business included
	// replies is the number of replies to each message.
	replies map[string]int
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
		written := (e.Kind == webhooknorm.KindMessage || e.Kind == webhooknorm.KindHistory) && e.Type != "system"
		if _, stored := i.sent[e.MessageID]; stored || !written {
			continue
		}
		i.sent[e.MessageID] = sightings[n]
		if e.WantsReply() {
			i.replies[e.MessageID]++
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

// send stores a message that the business sends to a number.
func (i *inbox) send(s webhooktest.Sent) {
	alias, err := identity.NewAlias(identity.KindPhone, "", s.To)
	person, _, findErr := i.engine.Find(context.Background(), alias)
	if err := errors.Join(err, findErr); err != nil {
		panic(err) // the number is valid, and the store in memory never fails
	}
	i.sent[s.ID] = identity.Sighting{Person: person, Alias: alias, At: s.At.Unix()}
}

func newInbox() webhooktest.Receiver {
	i := &inbox{identity.NewEngine(store.NewMemory(), identity.Config{}), map[string]identity.Sighting{}, map[string]int{}}
	return webhooktest.Receiver{Handler: i, AppSecret: "app secret", ContactsOf: i.contactsOf, Send: i.send, Replies: func(id string) int { return i.replies[id] }}
}

func TestInbox(t *testing.T) {
	webhooktest.Run(t, newInbox())
}

func TestInboxInALargeWorld(t *testing.T) {
	testenv.Slow(t)
	c := webhooktest.NewConfig(7, 300, 365*24*time.Hour)
	c.Change, c.Delay, c.Batch = 0.5, 0.3, 0.2
	c.Run(t, newInbox())
}
