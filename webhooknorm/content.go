package webhooknorm

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

// Text returns what an inbox shows as the message's text, decoded from Raw: a text, the title
// of the chosen button or list entry, a caption, the text with an order, or an edit's new text.
// It returns "" if there's none.
func (e Event) Text() string {
	r, content := contentOf(e.Raw)
	for _, p := range content {
		if text := textIn(r, p); text != "" {
			return text
		}
	}
	return ""
}

// textPaths are where a message can contain a text. The business's own interactive messages
// contain a body.
var textPaths = [...][]string{
	{"text", "body"},
	{"button", "text"},
	{"interactive", "button_reply", "title"},
	{"interactive", "list_reply", "title"},
	{"interactive", "nfm_reply", "body"},
	{"interactive", "body", "text"},
	{"image", "caption"},
	{"video", "caption"},
	{"document", "caption"},
	{"order", "text"},
}

func textIn(r *jsonscan.Reader, content jsonscan.Position) string {
	for _, path := range textPaths {
		if !r.Find(content, path...) {
			continue
		}
		if text := r.String(); text != "" {
			return text
		}
	}
	return ""
}

// Choice returns the ID of what the person chose, decoded from Raw: a template button's payload, or the
// ID of a reply button or list entry. [Event.Text] returns what the person saw. Choice returns false if
// nothing was chosen.
func (e Event) Choice() (id string, ok bool) {
	r, content := contentOf(e.Raw)
	for _, p := range content {
		for _, path := range [...][]string{
			{"button", "payload"}, {"interactive", "button_reply", "id"}, {"interactive", "list_reply", "id"},
		} {
			if r.Find(p, path...) {
				if id = cmp.Or(r.String(), r.Number()); id != "" {
					return id, true
				}
			}
		}
	}
	return "", false
}

// FlowResponse returns what the person entered into a flow, as a JSON object: the response_json of an
// interactive nfm_reply, decoded from Raw. It returns false if there's none, or one that isn't valid.
func (e Event) FlowResponse() (json.RawMessage, bool) {
	r, content := contentOf(e.Raw)
	for _, p := range content {
		if !r.Find(p, "interactive", "nfm_reply", "response_json") {
			continue
		}
		response := []byte(r.String())
		if r.Peek() == '{' {
			response = bytes.Clone(r.Raw())
		}
		if inner, err := jsonscan.Parse(response); err == nil && inner.Peek() == '{' {
			return response, true
		}
	}
	return nil, false
}

// A Referral describes the advertisement or post from which a person opened the chat. Every field can
// be empty.
type Referral struct {
	URL      string // source_url
	ID       string // source_id
	Type     string // source_type: ad or post
	Headline string
	Body     string
	ClickID  string // ctwa_clid, which reports conversions to Meta
}

// Referral returns the advertisement or post from which the message came, decoded from Raw. It returns
// false if there's none.
func (e Event) Referral() (Referral, bool) {
	r, content := contentOf(e.Raw)
	var f Referral
	for _, p := range content {
		if f != (Referral{}) || !r.Find(p, "referral") {
			continue
		}
		for it := r.Members(); it.Next(); {
			switch string(r.Name()) {
			case "source_url":
				f.URL = r.String()
			case "source_id":
				f.ID = cmp.Or(r.String(), r.Number())
			case "source_type":
				f.Type = r.String()
			case "headline":
				f.Headline = r.String()
			case "body":
				f.Body = r.String()
			case "ctwa_clid":
				f.ClickID = r.String()
			}
		}
	}
	return f, f != Referral{}
}

// interactiveWantsReply reports whether an interactive message contains a part by which people want a
// reply, or a text.
func (e Event) interactiveWantsReply() bool {
	r, content := contentOf(e.Raw)
	for _, p := range content {
		if !r.Find(p, "interactive") {
			continue
		}
		interactive := r.Position()
		if r.Find(interactive, "type") && wantsReply["interactive/"+r.String()] {
			return true
		}
		r.Seek(interactive)
		for it := r.Members(); it.Next(); {
			if wantsReply["interactive/"+string(r.Name())] {
				return true
			}
		}
	}
	return e.Text() != ""
}

// Media describes a message's file. Download it by its ID, from the platform.
type Media struct {
	ID       string
	MIMEType string // such as image/jpeg or "audio/ogg; codecs=opus"
	Filename string // of documents
	Caption  string
}

// Media returns the message's image, video, audio, document or sticker, decoded from Raw. After
// an edit it's the new one. It returns false if there's no media ID, for example in a
// media_placeholder, whose file arrives in another event with the same [Event.Key].
func (e Event) Media() (Media, bool) {
	r, content := contentOf(e.Raw)
	for _, p := range content {
		for _, name := range [...]string{"image", "video", "audio", "voice", "document", "sticker"} {
			if !r.Find(p, name) {
				continue
			}
			if m := mediaAt(r); m.ID != "" {
				return m, true
			}
		}
	}
	return Media{}, false
}

func mediaAt(r *jsonscan.Reader) (m Media) {
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "id":
			if m.ID = r.String(); m.ID == "" {
				m.ID = r.Number()
			}
		case "mime_type":
			m.MIMEType = r.String()
		case "filename":
			m.Filename = r.String()
		case "caption":
			m.Caption = r.String()
		}
	}
	return m
}

// contentOf parses an element and returns the objects that can contain its content: itself, an
// edit's message, and in standby the message that the other application sent.
func contentOf(raw []byte) (*jsonscan.Reader, []jsonscan.Position) {
	r, err := jsonscan.Parse(raw)
	if err != nil {
		return nil, nil
	}
	content := make([]jsonscan.Position, 1, 4) // the element is at 0
	for _, path := range [...][]string{{"edit", "message"}, {"message"}, {"message", "edit", "message"}} {
		if r.Find(0, path...) {
			content = append(content, r.Position())
		}
	}
	return &r, content
}
