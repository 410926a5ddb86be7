package webhooknorm

import (
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
