package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

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

// readContacts reads the answer {"contact":id}. The ID is a string or a number, null for an unknown message, or an
// array if several contacts have it.
func readContacts(text []byte) (contacts []string, err error) {
	var answer struct {
		Contact *json.RawMessage `json:"contact"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	if answer.Contact == nil { // null, or absent
		return nil, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(*answer.Contact, &list) != nil {
		list = []json.RawMessage{*answer.Contact}
	}
	for _, id := range list {
		var text string
		var number json.Number
		switch {
		case json.Unmarshal(id, &text) == nil && text != "":
		case json.Unmarshal(id, &number) == nil && number != "":
			text = number.String()
		default:
			return nil, fmt.Errorf("%s is neither a string nor a number", id)
		}
		contacts = append(contacts, text)
	}
	return contacts, nil
}
