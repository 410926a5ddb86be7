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

// Run tests a receiver of webhooks. It plays some fifteen stories and then two years
// in the lives of 100 people, posts the webhooks to the receiver over HTTP, and
// reports with t.Error which message or person the receiver has lost, doubled, mixed
// up or split although the webhooks say enough.
//
// The secret is the app secret that the receiver checks signatures with. If it is not
// "", a webhook with a wrong signature must be refused.
//
// contactsOf returns the contacts under which the receiver has stored a message, given
// the message's ID: none if it has lost the message, one if all is well, and more if it
// has stored the message more than once. Run calls it after the last webhook. If
// contacts can be merged, contactsOf returns what the contact has become. For a
// receiver that stores messages in a database it is one query:
//
//	SELECT contact_id FROM messages WHERE id = $1
//
// Every message that a person writes must be stored, whatever its type. System messages,
// statuses and calls need not be.
//
// The receiver should start empty. It gets the webhooks one after the other; see
// [World.Run] for more people, other faults and webhooks in parallel.
func Run(t testing.TB, receiver http.Handler, secret string, contactsOf func(messageID string) []string) {
	t.Helper()
	c := newClient(t, receiver, secret)
	defer c.close()
	c.playStories(t, contactsOf)
	c.playWorld(t, NewWorld(1, 100, 2*365*day), contactsOf)
	c.forge(t, contactsOf)
}

// Run tests a receiver as the function [Run] does, with this world and without the
// stories.
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
	refused map[string]int // how many webhooks had no 2xx, by response
}

func newClient(t testing.TB, receiver http.Handler, secret string) *client {
	t.Helper()
	server := httptest.NewUnstartedServer(receiver)
	server.Config.ErrorLog = nil
	server.Start()
	return &client{server: server, secret: secret, refused: map[string]int{}}
}

func (c *client) close() { c.server.Close() }

func (c *client) playStories(t testing.TB, contactsOf func(string) []string) {
	t.Helper()
	p := NewPlatform(0, time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC))
	names := make([]string, 0, 2*len(stories))
	start := p.now
	for _, s := range stories {
		p.now = start + int64(p.events) // stories run side by side
		s.play(p)
		for len(names) < p.people {
			names = append(names, s.name)
		}
	}
	// The clock went back from story to story.
	p.sort()
	c.deliver(t, p.Webhooks(Faults{Double: 0.2}), 1)
	c.report(t, Judge(p.Events(), byID(contactsOf)), func(e Event) string { return fmt.Sprintf("%q: ", names[e.Person]) })
}

func (c *client) playWorld(t testing.TB, w World, contactsOf func(string) []string) Report {
	t.Helper()
	c.deliver(t, w.Webhooks(), max(1, w.Parallel))
	report := Judge(w.Events(), byID(contactsOf))
	c.report(t, report, func(Event) string { return fmt.Sprintf("world of seed %d: ", w.Seed) })
	return report
}

func byID(contactsOf func(string) []string) func(Event) []string {
	return func(e Event) []string { return contactsOf(e.ID) }
}

// deliver posts webhooks, several at a time. As the platform does, it posts again what
// is not answered with a 2xx, though only twice more.
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
		t.Errorf("webhooktest: the receiver did not take %d webhooks: %s", n, response)
	}
}

// post posts a webhook and returns the status or what went wrong.
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
		return "half a response: " + err.Error()
	}
	return response.Status
}

// forge posts a webhook with somebody else's signature.
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
				t.Errorf("webhooktest: the receiver took a webhook with %s signature: %s", name, status)
			}
		}
	}
}

// report reports up to five findings of each fault.
func (c *client) report(t testing.TB, r Report, prefix func(Event) string) {
	t.Helper()
	const most = 5
	total := map[Fault]int{}
	for _, f := range r.Evident() {
		if total[f.Fault]++; total[f.Fault] <= most {
			t.Errorf("webhooktest: %s%s", prefix(f.A), f)
		}
	}
	for fault, n := range total {
		if n > most {
			t.Errorf("webhooktest: %s: %d in all", fault, n)
		}
	}
}

// String describes the finding for a person who debugs a receiver.
func (f Finding) String() string {
	switch f.Fault {
	case Lost:
		return "lost: no contact has the message " + f.A.describe()
	case Double:
		return fmt.Sprintf("double: contact %q has more than once the message %s", f.Contact, f.A.describe())
	case Mixed:
		return fmt.Sprintf("mixed: contact %q has messages from two people: %s; and %s", f.Contact, f.A.describe(), f.B.describe())
	case Split:
		return fmt.Sprintf("split: one person is contact %q in %s; and contact %q in %s", f.Contact, f.A.describe(), f.Other, f.B.describe())
	}
	return string(f.Fault)
}

func (e Event) describe() string {
	shown := strings.TrimSpace(strings.Join([]string{e.Shown.Phone, e.Shown.BSUID}, " "))
	return fmt.Sprintf("%s (person %d, %s, %s, %s)", e.ID, e.Person, e.Type, e.At.Format("2 January 2006"), shown)
}
