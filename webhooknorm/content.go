package webhooknorm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"strconv"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

// Text returns what an inbox shows as the message's text, decoded from Raw: a text, the title
// of the chosen button or list entry, a caption, the text with an order or a flow's response
// (such as "Sent"), the body of an interactive message, or an edit's new text. It returns "" if
// there's none.
func (e Event) Text() string { return contentOf(e.Raw).text() }

func (c content) text() string {
	for _, p := range c.places {
		if text := textIn(c.r, p); text != "" {
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
	id = contentOf(e.Raw).choice()
	return id, id != ""
}

func (c content) choice() string {
	for _, p := range c.places {
		for _, path := range [...][]string{
			{"button", "payload"}, {"interactive", "button_reply", "id"}, {"interactive", "list_reply", "id"},
		} {
			if c.r.Find(p, path...) {
				if id := cmp.Or(c.r.String(), c.r.Number()); id != "" {
					return id
				}
			}
		}
	}
	return ""
}

// FlowResponse returns what the person entered into a flow, as a JSON object: the response_json of an
// interactive nfm_reply, decoded from Raw, without white space between its members. It returns false if
// there's none, or one that isn't valid.
func (e Event) FlowResponse() (json.RawMessage, bool) {
	response := contentOf(e.Raw).flowResponse()
	return response, response != nil
}

func (c content) flowResponse() json.RawMessage {
	for _, p := range c.places {
		if !c.r.Find(p, "interactive", "nfm_reply", "response_json") {
			continue
		}
		response := []byte(c.r.String())
		if c.r.Peek() == '{' {
			response = c.r.Raw()
		}
		if inner, err := jsonscan.Parse(response); err == nil && inner.Peek() == '{' {
			var compact bytes.Buffer
			_ = json.Compact(&compact, response) // it's valid
			return compact.Bytes()
		}
	}
	return nil
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

	MediaType    string // media_type: image or video
	ImageURL     string // image_url, of an image
	VideoURL     string // video_url, of a video
	ThumbnailURL string // thumbnail_url, of a video
	Greeting     string // the text of welcome_message, which the person saw before writing
}

// Referral returns the advertisement or post from which the message came, decoded from Raw. It returns
// false if there's none.
func (e Event) Referral() (Referral, bool) {
	f := contentOf(e.Raw).referral()
	return f, f != Referral{}
}

func (c content) referral() (f Referral) {
	r := c.r
	for _, p := range c.places {
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
			case "media_type":
				f.MediaType = r.String()
			case "image_url":
				f.ImageURL = r.String()
			case "video_url":
				f.VideoURL = r.String()
			case "thumbnail_url":
				f.ThumbnailURL = r.String()
			case "welcome_message":
				for it := r.Members(); it.Next(); {
					if string(r.Name()) == "text" {
						f.Greeting = r.String()
					}
				}
			}
		}
	}
	return f
}

// A Reaction is an emoji that a person gave a message, which [Event].Target identifies, or took back.
type Reaction struct {
	Emoji     string // empty if it's taken back
	IsRemoved bool
}

// Reaction returns the person's reaction to the message Target, decoded from Raw. A person has at most
// one reaction to a message, so a new one replaces it. Reaction returns false if there's none.
func (e Event) Reaction() (Reaction, bool) {
	reaction := contentOf(e.Raw).reaction()
	return reaction, reaction != Reaction{}
}

func (c content) reaction() (reaction Reaction) {
	for _, p := range c.places {
		if !c.r.Find(p, "reaction", "message_id") || c.r.String() == "" {
			continue
		}
		if c.r.Find(p, "reaction", "emoji") {
			reaction.Emoji = c.r.String()
		}
		reaction.IsRemoved = reaction.Emoji == ""
		return reaction
	}
	return Reaction{}
}

// A Location is a place that a person sent. All fields but the coordinates can be empty.
type Location struct {
	Latitude, Longitude float64 // in degrees, at most 90 and 180 in size
	Name, Address, URL  string
}

// Location returns the place that the person sent, decoded from Raw. It returns false if there's none, or
// no such place on earth.
func (e Event) Location() (Location, bool) {
	if location := contentOf(e.Raw).location(); location != nil {
		return *location, true
	}
	return Location{}, false
}

func (c content) location() *Location {
	for _, p := range c.places {
		if !c.r.Find(p, "location") {
			continue
		}
		var l Location
		var hasLatitude, hasLongitude bool
		for it := c.r.Members(); it.Next(); {
			switch string(c.r.Name()) {
			case "latitude":
				l.Latitude, hasLatitude = degrees(c.r, 90)
			case "longitude":
				l.Longitude, hasLongitude = degrees(c.r, 180)
			case "name":
				l.Name = c.r.String()
			case "address":
				l.Address = c.r.String()
			case "url":
				l.URL = c.r.String()
			}
		}
		if hasLatitude && hasLongitude {
			return &l
		}
	}
	return nil
}

// degrees reads a number, which can be a string.
func degrees(r *jsonscan.Reader, most float64) (float64, bool) {
	n, err := strconv.ParseFloat(cmp.Or(r.Number(), r.String()), 64)
	return n, err == nil && math.Abs(n) <= most // false for NaN
}

// interactiveWantsReply reports whether an interactive message contains a part by which people want a
// reply, or a text.
func (c content) interactiveWantsReply() bool {
	r := c.r
	for _, p := range c.places {
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
	return c.text() != ""
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
	m := contentOf(e.Raw).media()
	return m, m.ID != ""
}

func (c content) media() Media {
	for _, p := range c.places {
		for _, name := range [...]string{"image", "video", "audio", "voice", "document", "sticker"} {
			if !c.r.Find(p, name) {
				continue
			}
			if m := mediaAt(c.r); m.ID != "" {
				return m
			}
		}
	}
	return Media{}
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

// A Content is what several methods of an [Event] return. A field without a value is the zero value.
type Content struct {
	Text         string
	Choice       string
	FlowResponse json.RawMessage
	Referral     Referral
	Media        Media
	Reaction     Reaction
	Location     *Location
	WantsReply   bool
}

// Content returns what [Event.Text], [Event.Choice], [Event.FlowResponse], [Event.Referral],
// [Event.Media], [Event.Reaction], [Event.Location] and [Event.WantsReply] return, but decodes Raw only once.
func (e Event) Content() Content {
	c := contentOf(e.Raw)
	return Content{c.text(), c.choice(), c.flowResponse(), c.referral(), c.media(), c.reaction(), c.location(), e.wantsReply(c.interactiveWantsReply)}
}

// A content is a parsed element with the objects that can contain its content: itself, an edit's
// message, and in standby the message that the other application sent.
type content struct {
	r      *jsonscan.Reader
	places []jsonscan.Position
}

func contentOf(raw []byte) content {
	r, err := jsonscan.Parse(raw)
	if err != nil {
		return content{}
	}
	places := make([]jsonscan.Position, 1, 4) // the element is at 0
	for _, path := range [...][]string{{"edit", "message"}, {"message"}, {"message", "edit", "message"}} {
		if r.Find(0, path...) {
			places = append(places, r.Position())
		}
	}
	return content{&r, places}
}
