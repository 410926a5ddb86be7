package webhooktest_test

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

// A store represents a receiver's database.
type store struct{}

func (store) ServeHTTP(http.ResponseWriter, *http.Request) {}

func (store) ContactsOf(messageID string) []string { return nil }

func ExampleRun() {
	_ = func(t *testing.T) { // TestReceiver
		var receiver store
		webhooktest.Run(t, webhooktest.Receiver{
			Handler:    receiver,
			AppSecret:  "app secret",
			ContactsOf: receiver.ContactsOf,
		})
	}
}

// A receiver in another process that subscribes to few fields.
func ExampleReceiver() {
	_ = func(t *testing.T, contactsOf func(messageID string) []string) {
		webhooktest.Run(t, webhooktest.Receiver{
			Handler:    httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "localhost:3000", Path: "/webhook"}),
			AppSecret:  "app secret",
			ContactsOf: contactsOf,
			Fields:     []string{"messages", "standby"},
		})
	}
}

// A receiver that replies records the messages that it replied to.
func ExampleReceiver_replies() {
	_ = func(t *testing.T, receiver store, replied map[string]bool) {
		webhooktest.Run(t, webhooktest.Receiver{
			Handler:    receiver,
			AppSecret:  "app secret",
			ContactsOf: receiver.ContactsOf,
			Replied:    func(messageID string) bool { return replied[messageID] },
		})
	}
}

func ExampleWorld_Run() {
	_ = func(t *testing.T, receiver webhooktest.Receiver) {
		w := webhooktest.NewWorld(7, 1000, 365*24*time.Hour) // seed, people, length
		w.Change = 0.5                                       // number changes per person and year
		w.Delay = 0.3                                        // share of events that arrive up to seven days late
		w.Parallel = 8                                       // concurrent requests
		w.Duplicate, w.Batch, w.Loss = 0.5, 0.2, 0.01        // shares of repeated, batched and lost events
		w.Run(t, receiver)
	}
}

func ExampleWorld_Webhooks() {
	w := webhooktest.NewWorld(1, 100, 90*24*time.Hour)
	webhooks := 0
	for body := range w.Webhooks() {
		r, err := webhooktest.Request("https://example.com/webhook", "app secret", body)
		if err != nil {
			panic(err)
		}
		if webhooks++; webhooks == 1 {
			fmt.Println(r.Method, r.URL, len(body), len(r.Header.Get("X-Hub-Signature-256")))
		}
	}
	fmt.Println(webhooks)
	// Output:
	// POST https://example.com/webhook 5184 71
	// 193
}

// A receiver without contacts has lost all messages.
func ExampleWorld_Compare() {
	w := webhooktest.NewWorld(1, 100, 90*24*time.Hour)
	avoidable, summary := w.Compare(func(messageID string) []string { return nil })
	fmt.Println(summary)
	fmt.Println(avoidable[0])
	// Output:
	// 194 messages from 0 people; avoidable: 194 lost, 0 duplicate, 0 mixed, 0 split, 0 replied; unavoidable: 0 by silence, 0 by lost webhooks, 0 not connected
	// lost: no contact has the message wamid.HBgLMaoT0ZU9rOx8kQot7IkCXME= (person 0, text, 1 January 2026, 12665552790)
}
