// Package simulate rehearses a receiver in another process: it posts the webhooks of simulated people,
// serves a stand-in for the Graph API to which the receiver sends its replies, and reports the mistakes.
// Package lives simulates the people and judges the receiver.
package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A Rehearsal describes what to rehearse.
type Rehearsal struct {
	Story   lives.Story
	Webhook string // the receiver's URL
	Secret  string // the app secret that signs the webhooks
	Ask     string // the URL that returns a message's contact, or ""

	// Wait is how long the receiver may take for a reply after it has answered the webhook.
	Wait time.Duration

	// Start is how long the receiver may take until it accepts connections, at first and after a crash.
	Start time.Duration

	// TestNumber makes the stand-in refuse what a test number refuses.
	TestNumber bool

	// Progress, if set, is called after each webhook.
	Progress func(webhooks int)

	// Crashed, if set, is called when the receiver has stopped at a webhook, before Run waits until it's started again.
	Crashed func(webhook int)
}

// A Stage is a rehearsal with its stand-in for the Graph API.
type Stage struct {
	Rehearsal
	conversation *conversation
	next         func() (lives.Delivery, bool)
	stop         func()
	graph        *graph
	client       http.Client
	first        lives.Delivery // the first that the receiver accepted
	quiet        int            // how many waits ended without a first reply
	failures     []failure      // the webhooks that the receiver didn't accept
	posted       map[int]int    // the number of the webhook that first contained an event, by Seq
	webhooks     int            // how many were posted, without repetitions
	accepted     int            // how many of them the receiver accepted
}

// A failure is a webhook that the receiver didn't accept.
type failure struct {
	webhook  int // the first is 1
	delivery lives.Delivery
	crashed  bool
	response string // if it didn't crash
}

// NewStage prepares a rehearsal. Serve [Stage.Graph] before [Stage.Run].
func NewStage(r Rehearsal) *Stage {
	webhooks, directory := r.Story.Tell()
	c := newConversation(directory)
	s := &Stage{Rehearsal: r, conversation: c, graph: newGraph(c, r.TestNumber), client: http.Client{Timeout: 30 * time.Second}, posted: map[int]int{}}
	s.next, s.stop = iter.Pull(webhooks)
	return s
}

// Graph returns the stand-in for the Graph API.
func (s *Stage) Graph() http.Handler { return s.graph }

// Run posts the webhooks and compares what the receiver did with the truth. The error says why it couldn't compare
// everything; the result contains what it found until then.
func (s *Stage) Run(ctx context.Context) (Result, error) {
	defer s.stop()
	if err := s.awaitReceiver(ctx); err != nil {
		return Result{}, err
	}
	if err := s.deliverAll(ctx); err != nil {
		return s.judge(ctx, err)
	}
	s.settle(ctx)
	switch failure := s.graph.failure.Load(); {
	case ctx.Err() != nil:
		return s.judge(ctx, errInterrupted)
	case s.accepted == 0:
		return s.judge(ctx, fmt.Errorf("the receiver accepted no webhook; it answered the first one with %s", s.failures[0].response))
	case failure != nil && !s.conversation.isReplying():
		return s.judge(ctx, errors.New("the stand-in recognized none of the receiver's messages; it answered the last one with "+*failure))
	case s.Ask == "" && !s.conversation.isReplying():
		return s.judge(ctx, errors.New("the receiver has sent no reply to the stand-in, and --ask is absent, so there's little to check: "+
			"set the base URL of its Graph API client to the stand-in's, or add --ask"))
	}
	return s.judge(ctx, nil)
}

// errInterrupted means that somebody ended the rehearsal.
var errInterrupted = errors.New("the rehearsal was interrupted, so contacts weren't compared")

// deliverAll posts the webhooks. The error says why it stopped before the last one.
func (s *Stage) deliverAll(ctx context.Context) error {
	crashed := map[int]bool{} // the webhooks at which the receiver crashed, by Seq of their first event
	for {
		d, ok := s.advance()
		switch {
		case !ok && s.webhooks == 0:
			return errors.New("all events are lost, so there's nothing to check; decrease --lose")
		case !ok:
			return nil
		case crashed[d.Events[0].Seq]:
			continue // it would crash again
		case !d.Repeat:
			s.webhooks++
		}
		failed := s.deliver(ctx, d)
		if ctx.Err() != nil {
			return errInterrupted
		}
		if failed != nil {
			s.failures = append(s.failures, *failed)
		} else if s.accepted++; s.accepted == 1 {
			s.first = d
		}
		if failed != nil && failed.crashed {
			crashed[d.Events[0].Seq] = true
			if err := s.awaitRestart(ctx, failed.webhook); err != nil {
				return err
			}
		}
		s.conversation.settle()
		s.waitFor(ctx, d, s.patience())
		if s.Progress != nil {
			s.Progress(s.webhooks)
		}
	}
}

// awaitRestart waits until the receiver runs again after a crash.
func (s *Stage) awaitRestart(ctx context.Context, webhook int) error {
	if s.Crashed != nil {
		s.Crashed(webhook)
	}
	for end := time.Now().Add(s.Start); !s.responds(ctx); time.Sleep(100 * time.Millisecond) {
		if ctx.Err() != nil {
			return errInterrupted
		}
		if !time.Now().Before(end) {
			return fmt.Errorf("the receiver stopped while it handled webhook %d and didn't run again for %v, so contacts weren't compared; "+
				"run it so that it's started again, for example in a loop", webhook, s.Start)
		}
	}
	return nil
}

// responds reports whether the receiver answers a request at all. A port that accepts connections can belong to a proxy.
func (s *Stage) responds(ctx context.Context) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Webhook, nil)
	if err != nil {
		return false
	}
	response, err := s.client.Do(r)
	if err != nil {
		return isTimeout(err)
	}
	return response.Body.Close() == nil
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// awaitReceiver waits until the receiver accepts connections.
func (s *Stage) awaitReceiver(ctx context.Context) error {
	u, err := url.Parse(s.Webhook)
	if err != nil {
		return err
	}
	port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	addr := net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
	var dialer net.Dialer
	for end := time.Now().Add(s.Start); ; {
		conn, err := dialer.DialContext(ctx, "tcp", addr)
		if err == nil {
			return conn.Close()
		}
		if ctx.Err() != nil || !time.Now().Before(end) {
			return fmt.Errorf("no receiver is running: %w", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// advance returns the next webhook. The people live on meanwhile, so nobody may look them up.
func (s *Stage) advance() (lives.Delivery, bool) {
	s.conversation.mu.Lock()
	defer s.conversation.mu.Unlock()
	return s.next()
}

// attempts is how often a webhook is posted until the receiver answers with 2xx. The platform goes on for days.
const attempts = 3

// deliver posts a webhook until the receiver accepts it. A receiver that needs too long isn't asked again, and
// neither is one that isn't running anymore.
func (s *Stage) deliver(ctx context.Context, d lives.Delivery) *failure {
	for _, e := range d.Events {
		if s.posted[e.Seq] == 0 {
			s.posted[e.Seq] = s.webhooks
		}
	}
	s.conversation.deliver(d)
	failed := &failure{webhook: s.posted[d.Events[0].Seq], delivery: d}
	for range attempts {
		err := s.post(ctx, d.Body, lives.Sign(d.Body, s.Secret))
		if err == nil || ctx.Err() != nil {
			return nil
		}
		var r rejection
		switch {
		case errors.As(err, &r):
			failed.response = r.response
		case isTimeout(err):
			failed.response = "nothing within " + s.client.Timeout.String()
			return failed
		case !s.responds(ctx):
			failed.crashed = true
			return failed
		default:
			failed.response = "nothing, but closed the connection"
		}
	}
	return failed
}

// A rejection is a response other than 2xx to a webhook.
type rejection struct{ response string }

func (r rejection) Error() string { return "the receiver answered " + r.response }

// forge posts the first accepted webhook again, with wrong signatures, and returns which of them the receiver accepted.
// The receiver knows the webhook, so nothing else can go wrong.
func (s *Stage) forge(ctx context.Context) (accepted []string) {
	if s.Secret == "" || s.accepted == 0 {
		return nil
	}
	for _, forgery := range []struct{ name, signature string }{
		{"a wrong signature", lives.Sign(s.first.Body, s.Secret+"?")}, {"an empty signature", "sha256="}, {"no signature", ""},
	} {
		if s.post(ctx, s.first.Body, forgery.signature) == nil {
			accepted = append(accepted, forgery.name)
		}
	}
	return accepted
}

// post posts a webhook, without the header if the signature is "".
func (s *Stage) post(ctx context.Context, body []byte, signature string) error {
	r, err := lives.Request(s.Webhook, s.Secret, body)
	if err != nil {
		return err
	}
	r.Header.Set(lives.SignatureHeader, signature)
	if signature == "" {
		r.Header.Del(lives.SignatureHeader)
	}
	response, err := s.client.Do(r.WithContext(ctx))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 200))
	if err != nil {
		return err
	}
	switch {
	case response.StatusCode/100 == 2:
		return nil
	case strings.HasPrefix(response.Header.Get("Content-Type"), "text/html"): // begins with what all pages contain
		return rejection{response.Status}
	default:
		return rejection{fmt.Sprintf("%s %q", response.Status, text)}
	}
}

// patience returns how long to wait for a reply to the last webhook. Most receivers reply before they answer the
// webhook, and others are about as fast each time. One that never has replied isn't waited for forever.
func (s *Stage) patience() time.Duration {
	const long, short = 3, 100
	s.conversation.mu.Lock()
	defer s.conversation.mu.Unlock()
	switch {
	case s.conversation.replies > 0:
		return min(s.Wait, s.conversation.slack())
	case s.quiet < long:
		return s.Wait
	case s.quiet < short: // it can leave its first messages unanswered
		return min(s.Wait, least)
	}
	return 0
}

// waitFor waits until the receiver has replied to each message in a webhook that expects it.
func (s *Stage) waitFor(ctx context.Context, d lives.Delivery, patience time.Duration) {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for s.conversation.waiting(d) > 0 {
		select {
		case <-s.conversation.replied:
		case <-ctx.Done():
			return
		case <-timeout.C:
			s.quiet++
			return
		}
	}
}

// settle waits for late replies: as long as for the first one if a message still waits for its reply, otherwise a
// moment, in case one comes twice.
func (s *Stage) settle(ctx context.Context) {
	patience := s.patience()
	if s.conversation.isIncomplete() {
		patience = s.Wait
	}
	select {
	case <-time.After(patience):
	case <-ctx.Done():
	}
}
