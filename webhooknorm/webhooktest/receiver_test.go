package webhooktest_test

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

type ids struct {
	Phone    string `json:"wa_id"`
	BSUID    string `json:"user_id"`
	Previous string `json:"previous_user_id"`
}

type webhook struct {
	Entry []struct {
		Changes []struct {
			Value struct {
				Contacts []ids
				Messages []struct {
					ID, From string
					BSUID    string `json:"from_user_id"`
					System   *ids
				}
			}
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
	if err != nil || q.Header.Get(webhooktest.SignatureHeader) != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
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
	for _, entry := range w.Entry {
		for _, c := range entry.Changes {
			for _, m := range c.Value.Messages {
				for _, contact := range c.Value.Contacts {
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
	webhooktest.Run(t, r, "app secret", r.contactsOf)
}

func TestReceiverInAWorldOfItsOwn(test *testing.T) {
	t, r := &recorder{TB: test}, newReceiver()           // it makes mistakes in so large a world
	w := webhooktest.NewWorld(7, 1000, 365*24*time.Hour) // seed, people, length
	w.Rates.Change = 0.5                                 // number changes per person and year
	w.Faults.Late = 0.3                                  // share of events that arrive up to seven days late
	w.Parallel = 1                                       // concurrent requests
	report := w.Run(t, r, "app secret", r.contactsOf)
	t.Log(report.Count(webhooktest.Mixed, webhooktest.Silence))
	require.Zero(t, report.Count(webhooktest.Lost, webhooktest.Evident))
	require.Zero(t, report.Count(webhooktest.Double, webhooktest.Evident))
}

// Every line of Go in the README is in a test, where it is compiled and run.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var code strings.Builder
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		code.Write(text)
	}
	blocks := strings.Split(string(readme), "```go\n")[1:]
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		for line := range strings.Lines(block) {
			require.True(t, strings.Contains(code.String(), strings.TrimSpace(line)+"\n"), line)
		}
	}
}
