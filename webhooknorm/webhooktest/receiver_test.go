package webhooktest_test

import (
	"encoding/json"
	"net/http"
	"testing"

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

// A receiver is what the README shows. It stores who wrote each message.
type receiver struct {
	person   map[string]string // by BSUID and by phone number
	bsuid    map[string]string // one BSUID of each person who has any
	messages map[string]string // person by message ID
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var hook webhook
	if err := json.NewDecoder(q.Body).Decode(&hook); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, entry := range hook.Entry {
		for _, change := range entry.Changes {
			for _, m := range change.Value.Messages {
				for _, c := range change.Value.Contacts {
					if m.BSUID == "" && m.From != "" && m.From == c.Phone {
						m.BSUID = c.BSUID
					}
				}
				if m.System != nil {
					r.change(m.System.Previous, m.From, m.System)
				} else if r.messages[m.ID] == "" {
					p := r.find(m.BSUID, m.From)
					if p == "" {
						p = m.ID // a new person
					}
					r.set(p, m.BSUID, m.From)
					r.messages[m.ID] = p
				}
			}
		}
	}
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

func (r *receiver) set(person, bsuid, phone string) {
	if bsuid != "" {
		r.person[bsuid], r.bsuid[person] = person, bsuid
	}
	if phone != "" {
		r.person[phone] = person
	}
}

// change moves a person from their previous ids to their current ones.
func (r *receiver) change(bsuid, phone string, now *ids) {
	before, after := r.find(bsuid, phone), r.find(now.BSUID, now.Phone)
	if before == "" {
		before = after
	}
	for _, m := range []map[string]string{r.person, r.messages} {
		for id, p := range m {
			if p == after && after != "" {
				m[id] = before
			}
		}
	}
	if r.person[phone] == before {
		delete(r.person, phone)
	}
	if before != "" {
		r.set(before, now.BSUID, now.Phone)
	}
}

func TestReceiver(t *testing.T) {
	r := &receiver{map[string]string{}, map[string]string{}, map[string]string{}}
	webhooktest.Run(t, r, "", func(messageID string) []string {
		if person, ok := r.messages[messageID]; ok {
			return []string{person}
		}
		return nil
	})
}
