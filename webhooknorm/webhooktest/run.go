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

// A Receiver describes the receiver under test.
type Receiver struct {
	// Handler receives the webhooks. It starts without contacts. A reverse proxy is a
	// handler, too, so the receiver can be another process.
	Handler http.Handler

	// AppSecret signs the webhooks. Unless it's "", the receiver must reject a webhook with a
	// wrong signature.
	AppSecret string

	// ContactsOf returns the IDs of the contacts that contain a message: none if the message is
	// lost, and several if it's stored more than once. After a merge, it returns the remaining
	// contact's ID.
	// For example, a database can use this query:
	//
	//	SELECT contact_id FROM messages WHERE id = $1
	//
	// It's called after the last webhook.
	ContactsOf func(messageID string) []string

	// Replied, if set, reports whether the receiver has replied to a message. No reply
	// should go to a message in standby, an echo, a message in the history or a system
	// message.
	Replied func(messageID string) bool

	// Fields are the subscribed webhook fields, such as "messages", "standby" and "history".
	// Nil means all. The receiver must store each message from a person in these fields,
	// whatever its type.
	Fields []string
}

// Run tests a receiver. It simulates short scenarios and then 100 people over two years, and posts
// webhooks over HTTP, one at a time. A webhook that isn't answered with 2xx is posted up to three
// times. Run reports the mistakes that the package documentation lists, and accepted webhooks with
// wrong signatures, with t.Errorf. [World.Run] supports more people, other faults and concurrent
// webhooks.
func Run(t testing.TB, receiver Receiver) {
	t.Helper()
	c := newClient(t, receiver)
	defer c.close()
	c.playScenarios(t)
	c.playWorld(t, NewWorld(1, 100, 2*365*day))
	c.forge(t)
}

// Run is like the function [Run], but with this world's people, and without the scenarios and the
// webhooks with wrong signatures. It logs the number of mistakes.
func (w World) Run(t testing.TB, receiver Receiver) {
	t.Helper()
	c := newClient(t, receiver)
	defer c.close()
	t.Log(c.playWorld(t, w))
}

// A client posts webhooks to a receiver.
type client struct {
	Receiver
	server   *httptest.Server
	mu       sync.Mutex
	rejected map[string]int // number of webhooks that were not accepted, by response
}

func newClient(t testing.TB, receiver Receiver) *client {
	t.Helper()
	server := httptest.NewUnstartedServer(receiver.Handler)
	server.Config.ErrorLog = nil
	server.Start()
	return &client{Receiver: receiver, server: server, rejected: map[string]int{}}
}

func (c *client) close() { c.server.Close() }

func (c *client) playScenarios(t testing.TB) {
	t.Helper()
	p := newRecording(0, time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC))
	names := make([]string, 0, 2*len(scenarios))
	p.fields = c.Fields
	start := p.now
	for _, s := range scenarios {
		p.now = start + int64(p.events) // all scenarios take place at the same time
		s.play(p)
		for len(names) < p.people {
			names = append(names, s.name)
		}
	}
	p.sort()
	c.deliver(t, p.Webhooks(faults{duplicate: 0.2}), 1)
	c.report(t, compare(p.Events(), byID(c.ContactsOf), c.Replied), func(e event) string { return fmt.Sprintf("%q: ", names[e.Person]) })
}

func (c *client) playWorld(t testing.TB, w World) report {
	t.Helper()
	w.fields = c.Fields
	c.deliver(t, w.deliveries(), max(1, w.Parallel))
	report := compare(w.events(), byID(c.ContactsOf), c.Replied)
	c.report(t, report, func(event) string { return fmt.Sprintf("world of seed %d: ", w.seed) })
	return report
}

// Compare compares a receiver's contacts with the truth after all webhooks from [World.Webhooks]
// were delivered. contactsOf is as in [Receiver]. Compare doesn't check replies, and expects the
// messages from all webhook fields. It returns a description of each mistake that a receiver can
// avoid, and a summary that includes those it can't. Lost and duplicate mistakes are counted by
// message, mixed ones by contact, and split ones by person.
func (w World) Compare(contactsOf func(messageID string) []string) (avoidable []string, summary string) {
	r := compare(w.events(), byID(contactsOf), nil)
	for _, f := range r.avoidable() {
		avoidable = append(avoidable, f.String())
	}
	return avoidable, r.String()
}

func byID(contactsOf func(string) []string) func(event) []string {
	return func(e event) []string { return contactsOf(e.ID) }
}

// hasFailed reports whether the receiver rejects so many webhooks that more make no
// difference.
func (c *client) hasFailed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := 0
	for _, n := range c.rejected {
		total += n
	}
	return total >= 20
}

// deliver posts webhooks, up to parallel of them at a time. Like the platform it retries
// after a response other than 2xx, but only twice.
func (c *client) deliver(t testing.TB, webhooks iter.Seq[delivery], parallel int) {
	t.Helper()
	clear(c.rejected)
	var flight sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for w := range webhooks {
		slots <- struct{}{}
		if c.hasFailed() {
			break
		}
		flight.Add(1)
		go func() {
			defer func() { <-slots; flight.Done() }()
			response := ""
			for range 3 {
				if response = c.post(w.body, signature(w.body, c.AppSecret)); strings.HasPrefix(response, "2") {
					return
				}
			}
			c.mu.Lock()
			c.rejected[response]++
			c.mu.Unlock()
		}()
	}
	flight.Wait()
	for response, n := range c.rejected {
		t.Errorf("webhooktest: the receiver didn't accept %d webhooks: %s", n, response)
	}
}

// post posts a webhook and returns the response's status or the error.
func (c *client) post(body []byte, signature string) string {
	r, err := Request(c.server.URL, c.AppSecret, body)
	if err != nil {
		return err.Error()
	}
	r.Header.Set(signatureHeader, signature)
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
func (c *client) forge(t testing.TB) {
	t.Helper()
	if c.AppSecret == "" {
		return
	}
	p := newRecording(666, time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC))
	p.Add(profile{Name: "Mallory"}).Write(0, "You have won")
	for w := range p.Webhooks(faults{}) {
		for name, signature := range map[string]string{"a wrong": signature(w.body, c.AppSecret+"?"), "no": "", "an empty": "sha256="} {
			if status := c.post(w.body, signature); strings.HasPrefix(status, "2") || len(c.ContactsOf(w.events[0].ID)) > 0 {
				t.Errorf("webhooktest: the receiver accepted a webhook with %s signature: %s", name, status)
			}
		}
	}
}

// report reports up to five findings per mistake.
func (c *client) report(t testing.TB, r report, prefix func(event) string) {
	t.Helper()
	const most = 5
	total := map[mistake]int{}
	for _, f := range r.avoidable() {
		if total[f.mistake]++; total[f.mistake] <= most {
			t.Errorf("webhooktest: %s%s", prefix(f.a), f)
		}
	}
	for mistake, n := range total {
		if n > most {
			t.Errorf("webhooktest: %s: %d in all", mistake, n)
		}
	}
}

// String describes the finding for a receiver's developer.
func (f finding) String() string {
	switch f.mistake {
	case mistakeLost:
		return "lost: no contact has the message " + f.a.describe()
	case mistakeReplied:
		return "replied: no reply should go to the message " + f.a.describe()
	case mistakeDuplicate:
		return fmt.Sprintf("duplicate: contact %q has more than once the message %s", f.contact, f.a.describe())
	case mistakeMixed:
		return fmt.Sprintf("mixed: contact %q has messages from two people: %s; and %s", f.contact, f.a.describe(), f.b.describe())
	case mistakeSplit:
		return fmt.Sprintf("split: one person is contact %q in %s; and contact %q in %s", f.contact, f.a.describe(), f.other, f.b.describe())
	}
	return string(f.mistake)
}

func (e event) describe() string {
	shown := strings.TrimSpace(strings.Join([]string{e.Shown.Phone, e.Shown.BSUID}, " "))
	typ := e.Type
	switch {
	case e.Standby:
		typ += " in standby"
	case e.Kind != kindMessage:
		typ += " of the " + e.Kind.String()
	}
	return fmt.Sprintf("%s (person %d, %s, %s, %s)", e.ID, e.Person, typ, e.At.Format("2 January 2006"), shown)
}
