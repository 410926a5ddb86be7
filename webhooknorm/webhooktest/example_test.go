package webhooktest_test

import (
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

// A receiver that replies counts its replies to each message.
func ExampleReceiver_replies() {
	_ = func(t *testing.T, receiver store, replies map[string]int) {
		webhooktest.Run(t, webhooktest.Receiver{
			Handler:    receiver,
			AppSecret:  "app secret",
			ContactsOf: receiver.ContactsOf,
			Replies:    func(messageID string) int { return replies[messageID] },
		})
	}
}

func ExampleConfig_Run() {
	_ = func(t *testing.T, receiver webhooktest.Receiver) {
		c := webhooktest.NewConfig(7, 1000, 365*24*time.Hour) // seed, people, length
		c.Change = 0.5                                        // number changes per person and year
		c.Delay = 0.3                                         // share of events that arrive up to seven days late
		c.Parallel = 8                                        // concurrent requests
		c.Duplicate, c.Batch, c.Loss = 0.5, 0.2, 0.01         // shares of repeated, batched and lost events
		c.Run(t, receiver)
	}
}

// A receiver that stores the business's messages does so when the business sends one.
func ExampleReceiver_send() {
	_ = func(t *testing.T, receiver store, insert func(messageID, recipient string, at time.Time)) {
		webhooktest.Run(t, webhooktest.Receiver{
			Handler:    receiver,
			AppSecret:  "app secret",
			ContactsOf: receiver.ContactsOf,
			Send:       func(s webhooktest.Sent) { insert(s.ID, s.To, s.At) },
		})
	}
}
