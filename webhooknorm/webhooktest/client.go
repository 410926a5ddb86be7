package webhooktest

import (
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A client posts webhooks to a receiver.
type client struct {
	Receiver
	server *httptest.Server

	mu       sync.Mutex
	rejected map[string]int // number of webhooks that were not accepted, by response
	sent     []lives.Sent
}

func newClient(receiver Receiver) *client {
	server := httptest.NewUnstartedServer(receiver.Handler)
	server.Config.ErrorLog = nil
	server.Start()
	return &client{Receiver: receiver, server: server, rejected: map[string]int{}}
}

func (c *client) close() { c.server.Close() }

// play delivers a story's webhooks, up to parallel of them at a time, and reports the mistakes.
func (c *client) play(t testing.TB, story lives.Story, parallel int, prefix string) lives.Report {
	t.Helper()
	c.deliver(t, story, parallel)
	r := story.Judge(lives.Results{ContactsOf: c.ContactsOf, NoSystem: c.ContactsOf != nil, Replies: c.Replies, Sent: c.sent})
	report(t, story, r, prefix)
	return r
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

// deliver posts the webhooks. Like the platform, it retries after a response other than 2xx, but only
// twice.
func (c *client) deliver(t testing.TB, story lives.Story, parallel int) {
	t.Helper()
	clear(c.rejected)
	c.sent = nil
	webhooks, directory := story.Tell()
	var flight sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for w := range webhooks {
		slots <- struct{}{}
		if c.hasFailed() {
			break
		}
		answers := c.answers(w)
		flight.Go(func() {
			defer func() { <-slots }()
			c.deliverOne(w, answers, directory.Businesses)
		})
	}
	flight.Wait()
	for response, n := range c.rejected {
		t.Errorf("webhooktest: the receiver didn't accept %d webhooks: %s", n, response)
	}
}

func (c *client) deliverOne(w lives.Delivery, answers []lives.Sent, businesses []lives.Business) {
	response := ""
	for range 3 {
		if response = c.post(w.Body, lives.Sign(w.Body, c.AppSecret)); strings.HasPrefix(response, "2") {
			for _, s := range answers {
				c.Send(Sent{ID: s.ID, PhoneNumberID: businesses[s.To.Business].ID, To: s.To.Shown.Phone, At: s.To.At})
			}
			return
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rejected[response]++
	c.sent = slices.DeleteFunc(c.sent, func(s lives.Sent) bool { return slices.Contains(answers, s) })
}

// answers returns what the business answers to a webhook.
func (c *client) answers(w lives.Delivery) []lives.Sent {
	if c.Send == nil {
		return nil
	}
	answers := w.Answers()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, answers...)
	return answers
}

// post posts a webhook and returns the response's status or the error.
func (c *client) post(body []byte, signature string) string {
	r, err := lives.Request(c.server.URL, c.AppSecret, body)
	if err != nil {
		return err.Error()
	}
	r.Header.Set(lives.SignatureHeader, signature)
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
	story := lives.NewWorld(666, 1, 24*time.Hour).Story(nil)
	for w := range story.Deliveries() {
		for name, signature := range map[string]string{"a wrong": lives.Sign(w.Body, c.AppSecret+"?"), "no": "", "an empty": "sha256="} {
			if status := c.post(w.Body, signature); strings.HasPrefix(status, "2") || len(c.ContactsOf(w.Events[0].ID)) > 0 {
				t.Errorf("webhooktest: the receiver accepted a webhook with %s signature: %s", name, status)
			}
		}
		return
	}
}
