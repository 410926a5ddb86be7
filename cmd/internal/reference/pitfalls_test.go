package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/simulate"
)

// ways are what receivers do that ignore one of the pitfalls, and a mistake that they make then. The
// two pitfalls that aren't here are about requests to the API; see TestPitfallsOfRequests.
var ways = []struct {
	pitfall, name string
	ignore        func(r *receiver)
	mistake       lives.Mistake
}{
	{"Put a BSUID into `recipient`, not into `to`", "to", func(r *receiver) { r.field = func(string) string { return "to" } }, "bsuid_in_to"},
	{"Don't require `from` and `wa_id`", "needs from", func(r *receiver) { r.needsNumber = true }, lives.Lost},
	{keyOfContact, "number as key", func(r *receiver) { r.keys = func(_, phone string) (string, string) { return "", phone } }, lives.Mixed},
	{keyOfContact, "BSUID as key", func(r *receiver) {
		r.keys = func(bsuid, phone string) (string, string) {
			if bsuid != "" {
				return bsuid, ""
			}
			return "", phone
		}
	}, lives.Split},
	{keyOfContact, "joins two BSUIDs by a number", func(r *receiver) { r.joinsByNumber = true }, lives.Mixed},
	{"Read all messages and all contacts", "first message", func(r *receiver) { r.readsFirst = true }, lives.Lost},
	{"Follow announcements of new identifiers", "ignores them", func(r *receiver) { r.ignoresChanges = true }, lives.Split},
	{"Keep a BSUID as the string that it is", "as a number", func(r *receiver) { r.clean = asNumber }, lives.Unanswered},
	{"Use a username as a label only", "as a key", func(r *receiver) { r.usernameIsKey = true }, lives.Split},
	{"Store a parent BSUID (`US.ENT.…`) in a field of its own", "in the BSUID's", func(r *receiver) { r.parentIsBSUID = true }, lives.Split},
}

const keyOfContact = "Use neither the number nor the BSUID as the key of a contact"

// asNumber does with an ID what JavaScript does with Number(id.replace(/\D/g, "")).
func asNumber(id string) string {
	n, err := strconv.ParseFloat(regexp.MustCompile(`\D`).ReplaceAllString(id, ""), 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// A person's identifiers in a contact or a system message.
type ids struct {
	Phone          string `json:"wa_id"`
	BSUID          string `json:"user_id"`
	Parent         string `json:"parent_user_id"`
	Previous       string `json:"previous_user_id"`
	PreviousParent string `json:"previous_parent_user_id"`
	Profile        struct{ Username string }
}

type message struct {
	ID, From, Type string
	BSUID          string `json:"from_user_id"`
	Parent         string `json:"from_parent_user_id"`
	System         *ids
}

type section struct {
	Contacts []ids
	Messages []message
}

type value struct {
	section
	Standby section
	History []struct {
		Threads []struct {
			Context  ids
			Messages []message
		}
	}
	Metadata struct {
		Phone string `json:"display_phone_number"`
		ID    string `json:"phone_number_id"`
	}
}

// A receiver follows the pitfalls as somebody would who knows only that page, with maps and
// without this module.
type receiver struct {
	graph string // the base URL for replies, or "" for none

	mu       sync.Mutex
	contacts map[string]string // IDs of our own, by the identifiers in use
	bsuids   map[string]string // one BSUID of each contact that has any
	messages map[string]string // contacts, by message

	// What it ignores.
	field func(address string) string
	clean func(id string) string
	keys  func(bsuid, phone string) (string, string)

	needsNumber, joinsByNumber, keepsNumbers, readsFirst, ignoresChanges, usernameIsKey, parentIsBSUID bool
}

func newReceiver() *receiver {
	return &receiver{
		contacts: map[string]string{}, bsuids: map[string]string{}, messages: map[string]string{},
		clean: func(id string) string { return id },
		keys:  func(bsuid, phone string) (string, string) { return bsuid, phone },
		field: func(address string) string {
			if strings.Contains(address, ".") {
				return "recipient"
			}
			return "to"
		},
	}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var webhook struct {
		Entry []struct {
			Changes []struct {
				Field string
				Value value
			}
		}
	}
	if err := json.NewDecoder(q.Body).Decode(&webhook); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, entry := range webhook.Entry {
		for _, change := range entry.Changes {
			v := &change.Value
			r.read(&v.section, change.Field == "messages", v)
			r.read(&v.Standby, false, v)
			for _, h := range v.History {
				for _, t := range h.Threads {
					r.read(&section{[]ids{t.Context}, t.Messages}, false, v)
				}
			}
		}
	}
}

func (r *receiver) read(s *section, isLive bool, v *value) {
	for i, m := range s.Messages {
		if r.readsFirst && i > 0 || m.From != "" && m.From == v.Metadata.Phone {
			continue
		}
		username := ""
		for _, c := range s.Contacts {
			if c.BSUID != "" && c.BSUID == m.BSUID || c.Phone != "" && c.Phone == m.From {
				m.BSUID, username = cmp.Or(m.BSUID, c.BSUID), c.Profile.Username
			}
		}
		if r.parentIsBSUID {
			m.BSUID = cmp.Or(m.Parent, m.BSUID)
		}
		switch bsuid := r.clean(m.BSUID); {
		case m.System != nil:
			if !r.ignoresChanges {
				r.change(r.clean(cmp.Or(m.System.Previous, m.BSUID)), m.From, r.clean(m.System.BSUID), m.System.Phone)
			}
		case r.needsNumber && m.From == "", r.messages[m.ID] != "":
		case r.usernameIsKey && username != "":
			r.messages[m.ID] = "@" + username
		default:
			r.store(m.ID, bsuid, m.From)
			if isLive && !slices.Contains([]string{"reaction", "edit", "revoke", "unsupported"}, m.Type) {
				r.reply(m.ID, v.Metadata.ID, cmp.Or(bsuid, m.From))
			}
		}
	}
}

// store stores a message with its contact, a new one if nobody has the identifiers.
func (r *receiver) store(id, bsuid, phone string) {
	contact := cmp.Or(r.find(bsuid, phone), id)
	r.use(contact, bsuid, phone)
	r.messages[id] = contact
}

// find returns who has the BSUID, or else who has the number now.
func (r *receiver) find(bsuid, phone string) string {
	bsuid, phone = r.keys(bsuid, phone)
	if contact := r.contacts[bsuid]; contact != "" {
		return contact
	}
	contact := r.contacts[phone]
	if bsuid != "" && r.bsuids[contact] != "" && !r.joinsByNumber {
		return "" // somebody else has the number now
	}
	return contact
}

func (r *receiver) use(contact, bsuid, phone string) {
	bsuid, phone = r.keys(bsuid, phone)
	if bsuid != "" {
		r.contacts[bsuid], r.bsuids[contact] = contact, bsuid
	}
	if phone != "" {
		r.contacts[phone] = contact
	}
}

// change follows an announcement, which can arrive after messages with the new identifiers.
func (r *receiver) change(bsuid, phone, newBSUID, newPhone string) {
	contact, after := r.find(bsuid, phone), r.find(newBSUID, newPhone)
	if contact == "" {
		contact = after
	}
	if contact == "" {
		return
	}
	for _, m := range []map[string]string{r.contacts, r.messages} {
		for key, c := range m {
			if c == after && after != "" {
				m[key] = contact
			}
		}
	}
	if r.contacts[phone] == contact && !r.keepsNumbers {
		delete(r.contacts, phone)
	}
	r.use(contact, newBSUID, newPhone)
}

func (r *receiver) reply(id, number, address string) {
	if r.graph == "" {
		return
	}
	body, err := json.Marshal(map[string]any{
		"messaging_product": "whatsapp", r.field(address): address, "context": map[string]string{"message_id": id},
		"type": "text", "text": map[string]string{"body": "Hi!"},
	})
	if err != nil {
		panic(err)
	}
	q, err := http.NewRequest(http.MethodPost, r.graph+"/v24.0/"+number+"/messages", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	q.Header.Set("Authorization", "Bearer token")
	if res, err := http.DefaultClient.Do(q); err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}

func (r *receiver) contactsOf(id string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if contact := r.messages[id]; contact != "" {
		return []string{contact}
	}
	return nil
}

// A recorder keeps the errors of a test that is expected to fail.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *receiver) run(t testing.TB) {
	webhooktest.Run(t, webhooktest.Receiver{Handler: r, ContactsOf: r.contactsOf})
}

// rehearse runs the fifteen lives and also judges the replies.
func (r *receiver) rehearse(t *testing.T) simulate.Result {
	t.Helper()
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	stage := simulate.NewStage(simulate.Rehearsal{
		Story: lives.Scenarios(0, lives.Conditions{Repeat: 0.2}, nil), Webhook: server.URL, Wait: time.Millisecond,
	})
	graph := httptest.NewServer(stage.Graph())
	t.Cleanup(graph.Close)
	r.graph = graph.URL
	result, err := stage.Run(t.Context())
	require.NoError(t, err)
	return result
}

// A receiver that follows all pitfalls makes no mistakes, and one that ignores any of them does.
func TestPitfalls(t *testing.T) {
	newReceiver().run(t)
	require.Empty(t, newReceiver().rehearse(t).Mistakes)

	tested := map[string]bool{"Give phone numbers with their country code": true, "Don't read more into valid than well-formed": true}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			r := newReceiver()
			way.ignore(r)
			if way.mistake == "bsuid_in_to" || way.mistake == lives.Unanswered {
				result := r.rehearse(t)
				require.Contains(t, result.Kinds(), way.mistake)
				return
			}
			failed := &recorder{TB: t}
			r.run(failed)
			require.Contains(t, strings.Join(failed.errors, "\n"), string(way.mistake)+": ")
		})
		tested[way.pitfall] = true
	}
	for _, p := range pitfalls {
		require.True(t, tested[p.Title], p.Title)
	}
	require.Len(t, tested, len(pitfalls))
}

// A receiver that never ends the use of a number mixes people up where numbers often pass on.
func TestPitfallOfReusedNumbers(t *testing.T) {
	c := webhooktest.NewConfig(14, 200, 3*365*24*time.Hour)
	c.Change = 0.5
	r := newReceiver()
	c.Run(t, webhooktest.Receiver{Handler: r, ContactsOf: r.contactsOf})

	r, failed := newReceiver(), &recorder{TB: t}
	r.keepsNumbers = true
	c.Run(failed, webhooktest.Receiver{Handler: r, ContactsOf: r.contactsOf})
	require.Contains(t, strings.Join(failed.errors, "\n"), "mixed: ")
}

// Among 2,000 people whose webhooks arrive in order, the receiver mixes up nobody.
func TestPitfallsInALargeWorld(t *testing.T) {
	testenv.Slow(t)
	c := webhooktest.NewConfig(1, 2000, 3*365*24*time.Hour)
	c.Delay, c.Batch = 0, 0
	r := newReceiver()
	c.Run(t, webhooktest.Receiver{Handler: r, ContactsOf: r.contactsOf})
}

// What the pitfalls say about requests is what the API does.
func TestPitfallsOfRequests(t *testing.T) {
	api := newAPI(t, base)
	for query, want := range map[string]string{
		"phone=%2B49%20171%201234567":   `{"phone":"491711234567","link":"https://wa.me/491711234567"}`,
		"phone=0049-171/1234567":        `{"phone":"491711234567","link":"https://wa.me/491711234567"}`,
		"phone=0171%201234567":          "phone_invalid_format",
		"phone=%2B12025550123":          `{"phone":"12025550123","link":"https://wa.me/12025550123"}`, // a number of films, which nobody has
		"phone=%2B49%2030%201234567/68": "phone_invalid_format",
	} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/phone-link?"+query, nil))
		require.Contains(t, w.Body.String(), want, query)
	}
}
