package webhooktest

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

const year = 365 * 24 * time.Hour

type ids struct {
	Phone    string `json:"wa_id"`
	BSUID    string `json:"user_id"`
	Previous string `json:"previous_user_id"`
}

// A section is the part of a webhook with messages.
type section struct {
	Contacts []ids
	Messages []struct {
		ID, From string
		BSUID    string `json:"from_user_id"`
		System   *ids
	}
}

type value struct {
	section
	Standby section
	History []struct {
		Threads []struct {
			Context  ids
			Messages []struct {
				ID, From string
				BSUID    string `json:"from_user_id"`
			}
		}
	}
	Metadata struct {
		Phone string `json:"display_phone_number"`
	}
}

type webhook struct {
	Entry []struct {
		Changes []struct {
			Value value
		}
	}
}

func (w *webhook) eachValue(f func(*value)) {
	for _, entry := range w.Entry {
		for i := range entry.Changes {
			f(&entry.Changes[i].Value)
		}
	}
}

// A receiver stores who wrote each message, with maps and nothing else of this module. It
// handles webhook by webhook.
type receiver struct {
	person   map[string]string // by BSUID and by phone number
	bsuid    map[string]string // one BSUID of each person who has any
	messages map[string]string // person by message ID
}

func newReceiver() *receiver {
	return &receiver{map[string]string{}, map[string]string{}, map[string]string{}}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	mac := hmac.New(sha256.New, []byte("app secret"))
	mac.Write(body)
	if err != nil || q.Header.Get("X-Hub-Signature-256") != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
		http.Error(w, "bad signature", http.StatusUnauthorized)
		return
	}
	var hook webhook
	if err := json.Unmarshal(body, &hook); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	hook.each(r.message, r.change)
}

// each calls a function for each message of a person and one for each announcement.
func (w *webhook) each(message func(id, bsuid, phone string), change func(bsuid, phone string, now *ids)) {
	w.eachValue(func(v *value) {
		v.each(message, change)
		v.Standby.each(message, change)
		for _, h := range v.History {
			for _, t := range h.Threads {
				for _, m := range t.Messages {
					if m.From != v.Metadata.Phone {
						message(m.ID, cmp.Or(m.BSUID, t.Context.BSUID), m.From)
					}
				}
			}
		}
	})
}

func (s *section) each(message func(id, bsuid, phone string), change func(bsuid, phone string, now *ids)) {
	for _, m := range s.Messages {
		for _, contact := range s.Contacts {
			if m.BSUID == "" && m.From != "" && m.From == contact.Phone {
				m.BSUID = contact.BSUID
			}
		}
		if m.System == nil {
			message(m.ID, m.BSUID, m.From)
		} else {
			change(cmp.Or(m.System.Previous, m.BSUID), m.From, m.System)
		}
	}
}

func (r *receiver) message(id, bsuid, phone string) {
	if _, stored := r.messages[id]; stored {
		return // the platform delivers at least once
	}
	p := r.find(bsuid, phone)
	if p == "" {
		p = id // a new person
	}
	r.set(p, bsuid, phone)
	r.messages[id] = p
}

// find returns who has the BSUID or, if it is new, who has the phone number, unless
// that is somebody with another BSUID.
func (r *receiver) find(bsuid, phone string) string {
	if p := r.person[bsuid]; p != "" {
		return p
	}
	if p := r.person[phone]; bsuid == "" || r.bsuid[p] == "" {
		return p
	}
	return ""
}

// change moves a person from their previous ids to their current ones. Messages with
// the current ids can come before it.
func (r *receiver) change(bsuid, phone string, now *ids) {
	before, after := r.find(bsuid, phone), r.find(now.BSUID, now.Phone)
	if before == "" {
		before = after
	}
	r.merge(after, before)
	if r.person[phone] == before {
		delete(r.person, phone)
	}
	r.set(before, now.BSUID, now.Phone)
}

func (r *receiver) set(person, bsuid, phone string) {
	if person != "" && bsuid != "" {
		r.person[bsuid], r.bsuid[person] = person, bsuid
	}
	if person != "" && phone != "" {
		r.person[phone] = person
	}
}

func (r *receiver) merge(from, into string) {
	for _, m := range []map[string]string{r.person, r.messages} {
		for id, p := range m {
			if p == from && from != "" {
				m[id] = into
			}
		}
	}
}

func (r *receiver) contactsOf(messageID string) []string {
	if person, ok := r.messages[messageID]; ok {
		return []string{person}
	}
	return nil
}

func TestReceiver(t *testing.T) {
	r := newReceiver()
	Run(t, Receiver{Handler: r, AppSecret: "app secret", ContactsOf: r.contactsOf})
}

// A receiver gets the fields to which it subscribes, and misses no others.
func TestReceiverOfFewFields(t *testing.T) {
	r, fields := newReceiver(), map[string]bool{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		require.NoError(t, err)
		for _, field := range []string{"messages", "standby", "history", "messaging_handovers", "smb_message_echoes", "calls"} {
			fields[field] = fields[field] || bytes.Contains(body, []byte(`"field":"`+field+`"`))
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		r.ServeHTTP(w, q)
	})
	receiver := Receiver{Handler: handler, AppSecret: "app secret", ContactsOf: r.contactsOf, Fields: []string{"messages"}}
	Run(t, receiver)
	require.Equal(t, map[string]bool{"messages": true, "standby": false, "history": false, "messaging_handovers": false, "smb_message_echoes": false, "calls": false}, fields)

	r.person, r.bsuid, r.messages = map[string]string{}, map[string]string{}, map[string]string{}
	receiver.Fields = nil
	Run(t, receiver)
	for field, got := range fields {
		require.True(t, got, field)
	}
}

// A receiver that stores what the business sends keeps it with the person whom it answered.
func (r *receiver) send(s Sent) { r.messages[s.ID] = r.person[s.To] }

func TestReceiverThatSends(t *testing.T) {
	r := newReceiver()
	Run(t, Receiver{Handler: r, AppSecret: "app secret", ContactsOf: r.contactsOf, Send: r.send})
}

// A later webhook that still contains the number of its earlier holder must not move what the
// business sent to the current one.
func TestRunReportsMovedAnswers(t *testing.T) {
	r, failed := newReceiver(), &recorder{TB: t}
	sentTo := map[string]string{}
	Run(failed, Receiver{Handler: r, AppSecret: "app secret", Send: func(s Sent) { sentTo[s.ID] = s.To }, ContactsOf: func(id string) []string {
		if number, ok := sentTo[id]; ok { // whoever has the number last gets everything that was sent to it
			return []string{r.person[number]}
		}
		return r.contactsOf(id)
	}})
	require.Contains(t, failed.all(), "sent to them")
}

// The receiver makes mistakes in so large a world, but loses nothing.
func TestReceiverInALargeWorld(test *testing.T) {
	testenv.Slow(test)
	t, r := &recorder{TB: test}, newReceiver()
	c := NewConfig(7, 1000, 365*24*time.Hour)
	c.Change, c.Delay = 0.5, 0.3
	c.Run(t, Receiver{Handler: r, AppSecret: "app secret", ContactsOf: r.contactsOf})
	report := c.story(nil).Judge(lives.Results{ContactsOf: r.contactsOf})
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
		r, failed := newReceiver(), &recorder{TB: test}
		Run(failed, Receiver{Handler: r, AppSecret: "app secret", ContactsOf: r.contactsOf, Replies: replies})
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
