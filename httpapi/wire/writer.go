package wire

import (
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A writer appends JSON, or only counts its bytes.
type writer struct {
	buf    []byte
	counts bool
	size   int // if it counts
	most   int // if it counts; what would follow isn't counted
	inside bool
}

// encode returns what write writes, or false if that's longer than most bytes. It counts first, because
// a buffer that grows would take several times the memory.
func encode(most int, write func(*writer)) (_ []byte, ok bool) {
	count := writer{counts: true, most: most}
	write(&count)
	if count.size > most {
		return nil, false
	}
	out := writer{buf: make([]byte, 0, count.size)}
	write(&out)
	return out.buf, true
}

// isFull reports whether the JSON is known to be too long.
func (out *writer) isFull() bool { return out.counts && out.size > out.most }

func (out *writer) raw(text string) {
	if out.counts {
		out.size += len(text)
	} else {
		out.buf = append(out.buf, text...)
	}
}

func (out *writer) rawBytes(text []byte) {
	if out.counts {
		out.size += len(text)
	} else {
		out.buf = append(out.buf, text...)
	}
}

func (out *writer) byte(c byte) {
	if out.counts {
		out.size++
	} else {
		out.buf = append(out.buf, c)
	}
}

// open begins an object or an array.
func (out *writer) open(bracket byte) {
	out.byte(bracket)
	out.inside = false
}

func (out *writer) close(bracket byte) {
	out.byte(bracket)
	out.inside = true
}

// next separates the next member or element from the previous one.
func (out *writer) next() {
	if out.inside {
		out.byte(',')
	}
	out.inside = true
}

// name begins a member. The name needs no escapes.
func (out *writer) name(name string) {
	out.next()
	out.byte('"')
	out.raw(name)
	out.raw(`":`)
}

// list writes an array.
func list[T any](out *writer, items []T, write func(*writer, *T)) {
	out.open('[')
	for i := range items {
		if out.isFull() {
			return
		}
		out.next()
		write(out, &items[i])
	}
	out.close(']')
}

// always writes a member even if it's empty.
func (out *writer) always(name, text string) {
	out.name(name)
	out.quoted(text)
}

// text writes a member unless it's empty.
func (out *writer) text(name, text string) {
	if text != "" {
		out.always(name, text)
	}
}

// nullable writes a member that's null if it's empty.
func (out *writer) nullable(name, text string) {
	if text == "" {
		out.name(name)
		out.raw("null")
		return
	}
	out.always(name, text)
}

func (out *writer) boolean(name string, value bool) {
	out.name(name)
	out.raw(strconv.FormatBool(value))
}

// flag writes a member if it's true.
func (out *writer) flag(name string, set bool) {
	if set {
		out.boolean(name, true)
	}
}

func (out *writer) number(name string, n int) {
	if n != 0 {
		out.name(name)
		out.raw(strconv.Itoa(n))
	}
}

func (out *writer) degrees(name string, n float64) {
	out.name(name)
	out.raw(strconv.FormatFloat(n, 'f', -1, 64))
}

// object writes a member that's an object.
func (out *writer) object(name string, write func()) {
	out.name(name)
	out.open('{')
	write()
	out.close('}')
}

// JSON escapes the characters of shortEscapes by escapeLetters.
const (
	shortEscapes  = "\b\f\n\r\t\"\\"
	escapeLetters = `bfnrt"\`
)

// quoted writes a JSON string. The text must be UTF-8.
func (out *writer) quoted(text string) {
	const hex = "0123456789abcdef"
	out.byte('"')
	plain := 0 // start of the text without escapes
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out.raw(text[plain:i])
		plain = i + 1
		if j := strings.IndexByte(shortEscapes, c); j >= 0 {
			out.byte('\\')
			out.byte(escapeLetters[j])
		} else {
			out.raw(`\u00`)
			out.byte(hex[c>>4])
			out.byte(hex[c&15])
		}
	}
	out.raw(text[plain:])
	out.byte('"')
}

// replacement is the escape of U+FFFD. The escape of a lone surrogate has the same length.
const replacement = `\ufffd`

// value writes a JSON value with lone surrogates replaced.
func (out *writer) value(value []byte) {
	for {
		i := jsonscan.LoneSurrogate(value)
		if i < 0 {
			out.rawBytes(value)
			return
		}
		out.rawBytes(value[:i])
		out.raw(replacement)
		value = value[i+len(replacement):]
	}
}

func (out *writer) resolvedContact(c *ResolvedContact) {
	out.open('{')
	out.always("id", c.ID)
	out.always("type", string(c.Type))
	out.nullable("username", c.Username)
	out.nullable("phone", c.Phone)
	out.nullable("bsuid", c.BSUID)
	out.nullable("displayName", c.DisplayName)
	out.boolean("phoneKnown", c.PhoneKnown)
	out.boolean("bsuidKnown", c.BSUIDKnown)
	if len(c.Warnings) > 0 {
		out.name("warnings")
		list(out, c.Warnings, func(out *writer, p *Problem) {
			out.open('{')
			out.always("code", string(p.Code))
			out.always("message", p.Message)
			out.close('}')
		})
	}
	out.close('}')
}

func (out *writer) normalizedEvent(e *NormalizedEvent) {
	out.open('{')
	out.always("kind", string(e.Kind))
	out.nullable("bsuid", e.BSUID)
	out.nullable("phone", e.Phone)
	out.nullable("username", e.Username)
	out.nullable("displayName", e.DisplayName)
	out.flag("standby", e.Standby)
	out.name("raw")
	out.value(e.Raw)
	out.close('}')
}

func (out *writer) event(e *webhooknorm.Event) {
	out.open('{')
	out.always("kind", string(e.Kind))
	out.text("field", e.Field)
	out.flag("standby", e.Standby)
	out.ids(&e.IDs)
	out.text("username", e.Username)
	out.text("displayName", e.DisplayName)
	out.text("sharedPhone", e.SharedPhone)
	out.text("groupId", e.GroupID)
	out.text("messageId", e.MessageID)
	out.text("replyTo", e.ReplyTo)
	out.text("target", e.Target)
	out.text("type", e.Type)
	out.text("state", e.State)
	out.errors(e.Errors)
	out.text("accountId", e.AccountID)
	if e.ConversationContext != nil {
		out.name("conversationContext")
		out.value(e.ConversationContext)
	}
	if c := e.Change; c != nil {
		out.object("change", func() {
			out.object("previous", func() { out.ids(&c.Previous) })
			out.object("current", func() { out.ids(&c.Current) })
			out.text("phone", c.Phone)
		})
	}
	if h := e.Handover; h != nil {
		out.object("handover", func() {
			out.text("previousOwner", h.PreviousOwner)
			out.text("newOwner", h.NewOwner)
			out.text("previousAppId", h.PreviousAppID)
			out.text("metadata", h.Metadata)
		})
	}
	out.source(&e.Source)
	out.derived(e)
	out.name("raw")
	out.value(e.Raw)
	out.close('}')
}

// derived writes what an event's methods return.
func (out *writer) derived(e *webhooknorm.Event) {
	out.text("key", e.Key())
	c := e.Content()
	out.text("text", c.Text)
	out.text("choice", c.Choice)
	if c.FlowResponse != nil {
		out.name("flowResponse")
		out.value(c.FlowResponse)
	}
	if f := c.Referral; f != (webhooknorm.Referral{}) {
		out.object("referral", func() {
			out.text("url", f.URL)
			out.text("id", f.ID)
			out.text("type", f.Type)
			out.text("headline", f.Headline)
			out.text("body", f.Body)
			out.text("clickId", f.ClickID)
			out.text("mediaType", f.MediaType)
			out.text("imageUrl", f.ImageURL)
			out.text("videoUrl", f.VideoURL)
			out.text("thumbnailUrl", f.ThumbnailURL)
			out.text("greeting", f.Greeting)
		})
	}
	if m := c.Media; m != (webhooknorm.Media{}) {
		out.object("media", func() {
			out.text("id", m.ID)
			out.text("mimeType", m.MIMEType)
			out.text("filename", m.Filename)
			out.text("caption", m.Caption)
		})
	}
	if r := c.Reaction; r != (webhooknorm.Reaction{}) {
		out.object("reaction", func() {
			out.text("emoji", r.Emoji)
			out.flag("isRemoved", r.IsRemoved)
		})
	}
	if l := c.Location; l != nil {
		out.object("location", func() {
			out.degrees("latitude", l.Latitude)
			out.degrees("longitude", l.Longitude)
			out.text("name", l.Name)
			out.text("address", l.Address)
			out.text("url", l.URL)
		})
	}
	out.flag("wantsReply", c.WantsReply)
	if to, ok := e.Address(); ok {
		out.address("address", to)
		if c.WantsReply {
			out.address("reply", to) // as Event.Reply returns it
		}
	}
}

func (out *writer) address(name string, to contact.Address) {
	out.object(name, func() {
		out.always("field", to.Field)
		out.always("value", to.Value)
	})
}

func (out *writer) ids(ids *contact.IDs) {
	out.text("bsuid", ids.BSUID)
	out.text("parentBsuid", ids.ParentBSUID)
	out.text("phone", ids.Phone)
}

// source writes a source without raw, which is the last member.
func (out *writer) source(s *webhooknorm.Source) {
	out.text("timestamp", s.Timestamp)
	if at, ok := s.Time(); ok && at.Year() <= 9999 { // the last year of RFC 3339
		out.text("time", at.Format(time.RFC3339Nano))
	}
	out.text("phoneNumberId", s.PhoneNumberID)
	out.text("businessPhone", s.BusinessPhone)
}

func (out *writer) errors(errors []webhooknorm.Error) {
	if len(errors) == 0 {
		return
	}
	out.name("errors")
	list(out, errors, func(out *writer, e *webhooknorm.Error) {
		out.open('{')
		out.number("code", e.Code)
		out.text("title", e.Title)
		out.text("message", e.Message)
		out.text("details", e.Details)
		out.number("subcode", e.Subcode)
		out.text("userTitle", e.UserTitle)
		out.text("userMessage", e.UserMessage)
		out.text("traceId", e.TraceID)
		out.close('}')
	})
}

func (out *writer) other(o *webhooknorm.Other) {
	out.open('{')
	out.text("field", o.Field)
	out.text("accountId", o.AccountID)
	out.errors(o.Errors)
	out.source(&o.Source)
	out.name("raw")
	out.value(o.Raw)
	out.close('}')
}
