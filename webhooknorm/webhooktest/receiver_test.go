package webhooktest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/internal/plain"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

const year = 365 * 24 * time.Hour

func TestReceiver(t *testing.T) {
	r := plain.New()
	Run(t, Receiver{Handler: r, AppSecret: "app secret", ContactsOf: r.ContactsOf})
}

// A receiver gets the fields to which it subscribes, and misses no others.
func TestReceiverOfFewFields(t *testing.T) {
	r, fields := plain.New(), map[string]bool{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		require.NoError(t, err)
		for _, field := range []string{"messages", "standby", "history", "messaging_handovers", "smb_message_echoes", "calls"} {
			fields[field] = fields[field] || bytes.Contains(body, []byte(`"field":"`+field+`"`))
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		r.ServeHTTP(w, q)
	})
	receiver := Receiver{Handler: handler, AppSecret: "app secret", ContactsOf: r.ContactsOf, Fields: []string{"messages"}}
	Run(t, receiver)
	require.Equal(t, map[string]bool{"messages": true, "standby": false, "history": false, "messaging_handovers": false, "smb_message_echoes": false, "calls": false}, fields)

	*r = *plain.New()
	receiver.Fields = nil
	Run(t, receiver)
	for field, got := range fields {
		require.True(t, got, field)
	}
}

// A receiver that stores what the business sends keeps it with the person whom it answered.
func TestReceiverThatSends(t *testing.T) {
	r := plain.New()
	send := func(s Sent) { r.Messages[s.ID] = r.Person[s.To] }
	Run(t, Receiver{Handler: r, AppSecret: "app secret", ContactsOf: r.ContactsOf, Send: send})
}

// A later webhook that still contains the number of its earlier holder must not move what the
// business sent to the current one.
func TestRunReportsMovedAnswers(t *testing.T) {
	r, failed := plain.New(), &recorder{TB: t}
	sentTo := map[string]string{}
	Run(failed, Receiver{Handler: r, AppSecret: "app secret", Send: func(s Sent) { sentTo[s.ID] = s.To }, ContactsOf: func(id string) []string {
		if number, ok := sentTo[id]; ok { // whoever has the number last gets everything that was sent to it
			return []string{r.Person[number]}
		}
		return r.ContactsOf(id)
	}})
	require.Contains(t, failed.all(), "sent to them")
}

// The receiver makes mistakes in so large a world, but loses nothing.
func TestReceiverInALargeWorld(test *testing.T) {
	testenv.Slow(test)
	t, r := &recorder{TB: test}, plain.New()
	c := NewConfig(7, 1000, 365*24*time.Hour)
	c.Change, c.Delay = 0.5, 0.3
	c.Run(t, Receiver{Handler: r, AppSecret: "app secret", ContactsOf: r.ContactsOf})
	report := c.story(nil).Judge(lives.Results{ContactsOf: r.ContactsOf})
	require.Zero(t, report.Count(lives.Lost))
	require.Zero(t, report.Count(lives.Duplicate))
}

// A receiver that answers whatever it stores fails, and one that answers as it should passes.
func TestRunReportsReplies(test *testing.T) {
	answers, described := map[string]lives.Answer{}, map[string]string{}
	for _, story := range []lives.Story{lives.Scenarios(0, lives.Conditions{Repeat: 0.2}, nil), NewConfig(1, 100, 2*year).story(nil)} {
		for d := range story.Deliveries() {
			for _, e := range d.Events {
				if !e.Again {
					answers[e.ID], described[e.ID] = e.Answer(), e.Describe()
				}
			}
		}
	}
	run := func(replies func(id string) int) *recorder {
		r, failed := plain.New(), &recorder{TB: test}
		Run(failed, Receiver{Handler: r, AppSecret: "app secret", ContactsOf: r.ContactsOf, Replies: replies})
		return failed
	}
	answerIf := func(want func(id string) bool) func(id string) int {
		return func(id string) int {
			if want(id) {
				return 1
			}
			return 0
		}
	}
	for _, kind := range []string{", reaction, ", ", edit, ", ", revoke, ", ", text in standby, ", ", text of the history, ", ", media_placeholder of the history, "} {
		failed := run(answerIf(func(id string) bool { return strings.Contains(described[id], kind) }))
		require.Contains(test, failed.all(), "replied: no reply should go to the message ", kind)
		require.Contains(test, failed.all(), kind)
	}
	require.Contains(test, run(func(string) int { return 2 }).all(), "repeated: more than one reply went to the message ")
	require.Empty(test, run(answerIf(func(id string) bool { return answers[id] == lives.AnswerWanted })).errors)
}
