// Package plain contains a receiver without Hailmark, for the tests of packages that judge receivers.
package plain

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
)

// IDs identify a person.
type IDs struct {
	Phone    string `json:"wa_id"`
	BSUID    string `json:"user_id"`
	Previous string `json:"previous_user_id"`
}

// A Section is the part of a webhook with messages.
type Section struct {
	Contacts []IDs
	Messages []struct {
		ID, From string
		BSUID    string `json:"from_user_id"`
		System   *IDs
	}
}

// A Value is what a webhook reports about a business number.
type Value struct {
	Section
	Standby Section
	History []struct {
		Threads []struct {
			Context  IDs
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

// A Webhook contains values.
type Webhook struct {
	Entry []struct {
		Changes []struct {
			Value Value
		}
	}
}

// EachValue calls a function for each value.
func (w *Webhook) EachValue(f func(*Value)) {
	for _, entry := range w.Entry {
		for i := range entry.Changes {
			f(&entry.Changes[i].Value)
		}
	}
}

// A Receiver stores who wrote each message, with maps and nothing else of this module. It
// handles webhook by webhook.
type Receiver struct {
	Person   map[string]string // by BSUID and by phone number
	bsuid    map[string]string // one BSUID of each person who has any
	Messages map[string]string // person by message ID
}

// New returns a receiver without contacts.
func New() *Receiver {
	return &Receiver{map[string]string{}, map[string]string{}, map[string]string{}}
}

// ServeHTTP receives a webhook that is signed with "app secret".
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	mac := hmac.New(sha256.New, []byte("app secret"))
	mac.Write(body)
	if err != nil || q.Header.Get("X-Hub-Signature-256") != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
		http.Error(w, "bad signature", http.StatusUnauthorized)
		return
	}
	if err := r.Receive(body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// Receive stores the messages of a webhook.
func (r *Receiver) Receive(body []byte) error {
	var hook Webhook
	if err := json.Unmarshal(body, &hook); err != nil {
		return err
	}
	hook.Each(r.Message, r.Change)
	return nil
}

// Each calls a function for each message of a person and one for each announcement.
func (w *Webhook) Each(message func(id, bsuid, phone string), change func(bsuid, phone string, now *IDs)) {
	w.EachValue(func(v *Value) {
		v.Each(message, change)
		v.Standby.Each(message, change)
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

// Each calls a function for each message of a person and one for each announcement.
func (s *Section) Each(message func(id, bsuid, phone string), change func(bsuid, phone string, now *IDs)) {
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

// Message stores a message.
func (r *Receiver) Message(id, bsuid, phone string) {
	if _, stored := r.Messages[id]; stored {
		return // the platform delivers at least once
	}
	p := r.find(bsuid, phone)
	if p == "" {
		p = id // a new person
	}
	r.set(p, bsuid, phone)
	r.Messages[id] = p
}

// find returns who has the BSUID or, if it is new, who has the phone number, unless
// that is somebody with another BSUID.
func (r *Receiver) find(bsuid, phone string) string {
	if p := r.Person[bsuid]; p != "" {
		return p
	}
	if p := r.Person[phone]; bsuid == "" || r.bsuid[p] == "" {
		return p
	}
	return ""
}

// Change moves a person from their previous IDs to their current ones. Messages with
// the current IDs can come before it.
func (r *Receiver) Change(bsuid, phone string, now *IDs) {
	before, after := r.find(bsuid, phone), r.find(now.BSUID, now.Phone)
	if before == "" {
		before = after
	}
	r.merge(after, before)
	if r.Person[phone] == before {
		delete(r.Person, phone)
	}
	r.set(before, now.BSUID, now.Phone)
}

func (r *Receiver) set(person, bsuid, phone string) {
	if person != "" && bsuid != "" {
		r.Person[bsuid], r.bsuid[person] = person, bsuid
	}
	if person != "" && phone != "" {
		r.Person[phone] = person
	}
}

func (r *Receiver) merge(from, into string) {
	for _, m := range []map[string]string{r.Person, r.Messages} {
		for id, p := range m {
			if p == from && from != "" {
				m[id] = into
			}
		}
	}
}

// ContactsOf returns who wrote a message.
func (r *Receiver) ContactsOf(messageID string) []string {
	if person, ok := r.Messages[messageID]; ok {
		return []string{person}
	}
	return nil
}
