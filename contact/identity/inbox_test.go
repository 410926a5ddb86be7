package identity_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/internal/testenv"
	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

// An inbox is a receiver that leaves to package identity who sent a message.
type inbox struct {
	engine *identity.Engine
	facts  map[string]identity.Fact // by message ID: what the message says about its sender
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
	for _, e := range webhook.Events { // none after an error
		facts := identity.FactsOf(webhooknorm.Webhook{Events: []webhooknorm.Event{e}}, nil)
		if (e.Kind == webhooknorm.KindMessage || e.Kind == webhooknorm.KindHistory) && len(facts) > 0 {
			i.facts[e.MessageID] = facts[0]
		}
		if _, ok := e.Address(); ok && e.Kind == webhooknorm.KindMessage {
			i.answered[e.MessageID] = true
		}
	}
	if err == nil {
		_, err = i.engine.Observe(q.Context(), identity.FactsOf(webhook, nil)...)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func (i *inbox) contactsOf(messageID string) []string {
	result, err := i.engine.Observe(context.Background(), i.facts[messageID]) // it is known: this only looks the person up
	if err != nil {
		return nil
	}
	return []string{result.Persons[0].String()}
}

func newInbox() webhooktest.Receiver {
	i := &inbox{identity.NewEngine(new(identity.Memory), identity.Config{}), map[string]identity.Fact{}, map[string]bool{}}
	return webhooktest.Receiver{Handler: i, AppSecret: "app secret", ContactsOf: i.contactsOf, Replied: func(id string) bool { return i.answered[id] }}
}

func TestInbox(t *testing.T) {
	webhooktest.Run(t, newInbox())
}

func TestInboxInALargeWorld(t *testing.T) {
	testenv.Slow(t)
	w := webhooktest.NewWorld(7, 300, 365*24*time.Hour)
	w.Rates.Change, w.Faults.Delay, w.Faults.Batch = 0.5, 0.3, 0.2
	w.Run(t, newInbox())
}
