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

	// Start is how long the receiver may take until it accepts connections.
	Start time.Duration

	// TestNumber makes the stand-in refuse what a test number refuses.
	TestNumber bool

	// Progress, if set, is called after each webhook.
	Progress func(webhooks int)
}

// A Stage is a rehearsal with its stand-in for the Graph API.
type Stage struct {
	Rehearsal
	conversation *conversation
	next         func() (lives.Delivery, bool)
	stop         func()
	graph        *graph
	client       http.Client
	first        lives.Delivery
	quiet        int // how many waits ended without a first reply
	rejected     int // how many webhooks the receiver rejected
}

// NewStage prepares a rehearsal. Serve [Stage.Graph] before [Stage.Run].
func NewStage(r Rehearsal) *Stage {
	webhooks, directory := r.Story.Tell()
	c := newConversation(directory)
	s := &Stage{Rehearsal: r, conversation: c, graph: newGraph(c, r.TestNumber), client: http.Client{Timeout: 30 * time.Second}}
	s.next, s.stop = iter.Pull(webhooks)
	return s
}

// Graph returns the stand-in for the Graph API.
func (s *Stage) Graph() http.Handler { return s.graph }

// Run posts the webhooks and compares what the receiver did with the truth. The error says why it
// couldn't.
func (s *Stage) Run(ctx context.Context) (Result, error) {
	defer s.stop()
	if err := s.awaitReceiver(ctx); err != nil {
		return Result{}, err
	}
	for n := 0; ; {
		d, ok := s.advance()
		if !ok && n == 0 {
			return Result{}, errors.New("all events are lost, so there's nothing to check; decrease --lose")
		}
		if !ok {
			break
		}
		if n == 0 {
			s.first = d
		}
		if !d.Repeat {
			n++
		}
		if err := s.deliver(ctx, d); err != nil && !s.tolerates(d, err, n) {
			return Result{}, fmt.Errorf("webhook %d: %w", n, err)
		}
		s.conversation.settle()
		s.waitFor(ctx, d, s.patience())
		if s.Progress != nil {
			s.Progress(n)
		}
	}
	s.settle(ctx)
	if failure := s.graph.failure.Load(); failure != nil && !s.conversation.isReplying() {
		return Result{}, errors.New("the stand-in recognized none of the receiver's messages; it answered the last one with " + *failure)
	}
	if s.Ask == "" && !s.conversation.isReplying() {
		return Result{}, errors.New("the receiver has sent no reply to the stand-in, and --ask is absent, so there's nothing to check: " +
			"set the base URL of its Graph API client to the stand-in's, or add --ask")
	}
	return s.judge(ctx)
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

func (s *Stage) deliver(ctx context.Context, d lives.Delivery) (err error) {
	s.conversation.deliver(d)
	for range attempts {
		if err = s.post(ctx, d.Body, lives.Sign(d.Body, s.Secret)); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// A rejection is a response other than 2xx to a webhook.
type rejection struct{ response string }

func (r rejection) Error() string {
	return "the receiver answered " + r.response + "; it must answer 200, whatever a webhook contains"
}

// tolerates reports whether the rehearsal goes on after an error, and records a rejection as a mistake. A receiver that
// rejects the first webhook or very many has another problem, such as a wrong secret.
func (s *Stage) tolerates(d lives.Delivery, err error, n int) bool {
	const most = 20
	var r rejection
	if !errors.As(err, &r) || n == 1 || s.rejected == most {
		return false
	}
	s.rejected++
	s.conversation.reject(d, r.response)
	return true
}

// forge posts the first webhook again, with wrong signatures, and returns which of them the receiver accepted. The
// receiver knows the webhook, so nothing else can go wrong.
func (s *Stage) forge(ctx context.Context) (accepted []string, err error) {
	if s.Secret == "" {
		return nil, nil
	}
	for _, forgery := range []struct{ name, signature string }{
		{"a wrong signature", lives.Sign(s.first.Body, s.Secret+"?")}, {"an empty signature", "sha256="}, {"no signature", ""},
	} {
		err := s.post(ctx, s.first.Body, forgery.signature)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			accepted = append(accepted, forgery.name)
		}
	}
	return accepted, nil
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
	if response.StatusCode/100 != 2 {
		return rejection{fmt.Sprintf("%s %q", response.Status, text)}
	}
	return nil
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
