package webhooktest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
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
	// contact's ID. It returns none for a system message, such as an announced ID change, because
	// nobody wrote it.
	// For example, a database can use this query:
	//
	//	SELECT contact_id FROM messages WHERE id = $1
	//
	// It's called after the last webhook.
	ContactsOf func(messageID string) []string

	// Replies, if set, returns how many replies the receiver has sent to a message. No reply
	// should go to a message in standby, a reaction, an edit, a deletion, an echo, a message in the
	// history or a system message, and no second one to any message.
	// Like ContactsOf, it's called after the last webhook. If a worker replies, let Replies
	// wait until the worker is done.
	Replies func(messageID string) int

	// Send, if set, is called after a webhook for some of its messages. The business answers
	// them then, and the receiver should store the answer like any message that it sends: with the
	// alias and the contact of the recipient. ContactsOf must return the contact of the answered
	// message for it, too, because only an announced change may move it.
	Send func(Sent)

	// Fields are the subscribed webhook fields, such as "messages", "standby" and "history".
	// Nil means all. The receiver must store each message from a person in these fields,
	// whatever its type.
	Fields []string
}

// A Sent is a message that the business sends to a person's phone number.
type Sent struct {
	ID            string    // the message ID that the platform returns to the sender
	PhoneNumberID string    // the business phone number that sends it
	To            string    // the recipient's phone number, digits only
	At            time.Time // when it's sent
}

// Run tests a receiver. It simulates fifteen short lives and then 100 people over two years, and posts
// webhooks over HTTP, one at a time. A webhook that isn't answered with 2xx is posted up to three
// times. Run reports the mistakes that the package documentation lists, and accepted webhooks with
// wrong signatures, with t.Errorf. [Config.Run] supports more people, other faults and concurrent
// webhooks.
func Run(t testing.TB, receiver Receiver) {
	t.Helper()
	c := newClient(receiver)
	defer c.close()
	c.play(t, lives.Scenarios(0, lives.Conditions{Repeat: 0.2}, receiver.Fields), 1, "")
	config := NewConfig(1, 100, 2*365*24*time.Hour)
	c.play(t, config.story(receiver.Fields), 1, "world of seed 1: ")
	c.forge(t)
}

// A Config describes a world of simulated people. Equal configurations result in the same webhooks.
// Create a Config with [NewConfig], then change its fields as needed. Change is a number per year and
// Parallel a number of requests; the other probabilities are from 0 to 1.
type Config struct {
	Seed   uint64
	People int
	Length time.Duration // people arrive during the first four fifths

	Change    float64 // how often a person changes the number per year; usually 0.065
	Duplicate float64 // a webhook is delivered a second time; usually 0.05
	Delay     float64 // an event is up to seven days late; usually 0.1
	Batch     float64 // a webhook contains 2-20 events, in any order; usually 0.05
	Loss      float64 // an event is never delivered; usually 0
	Parallel  int     // concurrent requests; 0 means 1
}

// NewConfig returns a world with the usual probabilities. It starts in January 2026, so
// webhooks contain only phone numbers for three months. Per year, a person usually writes 6
// messages and receives 2, adopts or drops a username 0.8 times, hides or shows the number 0.8
// times, and shares it 0.1 times. Another application answers 0.4 times a year. A tenth of the
// webhooks contain undocumented fields, a twentieth contain no contacts, and another twentieth
// contain empty strings for absent IDs.
func NewConfig(seed uint64, people int, length time.Duration) Config {
	w := lives.NewWorld(seed, people, length)
	return Config{
		Seed: seed, People: people, Length: length,
		Change: w.Change, Duplicate: w.Duplicate, Delay: w.Delay, Batch: w.Batch, Loss: w.Loss,
	}
}

func (c Config) story(fields []string) lives.Story {
	w := lives.NewWorld(c.Seed, c.People, c.Length)
	w.Change, w.Duplicate, w.Delay, w.Batch, w.Loss = c.Change, c.Duplicate, c.Delay, c.Batch, c.Loss
	return w.Story(fields)
}

// Run is like the function [Run], but with this world's people, and without the short lives and the
// webhooks with wrong signatures. It logs the number of mistakes.
func (c Config) Run(t testing.TB, receiver Receiver) {
	t.Helper()
	client := newClient(receiver)
	defer client.close()
	t.Log(client.play(t, c.story(receiver.Fields), max(1, c.Parallel), fmt.Sprintf("world of seed %d: ", c.Seed)))
}

// report reports up to five findings per mistake.
func report(t testing.TB, story lives.Story, r lives.Report, prefix string) {
	t.Helper()
	const most = 5
	total := map[lives.Mistake]int{}
	for _, f := range r.Avoidable() {
		if total[f.Mistake]++; total[f.Mistake] > most {
			continue
		}
		if life := story.Life(&f.A); life != "" {
			prefix = fmt.Sprintf("%q: ", life)
		}
		t.Errorf("webhooktest: %s%s", prefix, f)
	}
	for mistake, n := range total {
		if n > most {
			t.Errorf("webhooktest: %s: %d in all", mistake, n)
		}
	}
}
