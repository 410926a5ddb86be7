package simulate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/internal/plain"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A receiver replies to messages, and finds their contacts by the keys that are known.
type receiver struct {
	t     *testing.T
	graph string // base URL
	keys  func(e *webhooknorm.Event) []string

	mu       sync.Mutex
	contacts map[string]string // by key
	messages map[string]string // contacts by message ID
}

// wrongReceivers find contacts in the ways that are common, and each goes wrong in its own way.
var wrongReceivers = map[string]func(e *webhooknorm.Event) []string{
	"phone only":        func(e *webhooknorm.Event) []string { return []string{e.Phone} },
	"phone first":       func(e *webhooknorm.Event) []string { return []string{cmp.Or(e.Phone, e.BSUID)} },
	"BSUID only":        func(e *webhooknorm.Event) []string { return []string{e.BSUID} },
	"BSUID, else phone": func(e *webhooknorm.Event) []string { return []string{cmp.Or(e.BSUID, e.Phone)} },
	"upsert both":       func(e *webhooknorm.Event) []string { return []string{e.BSUID, e.Phone} },
}

func (r *receiver) webhook(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil || !webhooknorm.VerifySignature(body, q.Header.Get("X-Hub-Signature-256"), []byte("secret")) {
		http.Error(w, "bad signature", http.StatusUnauthorized)
		return
	}
	webhook, err := webhooknorm.Read(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for i := range webhook.Events {
		r.receive(&webhook.Events[i])
	}
}

func (r *receiver) receive(e *webhooknorm.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Kind != webhooknorm.KindMessage && e.Kind != webhooknorm.KindHistory || r.messages[e.MessageID] != "" {
		return
	}
	contact := ""
	keys := r.keys(e)
	for _, key := range keys {
		if contact == "" && key != "" {
			contact = r.contacts[key]
		}
	}
	for _, key := range keys {
		if key != "" {
			if contact == "" {
				contact = e.MessageID
			}
			r.contacts[key] = contact
		}
	}
	if contact == "" {
		return // it can't be stored without a key
	}
	r.messages[e.MessageID] = contact
	if e.WantsReply() {
		sendText(r.t, r.graph, e)
	}
}

func (r *receiver) ask(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answer(r.t, w, q, func(id string) string { return r.messages[id] })
}

// answer answers a question with a message's contact.
func answer(t *testing.T, w http.ResponseWriter, q *http.Request, contactOf func(messageID string) string) {
	var question struct{ Message string }
	if err := json.NewDecoder(q.Body).Decode(&question); err != nil {
		t.Error(err)
	}
	contact := contactOf(question.Message)
	if contact == "" {
		http.NotFound(w, q)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"contact": contact})
}

// sendText replies to an event.
func sendText(t *testing.T, graph string, e *webhooknorm.Event) (messageID string) {
	address, ok := e.Address()
	if !ok {
		return ""
	}
	return send(t, graph, e.PhoneNumberID, address.Field, address.Value)
}

// send sends a text to an address in the member to or recipient. It returns "" if the platform refuses.
func send(t *testing.T, graph, phoneNumberID, member, address string) (messageID string) {
	body, err := json.Marshal(map[string]any{
		"messaging_product": "whatsapp", member: address, "type": "text", "text": map[string]string{"body": "Hi!"},
	})
	if err != nil {
		t.Error(err)
		return ""
	}
	request, err := http.NewRequest(http.MethodPost, graph+"/v24.0/"+phoneNumberID+"/messages", bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return ""
	}
	request.Header.Set("Authorization", "Bearer token")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer response.Body.Close()
	var sent struct{ Messages []struct{ ID string } }
	if err := json.NewDecoder(response.Body).Decode(&sent); err != nil {
		t.Error(err)
	}
	if len(sent.Messages) == 0 {
		return ""
	}
	return sent.Messages[0].ID
}

// A right receiver finds contacts as it should.
type right struct {
	t        *testing.T
	graph    string
	isSilent bool // whether it never replies
	mu       sync.Mutex
	contacts *plain.Receiver
}

func newRight(t *testing.T, graph string) *right {
	return &right{t: t, graph: graph, contacts: plain.New()}
}

func (r *right) webhook(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	require.NoError(r.t, err)
	if !webhooknorm.VerifySignature(body, q.Header.Get(lives.SignatureHeader), []byte("secret")) {
		http.Error(w, "bad signature", http.StatusForbidden)
		return
	}
	r.receive(body)
}

func (r *right) receive(body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	webhook, err := webhooknorm.Read(body)
	require.NoError(r.t, err)
	var unanswered []*webhooknorm.Event
	for i := range webhook.Events {
		e := &webhook.Events[i]
		if r.contacts.ContactsOf(e.MessageID) == nil && !r.isSilent && e.WantsReply() {
			unanswered = append(unanswered, e)
		}
	}
	require.NoError(r.t, r.contacts.Receive(body))
	for _, e := range unanswered {
		if id := sendText(r.t, r.graph, e); id != "" {
			r.contacts.Messages[id] = r.contacts.Messages[e.MessageID]
		}
	}
}

func (r *right) ask(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answer(r.t, w, q, func(id string) string { return r.contacts.Messages[id] })
}
