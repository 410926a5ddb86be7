package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// An inquiry asks the receiver for contacts after the last webhook. One answer that can't be read, or none, doesn't
// end it: the message counts as lost.
type inquiry struct {
	stage    *Stage
	ctx      context.Context
	answered int              // how many questions
	failed   map[string]error // by message ID
}

// contactsOf returns the contacts that contain a message, and none if the receiver doesn't know it.
func (q *inquiry) contactsOf(messageID string) []string {
	contacts, err := q.stage.ask(q.ctx, messageID)
	if err != nil {
		q.failed[messageID] = err
		return nil
	}
	q.answered++
	if strings.HasPrefix(messageID, sentPrefix) { // receivers don't have to store what they send
		contacts = slices.DeleteFunc(contacts, func(contact string) bool { return contact == nameless })
	}
	return contacts
}

// failure returns why the receiver has answered no question at all, or nil.
func (q *inquiry) failure() error {
	if q.answered > 0 {
		return nil
	}
	for _, err := range q.failed {
		return fmt.Errorf("the receiver answered no question for a contact, so contacts weren't compared: %w", err)
	}
	return nil
}

// ask asks the receiver for the contacts that contain a message. It returns none if the receiver doesn't know
// the message.
func (s *Stage) ask(ctx context.Context, messageID string) ([]string, error) {
	body, err := json.Marshal(map[string]string{"message": messageID})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Ask, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode == http.StatusNotFound:
		return nil, nil
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answered %s; 200 or 404 is expected", s.Ask, response.Status)
	}
	contacts, err := readContacts(text)
	if err != nil {
		return nil, fmt.Errorf("%s answered %.100q; {\"contact\":\"<id>\"} is expected: %w", s.Ask, text, err)
	}
	return contacts, nil
}

// nameless is the contact whose ID is null or "". A receiver that finds contacts by number has one for everybody who
// hides the number.
const nameless = ""

// readContacts reads the answer {"contact":id}. The ID is a string or a number, or an array of them if several contacts
// have the message. If the member is absent or the array empty, none has it.
func readContacts(text []byte) (contacts []string, err error) {
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	contact, ok := answer["contact"]
	if !ok {
		return nil, nil
	}
	list := []json.RawMessage{contact}
	if contact[0] == '[' {
		if err := json.Unmarshal(contact, &list); err != nil {
			return nil, err
		}
	}
	for _, id := range list {
		switch {
		case string(id) == "null":
			contacts = append(contacts, nameless)
		case id[0] == '"':
			var text string
			if err := json.Unmarshal(id, &text); err != nil {
				return nil, err
			}
			contacts = append(contacts, text)
		case id[0] == '-' || '0' <= id[0] && id[0] <= '9':
			contacts = append(contacts, string(id))
		default:
			return nil, fmt.Errorf("%s is neither a string nor a number", id)
		}
	}
	return contacts, nil
}
