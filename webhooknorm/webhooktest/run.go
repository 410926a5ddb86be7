package webhooktest

import (
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Run tests a receiver of webhooks. It simulates some short scenarios and then 100 people
// over two years, posts the webhooks to the receiver over HTTP, and reports with t.Errorf
// the messages that the receiver has lost or stored twice and the people that it has mixed
// up or split, if the webhooks contain enough to avoid that.
//
// The secret is the app secret with which the receiver verifies signatures. Unless it is
// "", the receiver must refuse a webhook with a wrong signature.
//
// contactsOf returns the contacts under which the receiver has stored a message with an
// ID: none if the message is lost, one if all is well, more if the message is stored more
// than once. Run calls it after the last webhook. If the receiver merges contacts,
// contactsOf returns the contact that remains. With a database it is a query:
//
//	SELECT contact_id FROM messages WHERE id = $1
//
// The receiver must store every message that a person writes, whatever its type. It does
// not need to store system messages, statuses and calls. It starts without contacts, and
// receives one webhook at a time. For more people, other faults and parallel webhooks see
// [World.Run].
func Run(t testing.TB, receiver http.Handler, secret string, contactsOf func(messageID string) []string) {
	t.Helper()
	c := newClient(t, receiver, secret)
	defer c.close()
	c.playScenarios(t, contactsOf)
	c.playWorld(t, NewWorld(1, 100, 2*365*day), contactsOf)
	c.forge(t, contactsOf)
}

// Run is [Run] with the people of this world and without the scenarios.
func (w World) Run(t testing.TB, receiver http.Handler, secret string, contactsOf func(messageID string) []string) Report {
	t.Helper()
	c := newClient(t, receiver, secret)
	defer c.close()
	return c.playWorld(t, w, contactsOf)
}

// A client posts webhooks to a receiver.
type client struct {
	server  *httptest.Server
	secret  string
	mu      sync.Mutex
	refused map[string]int // number of webhooks that were not accepted, by response
}

func newClient(t testing.TB, receiver http.Handler, secret string) *client {
	t.Helper()
	server := httptest.NewUnstartedServer(receiver)
	server.Config.ErrorLog = nil
	server.Start()
	return &client{server: server, secret: secret, refused: map[string]int{}}
}

func (c *client) close() { c.server.Close() }

func (c *client) playScenarios(t testing.TB, contactsOf func(string) []string) {
	t.Helper()
	p := NewPlatform(0, time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC))
	names := make([]string, 0, 2*len(scenarios))
	start := p.now
	for _, s := range scenarios {
		p.now = start + int64(p.events) // all scenarios take place at the same time
		s.play(p)
		for len(names) < p.people {
			names = append(names, s.name)
		}
	}
	p.sort()
	c.deliver(t, p.Webhooks(Faults{Double: 0.2}), 1)
	c.report(t, Compare(p.Events(), byID(contactsOf)), func(e Event) string { return fmt.Sprintf("%q: ", names[e.Person]) })
}

func (c *client) playWorld(t testing.TB, w World, contactsOf func(string) []string) Report {
	t.Helper()
	c.deliver(t, w.Webhooks(), max(1, w.Parallel))
	report := Compare(w.Events(), byID(contactsOf))
	c.report(t, report, func(Event) string { return fmt.Sprintf("world of seed %d: ", w.Seed) })
	return report
}

func byID(contactsOf func(string) []string) func(Event) []string {
	return func(e Event) []string { return contactsOf(e.ID) }
}

// deliver posts webhooks, up to parallel of them at a time. Like the platform it retries
// after a response other than 2xx, but only twice.
func (c *client) deliver(t testing.TB, webhooks iter.Seq[Webhook], parallel int) {
	t.Helper()
	clear(c.refused)
	var flight sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for w := range webhooks {
		slots <- struct{}{}
		flight.Add(1)
		go func() {
			defer func() { <-slots; flight.Done() }()
			response := ""
			for range 3 {
				if response = c.post(w, w.Signature(c.secret)); strings.HasPrefix(response, "2") {
					return
				}
			}
			c.mu.Lock()
			c.refused[response]++
			c.mu.Unlock()
		}()
	}
	flight.Wait()
	for response, n := range c.refused {
		t.Errorf("webhooktest: the receiver did not accept %d webhooks: %s", n, response)
	}
}

// post posts a webhook and returns the status of the response or the error.
func (c *client) post(w Webhook, signature string) string {
	r, err := w.Request(c.server.URL, c.secret)
	if err != nil {
		return err.Error()
	}
	r.Header.Set(SignatureHeader, signature)
	response, err := c.server.Client().Do(r)
	if err != nil {
		return "no response: " + err.Error()
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return "incomplete response: " + err.Error()
	}
	return response.Status
}

// forge posts a webhook with wrong signatures.
func (c *client) forge(t testing.TB, contactsOf func(string) []string) {
	t.Helper()
	if c.secret == "" {
		return
	}
	p := NewPlatform(666, time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC))
	p.Add(Profile{Name: "Mallory"}).Write(0, "You have won")
	for w := range p.Webhooks(Faults{}) {
		for name, signature := range map[string]string{"a wrong": w.Signature(c.secret + "?"), "no": "", "an empty": "sha256="} {
			if status := c.post(w, signature); strings.HasPrefix(status, "2") || len(contactsOf(w.Events[0].ID)) > 0 {
				t.Errorf("webhooktest: the receiver accepted a webhook with %s signature: %s", name, status)
			}
		}
	}
}

// report reports up to five findings of each mistake.
func (c *client) report(t testing.TB, r Report, prefix func(Event) string) {
	t.Helper()
	const most = 5
	total := map[Mistake]int{}
	for _, f := range r.Evident() {
		if total[f.Mistake]++; total[f.Mistake] <= most {
			t.Errorf("webhooktest: %s%s", prefix(f.A), f)
		}
	}
	for mistake, n := range total {
		if n > most {
			t.Errorf("webhooktest: %s: %d in all", mistake, n)
		}
	}
}

// String describes the finding for the developer of a receiver.
func (f Finding) String() string {
	switch f.Mistake {
	case Lost:
		return "lost: no contact has the message " + f.A.describe()
	case Double:
		return fmt.Sprintf("double: contact %q has more than once the message %s", f.Contact, f.A.describe())
	case Mixed:
		return fmt.Sprintf("mixed: contact %q has messages from two people: %s; and %s", f.Contact, f.A.describe(), f.B.describe())
	case Split:
		return fmt.Sprintf("split: one person is contact %q in %s; and contact %q in %s", f.Contact, f.A.describe(), f.Other, f.B.describe())
	}
	return string(f.Mistake)
}

func (e Event) describe() string {
	shown := strings.TrimSpace(strings.Join([]string{e.Shown.Phone, e.Shown.BSUID}, " "))
	return fmt.Sprintf("%s (person %d, %s, %s, %s)", e.ID, e.Person, e.Type, e.At.Format("2 January 2006"), shown)
}
